// What a session looks for in a frame, as bits: docs/embedding.md. They are the same for all lines that are alike,
// because members and the values that are read here are.
#pragma once
#include "frame/claimed_revision.hpp"

namespace fg {

constexpr u16 mark_bit(u32 mark) { return static_cast<u16>(1u << mark); }

// The mark of a described member by its group and name: that it is there is enough.
struct MemberMarks {
  u16 of[FG_GROUP_COUNT][kNameCount + 1];
  constexpr MemberMarks() : of() {
    of[FG_IN_PARAMS][kNameProgressToken] = of[FG_IN_META][kNameProgressToken] = mark_bit(FG_MARK_PROGRESS_TOKEN);
    of[FG_IN_META][kNameRelatedTask] = mark_bit(FG_MARK_RELATED_TASK);
    of[FG_IN_META][kNameSubscriptionId] = mark_bit(FG_MARK_SUBSCRIPTION_ID);
    of[FG_IN_PARAMS][kNameCursor] = mark_bit(FG_MARK_CURSOR);
    of[FG_IN_RESULT][kNameNextCursor] = mark_bit(FG_MARK_NEXT_CURSOR);
    of[FG_IN_PARAMS][kNameTask] = of[FG_IN_RESULT][kNameTask] = mark_bit(FG_MARK_TASK);
    of[FG_IN_PARAMS][kNameRequestState] = of[FG_IN_RESULT][kNameRequestState] = mark_bit(FG_MARK_REQUEST_STATE);
    of[FG_IN_PARAMS][kNameInputResponses] = mark_bit(FG_MARK_INPUT_RESPONSES);
  }
};
constexpr MemberMarks kMemberMarks;

// Of two members of a result the value counts.
FG_COLD inline u16 result_mark(const u8* b, const fg_member& m) {
  static_assert(is_read_by_frame(kNameResultType), "a member whose text is read");
  static const fg_text complete = {"complete", 8, 0};
  if (m.name == kNameIsError) return m.type == FG_TRUE ? mark_bit(FG_MARK_IS_ERROR) : 0;
  const bool other = m.type == FG_STRING && which_name(b, m.start, m.stop, m.escaped, &complete, 1) == 1;
  return other ? mark_bit(FG_MARK_RESULT_NOT_COMPLETE) : 0;
}

// 0 of anything except a request, notification or response without a fault.
FG_INLINE u16 marks_of(const u8* b, const fg_facts& f) {
  if (FG_UNLIKELY(f.fault || f.kind < FG_REQUEST)) return 0;
  u32 marks = f.has_error_code ? mark_bit(FG_MARK_ERROR_CODE) : 0;
  for (const u32 group : {FG_IN_PARAMS, FG_IN_RESULT, FG_IN_META})
    for (u32 i = 0; i < f.counts[group]; i++) {
      const fg_member& m = f.members[kGroupStart[group] + i];
      marks |= kMemberMarks.of[group][m.name];
      const bool by_value = m.name == kNameIsError || m.name == kNameResultType;
      if (group == FG_IN_RESULT && FG_UNLIKELY(by_value)) marks |= result_mark(b, m);
    }
  return static_cast<u16>(marks);
}

}  // namespace fg
