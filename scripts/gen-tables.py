#!/usr/bin/env python3
"""Writes the two generated tables of the library (they are checked in):
  lib/base/pow10.h          powers of ten, 128 bits each, for tl_format_double
  lib/json/unprintable.h   code point ranges Python does not print as they are
Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT"""
import os
import unicodedata

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib")
HEAD = "/* {0} Made by scripts/gen-tables.py.\n * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */\n#ifndef {1}\n#define {1}\n\n#include <stdint.h>\n\n"
TAIL = "\n#endif\n"
LOWEST, HIGHEST = -292, 324


def power(e):
    """10^e scaled by a power of two into [2^127, 2^128), rounded up."""
    if e >= 0:
        n = 10 ** e
        shift = 128 - n.bit_length()
        return n << shift if shift >= 0 else -((-n) >> -shift)
    d = 10 ** -e
    bits = d.bit_length() + 127
    return -((-1 << bits) // d)


def write_powers():
    with open(os.path.join(ROOT, "base", "pow10.h"), "w") as f:
        f.write(HEAD.format("pow10.h - 10^e for e = %d..%d, scaled into [2^127, 2^128), rounded up." % (LOWEST, HIGHEST), "TL_POW10_H"))
        f.write("#define POW10_LOWEST (%d)\n" % LOWEST)
        f.write("static const struct { uint64_t hi, lo; } pow10_table[] = {\n")
        for e in range(LOWEST, HIGHEST + 1):
            g = power(e)
            assert 2 ** 127 <= g < 2 ** 128
            f.write("\t{ 0x%016x, 0x%016x },\n" % (g >> 64, g & (2 ** 64 - 1)))
        f.write("};\n" + TAIL)


def write_unprintable():
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
    with open(os.path.join(ROOT, "value", "unprintable.h"), "w") as f:
        f.write(HEAD.format("unprintable.h - code points from U+0080 of categories Cc Cf Cs Co Cn Zl Zp Zs,\n * Unicode %s: first and last of each range." % unicodedata.unidata_version, "TL_UNPRINTABLE_H"))
        for name, type_, part in (("low", "uint16_t", [r for r in ranges if r[1] < 0x10000]),
                                  ("high", "uint32_t", [r for r in ranges if r[1] >= 0x10000])):
            f.write("static const %s unprintable_%s[][2] = {\n" % (type_, name))
            for i in range(0, len(part), 8):
                f.write("\t" + " ".join("{0x%x,0x%x}," % r for r in part[i:i + 8]) + "\n")
            f.write("};\n")
        f.write(TAIL)


write_powers()
write_unprintable()
