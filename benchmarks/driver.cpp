// Runs the native core over a file of frames, without Python: for instruction counts, profilers and sanitizers.
//
//   driver FILE ROUNDS [lines] [stage1] [unlimited] [time] [judged=GAUGES]
//
// FILE: frames, each after its size as 4 little-endian bytes; with `lines` one newline-delimited buffer, as it is. Everything is read
// ROUNDS times (0: only loaded, the baseline to subtract). Prints a checksum of the facts, so that no work can be optimised away; with
// `time`, also the median ns per frame. `unlimited` switches every limit off. With `judged` frames
// and lines are judged too, by the first gauge of that file.
//
// -DFG_DRIVER_SLOWED=N adds work for every N-th byte: the build that a guard of speed has to refuse.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "../tests/native/gauges.hpp"
#include "core.h"

struct Sized {
  std::unique_ptr<uint8_t[]> data;  // its own block of exactly `size` bytes: a read past it is seen by a sanitizer
  uint32_t size;
};

static std::vector<Sized> load(const char* path) {
  std::vector<Sized> frames;
  FILE* file = fopen(path, "rb");
  if (!file) {
    fprintf(stderr, "driver: cannot open %s\n", path);
    exit(3);
  }
  uint8_t head[4];
  while (fread(head, 1, 4, file) == 4) {
    const uint32_t size = head[0] | head[1] << 8 | head[2] << 16 | uint32_t(head[3]) << 24;
    Sized frame{std::unique_ptr<uint8_t[]>(new uint8_t[size ? size : 1]), size};
    if (fread(frame.data.get(), 1, size, file) != size) {
      fprintf(stderr, "driver: %s ends inside a frame\n", path);
      exit(3);
    }
    frames.push_back(std::move(frame));
  }
  fclose(file);
  return frames;
}

// KiB: the most this process held resident. The parent's figure would count the parent's own memory from before exec.
static long peak_kib() {
  FILE* status = fopen("/proc/self/status", "r");
  char line[256];
  long kib = -1;
  while (status && fgets(line, sizeof line, status)) sscanf(line, "VmHWM: %ld", &kib);
  if (status) fclose(status);
  return kib;
}

static uint64_t slowed(const uint8_t* data, uint64_t size) {
  uint64_t sum = 0;
#ifdef FG_DRIVER_SLOWED
  for (uint64_t i = 0; i < size; i += FG_DRIVER_SLOWED) sum += *static_cast<const volatile uint8_t*>(data + i);
#else
  (void)data, (void)size;
#endif
  return sum;
}

struct Options {
  bool lines = false, stage1 = false, timed = false;
  const fg_limits* limits = nullptr;
  const Gauge* gauge = nullptr;
};

struct Done {
  uint64_t frames = 0, sum = 0;
};

static uint64_t judged(const Sized& frame, const fg_facts& facts, const Gauge& gauge) {
  fg_found found;
  fg_run(&gauge.table, &facts, &found);
  fg_judge(&gauge.protocol, frame.data.get(), frame.size, &facts, 0, &found);
  return found.rules[0] * 31 + found.rules[1];
}

static Done one_round(const std::vector<Sized>& frames, const Options& options) {
  Done done;
  fg_facts facts;
  for (const Sized& frame : frames) {
    done.sum += slowed(frame.data.get(), frame.size);
    if (options.stage1) {
      done.sum += uint64_t(fg_stage_one(frame.data.get(), frame.size));
    } else {
      done.sum += uint64_t(fg_classify(frame.data.get(), frame.size, options.limits, &facts));
      done.sum = done.sum * 31 + facts.kind + facts.bits + facts.fault_offset + facts.duplicates;
      if (options.gauge) done.sum += judged(frame, facts, *options.gauge);
    }
  }
  done.frames = frames.size();
  return done;
}

// One call of fg_lines, and its columns given back: what a program does for each buffer. Without a gauge no rule is selected.
static Done lines_round(const Sized& buffer, const Options& options) {
  constexpr uint32_t kChunk = 256 * 1024;
  static const Gauge none;
  const fg_table* table = options.gauge ? &options.gauge->table : &none.table;
  const fg_protocol* protocol = options.gauge ? &options.gauge->protocol : nullptr;
  fg_columns columns;
  memset(&columns, 0, sizeof columns);
  Done done;
  done.sum = slowed(buffer.data.get(), buffer.size);
  done.sum += uint64_t(fg_lines(buffer.data.get(), buffer.size, options.limits, table, protocol, nullptr, kChunk, &columns));
  for (uint64_t i = 0; i < columns.count; i++)
    done.sum = done.sum * 31 + columns.kind[i] + columns.facts[i] + columns.fault_offset[i] + columns.method[i] + columns.rules[2 * i];
  done.frames = columns.count;
  fg_free_columns(&columns);
  return done;
}

static std::vector<Sized> load_whole(const char* path) {
  FILE* file = fopen(path, "rb");
  long size = -1;
  if (file && fseek(file, 0, SEEK_END) == 0) size = ftell(file);
  if (size < 0 || size > 0x7FFFFFFF) {
    fprintf(stderr, "driver: cannot read %s, or it is too large\n", path);
    exit(3);
  }
  rewind(file);
  std::vector<Sized> buffers;
  buffers.push_back({std::unique_ptr<uint8_t[]>(new uint8_t[size ? size : 1]), uint32_t(size)});
  if (fread(buffers[0].data.get(), 1, size_t(size), file) != size_t(size)) exit(3);
  fclose(file);
  return buffers;
}

static const fg_limits kOff = {FG_NO_LIMIT, FG_NO_LIMIT, FG_NO_LIMIT, FG_NO_LIMIT, FG_NO_LIMIT};

static Options options_of(int argc, char** argv) {
  Options options;
  for (int i = 3; i < argc; i++) {
    options.lines |= strcmp(argv[i], "lines") == 0;
    options.stage1 |= strcmp(argv[i], "stage1") == 0;
    options.timed |= strcmp(argv[i], "time") == 0;
    if (strcmp(argv[i], "unlimited") == 0) options.limits = &kOff;
  }
  return options;
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: driver FILE ROUNDS [lines] [stage1] [unlimited] [time] [judged=GAUGES]\n");
    return 2;
  }
  Options options = options_of(argc, argv);
  std::vector<std::unique_ptr<Gauge>> gauges;
  for (int i = 3; i < argc; i++)
    if (strncmp(argv[i], "judged=", 7) == 0) {
      gauges = load_gauges(argv[i] + 7), options.gauge = gauges.at(0).get();
      gauges[0]->table.serial = 1;  // as a gauge has one: what is known of lines is known in the next round too
    }
  const std::vector<Sized> frames = options.lines ? load_whole(argv[1]) : load(argv[1]);
  if (frames.empty() || (options.lines && !frames[0].size)) {
    fprintf(stderr, "driver: %s holds no frame\n", argv[1]);
    return 3;
  }
  std::vector<double> ns;
  Done last;
  uint64_t sum = 0;
  for (int round = 0; round < atoi(argv[2]); round++) {
    const auto start = std::chrono::steady_clock::now();
    last = options.lines ? lines_round(frames[0], options) : one_round(frames, options);
    sum += last.sum;
    ns.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / double(last.frames));
  }
  printf("%llu frames, checksum %016llx, kernel %s, peak %ld KiB\n", (unsigned long long)last.frames, (unsigned long long)sum, fg_kernel(),
         peak_kib());
  if (options.timed && !ns.empty()) {
    std::sort(ns.begin(), ns.end());
    printf("%.1f ns a frame (median), %.1f (least)\n", ns[ns.size() / 2], ns[0]);
  }
  return 0;
}
