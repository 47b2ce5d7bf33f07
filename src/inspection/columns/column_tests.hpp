// The tests of single columns.
#pragma once

#include "inspection/examination.hpp"

namespace sparsedyn::inspection {

/// Whether the robot moves: steps of the positions from one sample to the next, in shares of each one's own usual step.
class MotionAtRest {
 public:
  explicit MotionAtRest(Examination& x);
  /// Whether a position other than that of this column changes at sample i.
  bool moves(std::size_t i, const std::string& but) const;
  /// The same of any sample of the stretch, for most of it.
  bool moves_most_of(std::size_t first, std::size_t last, const std::string& but) const;

 private:
  struct Position {
    std::string name;
    const Series* values;
    double usual;  // step
  };
  std::vector<Position> positions_;
};

/// Two values at most: a switch, not a measurement.
bool is_flag(const Series& values);
/// The step of the grid on which all values lie; 0 where there is none.
double quantum_of(const Series& values);

// Each takes what it finds out of the column (NaN), so that the tests after it do not see it.
void test_spikes(Examination& x, const std::string& name, Series& values);
/// What many columns show at the same time is the motion's.
void agree_on_spikes(Examination& x);
void test_quantised(Examination& x, const std::string& name, const Series& values, double grid);
void test_saturated(Examination& x, const std::string& name, Series& values, double grid, const MotionAtRest& rest);
void test_stuck(Examination& x, const std::string& name, Series& values, double grid, const MotionAtRest& rest);

}  // namespace sparsedyn::inspection
