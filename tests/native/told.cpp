// What the native core tells of frames, a line each: the same bytes for two builds that tell the same.
//
//   told FRAMES TABLES           one line per frame, then per line buffer, and two of what needs none
//   told FRAMES TABLES N         the same from N threads at once, and from one; 1 where they differ
//   told FRAMES TABLES all       behind these lines some that tell whether allocations may fail
//   told FRAMES TABLES all FILE  only up to the first line that differs from that of FILE; ends itself where one takes long
//
// FRAMES: frames, each after its size, the five limits it is read with and the method it answers (or 0), 4 little-endian bytes each.
// TABLES: what some gauges are compiled to, as gauges.hpp has it.
// Lines are judged by the first gauge, by the second together with the own ones, by the third, which has no protocol, and by the sixth,
// for which most is right.
// Every frame is read where its last byte stands before a page that cannot be read, and where its first byte stands behind one, by a new thread.
// -DTOLD_RACE makes the threads share one counter without a lock: what a race detector has to refuse.
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core.h"
#include "failing.hpp"
#include "gauges.hpp"

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

struct Frame {
  std::string data;
  fg_limits limits;
  uint32_t asked;  // the number of the method that it answers
};

static uint32_t word(const char* at) {
  const uint8_t* b = reinterpret_cast<const uint8_t*>(at);
  return b[0] | b[1] << 8 | b[2] << 16 | uint32_t(b[3]) << 24;
}

static std::vector<Frame> load_frames(const char* path) {
  const std::string text = whole_file(path);
  std::vector<Frame> frames;
  for (size_t at = 0; at + 28 <= text.size(); at += 28 + frames.back().data.size()) {
    const char* head = text.data() + at;
    const fg_limits limits = {word(head + 4), word(head + 8), word(head + 12), word(head + 16), word(head + 20)};
    frames.push_back({text.substr(at + 28, word(head)), limits, word(head + 24)});
  }
  return frames;
}

struct Input {
  std::vector<Frame> frames;
  std::vector<std::string> buffers;
  std::vector<std::unique_ptr<Gauge>> gauges;
  size_t largest = 0;
  // The revisions that frames name themselves.
  std::vector<fg_text> names;
  std::vector<const fg_table*> tables;
  std::vector<const fg_protocol*> protocols;
  fg_own own = {nullptr, nullptr, nullptr, 0};
};

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

static void add_found(Hash& h, const fg_found& found) {
  for (int i = 0; i < 2; i++) h.add(found.rules[i]), h.add(found.errors[i]), h.add(found.warnings[i]);
}

// What MCP says of a frame, by each gauge: right after it was scanned, and some time later, with the places.
static void add_judged(Hash& h, const uint8_t* data, size_t size, uint32_t asked, const Input& input) {
  fg_facts facts;
  h.add(uint64_t(fg_classify(data, size, &kOff, &facts)));
  for (const auto& gauge : input.gauges) {
    fg_found found;
    memset(&found, 0, sizeof found);
    if (gauge->judges) fg_judge(&gauge->protocol, data, size, &facts, asked, &found);
    add_found(h, found);
  }
  for (const auto& gauge : input.gauges) {
    if (!gauge->judges) continue;
    fg_found found;
    fg_shape_place places[128];
    memset(&found, 0, sizeof found), memset(places, 0, sizeof places);
    h.add(uint64_t(fg_judge_again(&gauge->protocol, data, size, &facts, asked, &found, places)));
    add_found(h, found);
    for (const fg_shape_place& p : places)
      if (p.count) h.add(uint64_t(&p - places)), h.add(p.offset), h.add(p.end), h.add(p.count), h.add(p.spec), h.add(p.member), h.add(p.error);
  }
}

// All that is told of one frame at `data` under those limits.
static uint64_t read_frame(const uint8_t* data, size_t size, const fg_limits* limits, uint32_t asked, const Input& input) {
  Hash h;
  fg_facts facts;
  h.add(uint64_t(fg_classify(data, size, limits, &facts)));
  add_facts(h, facts);
  for (const auto& gauge : input.gauges) {
    fg_found found;
    fg_run(&gauge->table, &facts, &found);
    add_found(h, found);
  }
  h.add(fg_own_revision(&input.own, data, &facts));
  if (limits == &kOff) add_judged(h, data, size, asked, input);
  if (facts.fault == FG_NO_FAULT) h.add(uint64_t(fg_stage_one(data, size)));  // of others not all kernels index the same
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

// The same. Without limits, large frames and some others are read by a thread that has read nothing yet: what it keeps between frames
// grows while it reads this one.
static uint64_t read_again(const uint8_t* data, size_t size, const fg_limits* limits, uint32_t asked, const Input& input) {
  uint64_t told = 0;
  const auto read = [&] { told = read_frame(data, size, limits, asked, input); };
  if (limits == &kOff && (size > 256 || size % 32 == 0)) std::thread(read).join();
  else read();
  return told;
}

static thread_local uint64_t t_known = 0;  // lines of a known pattern: how many depends on the kernel

static uint64_t read_lines(const uint8_t* data, size_t size, const fg_limits* limits, const Gauge& gauge, const fg_own* own, uint32_t chunk) {
  Hash h;
  fg_columns c;
  memset(&c, 0, sizeof c);
  h.add(uint64_t(fg_lines(data, size, limits, &gauge.table, gauge.judges ? &gauge.protocol : nullptr, own, chunk, &c)));
  h.add(c.count);
  add_found(h, c.any);
  for (uint64_t i = 0; i < c.count; i++)
    for (uint64_t v : {c.offset[i], uint64_t(c.length[i]), uint64_t(c.kind[i]), c.facts[i], c.rules[2 * i], c.rules[2 * i + 1],
                       uint64_t(c.fault[i]), uint64_t(c.fault_offset[i]), uint64_t(c.id_start[i]), uint64_t(c.id_stop[i]),
                       uint64_t(c.method[i]), uint64_t(c.marks[i]), uint64_t(c.method_start[i]), uint64_t(c.method_stop[i])})
      h.add(v);
  uint64_t counts[128];
  fg_count_rules(&c, counts);
  for (uint64_t count : counts) h.add(count);
  t_known += c.known;
  fg_free_columns(&c);
  return h.value;
}

// Lines of which each could be read on to the end of the buffer: this takes long unless they are cut. Then more lines than the parts of a
// buffer that are counted let expect, where nothing but blanks stands: rows make room again and again, at last in large pages. 0 where
// memory is not given back.
static uint64_t read_many(const Input& input) {
  Hash h;
  std::string unfinished, wide, many = input.buffers[0];
  for (int i = 0; i < 19; i++) many += std::string(22000, ' ') + std::string(5900, '\n') + std::string(23500, ' ');
  for (int i = 0; i < 12000; i++) unfinished += "[[[[[[[[\n";
  // Keys of such lines must not stay in the table: over several chunks it would be full.
  std::string keys;
  for (int i = 0; i < 40; i++) keys += '"' + std::to_string(i) + "\":0,";
  for (int i = 0; i < 4000; i++) wide += '{' + keys + '\n';
  const auto read = [&](const std::string& buffer) {
    h.add(read_lines(reinterpret_cast<const uint8_t*>(buffer.data()), buffer.size(), &kOff, *input.gauges[0], nullptr, 262144));
  };
  read(unfinished), read(wide);
#ifdef FAILING
  const long held = failing::held;  // with all that a thread keeps
  read(many);
  if (failing::held > held) return 0;
#else
  read(many);
#endif
  return h.value;
}

// What holds without any frame: names, numbers, limits, and sizes that are refused before a byte is read.
static uint64_t read_nothing() {
  Hash h;
  const auto add_text = [&](const char* text) {
    for (h.add(text != nullptr); text && *text; text++) h.add(uint8_t(*text));
  };
  for (const auto name : {fg_kind_name, fg_type_name, fg_envelope_name, fg_fault_name, fg_fact_name, fg_name, fg_method})
    for (uint32_t i = 0; i < 400; i++) add_text(name(i));
  add_text(fg_simdjson_version());
  const fg_api* const api = fg_get_api();
  h.add(api->abi), h.add(api->facts_size);
  fg_limits limits;
  fg_default_limits(&limits);
  for (uint32_t limit : {limits.max_frame_bytes, limits.max_depth, limits.max_batch_items, limits.max_number_digits, limits.max_members})
    h.add(limit);
  for (const fg_limits* of : {static_cast<const fg_limits*>(nullptr), &kTight, &kOff})
    for (uint64_t size : {uint64_t(1) << 32, (uint64_t(1) << 32) + 1, uint64_t(1) << 40}) {
      fg_facts facts;
      h.add(uint64_t(fg_classify(nullptr, size, of, &facts)));
      add_facts(h, facts);
    }
  return h.value;
}

// Of a frame that is larger than any of FRAMES, and of small ones behind it, with which its memory is given back.
static int classify_large(fg_facts* facts, Hash& h) {
  static const std::string large = '"' + std::string((1 << 20) + 1000, 'x') + '"', small = "[]";
  for (int i = 0; i <= 100; i++) {
    const std::string& frame = i % 100 ? small : large;
    const int status = fg_classify(reinterpret_cast<const uint8_t*>(frame.data()), frame.size(), &kOff, facts);
    if (status != FG_OK) return status;
    add_facts(h, *facts);
  }
  return FG_OK;
}

static uint64_t read_large() {
  Hash h;
  fg_facts facts;
  h.add(uint64_t(classify_large(&facts, h)));
  return h.value;
}

// So many copies of these lines have room: see LongLines.
constexpr size_t kCopied = 60076, kCopies = (size_t(8) << 20) / kCopied;

static std::string copied_line(const char* kind, size_t number) {
  const std::string key = std::to_string(number);
  std::string line = std::string(R"({"jsonrpc":"2.0","id":1,")") + kind + R"(":{"text":")";
  const std::string end = R"("},")" + key + "\":" + key + "0}";  // hashed of it: `"},"`, and the number
  return line + std::string(kCopied - line.size() - end.size(), 'x') + end + '\n';
}

// Lines whose copies take the room of the first one's, and then one that has its place and its hash: it gets a verdict of its own. In a
// new thread, which has no copies yet. 0 where that is wrong.
static uint64_t read_past_room(const Gauge& gauge) {
  std::string buffer;
  for (size_t i = 0; i < kCopies; i++)
    for (int times = 0; times < 3; times++) buffer += copied_line("result", 1000 + i);
  const size_t last = buffer.size();
  for (int times = 0; times < 3; times++) buffer += copied_line("reSult", 1000);
  Hash h;
  bool fine = false;
  std::thread([&] {
    const uint8_t* const data = reinterpret_cast<const uint8_t*>(buffer.data());
    fg_columns c;
    memset(&c, 0, sizeof c);
    fine = fg_lines(data, buffer.size(), nullptr, &gauge.table, &gauge.protocol, nullptr, 262144, &c) == FG_OK && c.known == kCopies;
    for (uint64_t i = 0; i < c.count; i++) {
      fine &= (c.facts[i] == c.facts[0]) == (c.offset[i] < last);
      h.add(c.kind[i]), h.add(c.facts[i]), h.add(c.rules[2 * i]);
    }
    fg_free_columns(&c);
  }).join();
  return fine ? h.value : 0;
}

#ifdef FAILING
// What was told, where there was memory for it.
struct Told {
  int status;
  uint64_t value;
  bool operator==(const Told& other) const { return status == other.status && value == other.value; }
};

// What `read` comes to where one allocation fails, the first, the second and so on until none does; each time in a new thread. 0 where
// that is neither FG_NO_MEMORY nor the truth, or where that thread does not tell the truth afterwards.
template <class Read>
static uint64_t until_none_fails(Read read) {
  Hash h;
  const Told truth = read();
  bool failed = true, fine = true;
  for (int nth = 1; failed && nth < 40; nth++)
    std::thread([&] {
      failing::left = nth;
      const Told told = read();
      failed = failing::left == 0;
      failing::left = 0;
      h.add(uint64_t(told.status));
      fine &= (told == truth || (failed && told.status == FG_NO_MEMORY)) && read() == truth;
    }).join();
  return fine ? h.value : 0;
}

static uint64_t read_failing(const Frame& frame) {
  const uint8_t* const data = reinterpret_cast<const uint8_t*>(frame.data.data());
  const size_t size = frame.data.size();
  std::vector<uint64_t> told;
  for (const fg_limits* limits : {&frame.limits, &kTight, &kOff}) {
    told.push_back(until_none_fails([&]() -> Told {
      fg_facts facts;
      Hash h;
      const int status = fg_classify(data, size, limits, &facts);
      if (status == FG_OK) add_facts(h, facts);
      return {status, h.value};
    }));
    told.push_back(until_none_fails([&]() -> Told {
      uint32_t end = 0, seen = 0;
      const int status = size && data[0] == '{' ? fg_object_end(data, uint32_t(size), limits, &end, &seen) : FG_OK;
      return {status, status == FG_OK ? end : 0};
    }));
  }
  told.push_back(until_none_fails([&]() -> Told {
    fg_place places[FG_FACT_COUNT];
    Hash h;
    const int status = fg_places(data, size, &kOff, places);
    for (const fg_place& place : places) h.add(status == FG_OK ? place.count : 0);
    return {status, h.value};
  }));
  told.push_back(until_none_fails([&]() -> Told {
    uint32_t spans[200], count = 0;
    const int status = fg_spans(data, size, spans, 100, &count);
    return {status, count};
  }));
  Hash h;
  for (uint64_t value : told) {
    if (value == 0) return 0;
    h.add(value);
  }
  return h.value;
}

static uint64_t read_lines_failing(const std::string& buffer, const Gauge& gauge) {
  const uint8_t* const data = reinterpret_cast<const uint8_t*>(buffer.data());
  return until_none_fails([&]() -> Told {
    fg_columns c;
    memset(&c, 0, sizeof c);
    const int status = fg_lines(data, buffer.size(), nullptr, &gauge.table, &gauge.protocol, nullptr, 4096, &c);
    Hash h;
    for (uint64_t i = 0; status == FG_OK && i < c.count; i++) h.add(c.offset[i]), h.add(c.facts[i]), h.add(c.rules[2 * i]);
    fg_free_columns(&c);
    return {status, h.value};
  });
}
#endif

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

static Input load(char** argv) {
  Input input;
  input.frames = load_frames(argv[1]);
  input.gauges = load_gauges(argv[2]);
  input.gauges[1]->table.serial = 1;  // what is known of lines is known in the next buffers too; of the others it is forgotten
  for (const auto& gauge : input.gauges)
    if (!gauge->own.empty()) {
      input.names.push_back({gauge->own.c_str(), uint32_t(gauge->own.size()), 0});
      input.tables.push_back(&gauge->table), input.protocols.push_back(&gauge->protocol);
    }
  input.own = {input.names.data(), input.tables.data(), input.protocols.data(), uint32_t(input.names.size())};
  for (size_t i = 0; i < input.frames.size(); i++) {
    if (i % 64 == 0) input.buffers.emplace_back();
    std::string& buffer = input.buffers.back();
    buffer += input.frames[i].data;
    if (i % 64 != 63) buffer += '\n';
    for (size_t size : {input.frames[i].data.size(), buffer.size()}) input.largest = size > input.largest ? size : input.largest;
  }
  // A frame of several lines is also a buffer of its own.
  for (const Frame& frame : input.frames)
    if (frame.data.find('\n') != std::string::npos) input.buffers.push_back(frame.data);
  return input;
}

// `goes_on`: is asked after each result.
template <class GoesOn>
static std::vector<uint64_t> tell(const Input& input, GoesOn goes_on) {
  Cage cage(input.largest);
  std::vector<uint64_t> told;
  for (const Frame& frame : input.frames)
    for (const fg_limits* limits : {&frame.limits, &kTight, &kOff}) {
      const size_t size = frame.data.size();
      told.push_back(read_frame(cage.at_end(frame.data), size, limits, frame.asked, input));
      if (told.back() != read_again(cage.at_start(frame.data), size, limits, frame.asked, input)) told.back() = 0;
      if (!goes_on(told)) return told;
#ifdef TOLD_RACE
      g_shared++;
#endif
    }
  for (const std::string& buffer : input.buffers) {
    for (size_t n : {size_t(0), size_t(1)})
      for (const fg_limits* limits : {static_cast<const fg_limits*>(nullptr), &kTight})
        for (uint32_t chunk : {64u, 4096u, 262144u}) {
          told.push_back(read_lines(cage.at_end(buffer), buffer.size(), limits, *input.gauges[n], n ? &input.own : nullptr, chunk));
          if (!goes_on(told)) return told;
        }
    told.push_back(read_lines(cage.at_end(buffer), buffer.size(), nullptr, *input.gauges[5], nullptr, 262144));
    if (!goes_on(told)) return told;
    for (uint32_t chunk : {255u, 256u}) {  // by rows alone, where a search for the last line feed may not begin before the first byte
      told.push_back(read_lines(cage.at_start(buffer), buffer.size(), nullptr, *input.gauges[2], nullptr, chunk));
      if (!goes_on(told)) return told;
    }
  }
  told.push_back(read_many(input));
  if (!goes_on(told)) return told;
  told.push_back(read_nothing());
  if (!goes_on(told)) return told;
  told.push_back(read_large());
  if (!goes_on(told)) return told;
  told.push_back(read_past_room(*input.gauges[0]));
  goes_on(told);
  return told;
}

// 0 where one allocation that fails leads to anything but FG_NO_MEMORY. Which allocations there are depends on the kernel.
template <class GoesOn>
static std::vector<uint64_t> tell_all(const Input& input, GoesOn goes_on) {
  t_known = 0;
  std::vector<uint64_t> told = tell(input, goes_on);
  Hash known;
  known.add(t_known);
  told.push_back(known.value);
  if (!goes_on(told)) return told;
#ifdef FAILING
  const long held = failing::held_by_all;
  told.push_back(read_past_room(*input.gauges[0]));
  if (failing::held_by_all > held) told.back() = 0;  // what that thread kept of lines
  for (size_t i = 0; i < input.frames.size() && goes_on(told); i++)
    if (i % 64 == 0 || (i % 8 == 0 && input.frames[i].data.size() > 300)) told.push_back(read_failing(input.frames[i]));  // most ways that allocate
  for (size_t i = 0; i < input.buffers.size() && goes_on(told); i += 8) told.push_back(read_lines_failing(input.buffers[i], *input.gauges[0]));
  if (!goes_on(told)) return told;
  told.push_back(until_none_fails([]() -> Told {
    Hash h;
    fg_facts facts;
    const int status = classify_large(&facts, h);
    return {status, h.value};
  }));
  goes_on(told);
#endif
  return told;
}

static std::vector<uint64_t> tell_like(const Input& input, const char* path) {
  std::vector<uint64_t> like;
  std::istringstream lines(whole_file(path));
  std::string line;
  std::getline(lines, line);  // the kernel
  while (std::getline(lines, line)) like.push_back(strtoull(line.c_str(), nullptr, 16));
  const itimerval limit = {{0, 0}, {3, 0}};  // seconds of this process: longer than any result takes, also where much is switched
  setitimer(ITIMER_VIRTUAL, &limit, nullptr);
  return tell_all(input, [&](const std::vector<uint64_t>& told) {
    setitimer(ITIMER_VIRTUAL, &limit, nullptr);
    return told.size() <= like.size() && told.back() == like[told.size() - 1];
  });
}

static bool go_on(const std::vector<uint64_t>&) { return true; }

static int tell_from_threads(const Input& input, size_t count) {
  std::vector<std::vector<uint64_t>> told(count);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < count; i++) threads.emplace_back([&, i] { told[i] = tell(input, go_on); });
  for (std::thread& thread : threads) thread.join();
  const std::vector<uint64_t> alone = tell(input, go_on);
  for (const std::vector<uint64_t>& one : told)
    if (one != alone) return fprintf(stderr, "told: threads disagree\n"), 1;
  printf("%zu threads, %zu results each, kernel %s\n", count, alone.size(), fg_kernel());
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const Input input = load(argv);
  const bool all = argc > 3 && strcmp(argv[3], "all") == 0;
  if (argc > 3 && !all) return tell_from_threads(input, size_t(atoi(argv[3])));
  printf("kernel %s\n", fg_kernel());
  for (uint64_t value : argc > 4 ? tell_like(input, argv[4]) : all ? tell_all(input, go_on) : tell(input, go_on))
    printf("%016llx\n", static_cast<unsigned long long>(value));
  return 0;
}
