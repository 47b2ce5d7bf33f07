// What the comparisons run on: robots from files, and chains and binary trees of any size.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn::reproduce {

/// NAME.urdf of $SPARSEDYN_ROBOTS (bench/reproduce/robots-folder; ../shared/robots where it is not set), else of robots/;
/// nothing where neither is there.
std::optional<Model> robot(const std::string& name, bool floating);

/// n revolute joints; joint k hangs on joint (k − 1) / children: a chain for children = 1, a binary tree for 2.
Model revolute_tree(int n, int children);

/// Random q (unit quaternions), v and a (nv each): `count` of them one after the other.
struct States {
  States(const Model& model, int count, unsigned seed);
  const double* q_of(int k) const { return q.data() + static_cast<std::size_t>(k) * nq; }
  const double* v_of(int k) const { return v.data() + static_cast<std::size_t>(k) * nv; }
  const double* a_of(int k) const { return a.data() + static_cast<std::size_t>(k) * nv; }
  std::size_t nq, nv;
  int count;
  std::vector<double> q, v, a;
};

}  // namespace sparsedyn::reproduce
