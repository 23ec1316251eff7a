// Compiled rows over fact bits.
#pragma once
#include "core.h"

namespace fg {

inline void mark(fg_found& found, uint8_t rule, uint8_t severity) {
  const uint64_t bit = uint64_t(1) << (rule & 63);
  found.rules[rule >> 6] |= bit;
  if (severity == 0) found.errors[rule >> 6] |= bit;
  if (severity == 1) found.warnings[rule >> 6] |= bit;
}

// For a frame that has a fault or at least one suspicious fact.
inline void run_rows(const fg_table& table, const fg_facts& f, fg_found& found) {
  if (f.fault) {
    const uint8_t rule = table.by_fault[f.fault];
    if (rule != FG_NO_RULE) mark(found, rule, 0);
    return;
  }
  // Most frames that come here are answers with an error code and no suspicious fact.
  for (uint32_t i = 0; (f.bits & table.suspicious) && i < table.row_count; i++) {
    const fg_row& row = table.rows[i];
    if ((f.bits & row.facts) == row.facts && !(f.bits & row.without)) mark(found, row.rule, row.severity);
  }
  if (!f.has_error_code) return;
  for (uint32_t i = 0; i < table.code_count; i++) {
    const fg_code_row& row = table.codes[i];
    if (f.error_code >= row.low && f.error_code <= row.high) mark(found, row.rule, row.severity);
  }
}

inline bool is_clean(const fg_table& table, const fg_facts& f) {
  return !(f.bits & table.suspicious) && !f.fault && !f.has_error_code;
}

}  // namespace fg
