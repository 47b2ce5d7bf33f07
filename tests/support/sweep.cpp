#include "sweep.hpp"

#include <catch2/catch.hpp>

namespace sparsedyn::test {
namespace {

void at_states(const Model& model, unsigned seed, StateCounts states, const Check& check) {
  std::mt19937 rng(seed);
  for (int k = 0; k < states.random; ++k) check(model, random_state(model, rng));
  for (const State& s : special_states(model, rng, states.mixed)) check(model, s);
}

}  // namespace

void on_each_kind(const std::vector<int>& joints, unsigned seed, StateCounts states, const Check& check) {
  for (JointKind kind : every_joint_kind())
    for (bool floating : {false, true})
      for (unsigned i = 0; i < joints.size(); ++i) {
        INFO("kind " << static_cast<int>(kind) << " floating " << floating << " seed " << seed + i);
        at_states(random_tree(joints[i], seed + i, {floating, true, 0.4, {kind}}), i, states, check);
      }
}

void on_mixed_trees(int trees, int joints, unsigned seed, StateCounts states, const Check& check) {
  for (bool floating : {false, true})
    for (unsigned i = 0; i < static_cast<unsigned>(trees); ++i) {
      INFO("floating " << floating << " seed " << seed + i);
      const Model model = random_tree(joints, seed + i, {floating, true, 0.4, every_joint_kind()});
      at_states(model, i, states, check);
      if (i % 2 == 0) at_states(with_joint_physics(model, i), i, states, check);
    }
}

}  // namespace sparsedyn::test
