// Two ways to one quantity, compared state by state.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/verification/verify.hpp"

namespace sparsedyn::verification {

/// A state at which all ways are taken.
struct State {
  int sample;
  std::vector<double> q, v, a, tau;  // nq; nv
  std::vector<Force<double>> fx;     // the world's wrench on each body of the tree, in the body's frame
};

/// What rounding may leave of a number that the two ways add up in different orders.
inline constexpr double rounding_allowed = 1e-10;

class Comparison {
 public:
  Comparison(const std::string& quantity, const std::string& way, const std::string& beside, double allowed = rounding_allowed);

  /// x, r: n entries each, by the two ways; where one is not finite the difference is infinite. Entries must be the same at
  /// every state.
  void add(const State& state, const double* x, const double* r, std::size_t n);
  void add(const State& state, const std::vector<double>& x, const std::vector<double>& r) {
    add(state, x.data(), r.data(), x.size());
  }
  /// One of the ways has no answer at a state.
  void refuse() { ++row_.refused; }
  void skip(const std::string& why) { row_.skipped = why; }
  void allow(double relative) { row_.allowed = relative; }

  /// name(i) of entry i.
  template <class Name>
  Agreement result(const Name& name) const {
    Agreement row = row_;
    const int worst = find_worst(row);
    if (worst >= 0) row.entry = name(worst);
    return row;
  }

 private:
  int find_worst(Agreement& row) const;

  Agreement row_;
  std::vector<double> difference_, size_;  // of each entry, the largest so far
  std::vector<int> sample_;                // where the difference is largest
};

}  // namespace sparsedyn::verification
