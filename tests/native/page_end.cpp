// Classifies every frame of a file where a read outside it kills the process, and compares the facts.
//
//   page_end FILE     FILE: frames, each after its size as 4 little-endian bytes
//   page_end --past   reads the byte behind a frame: that has to kill the process, or nothing here proves anything
//   page_end --huge   one frame of 4 GiB - 1 bytes, the largest there may be, of which all but the ends is one mapped block
//
// Each frame is read three times: in a heap block of exactly its size, right before a page that may not be touched, and right
// behind one. Exit status 1: the facts differ. 77: not enough memory. Anything else: a sanitizer or the page had its say.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <sanitizer/common_interface_defs.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core.h"
#include "rules/formats.hpp"

static const uint8_t* g_frame;  // the one that is being read, for the message when the process is killed
static size_t g_size;

static void print_frame() {
  fprintf(stderr, "\npage_end: a frame of %zu bytes:", g_size);
  for (size_t i = 0; i < g_size && i < 600; i++) fprintf(stderr, " %02x", g_frame[i]);
  fputc('\n', stderr);
}

[[noreturn]] static void fail(const char* what) {
  fprintf(stderr, "page_end: %s", what);
  print_frame();
  exit(1);
}

// What one reading told; compared as a whole.
struct Told {
  int status;
  fg_facts facts;
  std::vector<uint32_t> spans;
};

// Holds every string among the members against every format: what these say does not matter here, only what they read.
static void read_formats(const uint8_t* data, const fg_facts& facts) {
  for (const fg_envelope_value& value : facts.envelope)
    if (value.count && value.type == FG_STRING)
      for (int format = FG_BASE64; format <= FG_URL; format++) fg::format_fit(uint8_t(format), data, value.start + 1, value.stop - 1);
}

static Told read_frame(const uint8_t* data, size_t size, const fg_limits* limits) {
  Told told;
  memset(&told.facts, 0xA5, sizeof told.facts);  // members beyond the counts stay as they are
  told.status = fg_classify(data, size, limits, &told.facts);
  if (told.status == FG_OK && !told.facts.fault) read_formats(data, told.facts);
  told.spans.resize(2 * size_t(fg_elements(data, size, nullptr, 0)));
  fg_elements(data, size, told.spans.data(), uint32_t(told.spans.size() / 2));
  return told;
}

static bool same(const Told& a, const Told& b) {
  return a.status == b.status && a.spans == b.spans && memcmp(&a.facts, &b.facts, sizeof a.facts) == 0;
}

// Whole pages between two that may not be touched.
class Cage {
 public:
  explicit Cage(size_t room) : page_(size_t(sysconf(_SC_PAGESIZE))), room_((room / page_ + 1) * page_) {
    void* all = mmap(nullptr, room_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) exit(77);
    start_ = static_cast<uint8_t*>(all) + page_;
  }
  void unlock() {
    if (mprotect(start_, room_, PROT_READ | PROT_WRITE) != 0) exit(77);
  }
  uint8_t* start() const { return start_; }
  uint8_t* stop() const { return start_ + room_; }

 private:
  size_t page_, room_;
  uint8_t* start_;
};

static std::vector<std::string> load(const char* path) {
  std::vector<std::string> frames;
  FILE* file = fopen(path, "rb");
  if (!file) exit(3);
  uint8_t head[4];
  while (fread(head, 1, 4, file) == 4) {
    std::string frame(head[0] | head[1] << 8 | head[2] << 16 | size_t(head[3]) << 24, '\0');
    if (fread(&frame[0], 1, frame.size(), file) != frame.size()) exit(3);
    frames.push_back(std::move(frame));
  }
  fclose(file);
  return frames;
}

static void check(const std::string& frame, const Cage& cage, const fg_limits* limits) {
  const size_t size = g_size = frame.size();
  std::unique_ptr<uint8_t[]> heap(new uint8_t[size]);
  if (size) memcpy(heap.get(), frame.data(), size);
  g_frame = reinterpret_cast<const uint8_t*>(frame.data());
  const Told first = read_frame(heap.get(), size, limits);
  for (uint8_t* at : {cage.stop() - size, cage.start()}) {
    if (size) memcpy(at, frame.data(), size);
    if (!same(first, read_frame(at, size, limits))) fail("the facts depend on where the frame stands");
  }
}

static int check_file(const char* path) {
  const std::vector<std::string> frames = load(path);
  size_t largest = 0;
  for (const std::string& frame : frames) largest = frame.size() > largest ? frame.size() : largest;
  Cage cage(largest);
  cage.unlock();
  const fg_limits tight = {400, 4, 2, 5, 4};
  size_t kinds[FG_KIND_COUNT] = {0};
  for (const std::string& frame : frames) {
    check(frame, cage, nullptr);
    check(frame, cage, &tight);
    kinds[read_frame(g_frame, g_size, nullptr).facts.kind]++;
  }
  printf("%zu frames, kernel %s, kinds", frames.size(), fg_kernel());
  for (size_t count : kinds) printf(" %zu", count);
  putchar('\n');
  return 0;
}

// Fills [at, stop) with blocks of `a`, all of them the same memory.
static void map_filling(uint8_t* at, uint8_t* stop, size_t block) {
  const int file = memfd_create("filling", 0);
  const std::string text(block, 'a');
  if (file < 0 || write(file, text.data(), block) != ssize_t(block)) exit(77);
  for (; at < stop; at += block) {
    const size_t size = size_t(stop - at) < block ? size_t(stop - at) : block;
    if (mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0) == MAP_FAILED) exit(77);
  }
  close(file);
}

// The same frame cut before its end, where the end of the last token is the largest number of 32 bits; lines of that size.
static void check_huge_faults(uint8_t* data, size_t size, const fg_limits* limits) {
  fg_facts facts;
  memset(data + size - 8, 'a', 7);
  data[size - 1] = '"';
  if (fg_classify(data, size, limits, &facts) == FG_NO_MEMORY) exit(77);
  if (facts.kind != FG_PARSE_ERROR || facts.fault != FG_TRUNCATED || facts.fault_offset != size) fail("a huge frame that is cut");
  static fg_table table;
  memset(table.by_fault, FG_NO_RULE, sizeof table.by_fault);
  for (uint32_t chunk : {uint32_t(UINT32_MAX), 1u << 18}) {
    fg_columns columns;
    memset(&columns, 0, sizeof columns);
    if (fg_lines(data, size, limits, &table, nullptr, nullptr, chunk, &columns) != FG_OK) exit(77);
    if (columns.count != 1 || columns.length[0] != size || columns.fault[0] != FG_TRUNCATED) fail("a huge line");
    fg_free_columns(&columns);
  }
}

static void check_too_huge(const uint8_t* data, size_t size, const fg_limits* limits) {
  fg_facts facts;
  if (fg_classify(data, size, limits, &facts) != FG_OK) exit(77);
  if (facts.kind != FG_INVALID || facts.fault != FG_FRAME_TOO_LARGE || facts.fault_offset != UINT32_MAX || facts.size != UINT32_MAX)
    fail("a frame over 4 GiB - 1");
  uint32_t spans[2];
  if (fg_elements(data, size, spans, 1) != 0) fail("elements of a frame over 4 GiB - 1");
}

static int check_huge() {
  const size_t size = g_size = UINT32_MAX;
  Cage cage(size + 100);
  map_filling(cage.start(), cage.stop(), size_t(1) << 24);
  uint8_t* const data = cage.stop() - size;
  g_frame = data;
  // The escape makes the search for the next one start within 16 bytes of 2^32.
  const std::string head = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"x\":\"", tail = "\\n\"}}";
  memcpy(data, head.data(), head.size());
  memcpy(data + size - tail.size(), tail.data(), tail.size());
  fg_limits limits;
  fg_default_limits(&limits);
  limits.max_frame_bytes = FG_NO_LIMIT;
  fg_facts facts;
  if (fg_classify(data, size, &limits, &facts) == FG_NO_MEMORY) return 77;
  const fg_envelope_value& params = facts.envelope[FG_PARAMS];
  if (facts.kind != FG_REQUEST || params.stop != size - 1 || facts.members[0].stop != size - 2) fail("wrong facts");
  check_huge_faults(data, size, &limits);
  check_too_huge(data - 100, size + 100, &limits);
  printf("1 frame of %zu bytes\n", size);
  return 0;
}

static int read_past() {
  Cage cage(1);
  cage.unlock();
  g_frame = cage.stop() - 1, g_size = 1;
  const volatile uint8_t* past = cage.stop();
  return *past == 0 ? 0 : 4;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  __sanitizer_set_death_callback(print_frame);
  if (strcmp(argv[1], "--past") == 0) return read_past();
  return strcmp(argv[1], "--huge") == 0 ? check_huge() : check_file(argv[1]);
}
