// How many digits a recorded computation loses: rounding, tried at a few states. Formulations of one robot's dynamics are equal
// functions and need different numbers of operations, but they are not equally exact where masses or lengths are far apart or
// axes nearly parallel.
#pragma once

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "sparsedyn/codegen/graph.hpp"

namespace sparsedyn {

/// Element e of port p is the same number in all graphs.
class LostDigits {
 public:
  /// The results of a graph with few cancellations, evaluated with more digits, are taken for exact. nominal: by port, numbers
  /// near which its elements are tried.
  LostDigits(const std::vector<Node>& nodes, const std::vector<std::vector<Ref>>& results,
             std::map<int, std::vector<double>> nominal = {});

  /// At each state the largest difference of a result in double to the exact one, over the largest of its vector; the worst
  /// vector's. Infinite where a result is no number.
  std::vector<double> of(const std::vector<Node>& nodes, const std::vector<std::vector<Ref>>& results) const;

 private:
  static constexpr int states = 8;
  using Numbers = std::array<double, states>;

  /// The numbers of an input, by state: of those of the first graph drawn once, since many graphs are judged.
  Numbers numbers_of(const Node& input) const;
  template <class S>
  std::vector<std::vector<S>> evaluated(const std::vector<Node>& nodes, const std::vector<std::vector<Ref>>& results,
                                        int state) const;

  std::map<int, std::vector<double>> nominal_;
  std::map<std::pair<int, int>, Numbers> drawn_;              // by port and element
  std::vector<std::vector<std::vector<long double>>> exact_;  // by state and result vector; empty where not finite
};

}  // namespace sparsedyn
