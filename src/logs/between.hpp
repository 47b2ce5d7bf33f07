// Between two samples of a log: numbers linearly, orientations along the shorter way.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace sparsedyn {

/// At share (0 to 1) of the way. may_turn: an angle that jumps by nearly 2π goes the shorter way.
double between(double before, double after, double share, bool may_turn) noexcept;

/// The same of an orientation x y z w, of unit length; `after` may have the opposite sign.
std::array<double, 4> turn_between(const std::array<double, 4>& before, const std::array<double, 4>& after,
                                   double share) noexcept;

/// Columns X.qx, X.qy, X.qz, X.qw as their places, of each X that has all four.
std::vector<std::array<std::size_t, 4>> orientations(const std::vector<std::string>& columns);

/// Whether between() may turn a column: positions q.*.
inline bool is_position_column(const std::string& column) { return column.compare(0, 2, "q.") == 0; }

}  // namespace sparsedyn
