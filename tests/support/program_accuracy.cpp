#include "support/program_accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <stdexcept>

#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "support/evaluated.hpp"

namespace sparsedyn::test {
namespace {

template <class S>
using Vectors = std::vector<std::vector<S>>;  // one an output

template <class S>
struct Answer {
  DynamicsStatus status;
  Vectors<S> outputs;
};

template <class S>
std::vector<S> in(const std::vector<double>& x) {
  return {x.begin(), x.end()};
}

template <class S>
Answer<S> answer(const Model& model, const std::string& algorithm, const AwkwardState& state) {
  const auto n = static_cast<std::size_t>(model.nv);
  const std::vector<S> q = in<S>(state.q), v = in<S>(state.v), a = in<S>(state.a), tau = in<S>(state.tau);
  const Force<S>* const none = nullptr;
  std::vector<S> x(n), A(n * n), B(n * n), C(n * n);
  if (algorithm == "rnea-derivatives") {
    MomentWorkspace<S> work(model);
    rnea_derivatives(model, work, q.data(), v.data(), a.data(), none, {x.data(), A.data(), B.data(), C.data()});
    return {{}, {A, B, C}};
  }
  if (algorithm == "aba-derivatives") {
    AbaDerivativeWorkspace<S> work(model);
    // what is exact never forms M
    const auto method = std::is_same_v<S, Quad> ? AbaDerivativeMethod::articulated : AbaDerivativeMethod::inertia;
    const DynamicsStatus status =
        aba_derivatives(model, work, q.data(), v.data(), tau.data(), none, {x.data(), A.data(), B.data(), C.data()}, method);
    return {status, {A, B, C}};
  }
  Workspace<S> work(model);
  if (algorithm == "rnea") return rnea(model, work, q.data(), v.data(), a.data(), none, x.data()), Answer<S>{{}, {x}};
  if (algorithm == "crba") return crba(model, work, q.data(), A.data()), Answer<S>{{}, {A}};
  const DynamicsStatus status = algorithm == "aba" ? aba(model, work, q.data(), v.data(), tau.data(), none, x.data())
                                                   : minverse(model, work, q.data(), A.data());
  return {status, {algorithm == "aba" ? x : A}};
}

/// A program at a state, in any scalar.
template <class S>
Vectors<S> evaluated_at(const Program& program, const AwkwardState& state) {
  const std::map<std::string, const std::vector<double>*> known{
      {"q", &state.q}, {"dq", &state.v}, {"ddq", &state.a}, {"tau", &state.tau}};
  Vectors<S> inputs;
  for (const Port& port : program.inputs()) inputs.emplace_back(known.at(port.name)->begin(), known.at(port.name)->end());
  return evaluated_as(program, inputs);
}

template <class S>
double error(const Vectors<S>& x, const Vectors<Quad>& r) {
  double worst = 0;
  for (std::size_t k = 0; k < r.size(); ++k) {
    double size = 0, off = 0;
    for (std::size_t e = 0; e < r[k].size(); ++e) {
      size = std::fmax(size, std::fabs(static_cast<double>(r[k][e])));
      const double difference = std::fabs(static_cast<double>(Quad(x[k].at(e)) - r[k][e]));
      off = difference <= off ? off : difference;  // keeps what is no number
    }
    const double share = off == 0 ? 0 : off / size;
    worst = share <= worst ? worst : share;
  }
  return std::isfinite(worst) ? worst : std::numeric_limits<double>::infinity();
}

/// Each number off by one rounding, up or down; entries of rotations by one of 1, as if turned by 2e-16 rad.
Model rounded_otherwise(Model model) {
  std::mt19937 rng(1);
  const auto rounding = [&] { return (rng() % 2 ? 1 : -1) * std::numeric_limits<double>::epsilon(); };
  const auto off = [&](double& x) { x *= 1 + rounding(); };
  for (Body& b : model.bodies) {
    for (int k = 0; k < 9; ++k) b.placement.R(k / 3, k % 3) += rounding();
    for (int k = 0; k < 3; ++k) off(b.placement.d[k]), off(b.inertia.h[k]);
    Sym3<double>& s = b.inertia.moments;
    for (double* x : {&b.inertia.m, &s.xx, &s.xy, &s.xz, &s.yy, &s.yz, &s.zz}) off(*x);
  }
  return model;
}

}  // namespace

double Accuracy::floor() const { return std::max({algorithm, conditions, 1e-15}); }

std::vector<std::string> judged_algorithms() {
  return {"rnea", "aba", "crba", "minverse", "rnea-derivatives", "aba-derivatives"};
}

Accuracy accuracy(const Model& model, const std::string& algorithm, const Program& program, const AwkwardState& state) {
  const Answer<Quad> exact = answer<Quad>(model, algorithm, state);
  const Answer<double> plain = answer<double>(model, algorithm, state);
  return {!exact.status.ok() || !plain.status.ok(), error(plain.outputs, exact.outputs),
          error(evaluated_at<double>(program, state), exact.outputs), error(evaluated_at<Quad>(program, state), exact.outputs),
          error(answer<Quad>(rounded_otherwise(model), algorithm, state).outputs, exact.outputs)};
}

}  // namespace sparsedyn::test
