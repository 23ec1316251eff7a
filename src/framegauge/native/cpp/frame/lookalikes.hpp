// Keys that are not an envelope member but that some reader takes for one. Cold: only unknown envelope keys come here.
#pragma once
#include "frame/named_keys.hpp"

namespace fg {

// Default_Ignorable_Code_Point of Unicode 16, as ranges.
constexpr u32 kIgnorable[][2] = {{0xAD, 0xAD},       {0x34F, 0x34F},     {0x61C, 0x61C},     {0x115F, 0x1160},   {0x17B4, 0x17B5},
                                 {0x180B, 0x180F},   {0x200B, 0x200F},   {0x202A, 0x202E},   {0x2060, 0x206F},   {0x3164, 0x3164},
                                 {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFF8},   {0x1BCA0, 0x1BCA3},
                                 {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};

inline bool is_ignorable(u32 c) {
  if (c == 0) return true;
  if (c < 0xAD) return false;
  for (const auto& range : kIgnorable)
    if (c >= range[0] && c <= range[1]) return true;
  return false;
}

// A key as a careless reader has it: without what is invisible, and in lower case.
struct Folded {
  static constexpr u32 kRoom = 64;  // longer than any name of the protocol
  char text[kRoom];
  u32 size;          // 0: it is not a name except for such differences
  bool only_ascii_case;

  bool is(const char* name) const {
    u32 i = 0;
    for (; i < size && name[i]; i++) {
      const char c = name[i];
      if (text[i] != (c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c)) return false;
    }
    return size && i == size && !name[i];
  }
};

// The key whose text starts at `at`; at most `room` characters.
FG_COLD inline Folded folded(const u8* b, u32 at, u32 stop, u32 room) {
  Folded f;
  f.size = 0, f.only_ascii_case = true;
  u32 length = 0;
  Characters characters(b, at, stop);
  for (u32 c; (c = characters.next()) != Characters::kEnd;) {
    if (is_ignorable(c)) {
      f.only_ascii_case = false;
      continue;
    }
    if (c == 0x17F) c = 's', f.only_ascii_case = false;
    if (c == 0x212A) c = 'k', f.only_ascii_case = false;
    if (c >= 'A' && c <= 'Z') c += 32;
    if (c > 0x7F || length == room) return f;
    f.text[length++] = static_cast<char>(c);
  }
  f.size = length;
  return f;
}

// A key that is none of the six members: one of them except for ASCII case (FG_KEY_CASE_VARIANT), one of them to a reader that folds Unicode
// case or drops invisible characters (FG_KEY_LOOKALIKE), or FG_UNKNOWN_MEMBER. The longest name is 7 letters: what folds to more is not a near miss.
FG_COLD inline u32 near_miss(const u8* b, u32 at, u32 size, u32 stop) {
  if (size < 2) return FG_UNKNOWN_MEMBER;
  const Folded key = folded(b, at, stop, 7);
  for (const char* name : kEnvelope)
    if (key.is(name)) return key.only_ascii_case ? FG_KEY_CASE_VARIANT : FG_KEY_LOOKALIKE;
  return FG_UNKNOWN_MEMBER;
}

}  // namespace fg
