// Nori et al. 2017, Property 1: unknowns and equations can be listed so that the matrix of inverse dynamics is lower
// triangular.
#include <catch2/catch.hpp>
#include <cmath>

#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/sparse/elimination.hpp"
#include "support/robots.hpp"
#include "support/systems.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

void append(Order& order, int row, int column, int count) {
  for (int k = 0; k < count; ++k) order.rows.push_back(row + k), order.columns.push_back(column + k);
}

/// The paper's two permutations, written out: what is given; a_i from the base outwards; f_i, then τ_i, from the tips inwards.
Order paper_order(const System& system) {
  Order order;
  const Pattern& pattern = system.pattern();
  for (int r = 0; r < pattern.rows; ++r)
    if (system.equations()[r].kind == EquationKind::sensor) append(order, r, pattern.column[pattern.row_start[r]], 1);
  const std::vector<BodyTerms>& terms = system.terms();
  for (const BodyTerms& t : terms) append(order, t.kinematics, t.acc, 6);
  for (std::size_t i = terms.size(); i-- > 0;) {
    append(order, terms[i].wrench, terms[i].f, 6);
    append(order, terms[i].torque, system.tau_column(terms[i].joint.v), freedoms(terms[i].joint.joint));
  }
  return order;
}

/// Whether row k has no entry after position k, and one of ±1 there.
bool is_lower_triangular_with_unit_diagonal(const System& system, const Order& order) {
  const Pattern& pattern = system.pattern();
  std::vector<int> position(pattern.columns);
  for (int k = 0; k < pattern.columns; ++k) position[order.columns[k]] = k;
  bool triangular = true;
  for (int k = 0; k < pattern.rows; ++k) {
    double diagonal = 0;
    for (int e = pattern.row_start[order.rows[k]]; e < pattern.row_start[order.rows[k] + 1]; ++e) {
      triangular = triangular && position[pattern.column[e]] <= k;
      if (position[pattern.column[e]] == k) diagonal = system.constants()[e];
    }
    triangular = triangular && std::abs(diagonal) == 1;
  }
  return triangular;
}

void has_property_one(const Model& model) {
  const System system(model, inverse_dynamics_set());
  CHECK(is_lower_triangular_with_unit_diagonal(system, paper_order(system)));
  const std::optional<Order> recursive = recursive_order(system);
  REQUIRE(recursive);
  CHECK(eliminate(system.pattern(), *recursive).fill == 0);
}

}  // namespace

TEST_CASE("Property 1: inverse dynamics is lower triangular with a ±1 diagonal for chains of 1 to 100 joints") {
  TreeOptions chain;
  chain.branching = 0;
  for (int n = 1; n <= 100; ++n) {
    INFO(n);
    has_property_one(random_tree(n, static_cast<unsigned>(n), chain));
  }
}

TEST_CASE("Property 1: the same for random trees of 1 to 100 joints") {
  for (int n = 1; n <= 100; ++n) {
    INFO(n);
    has_property_one(random_tree(n, 1000u + static_cast<unsigned>(n)));
  }
}

TEST_CASE("Property 1: the same for every joint type, fixed and floating") {
  TreeOptions every;
  every.kinds = every_joint_kind();
  for (bool floating : {false, true})
    for (unsigned seed = 1; seed <= 10; ++seed) {
      every.floating = floating;
      has_property_one(random_tree(12, seed, every));
    }
}

TEST_CASE("Forward dynamics is no permutation of a triangular matrix: peeling leaves a core") {
  const System system(random_tree(5, 3), forward_dynamics_set());
  CHECK(eliminate(system.pattern(), *recursive_order(system)).fill > 0);
}
