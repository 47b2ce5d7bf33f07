#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "sparsedyn/codegen/expr.hpp"
#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/codegen/recorder.hpp"
#include "sparsedyn/spatial/spatial.hpp"

using namespace sparsedyn;

namespace {

OperationCounts counts_of(const Graph& graph, const std::vector<Expr>& results) {
  std::vector<Ref> refs;
  std::vector<std::string> names;
  for (const Expr& e : results) refs.push_back(e.ref()), names.push_back("y");
  return Program(graph, {{"x", std::vector<std::string>(16, "x")}}, {{"y", names}}, {refs}).counts();
}

struct Inputs {
  Graph graph;
  Recording recording{graph};
  Expr x{graph.input(0, 0)}, y{graph.input(0, 1)}, z{graph.input(0, 2)};
};

/// A x = b of two unknowns by elimination, and so many steps of refinement on the residuals as they are rounded.
std::array<Expr, 2> solution(const std::vector<Expr>& A, const std::vector<Expr>& b, int steps) {
  const auto solved = [&](const Expr& y, const Expr& z) {
    const Expr factor = A[2] / A[0], second = (z - factor * y) / (A[3] - factor * A[1]);
    return std::array<Expr, 2>{(y - A[1] * second) / A[0], second};
  };
  std::array<Expr, 2> x = solved(b[0], b[1]);
  const auto residual = [&](std::size_t row) {
    return rounded_sum(rounded_sum(b[row], -rounded_product(A[2 * row], x[0])), -rounded_product(A[2 * row + 1], x[1]));
  };
  for (; steps > 0; --steps) {
    const std::array<Expr, 2> correction = solved(residual(0), residual(1));
    x = {rounded_sum(x[0], correction[0]), rounded_sum(x[1], correction[1])};
  }
  return x;
}

}  // namespace

TEST_CASE("constants fold, zero and one disappear") {
  Inputs in;
  CHECK((in.x * 1.0).ref() == in.x.ref());
  CHECK((in.x + 0.0).ref() == in.x.ref());
  CHECK((in.x * 0.0).ref() == Ref{});
  CHECK((in.x - in.x).ref() == Ref{});
  CHECK((in.x * -1.0).ref() == -in.x.ref());
  CHECK((Expr(2.0) * 3.0).ref() == Expr(6.0).ref());
  CHECK((0.75 * in.x).ref() == (0.25 * (3.0 * in.x)).ref());
  CHECK((0.1 * (10.0 * in.x)).ref() == in.x.ref());
  CHECK((in.x / 4.0).ref() == (0.25 * in.x).ref());
}

TEST_CASE("rounded sums and products equal no other values, so that a residual is not folded to zero") {
  Inputs in;
  const Expr quotient = in.y / in.x, product = rounded_product(in.x, quotient), residual = rounded_sum(in.y, -product);
  CHECK((in.x * quotient).ref() == in.y.ref());
  CHECK((in.y - in.x * quotient).ref() == Ref{});
  CHECK(product.ref() != in.y.ref());
  CHECK(residual.ref() != Ref{});
  CHECK(rounded_sum(quotient, residual / in.x).ref() != quotient.ref());
  CHECK(rounded_sum(in.x, Expr(0.0)).ref() == in.x.ref());
  CHECK(rounded_product(in.x, Expr(0.0)).ref() == Ref{});
  CHECK(rounded_product(Expr(-1.0), in.x).ref() == -in.x.ref());
  CHECK(counts_of(in.graph, {residual}).flops() == 3);  // a quotient, a product and a difference
}

TEST_CASE("programs keep refinement: of two equations whose first pivot is small the first unknown loses digits without") {
  constexpr double pivot = 1e-9, exact = 1 / (1 - pivot);
  const std::vector<double> A{pivot, 1, 1, 1}, b{1, 2};
  const double* in[] = {A.data(), b.data()};
  for (int steps : {0, 1, 2}) {
    Recorder recorder;
    const std::vector<Expr> matrix = recorder.input("A", {"a", "b", "c", "d"}), right_side = recorder.input("b", {"y", "z"});
    const std::array<Expr, 2> x = solution(matrix, right_side, steps);
    recorder.output("x", {"x0", "x1"}, {x[0], x[1]});
    const Program program = recorder.program();
    double found[2], *out[] = {found};
    std::vector<double> work(program.nodes().size());
    REQUIRE(program.evaluate(in, out, work.data()));
    CAPTURE(steps);
    CHECK(program.counts().flops() == 9 + 16 * steps);
    CHECK(std::fabs(found[0] - exact) < (steps > 0 ? 1e-14 : 1e-6));
    if (steps == 0) CHECK(std::fabs(found[0] - exact) > 1e-9);
  }
}

TEST_CASE("constants that differ by rounding are one") {
  Inputs in;
  CHECK((Expr(0.1) + Expr(0.2)).ref() == Expr(0.3).ref());
  CHECK((Expr(0.1) + Expr(0.2) - Expr(0.3)).ref() == Ref{});
  CHECK((Expr(std::cos(0.3)) * Expr(std::cos(0.3)) + Expr(std::sin(0.3)) * Expr(std::sin(0.3))).ref() == Expr(1.0).ref());
  CHECK((in.x * (1.0 + 1e-12)).ref() != in.x.ref());
}

TEST_CASE("a product of constants keeps its exact value beside a constant that differs by rounding") {
  Inputs in;
  const Expr other = 0.09 * in.x, square = 0.3 * (0.3 * in.x);
  CHECK((square + 0.3 * in.y).ref() == (0.3 * (0.3 * in.x + in.y)).ref());
  CHECK(counts_of(in.graph, {other, square}).mul == 2);
}

TEST_CASE("equal values share one node, up to the sign") {
  Inputs in;
  const Expr &x = in.x, &y = in.y, &z = in.z;
  CHECK((x * y).ref() == (y * x).ref());
  CHECK((y - x).ref() == -(x - y).ref());
  CHECK(((x + y) + z).ref() == (x + (z + y)).ref());
  CHECK((x * (y + z)).ref() == (x * y + x * z).ref());
  CHECK(((x + y) * (x - y)).ref() == (x * x - y * y).ref());
  CHECK((x / y * y).ref() == x.ref());
  CHECK((1.0 / (1.0 / x)).ref() == x.ref());
  CHECK((x * y).ref() != (x * z).ref());
  CHECK((x * y + 1e-13 * z).ref() != (x * y).ref());
}

TEST_CASE("trigonometric pairs lie on the circle, angles add") {
  Inputs in;
  const Expr a = in.x, b = in.y;
  CHECK((sin(a) * sin(a) + cos(a) * cos(a)).ref() == Expr(1.0).ref());
  CHECK((cos(a) * cos(b) - sin(a) * sin(b)).ref() == cos(a + b).ref());
  CHECK(sin(-a).ref() == -sin(a).ref());
  CHECK(cos(b - a).ref() == cos(a - b).ref());
  CHECK(sin(a + b - b).ref() == sin(a).ref());
  CHECK(sin(Expr(0.5)).ref() == Expr(std::sin(0.5)).ref());
  CHECK(sin(a).ref() != sin(b).ref());
}

TEST_CASE("unit quaternions lie on their sphere") {
  Graph graph;
  const Recording recording(graph);
  const auto u = graph.unit_quaternion(0, 3);
  Expr sum = 0.0;
  for (Ref r : u) sum += Expr(r) * Expr(r);
  CHECK(sum.ref() == Expr(1.0).ref());
}

TEST_CASE("square roots of equal values share one node") {
  Inputs in;
  CHECK(sqrt(in.x + in.y).ref() == sqrt(in.y + in.x).ref());
  CHECK(sqrt(in.x - in.y).ref() != sqrt(in.y - in.x).ref());
  CHECK(sqrt(Expr(2.25)).ref() == Expr(1.5).ref());
}

TEST_CASE("what no result needs is not counted") {
  Inputs in;
  const Expr product = in.x * in.y, unused = in.y / in.z;
  const OperationCounts c = counts_of(in.graph, {product + in.z, -(product + in.z), sin(in.x)});
  CHECK(unused.ref() != product.ref());
  CHECK(c.mul == 1);
  CHECK(c.add == 1);
  CHECK(c.div == 0);
  CHECK(c.trig == 1);
}

TEST_CASE("a symmetric product costs its triangle") {
  Graph graph;
  const Recording recording(graph);
  Mat3<Expr> A;
  for (int k = 0; k < 9; ++k) A(k / 3, k % 3) = Expr(graph.input(0, k));
  const Mat3<Expr> S = A * transpose(A);
  std::vector<Expr> entries;
  for (int k = 0; k < 9; ++k) entries.push_back(S(k / 3, k % 3));
  CHECK(counts_of(graph, entries).mul == 18);
  CHECK(counts_of(graph, entries).add == 12);
}

TEST_CASE("misuse of a recording is refused") {
  Inputs in;
  CHECK_THROWS_AS(Expr(1.0 / 0.0), std::invalid_argument);
  CHECK_THROWS_AS(Program(in.graph, {}, {{"y", {}}}, {{in.x.ref()}}), std::invalid_argument);
}

TEST_CASE("no program comes of a division by zero, which does not throw, since templates that do not throw are recorded") {
  Inputs in;
  CHECK_NOTHROW(in.graph.sound());
  CHECK((in.x / (in.y - in.y)).ref() == Ref{});
  CHECK_THROWS_AS(in.graph.sound(), std::domain_error);
  CHECK_THROWS_AS(counts_of(in.graph, {in.x}), std::domain_error);
}

TEST_CASE("an Expr outside a Recording is refused") { CHECK_THROWS_AS(Expr(1.0), std::logic_error); }
