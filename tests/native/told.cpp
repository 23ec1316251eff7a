// What the native core tells of frames, a line each: the same bytes for two builds that tell the same.
//
//   told FRAMES TABLES        one line per frame, then one per line buffer
//   told FRAMES TABLES N      the same from N threads at once, and from one; 1 where they differ
//
// FRAMES: frames, each after its size and the five limits it is read with, 4 little-endian bytes each. TABLES: the compiled rows of some gauges, as text:
//   table SUSPICIOUS / row FACTS WITHOUT RULE SEVERITY PLACE / code LOW HIGH RULE SEVERITY / fault NUMBER RULE
// Every frame is read where its last byte stands before a page that cannot be read, and where its first byte stands behind one.
// -DTOLD_RACE makes the threads share one counter without a lock: what a race detector has to refuse.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "core.h"

#ifdef TOLD_RACE
static uint64_t g_shared = 0;
#endif

static const fg_limits kOff = {FG_NO_LIMIT, FG_NO_LIMIT, FG_NO_LIMIT, FG_NO_LIMIT, FG_NO_LIMIT};
static const fg_limits kTight = {400, 4, 2, 5, 4};

// FNV-1a; enough to tell two builds apart.
struct Hash {
  uint64_t value = 0xCBF29CE484222325u;
  void add(uint64_t v) {
    for (int i = 0; i < 8; i++, v >>= 8) value = (value ^ (v & 255)) * 0x100000001B3u;
  }
};

static std::string whole_file(const char* path) {
  std::string text;
  FILE* file = fopen(path, "rb");
  char piece[65536];
  for (size_t n; file && (n = fread(piece, 1, sizeof piece, file)) > 0;) text.append(piece, n);
  if (!file || text.empty()) {
    fprintf(stderr, "told: %s is empty or cannot be read\n", path);
    exit(3);
  }
  fclose(file);
  return text;
}

struct Frame {
  std::string data;
  fg_limits limits;
};

static uint32_t word(const char* at) {
  const uint8_t* b = reinterpret_cast<const uint8_t*>(at);
  return b[0] | b[1] << 8 | b[2] << 16 | uint32_t(b[3]) << 24;
}

static std::vector<Frame> load_frames(const char* path) {
  const std::string text = whole_file(path);
  std::vector<Frame> frames;
  for (size_t at = 0; at + 24 <= text.size(); at += 24 + frames.back().data.size()) {
    const char* head = text.data() + at;
    const fg_limits limits = {word(head + 4), word(head + 8), word(head + 12), word(head + 16), word(head + 20)};
    frames.push_back({text.substr(at + 24, word(head)), limits});
  }
  return frames;
}

static std::vector<fg_table> load_tables(const char* path) {
  const std::string text = whole_file(path);
  std::vector<fg_table> tables;
  for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    const char* line = text.c_str() + at;
    unsigned long long a, b;
    long low, high;
    unsigned rule, severity, place;
    if (sscanf(line, "table %llu", &a) == 1) {
      tables.emplace_back();
      memset(&tables.back(), 0, sizeof(fg_table));
      memset(tables.back().by_fault, FG_NO_RULE, sizeof tables.back().by_fault);
      tables.back().suspicious = a;
    } else if (sscanf(line, "row %llu %llu %u %u %u", &a, &b, &rule, &severity, &place) == 5) {
      tables.back().rows[tables.back().row_count++] = {a, b, 0, uint8_t(rule), uint8_t(severity), uint8_t(place)};
    } else if (sscanf(line, "code %ld %ld %u %u", &low, &high, &rule, &severity) == 4) {
      tables.back().codes[tables.back().code_count++] = {int32_t(low), int32_t(high), uint8_t(rule), uint8_t(severity)};
    } else if (sscanf(line, "fault %u %u", &place, &rule) == 2) {
      tables.back().by_fault[place] = uint8_t(rule);
    } else {
      fprintf(stderr, "told: not a table: %.40s\n", line);
      exit(3);
    }
  }
  return tables;
}

static void add_facts(Hash& h, const fg_facts& f) {
  for (uint64_t v : {uint64_t(f.size), uint64_t(f.kind), uint64_t(f.top), uint64_t(f.fault), uint64_t(f.has_error_code),
                     uint64_t(f.fault_offset), uint64_t(f.json_start), f.bits, uint64_t(f.depth), uint64_t(f.longest_number),
                     uint64_t(f.largest_object), uint64_t(f.items), uint64_t(f.duplicates), uint64_t(f.duplicate_offset),
                     uint64_t(uint32_t(f.error_code))})
    h.add(v);
  for (const fg_envelope_value& v : f.envelope) h.add(v.start), h.add(v.stop), h.add(v.count), h.add(v.type), h.add(v.escaped);
  const fg_member* room = f.members;
  const uint32_t rooms[] = {FG_ROOM_PARAMS, FG_ROOM_RESULT, FG_ROOM_ERROR, FG_ROOM_META};
  for (int group = 0; group < FG_GROUP_COUNT; room += rooms[group++]) {
    h.add(f.counts[group]);
    for (const fg_member* m = room; m < room + f.counts[group] && m < f.members + FG_ROOM; m++)
      h.add(m->start), h.add(m->stop), h.add(m->name), h.add(m->type), h.add(m->escaped);
  }
}

// All that is told of one frame at `data` under those limits.
static uint64_t read_frame(const uint8_t* data, size_t size, const fg_limits* limits, const std::vector<fg_table>& tables) {
  Hash h;
  fg_facts facts;
  h.add(uint64_t(fg_classify(data, size, limits, &facts)));
  add_facts(h, facts);
  for (const fg_table& table : tables) {
    fg_found found;
    fg_run(&table, &facts, &found);
    for (int i = 0; i < 2; i++) h.add(found.rules[i]), h.add(found.errors[i]);
  }
  if (facts.fault == FG_NO_FAULT && facts.kind != FG_EMPTY) {
    fg_place places[FG_FACT_COUNT];
    h.add(uint64_t(fg_places(data, size, &kOff, places)));
    // A place counts where its fact is set, and the code's own span.
    for (int i = 0; i < FG_FACT_COUNT; i++)
      if (places[i].count) h.add(uint64_t(i)), h.add(places[i].offset), h.add(places[i].end), h.add(places[i].count);
  }
  uint32_t spans[200];
  memset(spans, 0, sizeof spans);
  const uint32_t elements = fg_elements(data, size, spans, 100);
  h.add(elements);
  for (uint32_t i = 0; i < 2 * elements && i < 200; i++) h.add(spans[i]);
  uint32_t end = 0, seen = 0;
  if (size && data[0] == '{') h.add(uint64_t(fg_object_end(data, uint32_t(size), limits, &end, &seen))), h.add(end), h.add(seen);
  return h.value;
}

static uint64_t read_lines(const uint8_t* data, size_t size, const fg_limits* limits, const fg_table& table, uint32_t chunk) {
  Hash h;
  fg_columns c;
  memset(&c, 0, sizeof c);
  h.add(uint64_t(fg_lines(data, size, limits, &table, nullptr, nullptr, chunk, &c)));
  h.add(c.count);
  for (uint64_t i = 0; i < c.count; i++)
    for (uint64_t v : {c.offset[i], uint64_t(c.length[i]), uint64_t(c.kind[i]), c.facts[i], c.rules[2 * i], c.rules[2 * i + 1],
                       uint64_t(c.fault[i]), uint64_t(c.fault_offset[i]), uint64_t(c.id_start[i]), uint64_t(c.id_stop[i]),
                       uint64_t(c.method[i]), uint64_t(c.method_start[i]), uint64_t(c.method_stop[i])})
      h.add(v);
  fg_free_columns(&c);
  return h.value;
}

// Memory between two pages that nobody may touch.
class Cage {
 public:
  explicit Cage(size_t most) : page_(size_t(sysconf(_SC_PAGESIZE))), room_((most / page_ + 1) * page_) {
    void* all = mmap(nullptr, room_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) exit(3);
    start_ = static_cast<uint8_t*>(all) + page_;
    if (mprotect(start_, room_, PROT_READ | PROT_WRITE)) exit(3);
  }
  const uint8_t* at_end(const std::string& frame) { return put(start_ + room_ - frame.size(), frame); }
  const uint8_t* at_start(const std::string& frame) { return put(start_, frame); }

 private:
  static const uint8_t* put(uint8_t* at, const std::string& frame) {
    if (!frame.empty()) memcpy(at, frame.data(), frame.size());
    return at;
  }
  size_t page_, room_;
  uint8_t* start_;
};

struct Input {
  std::vector<Frame> frames;
  std::vector<std::string> buffers;
  std::vector<fg_table> tables;
  size_t largest = 0;
};

static Input load(char** argv) {
  Input input{load_frames(argv[1]), {}, load_tables(argv[2])};
  for (size_t i = 0; i < input.frames.size(); i++) {
    if (i % 64 == 0) input.buffers.emplace_back();
    std::string& buffer = input.buffers.back();
    buffer += input.frames[i].data;
    if (i % 64 != 63) buffer += '\n';
    for (size_t size : {input.frames[i].data.size(), buffer.size()}) input.largest = size > input.largest ? size : input.largest;
  }
  return input;
}

static std::vector<uint64_t> tell(const Input& input) {
  Cage cage(input.largest);
  std::vector<uint64_t> told;
  for (const Frame& frame : input.frames)
    for (const fg_limits* limits : {&frame.limits, &kTight, &kOff}) {
      const size_t size = frame.data.size();
      told.push_back(read_frame(cage.at_end(frame.data), size, limits, input.tables));
      if (told.back() != read_frame(cage.at_start(frame.data), size, limits, input.tables)) told.back() = 0;
#ifdef TOLD_RACE
      g_shared++;
#endif
    }
  for (const std::string& buffer : input.buffers)
    for (const fg_limits* limits : {static_cast<const fg_limits*>(nullptr), &kTight})
      for (uint32_t chunk : {64u, 4096u, 262144u})
        told.push_back(read_lines(cage.at_end(buffer), buffer.size(), limits, input.tables[0], chunk));
  return told;
}

static int tell_from_threads(const Input& input, size_t count) {
  std::vector<std::vector<uint64_t>> told(count);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < count; i++) threads.emplace_back([&, i] { told[i] = tell(input); });
  for (std::thread& thread : threads) thread.join();
  const std::vector<uint64_t> alone = tell(input);
  for (const std::vector<uint64_t>& one : told)
    if (one != alone) return fprintf(stderr, "told: threads disagree\n"), 1;
  printf("%zu threads, %zu results each, kernel %s\n", count, alone.size(), fg_kernel());
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const Input input = load(argv);
  if (argc > 3) return tell_from_threads(input, size_t(atoi(argv[3])));
  printf("kernel %s\n", fg_kernel());
  for (uint64_t value : tell(input)) printf("%016llx\n", static_cast<unsigned long long>(value));
  return 0;
}
