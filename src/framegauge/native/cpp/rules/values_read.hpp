// Which strings and numbers of a frame were looked into. Only their text can decide about its verdict: what keeps
// verdicts for lines that are alike (line_cache.hpp) lets all others differ.
//
// A value counts as read where its bytes are handed out (Tokens, tokens.hpp), by any code. Refinements loosen
// that: a check that forgets one costs speed and never a verdict.
#pragma once
#include "frame/claimed_revision.hpp"

namespace fg {

class ValuesRead {
 public:
  static constexpr u32 kMost = 16;
  enum As : u8 { kUnread, kText, kInteger, kFormat };

  // What the facts of a frame rest on: the values of its envelope, and the members whose text the frame layer reads.
  ValuesRead(const u8* b, const fg_facts& f) {
    for (const fg_envelope_value& value : f.envelope)
      if (value.count && value.type >= FG_STRING) text(value.start);
    for (u32 group = 0; group < FG_GROUP_COUNT; group++)
      for (u32 i = 0; i < f.counts[group]; i++) {
        const fg_member& member = f.members[kGroupStart[group] + i];
        if (is_read_by_frame(member.name)) text(member.start);
      }
    const fg_envelope_value& id = f.envelope[FG_ID];
    const bool plain = id.type == FG_NUMBER && is_plain_id(b, id.start, id.stop);
    if (plain || (id.type == FG_STRING && id.stop - id.start > 2)) any_id(id.start);
  }

  // The text of the value that starts there was looked into.
  void text(u32 start) {
    Value* const value = find(start);
    if (value) value->readings++;
    else if (count_ < kMost) values_[count_++] = {start, 1, kNone};
    else worthless();
  }

  // The refinements. One of that reading came to nothing that another such value would not come to: another integer in
  // digits alone,
  void integer(u32 start) { refine(start, kInteger); }
  // a text that fits that fg_format,
  void fits(u32 start, u8 format) { refine(start, static_cast<u8>(kFormat + format)); }
  // any string but the empty one, or any plain number.
  void any_id(u32 start) { refine(start, kUnread); }

  // There is a text that hardly another line has, or there are too many: no line is known by these values.
  void worthless() { worthless_ = true; }
  bool worth_learning() const { return !worthless_; }

  // How the value was read; kFormat + f: by format f. As a text, where any reading was not refined, or two were in
  // different ways.
  u8 as(u32 start) const {
    const Value* const value = const_cast<ValuesRead*>(this)->find(start);
    return !value ? u8(kUnread) : value->readings ? u8(kText) : value->as;
  }

 private:
  static constexpr u8 kNone = 0xFF;  // not refined yet

  struct Value {
    u32 start;
    u32 readings;  // that were not refined
    u8 as;
  };

  Value* find(u32 start) {
    for (u32 i = 0; i < count_; i++)
      if (values_[i].start == start) return &values_[i];
    return nullptr;
  }

  // Loosens one reading, and none that another check made.
  void refine(u32 start, u8 as) {
    Value* const value = find(start);
    if (!value) return;
    value->as = value->readings && (value->as == kNone || value->as == as) ? as : u8(kText);
    if (value->readings) value->readings--;
  }

  Value values_[kMost];
  u32 count_ = 0;
  bool worthless_ = false;
};

}  // namespace fg
