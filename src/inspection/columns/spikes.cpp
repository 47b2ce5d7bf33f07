// Spikes: one or two samples far from those around them.
#include <algorithm>
#include <cmath>

#include "column_tests.hpp"
#include "io/text/how_many.hpp"

namespace sparsedyn::inspection {
namespace {

constexpr double spike_beside = 4.5;  // times the largest such deviation within a dozen samples
constexpr double spike_usual = 12;    // times the column's usual one: 6e-33 for normal noise, and left for what is not normal
constexpr double spike_share = 0.1;   // of the column's deviation
constexpr long spike_around = 12, spike_reach = 4;

double median_of_five(const double* x) {
  double five[5] = {x[-2], x[-1], x[0], x[1], x[2]};
  std::nth_element(five, five + 2, five + 5);
  return five[2];
}

/// From the cubic through the two samples on either side.
double off_cubic(const double* x) { return std::abs(x[0] - (4 * (x[-1] + x[1]) - x[-2] - x[2]) / 6); }

}  // namespace

void test_spikes(Examination& x, const std::string& name, Series& values) {
  const auto n = static_cast<long>(values.size());
  Series off(values.size(), 0.0), rough(values.size(), 0.0), known;
  for (long i = 2; i + 2 < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double* const at = &values[k];
    if (!std::isfinite(at[-2] + at[-1] + at[0] + at[1] + at[2])) continue;
    off[k] = std::abs(at[0] - median_of_five(at)), rough[k] = off_cubic(at);
    known.push_back(rough[k]);
  }
  const double typical = median_of(known), least = std::max(spike_share * deviation_of(values), spike_usual * typical);
  std::vector<long> found;
  for (long i = 2; i + 2 < n; ++i) {
    const double d = std::min(off[static_cast<std::size_t>(i)], rough[static_cast<std::size_t>(i)]);
    if (!(d > least)) continue;
    double rest = 0;
    for (long k = std::max(2L, i - spike_around); k <= std::min(n - 3, i + spike_around); ++k)
      if (std::abs(k - i) > spike_reach) rest = std::max(rest, rough[static_cast<std::size_t>(k)]);
    if (d > spike_beside * rest) found.push_back(i);
  }
  if (found.empty()) return;
  double largest = 0;
  for (long i : found) largest = std::max(largest, off[static_cast<std::size_t>(i)]);
  x.add(FindingKind::spikes, Severity::doubt, {name},
        name + ": " +
            how_many(static_cast<long>(found.size()), "sample lies far from its neighbours",
                     "samples lie far from their neighbours") +
            ", by up to " + shown(largest) + " (usually " + shown(typical) + ")",
        "readings that were garbled on the way", "leave these cells empty, or `--robust huber`",
        static_cast<double>(found.front()), static_cast<double>(found.back()));
  for (long i : found) values[static_cast<std::size_t>(i)] = std::nan("");
  if (found.size() * 100 < values.size())  // few: what lies between is close to the line between its neighbours
    for (long i : found) {
      long left = i, right = i;
      while (left > 0 && !std::isfinite(values[static_cast<std::size_t>(left)])) --left;
      while (right + 1 < n && !std::isfinite(values[static_cast<std::size_t>(right)])) ++right;
      const double a = values[static_cast<std::size_t>(left)], b = values[static_cast<std::size_t>(right)];
      values[static_cast<std::size_t>(i)] = a + (b - a) * static_cast<double>(i - left) / static_cast<double>(right - left);
    }
}

void agree_on_spikes(Examination& x) {
  std::vector<Finding>& findings = x.result.findings;
  const auto same_time = [&](const Finding& a, const Finding& b) {
    return a.kind == FindingKind::spikes && b.kind == FindingKind::spikes && a.from_line <= b.to_line &&
           b.from_line <= a.to_line;
  };
  const std::vector<Finding> all = findings;
  const auto shared = [&](const Finding& finding) {
    return finding.kind == FindingKind::spikes && finding.to_line - finding.from_line < 3 &&
           std::count_if(all.begin(), all.end(), [&](const Finding& other) { return same_time(finding, other); }) >= 4;
  };
  findings.erase(std::remove_if(findings.begin(), findings.end(), shared), findings.end());
}

}  // namespace sparsedyn::inspection
