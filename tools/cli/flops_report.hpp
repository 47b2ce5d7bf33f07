// Operation counts as JSON, text and HTML.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sparsedyn/flops/recursive_counts.hpp"

namespace sparsedyn::cli {

struct FlopsEntry {
  std::string algorithm;
  int n;  // joints of a chain, or 0
  OperationCounts raw;
  std::optional<OperationCounts> folded;
  std::string of;  // zero_fill_lu: the sensor set; program: the algorithm; else empty
  std::vector<PublishedCount> published;
};

std::string flops_json(const std::vector<FlopsEntry>& entries);
std::string flops_text(const std::vector<FlopsEntry>& entries);
std::string flops_html(const std::vector<FlopsEntry>& entries);

}  // namespace sparsedyn::cli
