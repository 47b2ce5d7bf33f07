// Every algorithm beside 34 digits of another formulation, on robots and states that are drawn to be awkward.
#include <catch2/catch.hpp>

#include "support/awkward_errors.hpp"

using namespace sparsedyn::test;

namespace {

/// No entry is further off than this many times the rounding of the terms that make it.
void check(unsigned seed, const AwkwardOptions& options, const AwkwardScope& scope) {
  const AwkwardRobot robot = awkward_robot(seed, options);
  for (const AwkwardError& e : awkward_errors(robot, awkward_state(robot, seed), scope)) {
    CAPTURE(seed, e.algorithm, e.relative, e.of_rounding, e.condition);
    if (e.condition != e.condition)  // second derivatives, of which no sizes are worked out
      CHECK(e.relative < 1e-14);
    else if (!e.ill_conditioned())
      CHECK(e.of_rounding < 150);
  }
}

}  // namespace

TEST_CASE("every algorithm on awkward robots and states") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    AwkwardOptions options;
    options.decades = seed % 4 * 4;
    AwkwardScope scope;
    scope.solver = seed % 4 == 0, scope.derivatives = scope.second_derivatives = seed % 10 == 0;
    check(seed, options, scope);
  }
}
