// Sweeps of a check over robots and states.
#pragma once

#include <functional>

#include "robots.hpp"
#include "states.hpp"

namespace sparsedyn::test {

using Check = std::function<void(const Model&, const State&)>;

/// At each robot: this many random states, then the special states with this many mixed ones.
struct StateCounts {
  int random, mixed;
};

/// Trees of each kind of joint alone, fixed and floating; of joints[i] joints, drawn from seed + i.
void on_each_kind(const std::vector<int>& joints, unsigned seed, StateCounts states, const Check& check);

/// Trees of all kinds of joints, fixed and floating, drawn from seed, seed + 1, …
void on_mixed_trees(int trees, int joints, unsigned seed, StateCounts states, const Check& check);

}  // namespace sparsedyn::test
