/* What api.cpp offers inside the extension; embedders see framegauge.h. */
#ifndef FRAMEGAUGE_CORE_H
#define FRAMEGAUGE_CORE_H
#include "framegauge.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a fact is seen in its frame: the first place, and how many there are. */
typedef struct fg_place {
  uint32_t offset, end; /* bytes [offset, end) */
  uint32_t count;       /* 0: the fact is not set, or has no place */
} fg_place;

/* One compiled row of a rule: found where all of `facts` and none of `without` are set. */
typedef struct fg_row {
  uint64_t facts, without;
  int32_t answer; /* the code owed where it is an error; 0: none */
  uint8_t rule, severity; /* severity: 0 error, 1 warning, 2 info */
  uint8_t place;  /* the fact whose place is shown */
} fg_row;

typedef struct fg_code_row {
  int32_t low, high; /* of error.code */
  uint8_t rule, severity;
} fg_code_row;

#define FG_ROWS 128
#define FG_CODE_ROWS 16
#define FG_NO_RULE 255
#define FG_LOOK 127 /* in place of a rule: whoever asked has to look into the values himself */

/* The rows of one gauge; rule numbers are below 128. */
typedef struct fg_table {
  fg_row rows[FG_ROWS];
  fg_code_row codes[FG_CODE_ROWS];
  uint32_t row_count, code_count;
  uint64_t suspicious; /* a frame without any of these facts breaks no row */
  uint8_t by_fault[64]; /* FG_NO_RULE where the rule is not selected */
  uint64_t serial; /* of all that lines are judged by with this table: no other has it in this process. 0: it has none */
} fg_table;

typedef struct fg_found {
  uint64_t rules[2], errors[2], warnings[2]; /* by rule: found, found as an error, found as a warning */
} fg_found;

/* What MCP says of values (framegauge/protocol/shape.py), compiled: indices into the arrays of one fg_protocol. */
#define FG_NOTHING 0xFFFF  /* no such spec, shape or text */
#define FG_SHAPE_DEPTH 32  /* containers within each other that shapes describe */
#define FG_INTEGER 1       /* a number with a fraction is an error */
#define FG_INTEGRAL 2      /* it is a warning */
#define FG_DEPRECATED 0x8000
#define FG_META_KEYS 1      /* how the keys of an object are spelt: as those of _meta, */
#define FG_EXTENSION_KEYS 2 /* or as those of extensions */
#define FG_SECOND 1         /* the label that makes a prefix MCP's own */
#define FG_SECOND_LAST 2
#define FG_NO_LOW INT32_MIN
#define FG_NO_HIGH INT32_MAX
#define FG_ANY_SIZE UINT32_MAX

/* What a string has to be: any, one of the texts, or begin as one of them; or of a format. */
enum fg_format { FG_ANY_TEXT, FG_LISTED, FG_BEGINS, FG_BASE64, FG_ISO8601, FG_MIME, FG_URI, FG_URL };

typedef struct fg_text {
  const char* text;
  uint32_t size;
  uint64_t head; /* its first 8 bytes, padded with zeros */
} fg_text;

#define FG_MILD 1
#define FG_UNLESS_TASK 2

/* Of one value. Rules: FG_NO_RULE stands for those of the place (fg_shape_rules). */
typedef struct fg_spec {
  uint16_t types;               /* bit t: fg_type t is allowed; FG_DEPRECATED: whatever of it stands there */
  uint16_t shape, each, items;  /* of an object: its shape, or the spec of all its values; of an array: of its items */
  uint16_t values, value_count; /* texts that a string may say, or how it may begin */
  uint16_t known_count;         /* so many, with those that are right elsewhere */
  int32_t low, high;            /* of a number, where bounded */
  uint32_t most;                /* items of an array, or FG_ANY_SIZE */
  uint8_t integer, bounded;     /* of a number */
  uint8_t format;               /* of a string: fg_format */
  uint8_t mild;                 /* FG_MILD: another format, range or size is a warning; FG_UNLESS_TASK: absence, where _meta names a task */
  uint8_t missing_rule, type_rule;
  uint8_t value_rule; /* the warning that a text not known at all is; none: an error */
  uint8_t deprecated; /* so many of the texts, the first ones */
} fg_spec;

typedef struct fg_shape_member {
  uint16_t text, spec;
} fg_shape_member;

typedef struct fg_shape_case {
  uint16_t text, shape;
} fg_shape_case;

/* Of an object: described members, or the shape that its member `tag` tells (`fallback` where it is absent). */
typedef struct fg_shape {
  uint64_t required, one_of; /* bit n: member n; at least one of `one_of` */
  uint16_t members, count;
  uint16_t tag, tag_spec, cases, case_count; /* tag_spec: for its words */
  uint16_t otherwise; /* the shape of a text that is no case */
  uint16_t fallback;
  uint8_t value_rule; /* as in fg_spec */
  uint8_t look;       /* what such an object holds nobody here can judge: FG_LOOK is found */
  uint8_t keys;       /* FG_*_KEYS: of those that are not described; 0: any */
  uint16_t copied_to; /* the name of the second of these */
  uint64_t text_copy; /* two members: where both stand, the second has a block of text; 0: none */
} fg_shape;

typedef struct fg_shape_rules {
  uint8_t missing, type, value;
} fg_shape_rules;

#define FG_FROM_CLIENT 1
#define FG_FROM_SERVER 2

typedef struct fg_method_row {
  uint8_t kind;      /* fg_kind of its frames; 0: not a method of this revision */
  uint8_t elsewhere; /* but of another; FG_NO_FRAME: of this one, where it is part of a result */
  uint8_t senders;   /* FG_FROM_* */
  uint8_t params_required;
  uint16_t params, result;
} fg_method_row;

#define FG_NO_FRAME 2

typedef struct fg_error_data {
  int32_t code;
  uint16_t spec; /* of the error object */
} fg_error_data;

typedef struct fg_protocol {
  const fg_spec* specs;
  const fg_shape* shapes;
  const fg_shape_member* members;
  const fg_shape_case* cases;
  const fg_text* texts;
  const fg_method_row* methods; /* by number; 0: unknown */
  const fg_error_data* errors;
  uint32_t error_count;
  uint16_t any_result;  /* of results whatever the method */
  uint16_t any_error;   /* of error objects of any other code */
  uint16_t params_text; /* the text "params" */
  uint16_t extra_texts, extra_count; /* methods without a number, by name; their rows follow the others */
  fg_shape_rules rules[3]; /* within params, result, error */
  uint8_t unknown_method, other_revision, wrong_direction, with_id, without_id, unknown_param, case_variant, lookalike; /* rules */
  uint8_t senders;         /* FG_FROM_*: who may have sent the frame */
  uint8_t answers_from;    /* who may send responses, */
  uint8_t requests_from;   /* and who requests */
  uint64_t selected[2];    /* rules */
  uint64_t infos[2];       /* rules that are but a word to the wise where they are no error */
  const fg_text* listed;   /* the revisions that the host lists */
  uint8_t listed_count;    /* 0: nobody asks */
  uint8_t reserved_label, trace_count; /* FG_SECOND or FG_SECOND_LAST; the keys of _meta whose values W3C describes, 0 or 3 */
  uint16_t trace_texts, defined_texts, defined_count; /* these, and the reserved keys that are defined */
  uint16_t text_block; /* the shape of a block of text */
  uint8_t unlisted, meta_key, reserved_prefix, trace_value, extension_key, deprecated, text_copy; /* rules */
} fg_protocol;

/* The revisions that a frame may name itself, and by what it is judged then. */
typedef struct fg_own {
  const fg_text* names;
  const fg_table* const* tables;
  const fg_protocol* const* protocols;
  uint32_t count;
} fg_own;

/* The index of the revision that a frame names, or own->count. Facts of the same bytes. */
uint32_t fg_own_revision(const fg_own* own, const uint8_t* data, const fg_facts* facts);

/* Where a rule of shapes is broken. */
typedef struct fg_shape_place {
  uint32_t offset, end, count;
  uint16_t spec, member; /* what was wanted, and the text that names the missing member; or FG_NOTHING */
  uint8_t error;
} fg_shape_place;

/* Judges by what MCP says the frame that this thread has just classified (and nothing since): adds to `found`. `asked`: the number of the
 * method that a response answers, 0 where it is not known. */
void fg_judge(const fg_protocol* protocol, const uint8_t* data, size_t size, const fg_facts* facts, uint32_t asked, fg_found* found);
/* The same for a frame that was classified some time ago. `places`: by rule, 128 of them, zeroed; or NULL. Returns FG_OK or FG_NO_MEMORY. */
int fg_judge_again(const fg_protocol* protocol, const uint8_t* data, size_t size, const fg_facts* facts, uint32_t asked, fg_found* found,
                   fg_shape_place* places);

/* Which rules a frame breaks. */
void fg_run(const fg_table* table, const fg_facts* facts, fg_found* found);

/* Bits of the column `marks`: what a session looks for in a request, notification or response. X(enumerator, public name). */
#define FG_MARKS(X) \
  X(FG_MARK_PROGRESS_TOKEN, "progress-token") \
  X(FG_MARK_RELATED_TASK, "related-task") \
  X(FG_MARK_SUBSCRIPTION_ID, "subscription-id") \
  X(FG_MARK_CURSOR, "cursor") \
  X(FG_MARK_NEXT_CURSOR, "next-cursor") \
  X(FG_MARK_TASK, "task") \
  X(FG_MARK_REQUEST_STATE, "request-state") \
  X(FG_MARK_INPUT_RESPONSES, "input-responses") \
  X(FG_MARK_RESULT_NOT_COMPLETE, "result-not-complete") \
  X(FG_MARK_IS_ERROR, "is-error") \
  X(FG_MARK_ERROR_CODE, "error-code")

#define FG_ENUMERATOR(id, name) id,
enum fg_mark { FG_MARKS(FG_ENUMERATOR) FG_MARK_COUNT };
#undef FG_ENUMERATOR

/* One line of a newline-delimited buffer a row, each column an array in one block of memory. Spans count from the line's start. */
typedef struct fg_columns {
  uint64_t* offset; /* of the line in the buffer; here the block begins */
  uint32_t* length; /* without its LF */
  uint8_t* kind;
  uint64_t* facts;
  uint64_t* rules; /* two words a row */
  uint8_t* fault;
  uint32_t* fault_offset;
  uint32_t *id_start, *id_stop;         /* equal where there is none */
  uint16_t* method;                     /* number of a known method (fg_method), 0 for others */
  uint16_t* marks;                      /* bit n: fg_mark n */
  uint32_t *method_start, *method_stop; /* with the quotes; equal where there is no string */
  uint64_t count, room;
  uint64_t known; /* rows of a known pattern: their lines were not walked */
  uint64_t most;  /* from so many rows on no further chunk is read; 0: all are */
  uint64_t read;  /* bytes of the buffer of which there are rows */
  fg_found any; /* of all rows together, but batches without a fault */
} fg_columns;

/* Appends a row for every line of data[0..size), or of its beginning (see `most`), to `columns`; the last may lack its LF. `protocol` and `own` may be
 * NULL. Returns FG_OK or FG_NO_MEMORY. */
int fg_lines(const uint8_t* data, uint64_t size, const fg_limits* limits, const fg_table* table, const fg_protocol* protocol, const fg_own* own,
             uint32_t chunk, fg_columns* columns);
/* `end`: one past the object that starts at data[0] and may run over line feeds; 0 where none is complete. `seen`: how far was read, so
 * that a caller who tries again and again stays linear. Returns FG_OK or FG_NO_MEMORY. */
int fg_object_end(const uint8_t* data, uint32_t size, const fg_limits* limits, uint32_t* end, uint32_t* seen);
void fg_free_columns(fg_columns* columns);
/* Rows per rule. */
void fg_count_rules(const fg_columns* columns, uint64_t counts[128]);
const char* fg_method(uint32_t number);

int fg_classify(const uint8_t* data, size_t size, const fg_limits* limits, fg_facts* facts);
/* The places of all facts of a frame without a fault, by a second walk: places[FG_FACT_COUNT]. Returns FG_OK or FG_NO_MEMORY. */
int fg_places(const uint8_t* data, size_t size, const fg_limits* limits, fg_place* places);
uint32_t fg_elements(const uint8_t* data, size_t size, uint32_t* spans, uint32_t room);
/* The same, and whether there was memory: FG_OK or FG_NO_MEMORY. */
int fg_spans(const uint8_t* data, size_t size, uint32_t* spans, uint32_t room, uint32_t* count);
void fg_default_limits(fg_limits* limits);
const char* fg_name(uint32_t number);
/* Seeds the key fingerprints of the process. Call it once, before any other thread reads a frame. */
void fg_seed(uint64_t a, uint64_t b);
/* simdjson's stage 1 alone: the number of structural characters, -1 where it refuses. A yardstick for benchmarks. */
int64_t fg_stage_one(const uint8_t* data, size_t size);
const char* fg_kernel(void);
const char* fg_simdjson_version(void);
/* Public names by number; NULL past the last. */
const char* fg_kind_name(uint32_t number);
const char* fg_type_name(uint32_t number);
const char* fg_envelope_name(uint32_t number);
const char* fg_fault_name(uint32_t number);
const char* fg_fact_name(uint32_t number);
const char* fg_mark_name(uint32_t number);
const fg_api* fg_get_api(void);

#ifdef __cplusplus
}
#endif
#endif
