// Names of a log's columns.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// PREFIX.NAME for each name.
inline std::vector<std::string> with_prefix(const std::string& prefix, const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& name : names) out.push_back(prefix + "." + name);
  return out;
}

/// time, q, dq, ddq, tau: what every simulated log begins with.
inline std::vector<std::string> motion_columns(const Model& model) {
  std::vector<std::string> columns{"time"};
  const auto add = [&](const std::vector<std::string>& names) { columns.insert(columns.end(), names.begin(), names.end()); };
  add(with_prefix("q", coordinate_names(model)));
  add(with_prefix("dq", velocity_names(model)));
  add(with_prefix("ddq", velocity_names(model)));
  add(with_prefix("tau", force_names(model)));
  return columns;
}

}  // namespace sparsedyn
