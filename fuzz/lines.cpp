// Invariant: a row of fg_lines is what fg_classify, fg_run and fg_judge tell of that line alone, whatever the size of the chunks, the
// kernel, the seed of the key fingerprints, the lines around it and how often they came before; and no byte outside the buffer is read. Where fg_object_end says that
// an object ends, fg_classify says that it is one. fg_count_rules counts the rows, and what any of them breaks is what they break.
//
// Input: a byte that chooses the limits, the revision and the sender, a byte for chunk and kernel, the buffer.
#include "shaped.hpp"

namespace fuzz {

constexpr uint32_t kChunks[] = {1, 2, 7, 40, 64, 100, 257, 1000};
constexpr uint32_t kWhole = 1u << 28;
constexpr uint8_t kFaultRules = 104, kNegative = 125, kPositive = 126;

// A rule for each fact and each fault, so that rows show all there is; some rows also need a fact that is not there.
static fg_table make_table() {
  fg_table table;
  memset(&table, 0, sizeof table);
  auto add = [&](uint64_t facts, uint64_t without, int rule) {
    table.rows[table.row_count++] = {facts, without, 0, uint8_t(rule), uint8_t(rule % 3), 0};
    table.suspicious |= facts;
  };
  for (int fact = 0; fact < FG_FACT_COUNT; fact++) add(FG_BIT(fact), 0, fact);
  for (int fact = 0; fact < FG_FACT_COUNT; fact++) add(FG_BIT(fact), FG_BIT((fact + 7) % FG_FACT_COUNT), 64 + fact % 40);
  memset(table.by_fault, FG_NO_RULE, sizeof table.by_fault);
  for (int fault = 1; fault < FG_FAULT_COUNT; fault++) table.by_fault[fault] = uint8_t(kFaultRules + fault);
  table.codes[table.code_count++] = {INT32_MIN, -1, kNegative, 0};
  table.codes[table.code_count++] = {0, INT32_MAX, kPositive, 1};
  return table;
}

static const fg_table kTable = make_table();

// By what lines are judged: the facts' own table, or a revision's, or what `auto` makes of each.
class By {
 public:
  explicit By(uint32_t choice) : senders_(1 + choice % kSenders), own_(senders_) {
    static uint64_t serial = 0;
    const uint32_t n = choice / kSenders % (kJudgeCount + 2);
    const Judge& judge = kJudges[n && n <= kJudgeCount ? n - 1 : kRevisions];
    table_ = n ? *judge.table : kTable;
    table_.serial = ++serial;  // what is learnt of an input's lines is known when they come again, and forgotten with the input
    if (n == 0) return;
    made_ = sent_by(judge, senders_), protocol = &made_;
    if (n > kJudgeCount) own = &own_.c;
  }

  const fg_table* const table = &table_;
  const fg_protocol* protocol = nullptr;
  const fg_own* own = nullptr;

 private:
  uint32_t senders_;
  fg_table table_;
  fg_protocol made_;
  Own own_;
};

class Rows {
 public:
  Rows(const Kernel& kernel, const uint8_t* data, size_t size, const fg_limits& limits, const By& by, uint32_t chunk) {
    memset(&c, 0, sizeof c);
    kernel.use();
    hold(fg_lines(data, size, &limits, by.table, by.protocol, by.own, chunk, &c) == FG_OK, "memory");
  }
  ~Rows() { fg_free_columns(&c); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  fg_columns c;
};

// But for where the line is.
static bool same_row(const fg_columns& a, uint64_t i, const fg_columns& b, uint64_t j) {
  return a.length[i] == b.length[j] && a.kind[i] == b.kind[j] && a.facts[i] == b.facts[j] && a.rules[2 * i] == b.rules[2 * j] &&
         a.rules[2 * i + 1] == b.rules[2 * j + 1] && a.fault[i] == b.fault[j] && a.fault_offset[i] == b.fault_offset[j] &&
         a.id_start[i] == b.id_start[j] && a.id_stop[i] == b.id_stop[j] && a.method[i] == b.method[j] &&
         a.method_start[i] == b.method_start[j] && a.method_stop[i] == b.method_stop[j];
}

// By its text: the number of a known method that is spelled without a backslash.
static uint16_t method_of(const uint8_t* line, const fg_envelope_value& method) {
  if (method.type != FG_STRING || method.escaped) return 0;
  const size_t size = method.stop - method.start - 2;
  for (uint16_t number = 1; const char* text = fg_method(number); number++)
    if (strlen(text) == size && memcmp(text, line + method.start + 1, size) == 0) return number;
  return 0;
}

// What a line breaks that was just classified.
static fg_found judge(const By& by, const uint8_t* line, uint32_t size, const fg_facts& f) {
  const uint32_t n = by.own ? fg_own_revision(by.own, line, &f) : 0;
  const bool own = by.own && n != by.own->count;
  fg_found found;
  fg_run(own ? by.own->tables[n] : by.table, &f, &found);
  const fg_protocol* const protocol = own ? by.own->protocols[n] : by.protocol;
  if (protocol) fg_judge(protocol, line, size, &f, 0, &found);
  return found;
}

// Adds to `any` what the line breaks.
static void check_alone(const fg_columns& c, uint64_t i, const uint8_t* line, uint32_t size, const fg_limits& limits, const By& by, fg_found& any) {
  const Exact exact(line, size, 0);
  fg_facts f;
  hold(fg_classify(exact.data(), size, &limits, &f) == FG_OK, "memory");
  if (planted(kPlantedAlone) && (f.bits & FG_BIT(FG_ID_UNSAFE_INTEGER)) && i > 1) f.kind = FG_EMPTY;
  fg_found found = judge(by, exact.data(), size, f);
  if (planted(kPlantedOwn) && by.own && f.kind == FG_SUCCESS && i > 1) found.rules[0] = found.rules[1] = 0;
  for (int n = 0; n < 2 && (f.kind != FG_BATCH || f.fault); n++)
    any.rules[n] |= found.rules[n], any.errors[n] |= found.errors[n], any.warnings[n] |= found.warnings[n];
  const fg_envelope_value &id = f.envelope[FG_ID], &method = f.envelope[FG_METHOD];
  const bool text = method.type == FG_STRING;
  hold(c.length[i] == size && c.kind[i] == f.kind && c.facts[i] == f.bits, "kind or facts differ from the line alone");
  hold(c.rules[2 * i] == found.rules[0] && c.rules[2 * i + 1] == found.rules[1], "rules differ from the line alone");
  hold(c.fault[i] == f.fault && c.fault_offset[i] == f.fault_offset, "the fault differs from the line alone");
  hold(c.id_start[i] == (id.count ? id.start : 0) && c.id_stop[i] == (id.count ? id.stop : 0), "the id differs from the line alone");
  hold(c.method_start[i] == (text ? method.start : 0) && c.method_stop[i] == (text ? method.stop : 0), "the method differs");
  hold(c.method[i] == method_of(exact.data(), method), "the method's number differs from its text");
}

static void check_object_end(const uint8_t* data, uint32_t size, fg_limits limits) {
  uint32_t seen = 0, end = 0;
  hold(fg_object_end(data, size, &limits, &end, &seen) == FG_OK, "memory");
  hold(seen <= size && end <= size, "an object ends outside the buffer");
  if (!end) return;
  limits.max_frame_bytes = FG_NO_LIMIT;
  fg_facts f;
  hold(fg_classify(data, end, &limits, &f) == FG_OK, "memory");
  hold(f.top == FG_OBJECT && f.fault == FG_NO_FAULT, "what fg_object_end found is no object");
}

static void check_counts(const fg_columns& c) {
  uint64_t counts[128], expected[128] = {0};
  fg_count_rules(&c, counts);
  for (uint64_t i = 0; i < c.count; i++)
    for (int rule = 0; rule < 128; rule++) expected[rule] += c.rules[2 * i + rule / 64] >> (rule % 64) & 1;
  hold(memcmp(counts, expected, sizeof counts) == 0, "rows per rule");
}

constexpr uint64_t kTimes = 5;

// The buffer so many times; each line with that many blanks more at its end, or its beginning where `before`.
static std::vector<uint8_t> repeated(const uint8_t* data, size_t size, size_t blanks, bool before) {
  std::vector<uint8_t> once, all;
  for (size_t at = 0; at < size;) {
    const void* hit = memchr(data + at, '\n', size - at);
    const size_t stop = hit ? size_t(static_cast<const uint8_t*>(hit) - data) : size;
    if (before) once.insert(once.end(), blanks, ' ');
    once.insert(once.end(), data + at, data + stop);
    if (!before) once.insert(once.end(), blanks, ' ');
    once.push_back('\n');
    at = stop + 1;
  }
  for (uint64_t n = 0; n < kTimes; n++) all.insert(all.end(), once.begin(), once.end());
  return all;
}

// A line with blanks is too long for a pattern and known by its copy. Each has to say what the first one of its like does, which is walked.
static void check_long(const uint8_t* data, size_t size, const fg_limits& limits, const By& by, const Kernel& kernel, bool before) {
  constexpr size_t kBlanks = 1025;
  const std::vector<uint8_t> buffer = repeated(data, size, kBlanks, before);
  const Exact exact(buffer.data(), buffer.size(), 0);
  const Rows rows(kernel, exact.data(), buffer.size(), limits, by, kWhole);
  const uint64_t lines = rows.c.count / kTimes;
  hold(rows.c.count == kTimes * lines, "long lines that come again are fewer or more");
  if (planted(kPlantedRepeat) && rows.c.known > 2) rows.c.facts[lines * 4] ^= 1;
  for (uint64_t i = 0; i < rows.c.count; i++) hold(same_row(rows.c, i % lines, rows.c, i), "a row depends on the long lines before");
  fg_found any;
  memset(&any, 0, sizeof any);
  for (uint64_t i = 0; i < lines && i < 8; i++) check_alone(rows.c, i, exact.data() + rows.c.offset[i], rows.c.length[i], limits, by, any);
}

// Lines that come again are known by their pattern from some time on. `first`: the rows of the buffer when it came once.
static void check_repeated(const Rows& first, const uint8_t* data, size_t size, const fg_limits& limits, const By& by, const Kernel& kernel) {
  const std::vector<uint8_t> buffer = repeated(data, size, 0, false);
  const Exact exact(buffer.data(), buffer.size(), 0);
  const Rows again(kernel, exact.data(), buffer.size(), limits, by, kWhole);
  const uint64_t lines = first.c.count;
  hold(again.c.count == kTimes * lines, "lines that come again are fewer or more");
  if (planted(kPlantedPattern) && again.c.known > 2) again.c.id_stop[lines * 3]++;
  for (uint64_t i = 0; i < again.c.count; i++) hold(same_row(first.c, i % lines, again.c, i), "a row depends on the lines before");
  hold(memcmp(&first.c.any, &again.c.any, sizeof first.c.any) == 0, "what any row breaks depends on how often it comes");
}

static void check(const uint8_t* from, size_t size, const fg_limits& limits, const By& by, uint8_t choice) {
  const std::vector<Kernel>& all = kernels();
  const Exact exact(from, size, 0);
  const uint8_t* data = exact.data();
  const uint32_t chunk = kChunks[choice % (sizeof kChunks / sizeof kChunks[0])];
  const Rows whole(all[0], data, size, limits, by, kWhole);
  const Rows cut(all[choice / 8 % all.size()], data, size, limits, by, chunk);
  fg_found any;
  memset(&any, 0, sizeof any);
  hold(whole.c.count == cut.c.count, "the number of rows depends on the chunk");
  uint64_t row = 0, tries = 0;
  for (size_t at = 0; at < size; row++) {
    const void* hit = memchr(data + at, '\n', size - at);
    const size_t stop = hit ? size_t(static_cast<const uint8_t*>(hit) - data) : size;
    hold(row < whole.c.count && whole.c.offset[row] == at, "a line has no row");
    if (planted(kPlantedChunk) && row > 1 && whole.c.fault[row] == FG_BAD_ESCAPE) cut.c.fault_offset[row]++;
    hold(same_row(whole.c, row, cut.c, row) && whole.c.offset[row] == cut.c.offset[row], "a row depends on chunk or kernel");
    all[choice / 32 % all.size()].use();
    check_alone(whole.c, row, data + at, uint32_t(stop - at), limits, by, any);
    if (whole.c.fault[row] && tries++ < 4) check_object_end(data + at, uint32_t(size - at), limits);
    at = stop + 1;
  }
  hold(row == whole.c.count, "a row without a line");
  check_repeated(whole, data, size, limits, by, all[choice / 8 % all.size()]);
  if (choice % 4 == 0 && row < 32) check_long(data, size, limits, by, all[choice / 8 % all.size()], choice & 64);
  check_counts(whole.c);
  hold(memcmp(&any, &whole.c.any, sizeof any) == 0 && memcmp(&any, &cut.c.any, sizeof any) == 0, "what any row breaks is not what the rows break");
}

}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < fuzz::kHeader) return -1;
  const fuzz::By by(data[0] / fuzz::kLimitsCount);
  fuzz::check(data + fuzz::kHeader, size - fuzz::kHeader, fuzz::kLimits[data[0] % fuzz::kLimitsCount], by, data[1]);
  return 0;
}
