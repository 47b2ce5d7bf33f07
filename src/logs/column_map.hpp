// Which columns of a log are the q, v and y of a system: the same for files and for tables in memory.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// The columns that say where a floating base is and how fast its origin moves, which no sensor on a robot tells: a log may
/// lack them. None where the base is fixed.
const std::vector<std::string>& whole_motion_columns(const Model& model);

struct ColumnMap {
  std::vector<std::string> q, v, y;  // of each entry its column; empty: the log has none, and a constant stands in
  /// Of each entry that a log must have and this one lacks: the columns that would do, best first.
  std::vector<std::vector<std::string>> missing;
  /// Of each measurement that the log holds in part: the columns that are taken as zero.
  std::vector<std::vector<std::string>> taken_as_zero;
  std::vector<std::string> whole_motion_missing;  // of whole_motion_columns(); taken as zero
};

/// `has`: whether the log has a column of that name.
ColumnMap column_map(const Model& model, const std::vector<Input>& inputs, const std::function<bool(const std::string&)>& has);

/// Columns that would do, for messages; the plain name first, which robots' own logs have: "ddq.J (or y.ddq.J)".
std::string any_of_these(const std::vector<std::string>& columns);

/// Whether what it reads has a deviation.
bool is_noisy(const System& system, const Input& input);

/// A noisy reading that a log lacks, and the column that stands in for it: `y.motors.elbow` and `tau.elbow`. What is known
/// exactly is the same under either name.
struct StandIn {
  std::string reading, column;
};
/// `read_from`: ColumnMap::y.
std::vector<StandIn> stand_ins(const System& system, const std::vector<std::string>& read_from);
/// "tau.a, tau.b stand in for y.motors.a, y.motors.b".
std::string stand_ins_text(const std::vector<StandIn>& all);

}  // namespace sparsedyn
