// Keys: their words, and whether their object had them before.
//
// Repeated keys cost one hash and, mostly, one bit test per key. Each open object has a 64-bit filter; a key whose filter bit is
// free is new. Otherwise the fingerprints of the object's keys are compared, from the 33rd key on in one open-addressing table
// for all open objects. Every equal fingerprint is confirmed on the text. Fingerprints are seeded per process, so a peer
// cannot prepare keys that collide; all of it is linear in the bytes.
#pragma once
#include "json/bytes.hpp"
#include "json/strings.hpp"

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

namespace fg {

struct Seeds {
  u64 a = 0x9E3779B97F4A7C15u, b = 0xC2B2AE3D27D4EB4Fu;
};
inline Seeds g_seeds;  // written once, at import

FG_INLINE u64 fold_multiply(u64 x, u64 y) {
#if defined(_MSC_VER) && !defined(__clang__)
  u64 high;
  const u64 low = _umul128(x, y, &high);
  return low ^ high;
#else
  const unsigned __int128 r = static_cast<unsigned __int128>(x) * y;
  return static_cast<u64>(r) ^ static_cast<u64>(r >> 64);
#endif
}

// A key as two words: its first and its last 8 bytes, both the whole key when it is shorter. No raw key holds a NUL, so up to 8 bytes
// the word is the key, length included.
struct KeyWords {
  u64 head, tail;
};

constexpr u64 kFirstBytes[9] = {0,          0xFF,           0xFFFF,           0xFFFFFF,          0xFFFFFFFF,
                                0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF};

FG_INLINE KeyWords key_words(const u8* p, u32 size, bool room) {
  if (FG_UNLIKELY(!room)) {  // fewer than 8 bytes to the end of the frame
    u8 copy[8] = {0};
    memcpy(copy, p, size < 8 ? size : 8);
    return {load8(copy), size > 8 ? load8(p + size - 8) : load8(copy)};
  }
  // A table and a maximum instead of branches: key lengths are hard to predict.
  const u64 mask = kFirstBytes[size < 8 ? size : 8];
  return {load8(p) & mask, load8(p + (size > 8 ? size : 8) - 8) & mask};
}

FG_INLINE u64 mix(KeyWords words, u64 h) { return fold_multiply(words.head ^ h, words.tail ^ g_seeds.b); }

FG_NOINLINE static u64 fingerprint(const u8* p, u32 size, KeyWords words) {
  u64 h = g_seeds.a ^ size;
  for (u32 i = 8; size > 16 && i + 8 < size; i += 8) h = fold_multiply(load8(p + i) ^ g_seeds.b, h ^ 0x2D358DCCAA6C78A5u) + g_seeds.a;
  return mix(words, h);
}

// The general way out of line: its loop and its copy would take the registers that the walk needs for itself.
FG_NOINLINE static u64 fingerprint(const u8* p, u32 size, bool room) { return fingerprint(p, size, key_words(p, size, room)); }

// Of each size of a short key: what its words keep, and how far its last 8 bytes are from its first.
struct ShortKeys {
  static constexpr u32 kMost = 16;
  struct {
    u64 mask = 0, skip = 0;
  } of[kMost + 1];
  constexpr ShortKeys() : of() {
    for (u32 size = 0; size <= kMost; size++) of[size].mask = kFirstBytes[size < 8 ? size : 8], of[size].skip = size > 8 ? size - 8 : 0;
  }
};
constexpr ShortKeys kShortKeys;

// The same of a key of at most ShortKeys::kMost bytes, of which 8 may be loaded.
FG_INLINE u64 short_print(const u8* p, u32 size) {
  const auto& key = kShortKeys.of[size];
  return mix({load8(p) & key.mask, load8(p + key.skip) & key.mask}, g_seeds.a ^ size);
}

struct Key {
  u32 print;  // 32 bits of the fingerprint
  u32 at;     // where the key's text starts
};

// The innermost open object: its filter, where its keys start on the stack, and how many arrays are open in it around what is read.
struct Object {
  u64 filter = 0;
  u32 base = 0;
  u32 arrays = 0;
};

struct Keys {
  static constexpr u32 kFew = 32;  // keys of one object that are compared one by one
  struct Slot {
    u32 print;
    u32 index;  // on the stack, + 1; 0 is free
  };

  Stack<Key> stack;
  Stack<Object> objects;  // those around the innermost
  Slot* table = nullptr;
  u32 table_room = 0, table_used = 0;
  u32 table_top = 0;  // one past the highest stack entry in the table
  u32 most = 0;       // keys the frame can have: each takes three structural characters at least
  Stack<u8> text;  // an unescaped key, for its fingerprint

  Keys() = default;
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;
  ~Keys() { free(table); }

  // In the table a key's print is mixed with where its object starts: the same keys in objects within each other would share one slot.
  u32 find(const u8* b, u32 stop, Key& key, const Object& o, bool& ok) {
    const u32 count = stack.size() - o.base, mix = o.base * 0x9E3779B1u;
    ok = true;
    if (count < kFew) {
      for (u32 i = o.base; i < stack.size(); i++)
        if (stack[i].print == key.print && same_text(b, stack[i].at, key.at, stop)) return 1;
      return 0;
    }
    if (count == kFew)
      for (u32 i = o.base; i < stack.size(); i++) {
        stack[i].print ^= mix;
        if (!insert(i)) return ok = false;
      }
    key.print ^= mix;
    for (u32 at = slot_of(key.print); table[at].index; at = (at + 1) & (table_room - 1)) {
      const u32 i = table[at].index - 1;
      if (table[at].print == key.print && i >= o.base && same_text(b, stack[i].at, key.at, stop)) return 1;
    }
    return 0;
  }

  // Puts stack entry i into the table.
  bool insert(u32 i) {
    if (FG_UNLIKELY(table_used == 0) && !make_room()) return false;
    place(i);
    table_used++;
    table_top = i + 1;
    return true;
  }

  // Takes the entries from `base` on out again. Last in, first out: under linear probing the table is then as it was before them.
  void remove_from(u32 base) {
    for (u32 i = table_top; table_used && i > base; i--) {
      u32 at = slot_of(stack[i - 1].print);
      while (table[at].index && table[at].index != i) at = (at + 1) & (table_room - 1);
      if (table[at].index) table[at].index = 0, table_used--;
    }
    table_top = table_top < base ? table_top : base;
  }

  // After a frame, whole or given up: everything is empty again. An outlier's memory is given back when so many frames in a row were small.
  FG_INLINE void reset() {
    if (FG_UNLIKELY(table_used)) remove_from(0);
    stack.cut(0), objects.cut(0);
    if (FG_UNLIKELY(text.room() > kKeep)) text.trim(kKeep);
    if (FG_LIKELY(most <= kKeep / 4)) {
      if (FG_UNLIKELY(large && --large == 0)) trim();
    } else {
      large = kPatience;
    }
  }

 private:
  static constexpr u32 kKeep = 1u << 16;
  static constexpr u32 kPatience = 64;
  u32 large = 0;  // small frames to come before memory is given back

  FG_INLINE u32 slot_of(u32 print) const { return print & (table_room - 1); }

  void place(u32 i) {
    u32 at = slot_of(stack[i].print);
    while (table[at].index) at = (at + 1) & (table_room - 1);
    table[at] = {stack[i].print, i + 1};
  }

  // A table for all keys this frame can have, at most half full: it never has to grow while it is in use.
  FG_COLD bool make_room() {
    u32 wanted = 256;
    while (wanted / 2 < most && wanted < (1u << 31)) wanted *= 2;
    if (table_room >= wanted) return true;
    free(table);
    table = static_cast<Slot*>(calloc(wanted, sizeof(Slot)));
    table_room = table ? wanted : 0;
    return table != nullptr;
  }

  FG_COLD void trim() {
    stack.trim(kKeep), objects.trim(kKeep), text.trim(kKeep);
    if (table_room > kKeep) free(table), table = nullptr, table_room = 0;
  }
};

// Unescapes a key into scratch (UTF-8; a lone surrogate as its three bytes) and returns its words, size and text.
struct PlainKey {
  const u8* text;
  u32 size;
};

FG_COLD inline bool plain_key(Keys& keys, const u8* b, u32 at, u32 stop, PlainKey& plain) {
  Stack<u8>& out = keys.text;
  out.cut(0);
  Characters characters(b, at, stop);
  for (u32 c; (c = characters.next()) != Characters::kEnd;) {
    u8 bytes[4];
    u32 n = 0;
    if (c < 0x80) {
      bytes[n++] = static_cast<u8>(c);
    } else if (c < 0x800) {
      bytes[n++] = static_cast<u8>(0xC0 | c >> 6);
    } else if (c < 0x10000) {
      bytes[n++] = static_cast<u8>(0xE0 | c >> 12), bytes[n++] = static_cast<u8>(0x80 | (c >> 6 & 63));
    } else {
      bytes[n++] = static_cast<u8>(0xF0 | c >> 18), bytes[n++] = static_cast<u8>(0x80 | (c >> 12 & 63));
      bytes[n++] = static_cast<u8>(0x80 | (c >> 6 & 63));
    }
    if (c >= 0x80) bytes[n++] = static_cast<u8>(0x80 | (c & 63));
    for (u32 i = 0; i < n; i++)
      if (!out.push(bytes[i])) return false;
  }
  const u32 size = out.size();
  for (int i = 0; i < 8; i++)  // room for the 8-byte loads
    if (!out.push(0)) return false;
  plain = {&out[0], size};
  return true;
}

}  // namespace fg
