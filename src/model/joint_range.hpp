// The positions that joints may take, by entry of v.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Joints to which limits leave one position, lower = upper, their own or those of joints that follow them. Cost: the model's
/// size.
std::vector<std::string> held_by_limits(const Model& model);

class JointRange {
 public:
  /// Throws std::invalid_argument where joints that follow each other have no position in common.
  explicit JointRange(const Model& model);

  const std::vector<double>& lower() const noexcept { return lower_; }
  const std::vector<double>& upper() const noexcept { return upper_; }

  /// A range wider than this, in rad or m, is what a file states for a joint without limits: rotors have ±1e16 rad, where
  /// neighbouring numbers are a radian apart.
  static constexpr double widest = 1e6;
  /// The limits, but for the far ends of such a range, which are infinite.
  /// @{
  double stated_lower(std::size_t i) const noexcept;
  double stated_upper(std::size_t i) const noexcept;
  /// @}

  /// Moves each coordinate to the nearest that is allowed.
  void clamp(double* q) const noexcept;
  /// How far entry i of v may step down (≤ 0) and up (≥ 0) from here.
  double room_below(const double* q, std::size_t i) const noexcept;
  double room_above(const double* q, std::size_t i) const noexcept;
  /// The middle of all ranges; where there is none, zero, or the end nearest to it.
  void middle(double* q) const noexcept;
  /// Uniform within the stated limits; without any, angles within ±π, lengths within ±1 m of zero or the one end, orientations
  /// uniform.
  void draw(std::mt19937& rng, double* q) const noexcept;

 private:
  const Model& model_;
  std::vector<double> lower_, upper_;  // by entry of v
  std::vector<int> coordinate_;        // of entry i of v in q, or -1 where it has no limits
};

}  // namespace sparsedyn
