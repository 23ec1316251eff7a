// Invariant: the rules of methods and values that a frame breaks under a revision, and their places, depend on its bytes, the sender and
// the method it answers alone: not on the kernel, the seed of the key fingerprints or the place in memory, nor on whether places are asked
// for; no byte outside the frame is read. A rule is found where it has a place and only there, it is an error where its place is one, and
// places lie inside the frame. What is not selected, and what is no message, is not found.
//
// Input: a byte that chooses the limits and the sender, a byte for the method that is answered and the shift, the frame.
#include "shaped.hpp"

// One for each spec and member found wrong, since the walk is one code for all data: read by libFuzzer like edges.
static constexpr uint32_t kSeenCount = 1 << 16;
__attribute__((section("__libfuzzer_extra_counters"))) static uint8_t g_seen[kSeenCount];

namespace fuzz {

struct Told {
  uint32_t own;
  fg_found found[kJudgeCount];
  fg_shape_place places[kJudgeCount][128];
};

struct Question {
  fg_limits limits;
  uint32_t senders, asked;
};

// A text of more than one block, refused by another kernel than the first.
static void plant_text(Told& told, const Kernel& kernel) {
  if (!planted(kPlantedText) || &kernel == &kernels().front()) return;
  for (uint32_t i = 0; i < kJudgeCount; i++)
    for (fg_shape_place& place : told.places[i])
      if (place.count && place.spec != FG_NOTHING && kJudges[i].protocol->specs[place.spec].format == FG_BASE64 && place.end - place.offset > 66)
        place.count++;
}

static const Told& read(Told& told, const Kernel& kernel, const uint8_t* data, size_t size, const Question& question) {
  static const Own own(kSenders);
  memset(&told, 0, sizeof told);
  kernel.use();
  fg_facts facts;
  hold(fg_classify(data, size, &question.limits, &facts) == FG_OK, "memory");
  told.own = fg_own_revision(&own.c, data, &facts);
  fg_found at_once[kJudgeCount];
  memset(at_once, 0, sizeof at_once);
  fg_protocol protocols[kJudgeCount];
  for (uint32_t i = 0; i < kJudgeCount; i++) {
    protocols[i] = sent_by(kJudges[i], question.senders);
    fg_judge(&protocols[i], data, size, &facts, question.asked, &at_once[i]);
  }
  for (uint32_t i = 0; i < kJudgeCount; i++)
    hold(fg_judge_again(&protocols[i], data, size, &facts, question.asked, &told.found[i], told.places[i]) == FG_OK, "memory for places");
  hold(memcmp(at_once, told.found, sizeof at_once) == 0, "other rules where places are asked for");
  plant_text(told, kernel);
  const bool message = !facts.fault && facts.kind >= FG_REQUEST;
  for (const fg_found& found : told.found) hold(message || !(found.rules[0] | found.rules[1]), "rules of what is no message");
  return told;
}

static bool has(const uint64_t words[2], uint32_t rule) { return words[rule >> 6] >> (rule & 63) & 1; }

static void check_rule(uint32_t judge, uint32_t rule, const fg_found& found, const fg_shape_place& place, size_t size) {
  const bool is = has(found.rules, rule), error = has(found.errors, rule), warning = has(found.warnings, rule);
  hold(is || !(error || warning), "an error or a warning of a rule that is not found");
  hold(is == (place.count != 0), "a rule without a place, or a place without a rule");
  if (!is) return;
  const fg_protocol& p = *kJudges[judge].protocol;
  hold(has(p.selected, rule), "a rule that was not asked for");
  hold(error == (place.error != 0), "the place is not of the highest severity");
  hold(error || warning || has(p.infos, rule), "neither error nor warning");
  hold(place.offset < place.end && place.end <= size && place.count <= size, "a place lies outside the frame");
  const uint64_t key = ((uint64_t(judge) * 128 + rule) << 32 | uint32_t(place.spec) << 16 | place.member) * 0x9E3779B97F4A7C15u;
  g_seen[key >> 48] = 1;
}

static void compare(const Told& a, const Told& b, const char* what) { hold(memcmp(&a, &b, sizeof a) == 0, what); }

static void check(const uint8_t* from, size_t size, const Question& question, size_t shift) {
  static Told told, other;
  const Exact exact(from, size, 0);
  const Kernel& first = kernels().front();
  read(told, first, exact.data(), size, question);
  for (uint32_t i = 0; i < kJudgeCount; i++)
    for (uint32_t rule = 0; rule < FG_LOOK; rule++) check_rule(i, rule, told.found[i], told.places[i][rule], size);
  for (const Kernel& kernel : kernels())
    if (&kernel != &first) compare(told, read(other, kernel, exact.data(), size, question), "what is found depends on the kernel");
  read(other, kernels()[shift % kernels().size()], Exact(from, size, 1 + shift).data(), size, question);
  if (planted(kPlantedShape))
    for (fg_shape_place& place : other.places[shift % kJudgeCount])
      if (place.count > 2 && place.error) place.end++;
  compare(told, other, "what is found depends on where the frame stands");
}

}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < fuzz::kHeader) return -1;
  constexpr uint32_t kAsked = fg::kMethodCount + 1;
  const fuzz::Question question = {fuzz::kLimits[data[0] % fuzz::kLimitsCount], 1 + uint32_t(data[0] / fuzz::kLimitsCount % 3), data[1] % kAsked};
  fuzz::check(data + fuzz::kHeader, size - fuzz::kHeader, question, data[0] / fuzz::kLimitsCount / 3 + data[1] / kAsked * 11);
  return 0;
}
