// Faults that a column shows by itself: gaps, spikes, steps of a quantiser, values that stand still or hit a bound.
#include "column_tests.hpp"

#include <algorithm>
#include <cmath>

#include "inspection/tests.hpp"
#include "io/text/begins.hpp"
#include "io/text/how_many.hpp"

namespace sparsedyn::inspection {
namespace {

/// Columns that hold numbers of the robot.
bool is_quantity(const std::string& name) {
  for (const char* prefix : {"q.", "dq.", "ddq.", "tau.", "fx.", "y."})
    if (begins(name, prefix)) return true;
  return false;
}

/// `values`: row by row, as the log has them.
void tell_of_gaps(Examination& x, const std::string& name, const Series& values) {
  std::size_t first = 0, last = 0, longest = 0, run = 0, gaps = 0, missing = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) {
      run = 0;
      continue;
    }
    if (missing++ == 0) first = i;
    if (run++ == 0) ++gaps;
    last = i, longest = std::max(longest, run);
  }
  if (missing == 0) return;
  const double share = static_cast<double>(missing) / static_cast<double>(values.size());
  if (missing == values.size()) return x.unjudged({name}, "no number in the column");
  x.add(FindingKind::gap, share > 0.2 ? Severity::doubt : Severity::note, {name},
        name + ": " + std::to_string(missing) + " of " + std::to_string(values.size()) + " cells " +
            (missing == 1 ? "is" : "are") + " empty, in " + how_many(static_cast<long>(gaps), "gap", "gaps") +
            ", the longest of " + how_many(static_cast<long>(longest), "row", "rows"),
        "readings that were lost", "gaps of sensors are estimated over (`solve`); positions cannot be", 0);
  x.result.findings.back().from_line = x.line_of_row(first), x.result.findings.back().to_line = x.line_of_row(last);
}

/// Of a contact that stands or swings throughout, and says so with one number.
bool is_contact_flag(const Examination& x, const std::string& name) {
  static const std::string on = ".on";
  return x.flags.count(name) > 0 ||
         (begins(name, "y.") && name.size() > on.size() && name.compare(name.size() - on.size(), on.size(), on) == 0);
}

}  // namespace

void test_columns(Examination& x) {
  const MotionAtRest rest(x);
  for (std::size_t c = 0; c < x.log.columns.size(); ++c) {
    const std::string& name = x.log.columns[c];
    if (!is_quantity(name)) continue;
    tell_of_gaps(x, name, x.log.values[c]);
    Series& values = x.values[c];
    if (count_of(values) < 50) continue;
    if (!is_flag(values) && !is_contact_flag(x, name)) {
      test_spikes(x, name, values);
      // Between rows, values lie on no grid.
      const Series rows = x.resampled ? x.log.values[c] : x.at_rows(values);
      const double grid_of_rows = quantum_of(rows), grid = x.resampled ? quantum_of(values) : grid_of_rows;
      test_quantised(x, name, rows, grid_of_rows);
      test_saturated(x, name, values, grid, rest);
      test_stuck(x, name, values, grid, rest);
    }
  }
  agree_on_spikes(x);
}

}  // namespace sparsedyn::inspection
