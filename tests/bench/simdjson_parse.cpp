// simdjson_parse.cpp - yardstick: loads a JSON file and builds simdjson's DOM of it.
// Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#include <simdjson.h>

#include <cstdio>

int main(int argc, char **argv)
{
	simdjson::padded_string text;
	simdjson::dom::parser parser;
	simdjson::dom::element document;

	if (argc != 2) {
		std::fprintf(stderr, "usage: simdjson_parse FILE\n");
		return 2;
	}
	if (auto e = simdjson::padded_string::load(argv[1]).get(text)) {
		std::fprintf(stderr, "simdjson_parse: error: %s\n", simdjson::error_message(e));
		return 1;
	}
	if (auto e = parser.parse(text).get(document)) {
		std::fprintf(stderr, "simdjson_parse: error: %s\n", simdjson::error_message(e));
		return 1;
	}
	return 0;
}
