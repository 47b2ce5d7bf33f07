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
  /// Whether a link's wrench is unknown to the sensor set and not in the log.
  bool open(std::size_t link) const { return open_[link] != 0; }
  bool any() const { return !measured_.empty(); }
  /// Their columns.
  std::vector<std::string> columns() const;

 private:
  struct Measured {
    int link;
    Pose<double> frame;
    std::array<const Series*, 6> component{};
    std::array<double, 6> constant{};
    std::vector<std::string> columns;
  };
  void read_columns(Examination& x);
  void read_sensors(Examination& x);
  std::size_t links_;
  std::vector<Measured> measured_;
  std::vector<char> open_;
};

}  // namespace sparsedyn::inspection
