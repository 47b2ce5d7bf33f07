#include "triads.hpp"

#include <cmath>

#include "io/text/how_many.hpp"

namespace sparsedyn::inspection {

double Triad::size() const {
  double sum = 0;
  for (const Vec3<double>& y : read) sum += dot(y, y);
  return sum;
}

std::vector<double> left_by_turns(const std::vector<Vec3<double>>& y, const std::vector<Vec3<double>>& x) {
  // Σ |y − R x|² = Σ |y|² + Σ |x|² − 2 Σ y·R x, and Σ y·R x is a sum of three entries of Σ y xᵀ.
  Mat3<double> products{};
  double yy = 0, xx = 0;
  for (std::size_t s = 0; s < y.size(); ++s) {
    yy += dot(y[s], y[s]), xx += dot(x[s], x[s]);
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) products(r, c) += y[s][r] * x[s][c];
  }
  std::vector<double> left;
  for (const RightAngle& turn : right_angles()) {
    double along = 0;
    for (int r = 0; r < 3; ++r)
      along += turn.sign[static_cast<std::size_t>(r)] * products(r, turn.axis[static_cast<std::size_t>(r)]);
    left.push_back(yy > 0 ? std::max(0.0, yy + xx - 2 * along) / yy : 0);
  }
  return left;
}

std::string or_others(std::size_t as_good) {
  if (as_good < 2) return "";
  return "; " + how_many(static_cast<long>(as_good) - 1, "other reading does", "other readings do") +
         " as well: the motion does not tell them apart";
}

void turn_back(const std::array<Series*, 3>& columns, std::size_t turn, double factor) {
  const RightAngle& angle = right_angles()[turn];
  const std::array<Series, 3> read{*columns[0], *columns[1], *columns[2]};
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t i = 0; i < read[r].size(); ++i)
      (*columns[static_cast<std::size_t>(angle.axis[r])])[i] = angle.sign[r] * read[r][i] / factor;
}

void tell_of_turn(Examination& x, FindingKind frame, const std::vector<std::string>& columns, const std::string& evidence,
                  std::size_t turn) {
  if (turn == 0) return;
  x.add(frame, Severity::harm, columns, evidence, "axes turned by right angles: " + right_angles()[turn].words(),
        "turn the sensor's rpy in the set, or exchange its columns");
}

}  // namespace sparsedyn::inspection
