// The body of one SIMD escape checker; strings.hpp includes it once per instruction set, with FG_ESCAPES (the function's name), FG_TARGET
// and FG_READ (a function that classifies 64 bytes) defined. A template cannot carry a target of its own.

// 64 bytes at a time: which bytes are escaped (the odd-carry trick), may they all be, and do four hexadecimal digits follow each
// escaped u. Only surrogates and what spans two blocks go through scalar code. Several times as fast as the scalar loop on escape-dense
// text.
__attribute__((target(FG_TARGET))) static bool FG_ESCAPES(const u8* b, u32 p, u32 stop, bool& lone) {
  const u32 from = p;
  const u64 odd = 0xAAAAAAAAAAAAAAAAu;
  u64 carried = 0;  // the block before ended in a backslash that escapes this block's first byte
  for (; stop - p >= 64; p += 64) {
    // Stage 1 has read the text once, but a long one has left the first cache since: 2 % of the whole at 1 MB.
    __builtin_prefetch(b + p + 1024);
    const EscapeBlock block = FG_READ(b + p);
    const u64 starts = block.slashes & ~carried;
    const u64 even = ((starts << 1) | odd) - starts;
    const u64 codes = even ^ odd;
    const u64 escaped = codes ^ (block.slashes | carried);
    carried = (codes & block.slashes) >> 63;
    const u64 units = block.u & escaped;
    // A byte that may not follow a backslash, or a digit missing after a u as far as this block shows.
    const u64 two = block.hex & block.hex >> 1, four = two & two >> 2;  // so many digits start here
    if (FG_UNLIKELY((escaped & ~block.legal) | (units & ~(four >> 1 | 0xF000000000000000u)))) return false;
    u64 closer = units & (block.d >> 1 | 0xF000000000000000u);  // possible surrogates, and digits that end in the next block
    for (; FG_UNLIKELY(closer); closer &= closer - 1) {
      const u32 q = p + static_cast<u32>(__builtin_ctzll(closer));
      if (stop - q < 5 || !four_hex(b + q + 1)) return false;
      if (is_surrogate(code_unit(b + q + 1)) && lone_at(b, q, from, stop)) lone = true;
    }
  }
  p -= static_cast<u32>(carried);  // look again at the backslash the last block ended in
  // Low halves are judged from behind here too: their partner may be in the last block.
  for (;;) {
    p = find_backslash(b, p, stop);
    if (p >= stop) return true;
    if (p + 1 >= stop) return false;
    const u8 kind = kByte.escape[b[p + 1]];
    if (kind == 1) {
      p += 2;
      continue;
    }
    if (kind == 0 || stop - p < 6 || !four_hex(b + p + 2)) return false;
    if (FG_UNLIKELY(is_surrogate(code_unit(b + p + 2))) && lone_at(b, p + 1, from, stop)) lone = true;
    p += 6;
  }
}
