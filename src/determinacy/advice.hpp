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

  /// What needs no sensor, most effective first, and what all of it removes together.
  std::vector<AssumptionAdvice> assumptions() const { return assumptions_; }
  int assumptions_remove() const { return assumptions_remove_; }
  /// Sensors that remove some directions: most first, then those that measure fewer numbers.
  std::vector<SensorAdvice> single() const;
  /// Pairs that remove all directions where no single sensor does; those that measure fewest numbers first, at most ten.
  std::vector<PairAdvice> pairs() const;

 private:
  struct Candidate {
    SensorAdvice sensor;
    Eigen::MatrixXd seen;  // its rows × directions
  };
  void take_assumptions(const System& system);
  std::vector<Candidate> candidates_;
  std::vector<AssumptionAdvice> assumptions_;
  int assumptions_remove_ = 0;
  int directions_;
};

}  // namespace sparsedyn
