// Keys and methods that have a number: the six members of the envelope, and the names of the protocol.
#pragma once
#include "frame/names.hpp"
#include "json/keys.hpp"

namespace fg {

constexpr const char* kEnvelope[] = {
#define FG_TEXT(id, name) name,
    FG_ENVELOPE(FG_TEXT)
#undef FG_TEXT
};

// An envelope member's name and its closing quote, as the 8 bytes behind the opening quote show them: if they match,
// the end of the key is known.
struct EnvelopeKey {
  u64 mask = 0, text = 1;  // no bytes under that mask are that text
  u32 member = FG_ENVELOPE_COUNT, size = 0;
};

// By the low five bits of the first letter, in which all differ.
struct EnvelopeKeys {
  EnvelopeKey by_letter[32];
  constexpr EnvelopeKeys() : by_letter() {
    for (u32 member = 0; member < FG_ENVELOPE_COUNT; member++) {
      EnvelopeKey key;
      key.member = member, key.text = 0;
      for (; kEnvelope[member][key.size]; key.size++) key.text |= static_cast<u64>(kEnvelope[member][key.size]) << 8 * key.size;
      key.text |= static_cast<u64>('"') << 8 * key.size;
      key.mask = ~u64(0) >> (56 - 8 * key.size);
      by_letter[kEnvelope[member][0] & 31] = key;
    }
  }
};
constexpr EnvelopeKeys kEnvelopeKeys;

// The member whose name is the key p[0..size), or FG_ENVELOPE_COUNT.
FG_INLINE u32 envelope_member(u32 size, KeyWords words) {
  const EnvelopeKey& key = kEnvelopeKeys.by_letter[words.head & 31];
  return size == key.size && (key.text & kFirstBytes[size < 8 ? size : 8]) == words.head ? key.member : u32(FG_ENVELOPE_COUNT);
}

FG_INLINE u32 name_number(const u8* p, u32 size, KeyWords words) {
  const u32 slot = static_cast<u32>(((words.head ^ (words.tail * 3)) * kNameMultiplier) >> (64 - kNameBits));
  const u32 number = kNameSlots[slot];
  const Name& name = kNames[number];
  if (FG_UNLIKELY(name.head != words.head || name.tail != words.tail || name.size != size)) return 0;
  return FG_LIKELY(size <= 16) || memcmp(name.text, p, size) == 0 ? number : 0;
}

// The number of a known method whose text (without quotes) is p[0..size), or 0.
FG_INLINE u32 method_number(const u8* p, u32 size, bool room) {
  const KeyWords words = key_words(p, size, room);
  const u64 middle = size > 8 ? load8(p + size / 2 - 4) : words.head;
  const u32 slot = static_cast<u32>(((words.head ^ (words.tail * 3) ^ (middle * 5)) * kMethodMultiplier) >> (64 - kMethodBits));
  const u32 number = kMethodSlots[slot];
  const Name& name = kMethods[number];
  if (name.head != words.head || name.tail != words.tail || name.size != size) return 0;
  return FG_LIKELY(size <= 16) || memcmp(name.text, p, size) == 0 ? number : 0;
}

}  // namespace fg
