// Keys that are not an envelope member but that some reader takes for one. Cold: only unknown envelope keys come here.
#pragma once
#include "keys.hpp"

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

// The longest envelope name is 7 letters: anything that folds to more is no near miss.
FG_COLD u32 near_miss(const u8* b, u32 at, u32 size, u32 stop) {
  if (size < 2) return FG_UNKNOWN_MEMBER;
  char folded[8] = {0};
  u32 length = 0;
  bool only_ascii_case = true;
  Characters characters(b, at, stop);
  for (u32 c; (c = characters.next()) != Characters::kEnd;) {
    if (is_ignorable(c)) {
      only_ascii_case = false;
      continue;
    }
    if (c == 0x17F) c = 's', only_ascii_case = false;
    if (c == 0x212A) c = 'k', only_ascii_case = false;
    if (c >= 'A' && c <= 'Z') c += 32;
    if (c > 0x7F || length == 7) return FG_UNKNOWN_MEMBER;
    folded[length++] = static_cast<char>(c);
  }
  for (const char* name : kEnvelope)
    if (strcmp(folded, name) == 0) return only_ascii_case ? FG_KEY_CASE_VARIANT : FG_KEY_LOOKALIKE;
  return FG_UNKNOWN_MEMBER;
}

}  // namespace fg
