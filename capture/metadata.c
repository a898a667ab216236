// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The CTF metadata of a capture: writes a template, and reads its keys. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/files.h"
#include "base/number.h"
#include "base/text.h"
#include "capture/format.h"
#include "capture/metadata.h"
#include "kernel/record_kinds.h"

#define SIGNATURE "/* CTF 1.8" /* with this a text must begin */
#define SECOND 1000000000U     /* ns */

#define TRACER "kmemtraced"
#define IMPORTER "kmemtrace-import"

/* By enum metadata_clock. */
static const struct {
	const char *key, *description;
} clocks[] = {
	{ "monotonic", "CLOCK_MONOTONIC of the capturing kernel" },
	{ "other", "the clock of the recording that was imported" },
	{ "events", "numbers of events: the recording that was imported has no times" },
};

/* By enum metadata_order. */
static const char *const orders[] = { "unknown", "le", "be" };

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * (uint64_t)SECOND + time.tv_nsec;
}

/* From 16 readings, the one with the least time between its two of the monotonic clock. */
static uint64_t read_wall_offset(void)
{
	uint64_t least = UINT64_MAX, offset = 0;

	for (int i = 0; i < 16; i++) {
		uint64_t before = clock_ns(CLOCK_MONOTONIC);
		uint64_t wall = clock_ns(CLOCK_REALTIME);
		uint64_t after = clock_ns(CLOCK_MONOTONIC);
		uint64_t middle = before + (after - before) / 2;

		if (after - before >= least)
			continue;
		least = after - before;
		offset = wall > middle ? wall - middle : 0;
	}
	return offset;
}

/* A 64-bit kernel can say i686 as its machine, to a program that setarch has started. */
unsigned int metadata_word_bits(void)
{
	struct utsname names;

	if (sizeof(void *) == sizeof(uint64_t))
		return 64;
	return !uname(&names) && (strstr(names.machine, "64") || !strcmp(names.machine, "s390x"))
		       ? 64
		       : 32;
}

int metadata_init(struct metadata *metadata)
{
	struct utsname names;

	*metadata = (struct metadata){ .format = CAPTURE_FORMAT };
	if (uname(&names))
		return -errno;
	if (getrandom(metadata->uuid, sizeof(metadata->uuid), 0) != sizeof(metadata->uuid))
		return -EIO;
	metadata->uuid[6] = (metadata->uuid[6] & 0x0f) | 0x40; /* version 4: random */
	metadata->uuid[8] = (metadata->uuid[8] & 0x3f) | 0x80;
	metadata->big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	/* The kernel's, which may be wider than this program's. */
	metadata->word_bits = metadata_word_bits();
	metadata->page_size = sysconf(_SC_PAGESIZE);
	metadata->wall_offset = read_wall_offset();
	snprintf(metadata->hostname, sizeof(metadata->hostname), "%s", names.nodename);
	snprintf(metadata->release, sizeof(metadata->release), "%s", names.release);
	snprintf(metadata->version, sizeof(metadata->version), "%s", names.version);
	snprintf(metadata->machine, sizeof(metadata->machine), "%s", names.machine);
	snprintf(metadata->tracer_version, sizeof(metadata->tracer_version), "%s", PACKAGE_VERSION);
	return 0;
}

static const char types[] = SIGNATURE
	" */\n"
	"typealias integer { size = 8; align = 8; signed = false; } := u8;\n"
	"typealias integer { size = 16; align = 8; signed = false; } := u16;\n"
	"typealias integer { size = 16; align = 8; signed = true; } := s16;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := u32;\n"
	"typealias integer { size = 32; align = 8; signed = false; base = 16; } := x32;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := u64;\n"
	"typealias integer { size = 64; align = 8; signed = true; } := s64;\n"
	"typealias integer { size = 64; align = 8; signed = false; base = 16; } := x64;\n"
	/* exclusive-or with the sign of the node: see struct kmt_record */
	"typealias enum : integer { size = 4; align = 1; signed = false; } {\n"
	"\ttask = 0, softirq = 1, hardirq = 2, nmi = 3,\n"
	"\tnmi = 12, hardirq = 13, softirq = 14, task = 15\n"
	"} := context_u4;\n"
	"typealias integer { size = 12; align = 1; signed = true; } := s12;\n";

/* struct packet_header and the first 40 bytes of struct kmt_record, field by field. */
static const char layout_begin[] = "stream {\n"
				   "\tid = 0;\n"
				   "\tpacket.context := struct {\n"
				   "\t\ttime_ns timestamp_begin; time_ns timestamp_end;\n"
				   "\t\tu64 content_size; u64 packet_size;\t/* bits */\n"
				   "\t\tu64 events_discarded;\t/* of this CPU, cumulative */\n"
				   "\t\tu64 packet_seq_num; u32 cpu_id; u32 records;\n"
				   "\t\tu64 sequence_first; u64 sequence_end;\n"
				   "\t\tu64 skipped;\t/* of all CPUs, cumulative */\n"
				   "\t\tu16 codec; u16 version; x32 crc32;\n"
				   "\t};\n"
				   "\tevent.header := struct { time_ns timestamp; u8 id; };\n"
				   "\tevent.context := struct {\n"
				   "\t\tu8 words; ";
static const char layout_end[] =
	"\n\t\tu32 sequence; x64 pointer; x64 call_site; u32 tid; x32 gfp;\n"
	"\t};\n"
	"};\n";

#define KIND_DECLARATION "event { "

/* The payload of struct kmt_record, and the further words of a long record. */
static void write_kinds(FILE *file)
{
	for (unsigned int id = KMT_NONE + 1; id < KMT_ID_END; id++) {
		const struct record_kind *kind = &record_kinds[id];
		bool is_short = strlen(kind->ctf_name) + strlen(kind->ctf_fields) <= 20;

		fprintf(file,
			KIND_DECLARATION
			"name = \"%s\"; id = %u; stream_id = 0;%sfields := struct { %s };",
			kind->ctf_name, id, is_short ? " " : "\n\t", kind->ctf_fields);
		fputs(" };\n", file);
	}
}

static void write_uuid(const uint8_t uuid[16], FILE *file)
{
	for (int i = 0; i < 16; i++)
		fprintf(file, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

static void write_string(const char *key, const char *text, FILE *file)
{
	fprintf(file, "\t%s = \"", key);
	for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
		if (*at == '"' || *at == '\\')
			fprintf(file, "\\%c", *at);
		else if (*at < ' ' || *at == 0x7f)
			fprintf(file, "\\%03o", *at);
		else
			putc(*at, file);
	}
	fputs("\";\n", file);
}

const char *metadata_clock_text(const struct metadata *metadata)
{
	return clocks[metadata->clock].key;
}

enum metadata_order metadata_order(const struct metadata *metadata)
{
	if (*metadata->source)
		return metadata->source_order;
	return metadata->big_endian ? METADATA_ORDER_BIG : METADATA_ORDER_LITTLE;
}

static void write_clock(const struct metadata *metadata, FILE *file)
{
	const char *key = clocks[metadata->clock].key;

	fprintf(file, "clock {\n\tname = %s;\n\tdescription = \"%s\";\n", key,
		clocks[metadata->clock].description);
	fputs("\tfreq = 1000000000; precision = 1;\n", file);
	fprintf(file, "\toffset_s = %" PRIu64 "; offset = %" PRIu64 "; absolute = false;\n};\n",
		metadata->wall_offset / SECOND, metadata->wall_offset % SECOND);
	fprintf(file,
		"typealias integer { size = 64; align = 8; signed = false;\n"
		"\tmap = clock.%s.value; } := time_ns;\n",
		key);
}

int metadata_write(const struct metadata *metadata, FILE *file)
{
	unsigned int major = 0, minor = 0;

	sscanf(metadata->tracer_version, "%u.%u", &major, &minor);
	fputs(types, file);
	fputs("trace {\n\tmajor = 1; minor = 8;\n\tuuid = \"", file);
	write_uuid(metadata->uuid, file);
	fprintf(file, "\";\n\tbyte_order = %s;\n", metadata->big_endian ? "be" : "le");
	fputs("\tpacket.header := struct { u32 magic; u32 stream_id; u8 uuid[16]; };\n};\n", file);
	fputs("env {\n", file);
	write_string("hostname", metadata->hostname, file);
	write_string("domain", "kernel", file);
	write_string("sysname", "Linux", file);
	write_string("kernel_release", metadata->release, file);
	write_string("kernel_version", metadata->version, file);
	write_string("machine", metadata->machine, file);
	write_string("tracer_name", *metadata->source ? IMPORTER : TRACER, file);
	fprintf(file, "\ttracer_major = %u; tracer_minor = %u;\n", major, minor);
	write_string("tracer_version", metadata->tracer_version, file);
	if (*metadata->source) {
		write_string("kmt_source", metadata->source, file);
		write_string("kmt_source_order", orders[metadata->source_order], file);
		write_string("kmt_clock", metadata_clock_text(metadata), file);
	}
	if (metadata->odd_allocated)
		fprintf(file, "\tkmt_odd_requested = %u; kmt_odd_allocated = %u;\n",
			metadata->odd_requested, metadata->odd_allocated);
	if (metadata->piece)
		fprintf(file, "\tkmt_piece = %u;\n", metadata->piece);
	fprintf(file, "\tkmt_format = %u; kmt_word_bits = %u; kmt_page_size = %u;\n};\n",
		metadata->format, metadata->word_bits, metadata->page_size);
	write_clock(metadata, file);
	fputs(layout_begin, file);
	/* the bits of a byte are in its byte order, too */
	fputs(metadata->big_endian ? "context_u4 context; s12 node;"
				   : "s12 node; context_u4 context;",
	      file);
	fputs(layout_end, file);
	write_kinds(file);
	return text_write_result(file);
}

/* The position behind white space and comments. */
static const char *skip_space(const char *at)
{
	for (;;) {
		const char *end = NULL;

		at += strspn(at, " \t\r\n");
		if (at[0] == '/' && at[1] == '*')
			end = strstr(at + 2, "*/");
		else if (at[0] == '/' && at[1] == '/')
			end = strchr(at, '\n');
		else
			return at;
		if (!end)
			return at + strlen(at);
		at = *end == '*' ? end + 2 : end;
	}
}

/* The position behind the word, string or sign at at. */
static const char *skip_token(const char *at)
{
	if (*at == '"') {
		for (at++; *at && *at != '"'; at++)
			if (*at == '\\' && at[1])
				at++;
		return *at ? at + 1 : at;
	}
	if (!isalnum((unsigned char)*at) && *at != '_')
		return *at ? at + 1 : at;
	while (isalnum((unsigned char)*at) || *at == '_')
		at++;
	return at;
}

/* The value of the first "key = value" in text; or NULL. */
static const char *find_value(const char *text, const char *key)
{
	size_t size = strlen(key);

	for (const char *at = skip_space(text); *at;) {
		const char *end = skip_token(at), *next = skip_space(end);

		if ((size_t)(end - at) == size && !memcmp(at, key, size) && *next == '=')
			return skip_space(next + 1);
		at = next;
	}
	return NULL;
}

static bool find_number(const char *text, const char *key, uint64_t *number)
{
	const char *at = find_value(text, key);

	return at && number_parse(&at, 10, number);
}

/* The character behind a backslash at *at, which moves behind it; '\0': not valid. */
static char unescape_character(const char **at)
{
	unsigned int byte = 0, digits = 0;

	for (; digits < 3 && **at >= '0' && **at <= '7'; digits++)
		byte = byte * 8 + (*(*at)++ - '0');
	if (digits)
		return byte < 256 ? byte : '\0';
	if (!**at)
		return '\0';
	switch (*(*at)++) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	default:
		return (*at)[-1];
	}
}

/* A string's value, unescaped and cut to size; empty if the key is missing. */
static void find_string(const char *text, const char *key, char *value, size_t size)
{
	const char *at = find_value(text, key);
	char *last = value + size - 1;

	if (at && *at++ == '"') {
		while (*at && *at != '"' && value < last) {
			char c = *at++;

			if (c == '\\')
				c = unescape_character(&at);
			if (c)
				*value++ = c;
		}
	}
	*value = '\0';
}

static bool find_uuid(const char *text, uint8_t uuid[16])
{
	char value[40];
	const char *at = value;

	find_string(text, "uuid", value, sizeof(value));
	for (int i = 0; i < 16; i++) {
		char pair[3] = { 0 };
		const char *digits = pair;
		uint64_t byte;

		at += *at == '-';
		if (!isxdigit((unsigned char)at[0]) || !isxdigit((unsigned char)at[1]))
			return false;
		memcpy(pair, at, 2);
		at += 2;
		number_parse(&digits, 16, &byte);
		uuid[i] = byte;
	}
	return !*at;
}

/* The keys that kmemtrace-import writes; kmemtraced does not. */
static void parse_source(struct metadata *metadata, const char *text)
{
	uint64_t requested, allocated;
	char value[16];

	find_string(text, "kmt_source", metadata->source, sizeof(metadata->source));
	if (!*metadata->source)
		return;
	find_string(text, "kmt_clock", value, sizeof(value));
	/* an unknown name is one of a later version */
	metadata->clock = *value ? METADATA_CLOCK_OTHER : METADATA_CLOCK_MONOTONIC;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(*clocks); i++)
		if (!strcmp(value, clocks[i].key))
			metadata->clock = i;
	find_string(text, "kmt_source_order", value, sizeof(value));
	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++)
		if (!strcmp(value, orders[i]))
			metadata->source_order = i;
	if (find_number(text, "kmt_odd_requested", &requested) && requested <= UINT32_MAX &&
	    find_number(text, "kmt_odd_allocated", &allocated) && allocated <= UINT32_MAX) {
		metadata->odd_requested = (uint32_t)requested;
		metadata->odd_allocated = (uint32_t)allocated;
	}
}

char *metadata_newer_text(const char *tracer_version, char *text, size_t size)
{
	size_t length = strlen(tracer_version);
	bool plain = length;

	for (size_t i = 0; i < length; i++)
		plain &= isgraph((unsigned char)tracer_version[i]) != 0;
	if (strcmp(tracer_version, PACKAGE_VERSION) == 0)
		snprintf(
			text, size,
			"written by this version, kmemtrace %s, which has no such data: the file is damaged",
			tracer_version);
	else
		snprintf(text, size, "%s%s%suse a version newer than %s", plain ? "kmemtrace " : "",
			 plain ? tracer_version : "", plain ? " wrote it: " : "", PACKAGE_VERSION);
	return text;
}

/* Replaces a missing or impossible value by the value of most machines. */
static void parse_machine(struct metadata *metadata, const char *text)
{
	uint64_t number, seconds, offset;

	if (find_number(text, "kmt_piece", &number) && number <= UINT32_MAX)
		metadata->piece = (unsigned int)number;
	metadata->word_bits = 64;
	if (find_number(text, "kmt_word_bits", &number) && (number == 32 || number == 0))
		metadata->word_bits = number;
	metadata->page_size = 4096;
	if (find_number(text, "kmt_page_size", &number) && number <= 1U << 30 &&
	    !(number & (number - 1)))
		metadata->page_size = number;
	if (find_number(text, "offset_s", &seconds) && find_number(text, "offset", &offset) &&
	    offset < SECOND && seconds < UINT64_MAX / SECOND)
		metadata->wall_offset = seconds * SECOND + offset;
	find_string(text, "hostname", metadata->hostname, sizeof(metadata->hostname));
	find_string(text, "kernel_release", metadata->release, sizeof(metadata->release));
	find_string(text, "kernel_version", metadata->version, sizeof(metadata->version));
	find_string(text, "machine", metadata->machine, sizeof(metadata->machine));
}

int metadata_parse(struct metadata *metadata, const char *text, struct error *error)
{
	const char *order = find_value(text, "byte_order");
	size_t order_size = order ? skip_token(order) - order : 0;
	char newer[METADATA_TEXT];
	uint64_t format;

	*metadata = (struct metadata){ 0 };
	if (strncmp(text, SIGNATURE, strlen(SIGNATURE)))
		return error_set(error, -EINVAL, "it does not begin with \"" SIGNATURE "\"");
	if (!find_number(text, "kmt_format", &format) || !format)
		return error_set(error, -EINVAL,
				 "it has no kmt_format: this trace is not of kmemtraced");
	find_string(text, "tracer_version", metadata->tracer_version,
		    sizeof(metadata->tracer_version));
	if (format > CAPTURE_FORMAT)
		return error_format(
			error, -EPROTONOSUPPORT,
			"the capture has format %" PRIu64 ", this program reads up to %d; %s",
			format, CAPTURE_FORMAT,
			metadata_newer_text(metadata->tracer_version, newer, sizeof(newer)));
	metadata->format = format;
	if (!find_uuid(text, metadata->uuid))
		return error_set(error, -EINVAL, "it has no uuid");
	if (order_size != 2 || (memcmp(order, "le", 2) && memcmp(order, "be", 2)))
		return error_set(error, -EINVAL, "it has no byte_order that is le or be");
	metadata->big_endian = *order == 'b';
	parse_machine(metadata, text);
	parse_source(metadata, text);
	return 0;
}

/* Is the text the begin of expected, up to its end or to the declaration of a kind? */
static bool is_without_last_kinds(const char *text, size_t size, const char *expected)
{
	return !strncmp(text, expected, size) &&
	       (!expected[size] ||
		!strncmp(expected + size, KIND_DECLARATION, strlen(KIND_DECLARATION)));
}

int metadata_compare_file(const struct metadata *metadata, const char *path)
{
	char *expected = NULL, *text = NULL;
	size_t expected_size, size;
	FILE *file = text_open(&expected, &expected_size);
	int err;

	if (!file)
		return -ENOMEM;
	err = metadata_write(metadata, file);
	if (text_close(file, &expected))
		err = -ENOMEM;
	if (!err)
		err = read_file(AT_FDCWD, path, expected_size, &text, &size);
	if (err == -EFBIG || (!err && !is_without_last_kinds(text, size, expected)))
		err = -EBADMSG;
	free(text);
	free(expected);
	return err;
}
