// What `differentiate` made of a log's positions, as a page.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/logs/differentiate.hpp"

namespace sparsedyn::cli {

/// Series of a log by name; NaN: a gap.
struct NamedSeries {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;

  /// Null: none of that name.
  const std::vector<double>* find(const std::string& name) const;
};

/// A page: how far the log's own derivatives lie from those made, in deviations; each derivative with ± 2σ, the log's own
/// beside it, and the positions that it is one of. start, step: the samples' times (s). printed: what the command says.
std::string differentiation_page(const std::string& title, const NamedSeries& log, const Differentiated& made, double start,
                                 double step, const std::string& printed);

}  // namespace sparsedyn::cli
