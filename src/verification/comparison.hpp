// Two ways to one quantity, compared state by state.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "sparsedyn/verification/verify.hpp"

namespace sparsedyn::verification {

/// A state at which all ways are taken.
struct State {
  int sample;
  std::vector<double> q, v, a, tau;  // nq; nv
  std::vector<Force<double>> fx;     // the world's wrench on each body of the tree, in the body's frame
  double conditioning = 1;           // of M, its diagonal scaled to one; infinite where a joint moves no mass

  /// What rounding may leave of accelerations: some thousand roundings, of numbers of which the conditioning takes the digits.
  double rounding() const { return 1000 * std::numeric_limits<double>::epsilon() * conditioning; }
  /// Whether that leaves three digits. Where not, accelerations are not compared.
  bool regular() const { return rounding() <= 1e-3; }
};

/// What rounding may leave of a number that the two ways add up in different orders.
inline constexpr double rounding_allowed = 1e-10;

/// What entry i of a quantity is called.
using EntryName = std::function<std::string(int)>;

class Comparison {
 public:
  Comparison(const std::string& quantity, const std::string& way, const std::string& beside, double allowed = rounding_allowed);

  /// x, r: n entries each, by the two ways; where one is not finite the difference is infinite. Entries must be the same at
  /// every state. terms: of each entry, the size of the terms that it is the sum of; empty: of its own size. An entry whose
  /// terms cancel, such as the rate of a symmetric rotor's inertia, is rounding by one way and zero by the other: a hundred
  /// roundings of its terms are no difference.
  void add(const State& state, const double* x, const double* r, std::size_t n, const std::vector<double>& terms = {});
  void add(const State& state, const std::vector<double>& x, const std::vector<double>& r,
           const std::vector<double>& terms = {}) {
    add(state, x.data(), r.data(), x.size(), terms);
  }
  /// The same of what is solved with M: where the state is not regular nothing is compared, and where a way has no answer at
  /// one that is, the two differ without bound.
  void add_solved(const State& state, const std::vector<double>& x, bool x_there, const std::vector<double>& r,
                  bool r_there = true, const std::vector<double>& terms = {});
  void skip(const std::string& why) { row_.skipped = why; }

  /// All of it; `name` is asked for the entry where the two ways differ most.
  Agreement result(const EntryName& name) const;

 private:
  Agreement row_;
  std::vector<double> difference_, size_;  // of each entry, the largest so far
  std::vector<int> sample_;                // where the difference is largest
};

}  // namespace sparsedyn::verification
