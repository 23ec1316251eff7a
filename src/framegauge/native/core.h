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

int fg_classify(const uint8_t* data, size_t size, const fg_limits* limits, fg_facts* facts);
/* The places of all facts of a frame without a fault, by a second walk: places[FG_FACT_COUNT]. Returns FG_OK or FG_NO_MEMORY. */
int fg_places(const uint8_t* data, size_t size, const fg_limits* limits, fg_place* places);
uint32_t fg_elements(const uint8_t* data, size_t size, uint32_t* spans, uint32_t room);
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
