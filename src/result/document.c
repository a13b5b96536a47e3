// SPDX-License-Identifier: MIT
/*
 * See document.h. Jansson says where a text stops being JSON, but not where a value stood. So when
 * a value is at fault, the text, by then known to be well formed, is scanned once more for it.
 */
#include "result/document.h"

#include "base/file.h"
#include "result/document_memo.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_BYTES 256

#define BACKEND_NAME_BYTES 64 /* as in scenarios */
/* Of nanoseconds, pages and bytes: sums of such numbers stay finite, and each becomes an integer
 * without harm. */
#define LIMIT 0x1p63

const char *json_skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')
		p++;
	return p;
}

/* From an opening quote to behind the closing one. */
const char *json_skip_string(const char *p)
{
	for (p++; *p && *p != '"'; p++) {
		if (*p == '\\' && p[1])
			p++;
	}
	return *p ? p + 1 : p;
}

const char *json_skip_value(const char *p)
{
	unsigned depth = 0;

	do {
		if (*p == '"') {
			p = json_skip_string(p);
			continue;
		}
		if (*p == '{' || *p == '[')
			depth++;
		else if (*p == '}' || *p == ']')
			depth--;
		p++;
	} while (*p && (depth || !strchr(",}] \t\r\n", *p)));
	return p;
}

/* The value of a member of the object, or of an element of the array, that starts at `p`; or NULL.
 */
static const char *step_into(const char *p, const char *part, size_t length)
{
	bool object = *p == '{';
	unsigned long wanted = object ? 0 : strtoul(part, NULL, 10);

	if (!object && *p != '[')
		return NULL;
	for (unsigned long i = 0;; i++) {
		const char *key;
		bool found = !object && i == wanted;

		p = json_skip_blanks(p + 1); /* behind the bracket or the comma */
		if (object && *p == '"') {
			key = p + 1;
			p = json_skip_string(p);
			found = (size_t)(p - key) == length + 1 && !strncmp(key, part, length);
			p = json_skip_blanks(p);
			p = json_skip_blanks(p + (*p == ':'));
		}
		if (!*p || *p == '}' || *p == ']')
			return NULL;
		if (found)
			return p;
		p = json_skip_blanks(json_skip_value(p));
		if (*p != ',')
			return NULL;
	}
}

static const char *locate(const char *text, const char *path)
{
	const char *place = json_skip_blanks(text);

	while (*path) {
		size_t length = strcspn(path, ".");
		const char *inside = step_into(place, path, length);

		if (!inside)
			break;
		place = inside;
		path += length + (path[length] == '.');
	}
	return place;
}

int document_fault(const struct document *document, const char *field, struct error *err,
		   const char *format, ...)
{
	const char *place = locate(document->text, field);
	unsigned line = 1, column = 1;
	char text[sizeof(err->text)];
	va_list args;

	for (const char *p = document->text; p < place; p++) {
		column++;
		if (*p == '\n') {
			line++;
			column = 1;
		}
	}
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return error_set_at(err, -EINVAL, document->path, line, column, "%s: %s", field, text);
}

static json_t *child_of(const json_t *json, const char *part)
{
	return json_is_array(json) ? json_array_get(json, strtoul(part, NULL, 10))
				   : json_object_get(json, part);
}

json_t *json_at(const json_t *json, const char *path)
{
	const char *dot;
	char part[64];

	for (; (dot = strchr(path, '.')); path = dot + 1) {
		size_t length = (size_t)(dot - path);

		if (!json || length >= sizeof(part))
			return NULL;
		memcpy(part, path, length);
		part[length] = '\0';
		json = child_of(json, part);
	}
	return *path ? child_of(json, path) : (json_t *)json;
}

double json_number_at(const json_t *json, const char *path)
{
	const json_t *value = json_at(json, path);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

json_t *json_real_or_null(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

uint64_t json_whole_at(const json_t *json, const char *path)
{
	return (uint64_t)json_integer_value(json_at(json, path));
}

/* Names become parts of paths and of tables: nothing but what names of back ends are made of. */
static bool may_name_backend(const json_t *value)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
	size_t length = json_string_length(value);

	return length && length <= BACKEND_NAME_BYTES &&
	       strspn(json_string_value(value), allowed) == length;
}

bool json_is_figure(const json_t *value)
{
	return json_is_number(value) && json_number_value(value) >= 0 &&
	       json_number_value(value) < LIMIT;
}

static bool has_kind(const json_t *value, enum field_kind kind)
{
	switch (kind) {
	case FIELD_TEXT:
		return json_is_string(value);
	case FIELD_BACKEND:
		return may_name_backend(value);
	case FIELD_WHOLE:
		return json_is_integer(value) && json_integer_value(value) >= 0;
	case FIELD_POSITIVE:
		return json_is_integer(value) && json_integer_value(value) >= 1;
	case FIELD_NUMBER:
		return json_is_figure(value);
	case FIELD_FLAG:
		return json_is_boolean(value);
	case FIELD_OBJECT:
		return json_is_object(value);
	case FIELD_ARRAY:
		return json_is_array(value);
	}
	return false;
}

static const char *const kind_names[] = {
	[FIELD_TEXT] = "a text",
	[FIELD_BACKEND] = "the name of a back end",
	[FIELD_WHOLE] = "a whole number, at least 0",
	[FIELD_POSITIVE] = "a whole number, at least 1",
	[FIELD_NUMBER] = "a number, 0 to 9.2e18",
	[FIELD_FLAG] = "true or false",
	[FIELD_OBJECT] = "an object",
	[FIELD_ARRAY] = "a list",
};

/* The object that a field is looked for in. Fields of one parent stand together: it is looked for
 * once. */
struct parent {
	const char *path; /* of a field in it */
	size_t length; /* of the parent's part of that path */
	const json_t *json;
};

static void find_parent(struct parent *parent, const json_t *json, const char *path)
{
	const char *dot = strrchr(path, '.');
	size_t length = dot ? (size_t)(dot - path) : 0;
	char text[64];

	if (parent->path && parent->length == length && !memcmp(parent->path, path, length))
		return;
	if (length >= sizeof(text))
		length = sizeof(text) - 1;
	memcpy(text, path, length);
	text[length] = '\0';
	*parent = (struct parent){path, length, json_at(json, text)};
}

static int field_fault(const struct document *document, const char *where,
		       const struct field *field, bool there, struct error *err)
{
	char path[128];

	snprintf(path, sizeof(path), "%s%s%s", where, *where ? "." : "", field->path);
	return document_fault(document, path, err, "%s (must be %s%s)",
			      there ? "is something else" : "is missing", kind_names[field->kind],
			      field->flags & FIELD_NULL ? ", or null" : "");
}

int document_check_at(const struct document *document, const json_t *json, const char *where,
		      const struct field *fields, size_t nr, struct error *err)
{
	struct parent parent = {NULL, 0, NULL};

	for (size_t i = 0; i < nr; i++) {
		const struct field *field = &fields[i];
		const json_t *value;

		find_parent(&parent, json, field->path);
		value = json_at(parent.json, field->path + parent.length + (parent.length > 0));
		if (value ? has_kind(value, field->kind) ||
				    (json_is_null(value) && field->flags & FIELD_NULL)
			  : field->flags & FIELD_OPTIONAL || !parent.json ||
				    json_is_null(parent.json))
			continue;
		return field_fault(document, where, field, value, err);
	}
	return 0;
}

int document_check(const struct document *document, const struct field *fields, size_t nr,
		   struct error *err)
{
	return document_check_at(document, document->json, "", fields, nr, err);
}

/* The schema that the document names; NULL with a fault where it is none of these. */
static const struct document_schema *find_schema(const struct document *document,
						 const struct document_schema *const *schemas,
						 size_t nr, struct error *err)
{
	const char *name = json_string_value(json_at(document->json, "schema.name"));
	char known[256];
	size_t length = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!strcmp(name, schemas[i]->name))
			return schemas[i];
		if (length < sizeof(known))
			length += (size_t)snprintf(known + length, sizeof(known) - length, "%s%s",
						   i ? ", " : "", schemas[i]->name);
	}
	document_fault(document, "schema.name", err, "'%s' is not read here (%s is)", name, known);
	return NULL;
}

static int check_schema(struct document *document, const struct document_schema *const *schemas,
			size_t nr, struct error *err)
{
	static const struct field fields[] = {
		{"schema", FIELD_OBJECT, 0},
		{"schema.name", FIELD_TEXT, 0},
		{"schema.version", FIELD_POSITIVE, 0},
	};
	const struct document_schema *schema;
	json_int_t version;
	int r;

	r = document_check(document, fields, sizeof(fields) / sizeof(fields[0]), err);
	if (r)
		return r;
	schema = find_schema(document, schemas, nr, err);
	if (!schema)
		return -EINVAL;
	document->schema = schema;
	version = json_integer_value(json_at(document->json, "schema.version"));
	if (version > schema->version) {
		document_fault(document, "schema.version", err,
			       "version %lld was written by a newer program (this one reads up to "
			       "%d)",
			       (long long)version, schema->version);
		return -EPROTONOSUPPORT;
	}
	return document_check(document, schema->fields, schema->nr_fields, err);
}

static int parse(struct document *document, size_t length, struct document_memo *memo,
		 struct error *err)
{
	json_error_t fault;

	/* What is not JSON is parsed once more without, to say where it stops being JSON. */
	document->json = memo ? document_memo_parse(memo, document->text, length) : NULL;
	if (!document->json)
		document->json = json_loadb(document->text, length, JSON_REJECT_DUPLICATES, &fault);
	if (document->json)
		return 0;
	return error_set_at(err, -EINVAL, document->path, fault.line > 0 ? (unsigned)fault.line : 1,
			    fault.column > 0 ? (unsigned)fault.column : 1, "not JSON: %s",
			    fault.text);
}

int document_open_any(const char *path, const struct document_schema *const *schemas, size_t nr,
		      struct document_memo *memo, struct document *document, struct error *err)
{
	size_t length, limit = 0;
	struct stat st;
	int r;

	*document = (struct document){.path = path};
	for (size_t i = 0; i < nr; i++)
		limit = schemas[i]->limit > limit ? schemas[i]->limit : limit;
	/* Opening a fifo would wait for somebody to write to it, and no signal would end that. */
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return error_set_at(err, -EINVAL, path, 0, 0, "is not a regular file");
	r = file_read(path, limit, &document->text, &length, err);
	if (r)
		return r;
	r = parse(document, length, memo, err);
	if (!r)
		r = check_schema(document, schemas, nr, err);
	if (r)
		document_close(document);
	return r;
}

int document_open(const char *path, const struct document_schema *schema, struct document *document,
		  struct error *err)
{
	return document_open_any(path, &schema, 1, NULL, document, err);
}

bool document_begins_as(const char *path, const char *schema_name)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* of a fifo: it is empty */
	char start[HEAD_BYTES + 1], quoted[64];
	ssize_t got = fd < 0 ? -1 : read(fd, start, HEAD_BYTES);

	if (fd >= 0)
		close(fd);
	start[got > 0 ? got : 0] = '\0';
	snprintf(quoted, sizeof(quoted), "\"%s\"", schema_name);
	return strstr(start, quoted);
}

void document_close(struct document *document)
{
	json_decref(document->json);
	free(document->text);
	document->json = NULL;
	document->text = NULL;
}

int document_write(const char *path, const json_t *document, struct error *err)
{
	char *text = json_dumps(document, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
	size_t length;
	int r;

	if (!text)
		return error_set_at(err, -ENOMEM, path, 0, 0,
				    "cannot be put into words: out of memory");
	length = strlen(text);
	text[length] = '\n'; /* in place of the NUL: the length goes with it */
	r = file_write_atomic(path, text, length + 1, err);
	free(text);
	return r;
}
