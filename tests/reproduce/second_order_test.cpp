// What the published comparison of second derivatives is measured with.
#include "../../bench/reproduce/second_order.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "../../bench/reproduce/robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::reproduce;

TEST_CASE("four error metrics by hand") {
  const ErrorMetrics m = error_metrics({1.5, 2, 0.25, 1e-3}, {1, 2, 0.5, 0});
  CHECK(m.mae == Approx(0.5));
  CHECK(m.rmsae == Approx(std::sqrt((0.25 + 0.0625 + 1e-6) / 4)));
  CHECK(m.mre == Approx(0.5));  // the zero of the reference has no relative error
  CHECK(m.rmsre == Approx(std::sqrt((0.25 + 0.25) / 3)));
}

TEST_CASE("a power law is found in its points") {
  std::vector<std::pair<double, double>> points;
  for (double n : {2.0, 4.0, 9.0, 30.0}) points.push_back({n, std::exp(-1.5) * std::pow(n, 2.38)});
  const PowerLaw law = fit_power_law(points);
  CHECK(law.slope == Approx(2.38));
  CHECK(law.intercept == Approx(-1.5));
}

TEST_CASE("every way to second derivatives is as near to bicomplex steps as it can be") {
  for (Dynamics dynamics : {Dynamics::inverse, Dynamics::forward})
    for (int children : {1, 2}) {
      const Model model = revolute_tree(5, children);
      const States s(model, 1, 1);
      SecondOrder second(model, dynamics);
      Tensors reference(model.nv);
      const std::vector<Way> ways = ways_of(dynamics);
      second.evaluate(ways.front(), s.q_of(0), s.v_of(0), s.a_of(0), reference);
      for (const Way& way : ways) {
        if (way.kind != Kind::reference && way.kind != Kind::analytic) continue;
        INFO(way.name << ", children " << children << ", dynamics " << static_cast<int>(dynamics));
        Tensors x(model.nv);
        second.evaluate(way, s.q_of(0), s.v_of(0), s.a_of(0), x);
        const ErrorMetrics m = error_metrics(x.values(), reference.values());
        const bool of_function = way.kind == Kind::reference && way.method == SecondReferenceMethod::function_differences;
        const bool of_derivatives = way.kind == Kind::reference && way.method == SecondReferenceMethod::derivative_differences;
        CHECK(m.rmsae < (of_function ? 1e-4 : of_derivatives ? 1e-7 : 1e-11));
      }
    }
}
