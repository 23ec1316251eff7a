// The one place that touches simdjson's internals. Read against simdjson 3.12.3 (json_structural_indexer.h,
// dom_parser_implementation.h); the same members exist in 3.0.1 and 5.0.2.
//
// What stage 1 promises on success: the frame is UTF-8; no byte below 0x20 is inside a string; every string is
// closed; structural_indexes holds, in order, the offsets of {}[]:, and of the first byte of every string and of every
// other run of non-blank bytes outside strings. It reads no byte past `size`: the last block is copied and padded.
// What it leaves to us: grammar, escapes, numbers and literals with the byte after them, and bytes 0x0C and 0x1A, which
// it takes for operators.
#pragma once
#include <cstring>
#include <memory>

#include "json/bytes.hpp"
#include "simdjson.h"

namespace fg {

class StageOne {
 public:
  // Offsets after the last structural that the walk may still load: see kSlack in walk.hpp.
  static constexpr uint32_t kSlack = 8;
  // For code that reads the tokens of a line at once: see short.hpp.
  static constexpr uint32_t kLongSlack = 72;

  enum Status { kOk, kBlank, kFault, kNoMemory };

  // Indexes data[0..size). `size` is at most 2^32 - 1. `slack`: kLongSlack where so many entries behind the last are needed.
  Status index(const uint8_t* data, uint32_t size, uint32_t slack = 0) noexcept {
    // In this order: what is given back may be needed for this text, which can be larger than what stays.
    if (capacity_ > kKeep) release_outlier(size);
    if (FG_UNLIKELY(size + slack > capacity_) && !reserve(size + slack)) return kNoMemory;
    if (g_width == kPortable && !portable_keeps_promise(data, size)) return kFault;
    simdjson::error_code error = parser_->stage1(data, size, simdjson::stage1_mode::regular);
    if (error == simdjson::SUCCESS) return kOk;
    return error == simdjson::EMPTY ? kBlank : kFault;
  }

  uint32_t* offsets() const noexcept { return parser_->structural_indexes.get(); }
  uint32_t count() const noexcept { return parser_->n_structural_indexes; }

  // The name of the kernel in use. A kernel that SIMDJSON_FORCE_IMPLEMENTATION names is used even on a processor
  // that lacks its instructions, where it would stop the process: it is replaced, and importers refuse the name.
  static std::string kernel() {
    const std::string name = simdjson::get_active_implementation()->name();  // makes the choice, on first use
    if (simdjson::get_active_implementation()->supported_by_runtime_system()) return name;
    simdjson::get_active_implementation() = simdjson::get_available_implementations().detect_best_supported();
    return "unsupported";
  }

 private:
  // The portable kernel reads up to three bytes past a frame that ends inside a character, does not check text outside strings, and
  // takes any byte behind a backslash: a line feed there would be inside a string that goes on in the next line.
  static bool portable_keeps_promise(const uint8_t* data, uint32_t size) noexcept {
    for (u32 p = 0; (p = find_backslash(data, p, size)) < size; p++)
      if (size - p > 1 && data[p + 1] < 0x20) return false;
    return ill_formed_utf8(data, size) == size;
  }

  // Scratch is 4 bytes per byte of capacity. Up to 1 MiB it doubles; a larger frame gets an eighth more than it needs.
  static constexpr uint32_t kKeep = 1u << 20;
  // So many frames in a row that needed less than a quarter give an outlier's memory back.
  static constexpr uint32_t kPatience = 64;

  bool reserve(uint32_t size) noexcept {
    uint64_t wanted = 4096;
    while (wanted < size && wanted < kKeep) wanted *= 2;
    if (wanted < size) wanted = uint64_t(size) + size / 8;
    if (wanted > 0xFFFFFFFFu) wanted = 0xFFFFFFFFu;
    return allocate(size_t(wanted));
  }

  bool allocate(size_t wanted) noexcept {
    simdjson::error_code error;
    if (!parser_) {
      // Depth 1: the stacks belong to simdjson's own stage 2, which is not used.
      error = simdjson::get_active_implementation()->create_dom_parser_implementation(wanted, 1, parser_);
      if (error) parser_.reset();
    } else {
      error = parser_->set_capacity(wanted);
    }
    capacity_ = error ? 0 : uint32_t(wanted);
    idle_ = 0;
    return !error;
  }

  void release_outlier(uint32_t size) noexcept {
    if (size > capacity_ / 4) {
      idle_ = 0;
    } else if (++idle_ == kPatience) {
      allocate(kKeep);
    }
  }

  std::unique_ptr<simdjson::internal::dom_parser_implementation> parser_;
  uint32_t capacity_ = 0;
  uint32_t idle_ = 0;
};

}  // namespace fg
