// A sensor of three axes against what it should read, in all readings of its axes.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "inspection/examination.hpp"
#include "right_angles.hpp"

namespace sparsedyn::inspection {

/// What a sensor read and what it should have read, sample by sample.
struct Triad {
  std::vector<std::string> columns;  // three
  std::vector<Vec3<double>> read, due;

  double size() const;
};

/// Σ |y − R x|² over Σ |y|² for each of the 24 turns R.
std::vector<double> left_by_turns(const std::vector<Vec3<double>>& y, const std::vector<Vec3<double>>& x);

/// What evidence says of the other readings, where `as_good` of them do as well as the one chosen, itself counted.
std::string or_others(std::size_t as_good);
/// Columns that read that element of right_angles() and a factor become those without.
void turn_back(const std::array<Series*, 3>& columns, std::size_t turn, double factor);
/// Tells of axes turned by that element of right_angles(); of the identity nothing.
void tell_of_turn(Examination& x, FindingKind frame, const std::vector<std::string>& columns, const std::string& evidence,
                  std::size_t turn);

}  // namespace sparsedyn::inspection
