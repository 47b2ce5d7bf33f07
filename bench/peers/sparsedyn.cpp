#include "contender.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/coriolis.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"
#include "sparsedyn/dynamics/detail/direct_minverse.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/dynamics/second_derivatives.hpp"

namespace peers {
namespace {

class SparsedynContender : public Contender {
 public:
  SparsedynContender(const sparsedyn::Model& model, const std::vector<State>& states)
      : model_(model),
        workspace_(model),
        direct_(model),
        coriolis_(model),
        moments_(model),
        derivatives_(model),
        second_work_(model),
        second_(model),
        states_(states),
        vector_(model.nv),
        by_q_(model.nv * model.nv),
        by_v_(by_q_.size()),
        matrix_(by_q_.size()) {}

  std::string label() const override { return "sparsedyn"; }
  bool offers(Algorithm) const override { return true; }

  void run(Algorithm algorithm, int s) override {
    const State& x = states_[s];
    const double *q = x.q.data(), *v = x.v.data(), *a = x.a.data(), *tau = x.tau.data();
    double* matrix = matrix_.data();
    const sparsedyn::Force<double>* no_wrenches = nullptr;
    switch (algorithm) {
      case Algorithm::rnea: sparsedyn::rnea(model_, workspace_, q, v, a, no_wrenches, vector_.data()); return;
      case Algorithm::aba: sparsedyn::aba(model_, workspace_, q, v, tau, no_wrenches, vector_.data()); return;
      case Algorithm::crba: sparsedyn::crba(model_, workspace_, q, matrix); return;
      case Algorithm::minverse: sparsedyn::minverse(model_, workspace_, q, matrix); return;
      case Algorithm::direct_minverse: sparsedyn::direct_minverse(model_, direct_, q, matrix); return;
      case Algorithm::coriolis:
        sparsedyn::coriolis(model_, coriolis_, q, v, sparsedyn::CoriolisMatrices<double>{matrix, by_q_.data()});
        return;
      case Algorithm::rnea_derivatives:
        sparsedyn::rnea_derivatives(model_, moments_, q, v, a, no_wrenches,
                                    {vector_.data(), by_q_.data(), by_v_.data(), matrix});
        return;
      case Algorithm::aba_derivatives:
        sparsedyn::aba_derivatives(model_, derivatives_, q, v, tau, no_wrenches,
                                   {vector_.data(), by_q_.data(), by_v_.data(), matrix});
        return;
      case Algorithm::rnea_second_derivatives:
        sparsedyn::rnea_second_derivatives(model_, second_work_, q, v, a, no_wrenches, second_);
        return;
    }
  }

  std::vector<double> result(Algorithm algorithm, int s) override {
    run(algorithm, s);
    if (algorithm == Algorithm::rnea || algorithm == Algorithm::aba) return vector_;
    if (algorithm == Algorithm::rnea_second_derivatives) {
      const std::size_t size = by_q_.size() * vector_.size();
      std::vector<double> tensors(4 * size);
      second_.dense({tensors.data(), tensors.data() + size, tensors.data() + 2 * size, tensors.data() + 3 * size});
      return tensors;
    }
    if (algorithm != Algorithm::rnea_derivatives && algorithm != Algorithm::aba_derivatives) return matrix_;
    std::vector<double> all = by_q_;
    for (const auto* matrix : {&by_v_, &matrix_}) all.insert(all.end(), matrix->begin(), matrix->end());
    return all;
  }

 private:
  const sparsedyn::Model& model_;
  sparsedyn::Workspace<double> workspace_;
  sparsedyn::DirectMinverseWorkspace<double> direct_;
  sparsedyn::CoriolisWorkspace<double> coriolis_;
  sparsedyn::MomentWorkspace<double> moments_;
  sparsedyn::AbaDerivativeWorkspace<double> derivatives_;
  sparsedyn::SecondWorkspace<double> second_work_;
  sparsedyn::SecondDerivatives<double> second_;
  const std::vector<State>& states_;
  std::vector<double> vector_, by_q_, by_v_, matrix_;
};

}  // namespace

std::unique_ptr<Contender> sparsedyn_contender(const sparsedyn::Model& model, const std::vector<State>& states) {
  return std::make_unique<SparsedynContender>(model, states);
}

}  // namespace peers
