// SPDX-License-Identifier: MIT
/*
 * See yaml_source.h. The text is read twice by libyaml: first as events, which show anchors, tags
 * and depth before anything is built from them, and then into a document, which keeps the places.
 */
#include "scenario/yaml_source.h"

#include <errno.h>
#include <string.h>

static struct place place_at(const struct yaml_source *source, const yaml_mark_t *mark)
{
	unsigned shift = mark->line ? 0 : source->shift;

	return (struct place){source->file, (unsigned)mark->line + 1,
			      (unsigned)mark->column + 1 + shift};
}

/* The place of a byte: where libyaml's reader choked, its own marks do not count that far. */
static struct place place_of_byte(const struct yaml_source *source, const char *text, size_t at)
{
	yaml_mark_t mark = {0};

	for (size_t i = 0; i < at; i++) {
		if (text[i] == '\n') {
			mark.line++;
			mark.column = 0;
		} else if ((text[i] & 0xc0) != 0x80) {
			mark.column++;
		}
	}
	return place_at(source, &mark);
}

static int complain(const struct yaml_source *source, const yaml_parser_t *parser, const char *text,
		    size_t length, struct error_list *errors)
{
	const char *problem = parser->problem ? parser->problem : "not YAML";
	struct place place = place_at(source, &parser->problem_mark);

	if (parser->error == YAML_MEMORY_ERROR) {
		error_list_add(errors, source->file, 0, 0, "out of memory");
		return -ENOMEM;
	}
	if (parser->error == YAML_READER_ERROR) {
		size_t at = parser->problem_offset < length ? parser->problem_offset : length;

		place = place_of_byte(source, text, at);
		if (at < length && !text[at])
			problem = "a NUL byte";
		error_list_add(errors, place.file, place.line, place.column,
			       "%s (text in UTF-8, without control characters)", problem);
		return -EINVAL;
	}
	/* what is missing at the end is missing there, and not on a line that is not in the text */
	if (parser->problem_mark.index >= length)
		place = place_of_byte(source, text, length);
	if (parser->context)
		error_list_add(errors, place.file, place.line, place.column,
			       "%s, %s (well-formed YAML)", problem, parser->context);
	else
		error_list_add(errors, place.file, place.line, place.column,
			       "%s (well-formed YAML)", problem);
	return -EINVAL;
}

struct checker {
	const struct yaml_source *source;
	struct error_list *errors;
	unsigned depth, documents;
	bool bad, stop;
};

static void refuse(struct checker *checker, const yaml_event_t *event, const char *what)
{
	struct place place = place_at(checker->source, &event->start_mark);

	error_list_add(checker->errors, place.file, place.line, place.column, "%s", what);
	checker->bad = true;
}

static void refuse_properties(struct checker *checker, const yaml_event_t *event,
			      const void *anchor, const void *tag)
{
	if (anchor)
		refuse(checker, event, "an anchor (write the values out: no anchors or aliases)");
	if (tag)
		refuse(checker, event, "a tag (plain values: no tags)");
}

static void deeper(struct checker *checker, const yaml_event_t *event)
{
	if (++checker->depth <= YAML_DEPTH_MAX)
		return;
	refuse(checker, event, "nested too deeply (a scenario takes 5 levels)");
	checker->stop = true;
}

static void check_event(struct checker *checker, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_DOCUMENT_START_EVENT:
		if (event->data.document_start.tag_directives.start !=
		    event->data.document_start.tag_directives.end)
			refuse(checker, event, "a %TAG directive (plain values: no tags)");
		if (checker->documents++) {
			refuse(checker, event, "a second document (one scenario in a file)");
			checker->stop = true;
		}
		break;
	case YAML_ALIAS_EVENT:
		refuse(checker, event, "an alias (write the values out: no anchors or aliases)");
		break;
	case YAML_SCALAR_EVENT:
		refuse_properties(checker, event, event->data.scalar.anchor,
				  event->data.scalar.tag);
		break;
	case YAML_SEQUENCE_START_EVENT:
		refuse_properties(checker, event, event->data.sequence_start.anchor,
				  event->data.sequence_start.tag);
		deeper(checker, event);
		break;
	case YAML_MAPPING_START_EVENT:
		refuse_properties(checker, event, event->data.mapping_start.anchor,
				  event->data.mapping_start.tag);
		deeper(checker, event);
		break;
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		checker->depth--;
		break;
	case YAML_STREAM_END_EVENT:
		checker->stop = true;
		break;
	default:
		break;
	}
	if (checker->errors->total >= ERROR_LIST_MAX)
		checker->stop = true;
}

static int parser_begin(yaml_parser_t *parser, const char *text, size_t length,
			struct error_list *errors)
{
	if (!yaml_parser_initialize(parser)) {
		error_list_add(errors, NULL, 0, 0, "out of memory");
		return -ENOMEM;
	}
	/* a mark of UTF-16 is bad UTF-8 like any other */
	yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(parser, (const unsigned char *)text, length);
	return 0;
}

static int check_events(const struct yaml_source *source, const char *text, size_t length,
			struct error_list *errors)
{
	struct checker checker = {.source = source, .errors = errors};
	yaml_parser_t parser;
	yaml_event_t event;
	int code = parser_begin(&parser, text, length, errors);

	if (code)
		return code;
	while (!checker.stop) {
		if (!yaml_parser_parse(&parser, &event)) {
			code = complain(source, &parser, text, length, errors);
			break;
		}
		check_event(&checker, &event);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	if (!code && checker.bad)
		code = -EINVAL;
	return code;
}

int yaml_source_open(struct yaml_source *source, const char *file, unsigned shift, const char *text,
		     size_t length, struct error_list *errors)
{
	yaml_parser_t parser;
	int code;

	*source = (struct yaml_source){.file = file, .shift = shift};
	if (length > SCENARIO_BYTES_MAX) {
		error_list_add(errors, file, 0, 0, "too large (at most %d bytes)",
			       SCENARIO_BYTES_MAX);
		return -EFBIG;
	}
	if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
		/* a byte order mark: no column, and allowed once */
		text += 3;
		length -= 3;
	}
	code = check_events(source, text, length, errors);
	if (code)
		return code;
	code = parser_begin(&parser, text, length, errors);
	if (code)
		return code;
	if (!yaml_parser_load(&parser, &source->document))
		code = complain(source, &parser, text, length, errors);
	yaml_parser_delete(&parser);
	return code;
}

void yaml_source_close(struct yaml_source *source)
{
	yaml_document_delete(&source->document);
}

yaml_node_t *yaml_source_root(struct yaml_source *source)
{
	return yaml_document_get_root_node(&source->document);
}

yaml_node_t *yaml_source_node(struct yaml_source *source, int index)
{
	return yaml_document_get_node(&source->document, index);
}

struct place yaml_source_place(const struct yaml_source *source, const yaml_node_t *node)
{
	return place_at(source, &node->start_mark);
}

bool yaml_is_plain(const yaml_node_t *node)
{
	return node->type == YAML_SCALAR_NODE && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

bool yaml_is_null(const yaml_node_t *node)
{
	static const char *const spellings[] = {"", "~", "null", "Null", "NULL"};

	if (!yaml_is_plain(node))
		return false;
	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++)
		if (!strcmp((const char *)node->data.scalar.value, spellings[i]))
			return true;
	return false;
}
