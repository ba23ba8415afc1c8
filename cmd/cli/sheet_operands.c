/* sheet_operands.c - operands [NAME=]FILE.tsv: a sheet and the name it gets.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <string.h>

char **tl_sheet_operands(char **operands, int *n)
{
	static char dash[] = "-", *standard_input[] = { dash };

	if (!*n) {
		operands = standard_input;
		*n = 1;
	}
	for (int i = 0; i < *n; i++)
		tl_will_read(tl_operand_file(operands[i]));
	return operands;
}

const char *tl_operand_file(const char *operand)
{
	const char *equals = strchr(operand, '='), *slash = strchr(operand, '/');

	return equals && (!slash || equals < slash) ? equals + 1 : operand;
}

char *tl_operand_name(const char *operand)
{
	const char *file = tl_operand_file(operand);

	if (file != operand)
		return tl_strndup(operand, (size_t)(file - 1 - operand));
	if (!strcmp(operand, "-"))
		return tl_strdup("sheet");
	const char *base = strrchr(operand, '/') ? strrchr(operand, '/') + 1 : operand;
	size_t len = strlen(base);
	return tl_strndup(base, len > 4 && !strcmp(base + len - 4, ".tsv") ? len - 4 : len);
}

void tl_die_of_sheet(const char *input_name, const struct tl_error *err)
{
	if (err->status == TL_ERR_USAGE)
		tl_usage("%s", err->text);
	tl_die_error(input_name, err);
}
