#include "sparsedyn/flops/recursive_counts.hpp"

#include "sparsedyn/program/algorithm_programs.hpp"
#include "sparsedyn/program/recorder.hpp"
#include "sparsedyn/recursive/aba.hpp"
#include "sparsedyn/recursive/crba.hpp"
#include "sparsedyn/recursive/ltdl.hpp"
#include "sparsedyn/recursive/rnea.hpp"

namespace sparsedyn {
namespace {

/// One state of a robot in any scalar: q, and three vectors of nv.
template <class S>
struct Inputs {
  std::vector<S> q, v, a, tau;
};

struct Rnea {
  static constexpr const char* name = "rnea";
  template <class S>
  static std::vector<S> run(const Model& model, const Inputs<S>& x) {
    Workspace<S> work(model);
    std::vector<S> tau(model.nv);
    rnea(model, work, x.q.data(), x.v.data(), x.a.data(), static_cast<const Force<S>*>(nullptr), tau.data());
    return tau;
  }
};

struct Aba {
  static constexpr const char* name = "aba";
  template <class S>
  static std::vector<S> run(const Model& model, const Inputs<S>& x) {
    Workspace<S> work(model);
    std::vector<S> a(model.nv);
    aba(model, work, x.q.data(), x.v.data(), x.tau.data(), static_cast<const Force<S>*>(nullptr), a.data());
    return a;
  }
};

struct Crba {
  static constexpr const char* name = "crba";
  template <class S>
  static std::vector<S> run(const Model& model, const Inputs<S>& x) {
    Workspace<S> work(model);
    std::vector<S> M(static_cast<std::size_t>(model.nv) * model.nv);
    crba(model, work, x.q.data(), M.data());
    return M;
  }
};

/// Forward dynamics as M q̈ = τ − bias, the bias by RNEA at q̈ = 0.
struct JointSpace {
  static constexpr const char* name = "rnea+crba+ltdl";
  template <class S>
  static std::vector<S> run(const Model& model, const Inputs<S>& x) {
    Workspace<S> work(model);
    std::vector<S> a(model.nv), M(static_cast<std::size_t>(model.nv) * model.nv);
    rnea(model, work, x.q.data(), x.v.data(), static_cast<const S*>(nullptr), static_cast<const Force<S>*>(nullptr), a.data());
    for (int k = 0; k < model.nv; ++k) a[k] = x.tau[k] - a[k];
    crba(model, work, x.q.data(), M.data());
    ltdl_factor(model.nv, work.parent_freedom.data(), M.data());
    ltdl_solve(model.nv, work.parent_freedom.data(), M.data(), a.data());
    return a;
  }
};

OperationCounts to_counts(const ProgramCounts& c) { return {c.mul, c.add, c.div, c.sqrt, c.trig}; }

template <class Algorithm>
AlgorithmCounts count(const Model& model, bool fold) {
  const auto nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv);
  AlgorithmCounts counted{Algorithm::name, {}, {}};
  const Inputs<CountingScalar> inputs{std::vector<CountingScalar>(nq), std::vector<CountingScalar>(nv),
                                      std::vector<CountingScalar>(nv), std::vector<CountingScalar>(nv)};
  CountingScalar::counts() = {};
  Algorithm::run(model, inputs);
  counted.raw = CountingScalar::counts();
  if (!fold) return counted;

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
  counted.folded = to_counts(recorder.program().counts());
  return counted;
}

}  // namespace

std::vector<AlgorithmCounts> recursive_counts(const Model& model, bool fold) {
  return {count<Rnea>(model, fold), count<Aba>(model, fold), count<Crba>(model, fold), count<JointSpace>(model, fold)};
}

OperationCounts program_counts(const Model& model, const std::string& algorithm) {
  return to_counts(algorithm_program(model, algorithm).counts());
}

}  // namespace sparsedyn
