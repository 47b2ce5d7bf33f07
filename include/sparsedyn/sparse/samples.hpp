// Numbers for a pattern: the matrices and right-hand sides of one system at many states.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace sparsedyn {

/// `fill` writes the values (in pattern order) and the right-hand side at state s, 0 ≤ s < count; it always writes the same
/// for one s. States 0 … random − 1 are random, the others special ones. `state` gives q for reports. `moved` writes the same
/// at a state that differs from s by hundreds of roundings, where numbers that are rounding are others; it may be empty.
struct Samples {
  int count = 0, random = 0;                                             // states, and how many of them are random
  std::function<void(int s, double* values, double* right_side)> fill;   // numbers of a state
  std::function<std::vector<double>(int s)> state;                       // its q
  std::function<void(int s, double* values, double* right_side)> moved;  // numbers next to it, or empty
  std::string left_out;                                                  // which states are not among them and why, or ""
};

/// The k-th state when random and special ones are taken in turn, each kind over again where it ends.
inline int state_in_turn(const Samples& samples, int k) {
  const int special = samples.count - samples.random;
  const bool random = special == 0 || (samples.random > 0 && k % 2 == 0);
  return random ? (k / 2) % samples.random : samples.random + (k / 2) % special;
}

}  // namespace sparsedyn
