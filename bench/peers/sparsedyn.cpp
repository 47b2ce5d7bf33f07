#include "contender.hpp"
#include "sparsedyn/recursive/aba.hpp"
#include "sparsedyn/recursive/rnea.hpp"

namespace peers {
namespace {

class SparsedynContender : public Contender {
 public:
  SparsedynContender(const sparsedyn::Model& model, const std::vector<State>& states)
      : model_(model), workspace_(model), states_(states), vector_(model.nv) {}

  std::string label() const override { return "sparsedyn"; }
  bool offers(Algorithm algorithm) const override { return algorithm == Algorithm::rnea || algorithm == Algorithm::aba; }

  void run(Algorithm algorithm, int s) override {
    const State& x = states_[s];
    const double *q = x.q.data(), *v = x.v.data();
    switch (algorithm) {
      case Algorithm::rnea: sparsedyn::rnea<double>(model_, workspace_, q, v, x.a.data(), nullptr, vector_.data()); return;
      case Algorithm::aba: sparsedyn::aba<double>(model_, workspace_, q, v, x.tau.data(), nullptr, vector_.data()); return;
      default: return;
    }
  }

  std::vector<double> result(Algorithm algorithm, int s) override {
    run(algorithm, s);
    return vector_;
  }

 private:
  const sparsedyn::Model& model_;
  sparsedyn::Workspace<double> workspace_;
  const std::vector<State>& states_;
  std::vector<double> vector_;
};

}  // namespace

std::unique_ptr<Contender> sparsedyn_contender(const sparsedyn::Model& model, const std::vector<State>& states) {
  return std::make_unique<SparsedynContender>(model, states);
}

}  // namespace peers
