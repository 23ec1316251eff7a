// The tokenizer's entry points: one frame in, facts out. The one translation unit of the native core.
#include "frame/classify.hpp"
#include "frame/locations.hpp"
#include "lines/line_scan.hpp"

#include "core.h"

namespace fg {
namespace {

// The kernel simdjson chose for this processor (or its environment override), once, before any frame is read.
struct Kernel {
  std::string name = StageOne::kernel();
  Kernel() { g_width = name == "icelake" ? kAvx512 : name == "haswell" ? kAvx2 : name == "fallback" ? kPortable : kScalar; }
};
const Kernel kKernel;

constexpr fg_limits kDefaultLimits = {16u << 20, 256, 100, 1024, 65536};

Scratch* make_scratch() noexcept;

// A plain pointer beside the owner: reading it needs no check whether the thread's objects are initialised.
thread_local Scratch* t_scratch = nullptr;

FG_INLINE Scratch* scratch() noexcept { return FG_LIKELY(t_scratch != nullptr) ? t_scratch : make_scratch(); }

FG_COLD Scratch* make_scratch() noexcept {
  struct Owner {
    std::unique_ptr<Scratch> scratch;
    ~Owner() { t_scratch = nullptr; }
  };
  static thread_local Owner owner;
  owner.scratch.reset(new (std::nothrow) Scratch);
  return t_scratch = owner.scratch.get();
}

}  // namespace
}  // namespace fg

extern "C" {

int fg_classify(const uint8_t* data, size_t size, const fg_limits* limits, fg_facts* facts) {
  return fg::classify_within(fg::scratch(), data, size, limits ? *limits : fg::kDefaultLimits, *facts);
}

uint32_t fg_own_revision(const fg_own* own, const uint8_t* data, const fg_facts* facts) { return fg::own_revision(data, *facts, *own); }

void fg_judge(const fg_protocol* protocol, const uint8_t* data, size_t size, const fg_facts* facts, uint32_t asked, fg_found* found) {
  // Without a fault there was a scratch to find none with.
  if (!facts->fault) fg::judge_last(*protocol, *fg::scratch(), data, static_cast<uint32_t>(size), *facts, asked, *found, nullptr, nullptr);
}

int fg_judge_again(const fg_protocol* protocol, const uint8_t* data, size_t size, const fg_facts* facts, uint32_t asked, fg_found* found,
                   fg_shape_place* places) {
  fg_facts again;
  if (facts->fault) return FG_OK;
  const int status = fg::classify_within(fg::scratch(), data, size, fg::kUnlimited, again);
  // Of another kind is only what changed since it was scanned; of a blank frame the scratch still has the values of one before it.
  if (status == FG_OK && !again.fault && again.kind == facts->kind)
    fg::judge_last(*protocol, *fg::scratch(), data, static_cast<uint32_t>(size), *facts, asked, *found, places, nullptr);
  return status;
}

void fg_run(const fg_table* table, const fg_facts* facts, fg_found* found) {
  *found = {{0, 0}, {0, 0}, {0, 0}};
  fg::run_rows(*table, *facts, *found);
}

int fg_lines(const uint8_t* data, uint64_t size, const fg_limits* limits, const fg_table* table, const fg_protocol* protocol, const fg_own* own,
             uint32_t chunk, fg_columns* columns) {
  const fg_judges by[3] = {{table, protocol, own}, {table, protocol, own}, {table, protocol, own}};
  return fg_lines_by(data, size, limits, by, nullptr, chunk, columns);
}

int fg_lines_by(const uint8_t* data, uint64_t size, const fg_limits* limits, const fg_judges by[3], const uint8_t* directions, uint32_t chunk,
                fg_columns* columns) {
  fg::Scratch* s = fg::scratch();
  if (!s) return FG_NO_MEMORY;
  fg::LineJob job = {*s, data, size, limits ? *limits : fg::kDefaultLimits, by, directions, *columns};
  return fg::all_lines(job, chunk);
}

int fg_object_end(const uint8_t* data, uint32_t size, const fg_limits* limits, uint32_t* end, uint32_t* seen) {
  fg::FaultReader reader(data, size, limits ? *limits : fg::kDefaultLimits);
  const uint32_t stop = reader.object_end(0, *seen);
  *end = fg::ill_formed_utf8(data, stop) == stop ? stop : 0;  // UTF-8 the reader leaves to those who come before it
  return reader.no_memory() ? FG_NO_MEMORY : FG_OK;
}

void fg_free_columns(fg_columns* c) { free(c->offset); }  // where the block begins

void fg_count_rules(const fg_columns* c, uint64_t counts[128]) {
  memset(counts, 0, 128 * sizeof counts[0]);
  for (uint64_t i = 0; i < 2 * c->count; i++)
    for (uint64_t word = c->rules[i]; word; word &= word - 1) counts[64 * (i & 1) + fg::trailing_zeros(word)]++;
}

const char* fg_method(uint32_t number) { return number >= 1 && number <= fg::kMethodCount ? fg::kMethods[number].text : nullptr; }

int fg_places(const uint8_t* data, size_t size, const fg_limits* limits, fg_place* places) {
  fg_facts facts;
  fg::clear_facts(facts);
  memset(places, 0, sizeof(fg_place) * FG_FACT_COUNT);
  fg::Scratch* s = fg::scratch();
  if (!s) return FG_NO_MEMORY;
  if (size == 0 || size > UINT32_MAX) return FG_OK;
  const fg::StageOne::Status status = s->index.index(data, static_cast<uint32_t>(size));
  if (status != fg::StageOne::kOk) return status == fg::StageOne::kNoMemory ? FG_NO_MEMORY : FG_OK;
  fg::pad_index(s->index);
  fg::Walk w(s->index, s->keys, data, static_cast<uint32_t>(size), limits ? *limits : fg::kDefaultLimits, facts);
  w.places = places;
  const uint32_t first = *w.next;
  const bool whole = fg::take_frame(w, nullptr, 0);
  s->keys.reset();
  if (whole) {
    fg::finish(w);
    fg::place_members(w, first);
  }
  return w.no_memory ? FG_NO_MEMORY : FG_OK;
}

int fg_spans(const uint8_t* data, size_t size, uint32_t* spans, uint32_t room, uint32_t* count) {
  fg_facts facts;
  fg::clear_facts(facts);
  *count = 0;
  if (size == 0 || size > UINT32_MAX) return FG_OK;
  const int status = fg::classify(fg::scratch(), data, static_cast<uint32_t>(size), fg::kUnlimited, facts, spans, room);
  if (status == FG_OK && facts.kind == FG_BATCH) *count = facts.items;
  return status;
}

uint32_t fg_elements(const uint8_t* data, size_t size, uint32_t* spans, uint32_t room) {
  uint32_t count;
  return fg_spans(data, size, spans, room, &count) == FG_OK ? count : 0;
}

void fg_default_limits(fg_limits* limits) { *limits = fg::kDefaultLimits; }

const char* fg_name(uint32_t number) { return number >= 1 && number <= fg::kNameCount ? fg::kNames[number].text : nullptr; }

void fg_seed(uint64_t a, uint64_t b) {
  fg::g_seeds.a = a;
  fg::g_seeds.b = b;
}

int64_t fg_stage_one(const uint8_t* data, size_t size) {
  fg::Scratch* s = fg::scratch();
  if (!s || size == 0 || size > UINT32_MAX) return -1;
  return s->index.index(data, static_cast<uint32_t>(size)) == fg::StageOne::kOk ? static_cast<int64_t>(s->index.count()) : -1;
}

const char* fg_kernel(void) { return fg::kKernel.name.c_str(); }
const char* fg_simdjson_version(void) { return SIMDJSON_VERSION; }

#define FG_TEXT(id, name) name,
static const char* const kKinds[] = {FG_KINDS(FG_TEXT)};
static const char* const kTypes[] = {FG_TYPES(FG_TEXT)};
static const char* const kFaults[] = {FG_FAULTS(FG_TEXT)};
static const char* const kFacts[] = {FG_FACT_BITS(FG_TEXT)};
static const char* const kMarks[] = {FG_MARKS(FG_TEXT)};
#undef FG_TEXT

const char* fg_kind_name(uint32_t i) { return i < FG_KIND_COUNT ? kKinds[i] : nullptr; }
const char* fg_type_name(uint32_t i) { return i < FG_TYPE_COUNT ? kTypes[i] : nullptr; }
const char* fg_envelope_name(uint32_t i) { return i < FG_ENVELOPE_COUNT ? fg::kEnvelope[i] : nullptr; }
const char* fg_fault_name(uint32_t i) { return i < FG_FAULT_COUNT ? kFaults[i] : nullptr; }
const char* fg_fact_name(uint32_t i) { return i < FG_FACT_COUNT ? kFacts[i] : nullptr; }
const char* fg_mark_name(uint32_t i) { return i < FG_MARK_COUNT ? kMarks[i] : nullptr; }

static const fg_api kApi = {FG_FACTS_ABI, sizeof(fg_facts), fg_classify, fg_elements, fg_default_limits, fg_name};
const fg_api* fg_get_api(void) { return &kApi; }

}  // extern "C"
