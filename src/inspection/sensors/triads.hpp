// A sensor of three axes against what it should read, in all readings of its axes.
#pragma once

#include <string>
#include <vector>

#include "inspection/series.hpp"
#include "right_angles.hpp"

namespace sparsedyn::inspection {

/// What a sensor read and what it should have read, sample by sample.
struct Triad {
  std::vector<std::string> columns;  // three
  std::vector<Vec3<double>> read, due;

  double size() const;
};

/// One way in which a sensor may be read: `words` say it.
struct TriadReading {
  int kind = -1;           // which of the caller's kinds, in the order of simplicity; −1: as it stands
  std::size_t turned = 0;  // of right_angles()
  double left = 0;         // share of the squares
};

/// Σ |y − R x|² over Σ |y|² for each of the 24 turns R.
std::vector<double> left_by_turns(const std::vector<Vec3<double>>& y, const std::vector<Vec3<double>>& x);

}  // namespace sparsedyn::inspection
