// Sums are put together anew where that saves operations, and mean the same.
#include <catch2/catch.hpp>
#include <random>

#include "sparsedyn/codegen/recorder.hpp"

using namespace sparsedyn;

namespace {

using Function = std::vector<Expr> (*)(const std::vector<Expr>&);

Program recorded(Function f, bool factored) {
  const std::vector<std::string> names(6, "x");
  Recorder recorder;
  const std::vector<Expr> y = f(recorder.input("x", names));
  const std::vector<std::string> results(y.size(), "y");
  recorder.output("y", results, y);
  return factored ? recorder.program() : recorder.unfactored();
}

void check(Function f, long mul, long add) {
  const Program plain = recorded(f, false), program = recorded(f, true);
  CHECK(program.counts().mul == mul);
  CHECK(program.counts().add == add);
  std::mt19937 rng(1);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 20; ++k) {
    std::vector<double> x(6), a(program.outputs()[0].elements.size()), b(a),
        workspace(plain.nodes().size() + program.nodes().size());
    for (double& e : x) e = normal(rng);
    const double* arg[] = {x.data()};
    double *first[] = {a.data()}, *second[] = {b.data()};
    CHECK(plain.evaluate(arg, first, workspace.data()));
    CHECK(program.evaluate(arg, second, workspace.data()));
    for (std::size_t e = 0; e < a.size(); ++e) CHECK(a[e] == Approx(b[e]).epsilon(1e-12));
  }
}

}  // namespace

TEST_CASE("common factors come out of sums") {
  check([](const std::vector<Expr>& x) { return std::vector<Expr>{x[0] * x[1] + x[2] + x[0] * x[3] - x[0] * x[4]}; }, 1, 3);
  check([](const std::vector<Expr>& x) { return std::vector<Expr>{3.5 * x[0] - 3.5 * x[1]}; }, 1, 1);
  check([](const std::vector<Expr>& x) { return std::vector<Expr>{x[0] * x[1] * x[2] + x[2] * x[3] * x[0]}; }, 2, 1);
}

TEST_CASE("pairs that meet in several sums are added once") {
  check(
      [](const std::vector<Expr>& x) {
        return std::vector<Expr>{x[0] + x[1] + x[2], x[3] + x[0] + x[4] + x[2], x[5] - x[2] - x[0]};
      },
      0, 5);
}

TEST_CASE("multiples of a sum and of a difference of the same values need one of the two") {
  check(
      [](const std::vector<Expr>& x) {
        const Expr d = x[0] - x[1];
        return std::vector<Expr>{d, 3.0 * (x[0] + x[1]) + 0.7 * d + x[2]};
      },
      2, 3);
  check(
      [](const std::vector<Expr>& x) {
        const Expr d = x[1] * x[3] - x[0];
        return std::vector<Expr>{d, x[2] - 3.0 * (x[0] + x[1] * x[3]) - 0.7 * d};
      },
      3, 3);
  check(
      [](const std::vector<Expr>& x) {
        const Expr s = x[0] + x[1], d = x[0] - x[1];
        return std::vector<Expr>{s, d, 3.0 * s + 0.7 * d};
      },
      2, 3);
}

TEST_CASE("factoring keeps products that another value uses") {
  check(
      [](const std::vector<Expr>& x) {
        const Expr a = x[0] * x[1], b = x[0] * x[2];
        return std::vector<Expr>{a, b, a + b};
      },
      2, 1);
  check([](const std::vector<Expr>& x) { return std::vector<Expr>{sin(x[0]) * x[1] + sin(x[0] + x[2]) * x[1] + cos(x[0])}; }, 1,
        3);
}
