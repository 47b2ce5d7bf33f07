// compute coriolis, compute hamilton.
#include "algorithm.hpp"
#include "cli/logs/log_columns.hpp"
#include "sparsedyn/dynamics/coriolis.hpp"
#include "sparsedyn/dynamics/momentum.hpp"

namespace sparsedyn::cli {
namespace {

class CoriolisRows : public Evaluation {
 public:
  explicit CoriolisRows(const Model& model) : model_(model), work_(model) {}
  bool evaluate(const State& s, double* C) noexcept override {
    coriolis(model_, work_, s.q, s.v, CoriolisMatrices<double>{C, work_.M.data()});
    return true;
  }

 private:
  const Model& model_;
  CoriolisWorkspace<double> work_;
};

class HamiltonRows : public Evaluation {
 public:
  explicit HamiltonRows(const Model& model) : model_(model), work_(model) {}
  bool evaluate(const State& s, double* out) noexcept override {
    hamilton(model_, work_, s.q, s.v, s.tau, s.fx, out, out + model_.nv);
    forward_kinematics(model_, work_.dynamics, s.q, s.v, static_cast<const double*>(nullptr));
    out[2 * model_.nv] = kinetic_energy(model_, work_.dynamics, s.v) + potential_energy(model_, work_.dynamics, s.q);
    return true;
  }

 private:
  const Model& model_;
  CoriolisWorkspace<double> work_;
};

std::vector<std::string> hamilton_columns(const Model& model) {
  std::vector<std::string> names;
  for (const char* kind : {"p.", "dp."})
    for (const std::string& name : velocity_names(model)) names.push_back(kind + name);
  names.push_back("energy");
  return names;
}

template <class Kind>
std::unique_ptr<Evaluation> rows_of(const Model& model) {
  return std::make_unique<Kind>(model);
}

}  // namespace

const Algorithm coriolis_algorithm{"coriolis",
                                   "Coriolis matrix, whose sum with its transpose is the rate of M: q, dq -> C",
                                   {true, false, false, false},
                                   [](const Model& model) { return matrix_columns(model, {"C"}); },
                                   rows_of<CoriolisRows>};

const Algorithm hamilton_algorithm{"hamilton",
                                   "momenta p = M v, their rates, total energy: q, dq, tau, fx -> p, dp, energy",
                                   {true, false, true, true},
                                   hamilton_columns,
                                   rows_of<HamiltonRows>};

}  // namespace sparsedyn::cli
