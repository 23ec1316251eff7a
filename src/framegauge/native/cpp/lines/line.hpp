// A line of a chunk, and what its row has.
#pragma once
#include "core.h"
#include "json/keys.hpp"

namespace fg {

// A line of a chunk that stage 1 accepted.
struct Line {
  const u8* b;        // the chunk
  u32 size;           // bytes from there on that may be read
  u32 start, stop;    // of the line
  const u32* tokens;  // the first one
  u8 direction;       // 0 unknown, FG_FROM_CLIENT or FG_FROM_SERVER
};

// What a row has of its line except places: the same for all lines that are alike.
struct Verdict {
  u64 facts;
  fg_found found;
  u32 fault_offset;
  u16 method, marks;
  u8 kind, fault;
};

// Of a string with a lone surrogate and of a member without room not all that counts is compared.
inline bool can_be_learnt(const Verdict& verdict) {
  constexpr u64 not_compared = FG_BIT(FG_LONE_SURROGATE) | FG_BIT(FG_MEMBER_OVERFLOW);
  return verdict.kind >= FG_REQUEST && !verdict.fault && !(verdict.facts & not_compared);
}

// Where its id and its method are, from the beginning of the line; equal where there is none.
struct Spans {
  u32 id_start, id_stop, method_start, method_stop;
};

}  // namespace fg
