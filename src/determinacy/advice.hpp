// Which sensors of the catalogue would see what a set leaves open.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sparsedyn/determinacy/determinacy.hpp"

namespace sparsedyn {

class Advice {
 public:
  /// `open`: the undetermined directions at the state q, v, all unknowns (rows) by directions.
  Advice(const System& system, const std::vector<double>& q, const std::vector<double>& v, const Eigen::MatrixXd& open);

  /// Sensors that remove some directions: most first, then those that measure fewer numbers.
  std::vector<SensorAdvice> single() const;
  /// Pairs that remove all directions where no single sensor does; those that measure fewest numbers first, at most ten.
  std::vector<PairAdvice> pairs() const;

 private:
  struct Candidate {
    SensorAdvice sensor;
    Eigen::MatrixXd seen;  // its rows × directions
  };
  std::vector<Candidate> candidates_;
  int directions_;
};

}  // namespace sparsedyn
