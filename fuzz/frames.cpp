// Invariant: what is told of a frame depends on its bytes and the limits alone. Facts, places and elements are the same for every SIMD
// kernel of this processor, for every seed of the key fingerprints, and wherever in memory the frame stands, also right before the end of
// its heap block; no byte outside it is read. All offsets lie inside the frame, and a place is told only of a fact that is set.
//
// Input: a byte that chooses the limits, a byte for the shift, the frame.
#include "native.hpp"

namespace fuzz {

struct Told {
  fg_facts facts;
  std::vector<uint32_t> elements;
  fg_place places[FG_FACT_COUNT];
};

constexpr uint32_t kRooms[FG_GROUP_COUNT] = {FG_ROOM_PARAMS, FG_ROOM_RESULT, FG_ROOM_ERROR, FG_ROOM_META};

// Of the members only the counted ones are told; a walk that failed may have begun some.
static void forget_uncounted(fg_facts& f) {
  fg_member* room = f.members;
  for (int group = 0; group < FG_GROUP_COUNT; room += kRooms[group++]) {
    hold(f.counts[group] <= kRooms[group], "more members than there is room for");
    memset(room + f.counts[group], 0, (kRooms[group] - f.counts[group]) * sizeof *room);
  }
}

static Told read(const Kernel& kernel, const uint8_t* data, size_t size, const fg_limits& limits) {
  Told told;
  kernel.use();
  memset(&told.facts, 0, sizeof told.facts);
  hold(fg_classify(data, size, &limits, &told.facts) == FG_OK, "memory");
  forget_uncounted(told.facts);
  told.elements.resize(2 * size_t(fg_elements(data, size, nullptr, 0)));
  fg_elements(data, size, told.elements.data(), uint32_t(told.elements.size() / 2));
  hold(fg_places(data, size, &limits, told.places) == FG_OK, "memory for places");
  const fg_facts& f = told.facts;
  if (f.fault) memset(told.places, 0, sizeof told.places);  // promised only where there is none
  if (planted(kPlantedOverread) && f.kind == FG_NOTIFICATION && f.depth > 2) {
    const volatile uint8_t* past = data + size;
    told.facts.size += *past & 0;
  }
  return told;
}

static void compare(const Told& a, const Told& b, const char* what) {
  const bool same = memcmp(&a.facts, &b.facts, sizeof a.facts) == 0 && a.elements == b.elements &&
                    memcmp(a.places, b.places, sizeof a.places) == 0;
  hold(same, what);
}

static bool inside(uint32_t start, uint32_t stop, size_t size) { return start <= stop && stop <= size; }

static void check_offsets(const Told& told, size_t size) {
  const fg_facts& f = told.facts;
  hold(f.fault == FG_FRAME_TOO_LARGE || f.fault_offset <= size, "the fault lies outside the frame");
  for (const fg_envelope_value& value : f.envelope) hold(inside(value.start, value.stop, size), "an envelope value lies outside the frame");
  for (const fg_member& member : f.members) hold(inside(member.start, member.stop, size), "a member lies outside the frame");
  uint32_t last = 0;
  for (uint32_t at : told.elements) hold(at >= last && at <= size, "elements overlap"), last = at;
}

static void check_places(const Told& told, size_t size) {
  const fg_facts& f = told.facts;
  for (int fact = 0; fact < FG_FACT_COUNT; fact++) {
    const fg_place& place = told.places[fact];
    hold(inside(place.offset, place.end, size), "a place lies outside the frame");
    const bool set = (f.bits & FG_BIT(fact)) || (fact == FG_ERROR_CODE_OUT_OF_RANGE && f.has_error_code);  // that is any code's place
    hold(!place.count || set, "a place of a fact that is not set");
  }
  if (f.fault) return;
  hold(told.places[FG_DUPLICATE_KEY].count == f.duplicates, "two counts of doubled keys");
  hold((f.duplicates != 0) == ((f.bits & FG_BIT(FG_DUPLICATE_KEY)) != 0), "doubled keys and their fact");
}

static void check(const uint8_t* from, size_t size, const fg_limits& limits, size_t shift) {
  const Exact exact(from, size, 0);
  const Kernel& first = kernels().front();
  const Told told = read(first, exact.data(), size, limits);
  check_offsets(told, size);
  check_places(told, size);
  for (const Kernel& kernel : kernels()) {
    if (&kernel == &first) continue;
    Told other = read(kernel, exact.data(), size, limits);
    if (planted(kPlantedKernel) && (told.facts.bits & FG_BIT(FG_LONE_SURROGATE_KEY))) other.facts.depth++;
    compare(told, other, "the facts depend on the kernel");
  }
  const Kernel& moved_by = kernels()[shift % kernels().size()];
  for (size_t by : {size_t(1), 2 + shift % 62}) {
    Told moved = read(moved_by, Exact(from, size, by).data(), size, limits);
    if (planted(kPlantedPlace) && told.facts.duplicates > 1) moved.facts.duplicate_offset++;
    compare(told, moved, "the facts depend on where the frame stands");
  }
}

}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < fuzz::kHeader) return -1;
  fuzz::check(data + fuzz::kHeader, size - fuzz::kHeader, fuzz::kLimits[data[0] % fuzz::kLimitsCount], data[1]);
  return 0;
}
