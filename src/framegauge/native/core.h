/* What api.cpp offers inside the extension; embedders see framegauge.h. */
#ifndef FRAMEGAUGE_CORE_H
#define FRAMEGAUGE_CORE_H
#include "framegauge.h"
#include "layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a fact is seen in its frame: the first place, and how many there are. */
typedef struct fg_place {
  uint32_t offset, end; /* bytes [offset, end) */
  uint32_t count;       /* 0: the fact is not set, or has no place */
} fg_place;

#define FG_ROWS 128
#define FG_CODE_ROWS 16
#define FG_NO_RULE 255
#define FG_LOOK 127 /* in place of a rule: the caller has to check the values in Python */

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

/* The specs of values (framegauge/protocol/notation.py), compiled: indices into the arrays of one fg_protocol. */
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

#define FG_MILD 1
#define FG_UNLESS_TASK 2

#define FG_FROM_CLIENT 1
#define FG_FROM_SERVER 2

#define FG_NO_FRAME 2

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

/* Judges by the specs the frame that this thread has just classified (and nothing since): adds to `found`. `asked`: the number of the
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
/* What frames of one direction are judged by; protocol and own may be NULL. */
typedef struct fg_judges {
  const fg_table* table;
  const fg_protocol* protocol;
  const fg_own* own;
} fg_judges;

/* fg_lines where each line has a direction: directions[i] is 0 (unknown), FG_FROM_CLIENT or FG_FROM_SERVER for line i, and by[] has what such
 * lines are judged by. by[1] and by[2] have to follow from by[0]: what is known of lines is kept by the serial of its table. `directions` may
 * be NULL: all are unknown. Else it has a byte for each line, blank ones and an unfinished last one included. */
int fg_lines_by(const uint8_t* data, uint64_t size, const fg_limits* limits, const fg_judges by[3], const uint8_t* directions, uint32_t chunk,
                fg_columns* columns);
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
