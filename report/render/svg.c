// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A flame graph as a picture. A function is a box below that of its caller, as wide as its share of
 * the bytes. Boxes are percentages of the picture's width, and each has a coordinate system of its
 * own: so the text keeps its size in a window of any width, and is cut at its box. A script zooms
 * and searches; programs that run none show the whole picture.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "base/printable.h"
#include "report/render/render.h"

#define ROW_HEIGHT 18	 /* pixels, as all */
#define HEAD_HEIGHT 80	 /* with the controls of the script */
#define LEAST_WIDTH 0.02 /* percent of the picture: narrower boxes are left out */
#define HUES 4		 /* of the kernel, and of modules */

/* Texts in narrow boxes are shown in wide windows only. */
static const struct {
	double percent; /* a box of at least this width */
	const char *class;
} widths[] = {
	{ 12, "" }, { 4, " class=\"s\"" }, { 1.5, " class=\"m\"" }, { 0.7, " class=\"l\"" }
};

static const char style[] =
	"text{font:12px monospace;fill:#111}\n"
	".h{font-weight:bold}\n"
	":root{background:#fff}\n"
	".bg{fill:#fff}\n"
	".b rect{stroke:#fff;stroke-width:1;fill:#ddd}\n"
	".b{cursor:pointer;outline:none}\n"
	".b:hover rect,.b:focus rect{stroke:#000}\n"
	".above{opacity:.6}\n"
	".bar{display:flex;gap:8px;align-items:center;white-space:nowrap;font:12px monospace;color:#111}\n"
	".bar *{font:inherit;padding:0 4px}\n"
	".bar input{width:10em}\n"
	".k0 rect{fill:#f4b183}.k1 rect{fill:#f7c59f}.k2 rect{fill:#f6d186}.k3 rect{fill:#f2a68c}\n"
	".m0 rect{fill:#9cc9e8}.m1 rect{fill:#a5dbc9}.m2 rect{fill:#b8c5f0}.m3 rect{fill:#9fd9dd}\n"
	"@media(prefers-color-scheme:dark){\n"
	"text{fill:#eee}\n"
	":root{background:#1b1b1d}\n"
	".bg{fill:#1b1b1d}\n"
	".b rect{stroke:#1b1b1d;fill:#4a4a4e}\n"
	".b:hover rect,.b:focus rect{stroke:#fff}\n"
	".bar{color:#eee}\n"
	":root{color-scheme:dark}\n"
	".k0 rect{fill:#8a4b1d}.k1 rect{fill:#7a5230}.k2 rect{fill:#755a14}.k3 rect{fill:#8b3f2b}\n"
	".m0 rect{fill:#245a80}.m1 rect{fill:#1f6650}.m2 rect{fill:#3b4a8f}.m3 rect{fill:#1d646a}\n"
	"}\n"
	".b.match rect{fill:#c026d3}.b.match text{fill:#fff}\n"
	"@media(max-width:2000px){.l{display:none}}\n"
	"@media(max-width:1000px){.m{display:none}}\n"
	"@media(max-width:500px){.s{display:none}}\n";

struct svg {
	FILE *file;
	const struct flame *flame;
	const struct flame_tree *tree;
	uint64_t whole; /* bytes */
	bool is_cut;	/* boxes are left out */
};

static void put_svg_text(FILE *file, const char *text, size_t length)
{
	for (const char *end = text + length; text < end;) {
		size_t size = 1;

		switch (*text) {
		case '&':
			fputs("&amp;", file);
			break;
		case '<':
			fputs("&lt;", file);
			break;
		case '>':
			fputs("&gt;", file);
			break;
		default:
			size = printable_put(file, text);
			if (!size) /* the file cannot be written */
				return;
		}
		text += size;
	}
}

/* Roots have no color of their own; functions of a module share one. */
static void put_class(const struct svg *svg, const struct flame_node *node)
{
	const char *bracket = memrchr(node->name, '[', node->length);
	uint64_t hash = 0;
	bool in_module = bracket && node->name[node->length - 1] == ']';

	if (!node->depth) {
		fputs("b", svg->file);
		return;
	}
	for (const char *at = in_module ? bracket : node->name; at < node->name + node->length;
	     at++)
		hash = (hash ^ (unsigned char)*at) * 0x100000001b3;
	fprintf(svg->file, "b %c%u", in_module ? 'm' : 'k', (unsigned int)(hash >> 32) % HUES);
}

static void put_box(const struct svg *svg, const struct flame_node *node, double x, double percent,
		    size_t row)
{
	const char *class = NULL;

	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]) && !class; i++)
		if (percent >= widths[i].percent)
			class = widths[i].class;
	fputs("<svg class=\"", svg->file);
	put_class(svg, node);
	fprintf(svg->file, "\" x=\"%.4f%%\" y=\"%zu\" width=\"%.4f%%\" height=\"%d\"><title>", x,
		HEAD_HEIGHT + row * ROW_HEIGHT, percent, ROW_HEIGHT);
	put_svg_text(svg->file, node->name, node->length);
	fprintf(svg->file, "\n%s%" PRIu64 " bytes (%.1f %%), %" PRIu64 " object%s</title>",
		node->is_bound ? "at most " : "", node->total.bytes, percent, node->total.objects,
		node->total.objects == 1 ? "" : "s");
	fputs("<rect width=\"100%\" height=\"100%\"/>", svg->file);
	if (class) {
		fprintf(svg->file, "<text x=\"4\" y=\"13\"%s>", class);
		put_svg_text(svg->file, node->name, node->length);
		fputs("</text>", svg->file);
	}
	fputs("</svg>\n", svg->file);
}

/* The depth of a tree is limited by that of a stack, and by the number of keys. */
static void put_children(struct svg *svg, size_t parent, double x)
{
	const struct flame_node *nodes = svg->tree->nodes;

	for (size_t i = nodes[parent].first_child; i; i = nodes[i].next) {
		double percent = table_percent(nodes[i].total.bytes, svg->whole);

		/* the widest are first */
		if (percent < LEAST_WIDTH) {
			svg->is_cut |= nodes[i].total.bytes > 0;
			return;
		}
		put_box(svg, &nodes[i], x, percent, nodes[i].depth);
		put_children(svg, i, x);
		x += percent;
	}
}

static void put_head(const struct svg *svg)
{
	const struct flame *flame = svg->flame;
	const char *const lines[] = { flame->title, flame->source, flame->legend };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		fprintf(svg->file, "<text x=\"4\" y=\"%zu\"%s>", 18 + i * ROW_HEIGHT,
			i ? "" : " class=\"h\"");
		put_svg_text(svg->file, lines[i], strlen(lines[i]));
		fputs("</text>\n", svg->file);
	}
}

static int svg_print(const struct output *output, const struct flame *flame)
{
	struct svg svg = { .file = output->file, .flame = flame };
	struct flame_tree tree;
	size_t depth = 0;
	int err = flame_tree_init(&tree, flame, 0);

	if (err)
		return err;
	svg.tree = &tree;
	svg.whole = tree.nodes[0].total.bytes;
	for (size_t i = 1; i < tree.count; i++)
		if (tree.nodes[i].depth >= depth && tree.nodes[i].total.bytes)
			depth = tree.nodes[i].depth + 1;
	fprintf(svg.file,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%%\" height=\"%zu\">\n"
		"<title>",
		HEAD_HEIGHT + depth * ROW_HEIGHT + 4);
	put_svg_text(svg.file, flame->title, strlen(flame->title));
	fprintf(svg.file,
		"</title>\n<style>\n%s</style>\n"
		"<rect class=\"bg\" width=\"100%%\" height=\"100%%\"/>\n",
		style);
	put_head(&svg);
	put_children(&svg, 0, 0);
	fprintf(svg.file, "<script><![CDATA[\n%s%s]]></script>\n</svg>\n", svg_script,
		svg.is_cut ? "picture.dataset.cut = \"yes\";\n" : "");
	flame_tree_deinit(&tree);
	return 0;
}

const struct renderer renderer_svg = {
	.name = "svg",
	.has_processes = true,
	.print_flame = svg_print,
};
