// The wrenches of the world on the links, as far as the log tells them.
#pragma once

#include <array>
#include <vector>

#include "examination.hpp"

namespace sparsedyn::inspection {

class KnownWrenches {
 public:
  explicit KnownWrenches(Examination& x);
  /// Of each link at sample i, in the link's frame about its origin; zero where the log says nothing. A gap gives NaN.
  void at(std::size_t i, Force<double>* links) const;

 private:
  struct Measured {
    int link;
    Pose<double> frame;
    std::array<const Series*, 6> component{};
    std::array<double, 6> constant{};
  };
  void read_columns(Examination& x);
  void read_sensors(Examination& x);
  std::size_t links_;
  std::vector<Measured> measured_;
};

}  // namespace sparsedyn::inspection
