// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes relay files like a kmemtrace kernel (ABI 1), from text. It shares no code with
 * kmemtrace-import, which reads them. mkrelay little|big DIR <TEXT; the text has these lines:
 *	CPU alloc TYPE SEQUENCE SITE POINTER REQUESTED ALLOCATED GFP NODE [feature ID TEXT]…
 *	CPU free TYPE SEQUENCE SITE POINTER [feature ID TEXT]…
 *	CPU bytes NUMBER…	a byte each
 *	CPU cut COUNT		removes this number of bytes at the end
 * Types: 0 kmalloc, 1 cache, 2 pages. Numbers as in C.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned char record[65536];

struct out {
	size_t size;
	int big;
};

static void put_value(struct out *out, unsigned long long value, int bytes)
{
	for (int i = 0; i < bytes; i++) {
		int shift = out->big ? bytes - 1 - i : i;

		record[out->size++] = (unsigned char)(value >> (8 * shift));
	}
}

static unsigned long long read_word(void)
{
	const char *text = strtok(NULL, " \n");
	char *end = NULL;
	unsigned long long value = text ? strtoull(text, &end, 0) : 0;

	/* signed numbers: a node, a sequence */
	if (text && *text == '-')
		value = (unsigned long long)strtoll(text, &end, 0);
	if (!text || *end) {
		fprintf(stderr, "mkrelay: a number is missing, or \"%s\" is none\n",
			text ? text : "");
		exit(2);
	}
	return value;
}

static void put_features(struct out *out)
{
	const char *text;

	while ((text = strtok(NULL, " \n"))) {
		unsigned long long id = read_word();

		text = strtok(NULL, " \n");
		if (!text || out->size + strlen(text) + 3 > 65000)
			exit(2);
		put_value(out, strlen(text) + 3, 2);
		put_value(out, id, 1);
		for (; *text; text++)
			put_value(out, (unsigned char)*text, 1);
	}
}

static void put_record(struct out *out, int is_free)
{
	size_t size;

	put_value(out, is_free, 1);
	put_value(out, read_word(), 1);
	put_value(out, 0, 2); /* the size is filled in at the end */
	put_value(out, read_word(), 4);
	put_value(out, read_word(), 8);
	put_value(out, read_word(), 8);
	if (!is_free) {
		put_value(out, read_word(), 8);
		put_value(out, read_word(), 8);
		put_value(out, read_word(), 4);
		put_value(out, read_word(), 4);
	}
	put_features(out);
	size = out->size;
	out->size = 2;
	put_value(out, size, 2);
	out->size = size;
}

static int cut_file(const char *path, unsigned long long bytes)
{
	FILE *file = fopen(path, "r+b");
	long size;

	if (!file || fseek(file, 0, SEEK_END))
		return -1;
	size = ftell(file) - (long)bytes;
	return fclose(file) || size < 0 ? -1 : truncate(path, size);
}

int main(int argc, char **argv)
{
	char line[4096], path[4096];

	if (argc != 3)
		return 2;
	while (fgets(line, sizeof(line), stdin)) {
		struct out out = { .big = !strcmp(argv[1], "big") };
		const char *cpu = strtok(line, " \n"), *what = strtok(NULL, " \n");
		FILE *file;

		if (!cpu || *cpu == '#')
			continue;
		if (!what)
			return 2;
		snprintf(path, sizeof(path), "%s/cpu%s.out", argv[2], cpu);
		if (!strcmp(what, "cut")) {
			if (cut_file(path, read_word()))
				return 2;
			continue;
		}
		if (!strcmp(what, "alloc") || !strcmp(what, "free"))
			put_record(&out, *what == 'f');
		else if (!strcmp(what, "bytes"))
			for (const char *text; (text = strtok(NULL, " \n"));)
				put_value(&out, strtoull(text, NULL, 0), 1);
		else
			return 2;
		file = fopen(path, "ab");
		if (!file || fwrite(record, 1, out.size, file) != out.size || fclose(file))
			return 2;
	}
	return 0;
}
