// Directional second derivatives against the tensors summed along the direction.
#include "reference/directional_derivatives.hpp"

#include <catch2/catch.hpp>

#include "second_derivative_support.hpp"
#include "sparsedyn/dynamics/second_derivatives.hpp"
#include "support/heap.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Vector = std::vector<double>;

/// y[a,b] += Σ_c [a,b,c] x_c, or [a,c,b] x_c.
void add_last(const Vector& tensor, const Vector& x, Vector& y) {
  for (std::size_t ab = 0; ab < y.size(); ++ab)
    for (std::size_t c = 0; c < x.size(); ++c) y[ab] += tensor[ab * x.size() + c] * x[c];
}
void add_middle(const Vector& tensor, const Vector& x, Vector& y) {
  const std::size_t n = x.size();
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      for (std::size_t c = 0; c < n; ++c) y[a * n + b] += tensor[(a * n + c) * n + b] * x[c];
}

struct Matrices {
  explicit Matrices(std::size_t n) : value(n), by_q(n * n), by_v(by_q), by_x(by_q) {}
  Vector value, by_q, by_v, by_x;
};

void check(const Matrices& x, const Matrices& r, double tolerance) {
  CHECK(norm_error(x.by_q, r.by_q) < tolerance);
  CHECK(norm_error(x.by_v, r.by_v) < tolerance);
  CHECK(norm_error(x.by_x, r.by_x) < tolerance);
}

}  // namespace

TEST_CASE("directional second derivatives are the tensors times the direction") {
  for (bool floating : {false, true}) {
    INFO("floating " << floating);
    const Model model = random_tree(5, 800, {floating, true, 0.4, every_joint_kind()});
    std::mt19937 rng(8);
    const State s = random_state(model, rng), to = random_state(model, rng);
    const auto n = static_cast<std::size_t>(model.nv);
    const double *q = s.q.data(), *v = s.v.data();
    DirectionalDerivatives along(model);
    Matrices x(n), r(n);
    CHECK(allocations_of([&] {
            along.inverse(q, v, s.a.data(), s.fx.data(), {to.v.data(), to.a.data(), to.tau.data()},
                          {x.value.data(), x.by_q.data(), x.by_v.data(), x.by_x.data()});
          }) == 0);
    SecondWorkspace<double> work(model);
    SecondDerivatives<double> second(model);
    Tensors t(model.nv);
    rnea_second_derivatives(model, work, q, v, s.a.data(), s.fx.data(), second);
    second.dense({t.qq.data(), t.qv.data(), t.vv.data(), t.Mq.data()});
    add_last(t.qq, to.v, r.by_q), add_last(t.qv, to.a, r.by_q), add_middle(t.Mq, to.tau, r.by_q);
    add_middle(t.qv, to.v, r.by_v), add_last(t.vv, to.a, r.by_v);
    add_last(t.Mq, to.v, r.by_x);
    check(x, r, 1e-12);

    AbaSecondWorkspace<double> forward(model);
    Matrices first(n), y(n), f(n);
    REQUIRE(aba_second_derivatives(model, forward, q, v, s.tau.data(), s.fx.data(),
                                   {first.value.data(), first.by_q.data(), first.by_v.data(), first.by_x.data()},
                                   {t.qq.data(), t.qv.data(), t.vv.data(), t.Mq.data()})
                .ok());
    DynamicsStatus status;
    CHECK(allocations_of([&] {
            status = along.forward(q, v, s.tau.data(), s.fx.data(), {to.v.data(), nullptr, to.tau.data()},
                                   {y.value.data(), y.by_q.data(), y.by_v.data(), y.by_x.data()});
          }) == 0);
    REQUIRE(status.ok());
    add_last(t.qq, to.v, f.by_q), add_last(t.Mq, to.tau, f.by_q);
    add_middle(t.qv, to.v, f.by_v);
    add_middle(t.Mq, to.v, f.by_x);
    check(y, f, 1e-10);
  }
}
