// Runs the native core over a file of frames, without Python: for instruction counts, profilers and sanitizers.
//
//   driver FILE ROUNDS [stage1] [unlimited] [time]
//
// FILE: frames, each after its size as 4 little-endian bytes. Every frame is classified ROUNDS times (0: only loaded, the
// baseline to subtract). Prints a checksum of the facts, so that no work can be optimised away; with `time`, also the median ns per
// frame. `unlimited` switches every limit off.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

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

static uint64_t one_round(const std::vector<Sized>& frames, bool stage1, const fg_limits* limits) {
  uint64_t sum = 0;
  fg_facts facts;
  for (const Sized& frame : frames) {
    if (stage1) {
      sum += uint64_t(fg_stage_one(frame.data.get(), frame.size));
    } else {
      sum += uint64_t(fg_classify(frame.data.get(), frame.size, limits, &facts));
      sum = sum * 31 + facts.kind + facts.bits + facts.fault_offset + facts.duplicates;
    }
  }
  return sum;
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: driver FILE ROUNDS [stage1] [unlimited] [time]\n");
    return 2;
  }
  const std::vector<Sized> frames = load(argv[1]);
  if (frames.empty()) {
    fprintf(stderr, "driver: %s holds no frame\n", argv[1]);
    return 3;
  }
  bool stage1 = false, timed = false;
  const fg_limits off = {FG_NO_LIMIT, FG_NO_LIMIT, FG_NO_LIMIT, FG_NO_LIMIT, FG_NO_LIMIT};
  const fg_limits* limits = nullptr;
  for (int i = 3; i < argc; i++) {
    stage1 |= strcmp(argv[i], "stage1") == 0;
    timed |= strcmp(argv[i], "time") == 0;
    if (strcmp(argv[i], "unlimited") == 0) limits = &off;
  }
  std::vector<double> ns;
  uint64_t sum = 0;
  for (int round = 0; round < atoi(argv[2]); round++) {
    const auto start = std::chrono::steady_clock::now();
    sum += one_round(frames, stage1, limits);
    ns.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / double(frames.size()));
  }
  printf("%zu frames, checksum %016llx, kernel %s, peak %ld KiB\n", frames.size(), (unsigned long long)sum, fg_kernel(), peak_kib());
  if (timed && !ns.empty()) {
    std::sort(ns.begin(), ns.end());
    printf("%.1f ns a frame (median), %.1f (least)\n", ns[ns.size() / 2], ns[0]);
  }
  return 0;
}
