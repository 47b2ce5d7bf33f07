#include <random>

#include "algorithms/catalogue.hpp"
#include "dynamics/ltdl.hpp"
#include "model/samples.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/codegen/recorder.hpp"
#include "sparsedyn/flops/counts.hpp"

namespace sparsedyn {
namespace {

/// One state of a robot in any scalar: q, and three vectors of nv.
template <class S>
struct Inputs {
  std::vector<S> q, v, a, tau;
};

/// An algorithm of the catalogue.
template <class Type>
struct Catalogued {
  static constexpr const char* name = Type::name;
  static constexpr long longest = most_recorded;
  template <class S>
  static std::vector<S> run(const Model& model, const Inputs<S>& x) {
    AlgorithmData<S> data(model);
    std::vector<S> out(static_cast<std::size_t>(Type::outputs().front().size(model)));
    S* const outputs[] = {out.data()};
    Type::evaluate(data, AlgorithmInputs<S>{x.q.data(), x.v.data(), x.a.data(), x.tau.data(), nullptr, nullptr}, outputs);
    return out;
  }
};

/// M and τ − bias, the bias by RNEA at q̈ = 0: what forward dynamics in joint space starts from.
template <class S>
struct JointSpace {
  JointSpace(const Model& model, const Inputs<S>& x)
      : work(model), M(static_cast<std::size_t>(model.nv) * model.nv), a(model.nv) {
    rnea(model, work, x.q.data(), x.v.data(), static_cast<const S*>(nullptr), static_cast<const Force<S>*>(nullptr), a.data());
    for (int k = 0; k < model.nv; ++k) a[k] = x.tau[k] - a[k];
    crba(model, work, x.q.data(), M.data());
  }
  Workspace<S> work;
  std::vector<S> M, a;
};

struct JointSpaceLtdl {
  static constexpr const char* name = "rnea+crba+ltdl";
  static constexpr long longest = most_recorded_of_factors;
  template <class S>
  static std::vector<S> run(const Model& model, const Inputs<S>& x) {
    JointSpace<S> joints(model, x);
    ltdl_factor(model.nv, joints.work.parent_freedom.data(), joints.M.data());
    ltdl_solve(model.nv, joints.work.parent_freedom.data(), joints.M.data(), joints.a.data());
    return joints.a;
  }
};

/// M = L Lᵀ as for any dense matrix, blind to branches: what LTDL is measured against.
struct JointSpaceCholesky {
  static constexpr const char* name = "rnea+crba+cholesky";
  static constexpr long longest = most_recorded_of_factors;
  template <class S>
  static std::vector<S> run(const Model& model, const Inputs<S>& x) {
    JointSpace<S> joints(model, x);
    const int n = model.nv;
    const auto L = [&](int i, int k) -> S& { return joints.M[static_cast<std::size_t>(i) * n + k]; };
    std::vector<S> y = joints.a;
    for (int k = 0; k < n; ++k) {
      for (int i = k; i < n; ++i)
        for (int j = 0; j < k; ++j) L(i, k) -= L(i, j) * L(k, j);
      L(k, k) = sqrt(L(k, k));
      for (int i = k + 1; i < n; ++i) L(i, k) /= L(k, k);
    }
    for (int k = 0; k < n; ++k) {
      for (int j = 0; j < k; ++j) y[k] -= L(k, j) * y[j];
      y[k] /= L(k, k);
    }
    for (int k = n; k-- > 0;) {
      for (int i = k + 1; i < n; ++i) y[k] -= L(i, k) * y[i];
      y[k] /= L(k, k);
    }
    return y;
  }
};

/// A joint that moves no mass has no acceleration at any state; recording would divide by zero.
bool accelerations_exist(const Model& model) {
  std::mt19937 rng(1);
  std::vector<double> q(model.nq), zero(model.nv, 0.0), a(model.nv);
  uniform_sample(model, rng, q.data());
  Workspace<double> work(model);
  return aba<double>(model, work, q.data(), zero.data(), zero.data(), nullptr, a.data()).ok();
}

template <class Algorithm>
AlgorithmCounts count(const Model& model, const char* obstacle = nullptr) {
  const auto nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv);
  AlgorithmCounts counted{Algorithm::name, {}, {}, {}};
  const Inputs<CountingScalar> inputs{std::vector<CountingScalar>(nq), std::vector<CountingScalar>(nv),
                                      std::vector<CountingScalar>(nv), std::vector<CountingScalar>(nv)};
  CountingScalar::counts() = {};
  Algorithm::run(model, inputs);
  counted.raw = CountingScalar::counts();
  if (obstacle) counted.not_folded = obstacle;
  if (counted.raw.flops() > Algorithm::longest)
    counted.not_folded = "more than " + std::to_string(Algorithm::longest) + " operations to record";
  if (!counted.not_folded.empty()) return counted;

  Recorder recorder;
  Inputs<Expr> symbols;
  symbols.q = recorder.coordinates(model);
  symbols.v = recorder.input("dq", prefixed("dq.", velocity_names(model)));
  symbols.a = recorder.input("ddq", prefixed("ddq.", velocity_names(model)));
  symbols.tau = recorder.input("tau", prefixed("tau.", force_names(model)));
  const std::vector<Expr> results = Algorithm::run(model, symbols);
  std::vector<std::string> names;
  for (std::size_t k = 0; k < results.size(); ++k) names.push_back(std::to_string(k));
  recorder.output(Algorithm::name, names, results);
  counted.folded = recorder.program().counts();
  return counted;
}

}  // namespace

std::vector<AlgorithmCounts> recursive_counts(const Model& model) {
  const char* obstacle = accelerations_exist(model) ? nullptr : "a joint moves no mass: it divides by zero";
  return {count<Catalogued<catalogue::Rnea>>(model), count<Catalogued<catalogue::Aba>>(model, obstacle),
          count<Catalogued<catalogue::Crba>>(model), count<JointSpaceLtdl>(model, obstacle),
          count<JointSpaceCholesky>(model, obstacle)};
}

OperationCounts program_counts(const Model& model, const std::string& algorithm) {
  return algorithm_program(model, algorithm).counts();
}

}  // namespace sparsedyn
