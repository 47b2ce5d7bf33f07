// The wrenches of the world on the links, as far as the log tells them.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "examination.hpp"

namespace sparsedyn::inspection {

class KnownWrenches {
 public:
  explicit KnownWrenches(Examination& x);
  /// Of each link at sample i, in the link's frame about its origin; zero where the log says nothing. A gap gives NaN.
  void at(std::size_t i, Force<double>* links) const;
  /// Of each measured wrench the columns of the log.
  std::vector<std::vector<std::string>> measured_columns() const;
  /// Takes the columns of that wrench, of measured_columns(), times a factor from now on.
  void scale(std::size_t measured, double factor);
  /// Adds white noise to them: of each component that is measured, its deviation times a number of `normal`.
  void disturb(Force<double>* links, const std::function<double()>& normal) const;

 private:
  struct Measured {
    int link;
    Pose<double> frame;
    std::array<const Series*, 6> component{};
    std::array<std::string, 6> name{};  // of these columns
    double factor = 1;
    std::array<double, 6> constant{};
    std::array<double, 6> noise{};  // deviations: of white noise where the column shows it, else as stated
  };
  void read_columns(Examination& x);
  void read_sensors(Examination& x);
  std::size_t links_;
  std::vector<Measured> measured_;
};

}  // namespace sparsedyn::inspection
