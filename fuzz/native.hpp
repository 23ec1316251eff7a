// What the native harnesses share: limits from the first byte, bytes in a block of exactly their size, and every kernel in one process.
//
// api.cpp is included, not linked: no caller changes the kernel between two frames, and only from inside can that be done.
//
// -DFG_FUZZ_PLANTED=N breaks one promise on purpose, on rare frames: a harness that does not find it proves nothing.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "api.cpp"

#ifndef FG_FUZZ_PLANTED
#define FG_FUZZ_PLANTED 0
#endif

namespace fuzz {

enum Planted { kNothing, kPlantedKernel, kPlantedPlace, kPlantedOverread, kPlantedChunk, kPlantedAlone, kPlantedShape, kPlantedOwn, kPlantedText, kPlantedPattern, kPlantedRepeat };
constexpr bool planted(Planted which) { return FG_FUZZ_PLANTED == which; }

constexpr fg_limits kLimits[] = {
#include "limits.inc"
};
constexpr size_t kLimitsCount = sizeof kLimits / sizeof kLimits[0];

constexpr size_t kHeader = 2;  // bytes of an input that choose how the rest is read

// A kernel with scratch of its own, since scratch belongs to the kernel that made it.
struct Kernel {
  const simdjson::implementation* implementation;
  std::unique_ptr<fg::Scratch> scratch{new fg::Scratch};
  uint64_t seed;

  // From here on frames are read by this one, and keys are hashed with its seed: neither may show in the facts.
  void use() const {
    simdjson::get_active_implementation() = implementation;
    fg::Kernel();  // as at start: sets the width of our own loops
    fg::t_scratch = scratch.get();
    fg_seed(seed, seed * 0x9E3779B97F4A7C15u);
  }
};

inline const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> all = [] {
    std::vector<Kernel> found;
    for (const simdjson::implementation* each : simdjson::get_available_implementations())
      if (each->supported_by_runtime_system()) {
        found.emplace_back();
        found.back().implementation = each;
        found.back().seed = found.size() * 0xA0761D6478BD642Fu;
        fprintf(stderr, "kernel %s\n", each->name().c_str());
      }
    return found;
  }();
  return all;
}

// A copy that ends where its heap block ends, `shift` bytes behind the start of it: a read past it is a sanitizer's to report.
class Exact {
 public:
  Exact(const uint8_t* from, size_t size, size_t shift) : block_(new uint8_t[shift + size]), shift_(shift) {
    if (size) memcpy(block_.get() + shift, from, size);
  }
  const uint8_t* data() const { return block_.get() + shift_; }

 private:
  std::unique_ptr<uint8_t[]> block_;
  size_t shift_;
};

[[noreturn]] inline void broken(const char* what) {
  fprintf(stderr, "broken: %s\n", what);
  abort();
}

inline void hold(bool promise, const char* what) {
  if (!promise) broken(what);
}

}  // namespace fuzz
