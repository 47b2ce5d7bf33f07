#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "sparsedyn/ordering/optimise_order.hpp"

namespace sparsedyn {
namespace {

/// Whose state it is, and which.
using StateOfOne = std::pair<bool, int>;

/// First … last − 1 of `a`, and of `b`, in turn; where one kind ends the other goes on.
void add_in_turn(std::pair<int, int> of_a, std::pair<int, int> of_b, std::vector<StateOfOne>& states) {
  while (of_a.first < of_a.second || of_b.first < of_b.second) {
    if (of_a.first < of_a.second) states.emplace_back(false, of_a.first++);
    if (of_b.first < of_b.second) states.emplace_back(true, of_b.first++);
  }
}

}  // namespace

Samples in_turn(const Samples& a, const Samples& b) {
  std::vector<StateOfOne> states;
  add_in_turn({0, a.random}, {0, b.random}, states);
  add_in_turn({a.random, a.count}, {b.random, b.count}, states);
  const auto which = std::make_shared<const std::vector<StateOfOne>>(std::move(states));
  const auto of = [which](int s) { return (*which)[static_cast<std::size_t>(s)]; };
  Samples both;
  both.count = a.count + b.count, both.random = a.random + b.random;
  both.left_out = a.left_out.empty() ? b.left_out : a.left_out;
  both.state = [of, a, b](int s) { return (of(s).first ? b : a).state(of(s).second); };
  both.fill = [of, a, b](int s, double* values, double* right_side) {
    (of(s).first ? b : a).fill(of(s).second, values, right_side);
  };
  if (a.moved && b.moved)
    both.moved = [of, a, b](int s, double* values, double* right_side) {
      (of(s).first ? b : a).moved(of(s).second, values, right_side);
    };
  return both;
}

}  // namespace sparsedyn
