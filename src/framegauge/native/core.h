/* What core.cpp offers inside the extension; embedders see framegauge.h. */
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

/* The rows of one gauge; rule numbers are below 128. */
typedef struct fg_table {
  fg_row rows[FG_ROWS];
  fg_code_row codes[FG_CODE_ROWS];
  uint32_t row_count, code_count;
  uint64_t suspicious; /* a frame without any of these facts breaks no row */
  uint8_t by_fault[64]; /* FG_NO_RULE where the rule is not selected */
} fg_table;

typedef struct fg_found {
  uint64_t rules[2], errors[2];
} fg_found;

/* Which rules a frame breaks. */
void fg_run(const fg_table* table, const fg_facts* facts, fg_found* found);

/* One line of a newline-delimited buffer a row, each column an array of its own. Spans count from the line's start. */
typedef struct fg_columns {
  uint64_t* offset; /* of the line in the buffer */
  uint32_t* length; /* without its LF */
  uint8_t* kind;
  uint64_t* facts;
  uint64_t* rules; /* two words a row */
  uint8_t* fault;
  uint32_t* fault_offset;
  uint32_t *id_start, *id_stop;         /* equal where there is none */
  uint16_t* method;                     /* number of a known method (fg_method), 0 for others */
  uint32_t *method_start, *method_stop; /* with the quotes; equal where there is no string */
  uint64_t count, room;
} fg_columns;

/* Appends a row for every line of data[0..size) to `columns`; the last may lack its LF. Returns FG_OK or FG_NO_MEMORY. */
int fg_lines(const uint8_t* data, uint64_t size, const fg_limits* limits, const fg_table* table, uint32_t chunk, fg_columns* columns);
/* `end`: one past the object that starts at data[0] and may run over line feeds; 0 where none is complete. `seen`: how far was read, so
 * that a caller who tries again and again stays linear. Returns FG_OK or FG_NO_MEMORY. */
int fg_object_end(const uint8_t* data, uint32_t size, const fg_limits* limits, uint32_t* end, uint32_t* seen);
void fg_free_columns(fg_columns* columns);
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
const fg_api* fg_get_api(void);

#ifdef __cplusplus
}
#endif
#endif
