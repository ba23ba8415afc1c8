#!/usr/bin/env python3
"""Writes lib/base/unprintable.h: the ranges of code points that Python's repr escapes.
The file is checked in; run this again for a newer Unicode.
Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT"""
import os
import unicodedata

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib", "json", "unprintable.h")
HEAD = """/* unprintable.h - code points from U+0080 of categories Cc Cf Cs Co Cn Zl Zp Zs,
 * Unicode %s: first and last of each range. Made by scripts/gen-unprintable.py.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_UNPRINTABLE_H
#define TL_UNPRINTABLE_H

#include <stdint.h>

"""

bad = [unicodedata.category(chr(c)) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs") for c in range(0x110000)]
ranges, c = [], 0x80
while c < 0x110000:
    if not bad[c]:
        c += 1
        continue
    first = c
    while c < 0x110000 and bad[c]:
        c += 1
    ranges.append((first, c - 1))

with open(PATH, "w") as f:
    f.write(HEAD % unicodedata.unidata_version)
    f.write("static const uint32_t unprintable[][2] = {\n")
    for i in range(0, len(ranges), 8):
        f.write("\t" + " ".join("{0x%x,0x%x}," % r for r in ranges[i:i + 8]) + "\n")
    f.write("};\n")
    f.write("\n#endif\n")
