// Pinocchio (BSD-2-Clause), its templates compiled here with the flags of the race.
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include "contender.hpp"
#include "pinocchio_model.hpp"

namespace peers {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct PinocchioState {
  VectorXd q, v, a, tau;
};

class PinocchioContender : public Contender {
 public:
  PinocchioContender(const std::string& urdf, const sparsedyn::Model& ours, const std::vector<State>& states, bool world)
      : world_(world), peer_(urdf, ours), data_(model_) {
    for (auto* tensor : {&data_.d2tau_dqdq, &data_.d2tau_dqdv, &data_.d2tau_dvdv, &data_.d2tau_dadq}) tensor->setZero();
    for (const State& state : states)
      states_.push_back(
          {peer_.coordinates(ours, state.q), peer_.permuted(state.v), peer_.permuted(state.a), peer_.permuted(state.tau)});
  }

  std::string label() const override { return world_ ? "Pinocchio (WORLD)" : "Pinocchio (LOCAL)"; }
  bool offers(Algorithm algorithm) const override {
    return !world_ || algorithm == Algorithm::aba || algorithm == Algorithm::crba;
  }

  void run(Algorithm algorithm, int s) override {
    const PinocchioState& x = states_[s];
    const auto convention = world_ ? pinocchio::Convention::WORLD : pinocchio::Convention::LOCAL;
    switch (algorithm) {
      case Algorithm::rnea: pinocchio::rnea(model_, data_, x.q, x.v, x.a); return;
      case Algorithm::aba: pinocchio::aba(model_, data_, x.q, x.v, x.tau, convention); return;
      case Algorithm::crba: pinocchio::crba(model_, data_, x.q, convention); return;
      case Algorithm::minverse:
      case Algorithm::direct_minverse: pinocchio::computeMinverse(model_, data_, x.q); return;
      case Algorithm::coriolis: pinocchio::computeCoriolisMatrix(model_, data_, x.q, x.v); return;
      case Algorithm::rnea_derivatives: pinocchio::computeRNEADerivatives(model_, data_, x.q, x.v, x.a); return;
      case Algorithm::aba_derivatives: pinocchio::computeABADerivatives(model_, data_, x.q, x.v, x.tau); return;
      case Algorithm::rnea_second_derivatives:  // tensors zeroed once: entries between branches are never touched
        pinocchio::ComputeRNEASecondOrderDerivatives(model_, data_, x.q, x.v, x.a, data_.d2tau_dqdq, data_.d2tau_dvdv,
                                                     data_.d2tau_dqdv, data_.d2tau_dadq);
        return;
    }
  }

  std::vector<double> result(Algorithm algorithm, int s) override {
    data_.M.setZero();
    data_.Minv.setZero();
    run(algorithm, s);
    std::vector<double> out;
    switch (algorithm) {
      case Algorithm::rnea: append(out, data_.tau); break;
      case Algorithm::aba: append(out, data_.ddq); break;
      case Algorithm::crba: append(out, whole(data_.M)); break;
      case Algorithm::minverse:
      case Algorithm::direct_minverse: append(out, whole(data_.Minv)); break;
      case Algorithm::coriolis: append(out, data_.C); break;
      case Algorithm::rnea_derivatives:
        append(out, data_.dtau_dq), append(out, data_.dtau_dv), append(out, whole(data_.M));
        break;
      case Algorithm::aba_derivatives:
        append(out, data_.ddq_dq), append(out, data_.ddq_dv), append(out, whole(data_.Minv));
        break;
      case Algorithm::rnea_second_derivatives:
        for (const auto* tensor : {&data_.d2tau_dqdq, &data_.d2tau_dqdv, &data_.d2tau_dvdv, &data_.d2tau_dadq})
          append_tensor(out, *tensor);
        break;
    }
    return out;
  }

 private:
  static MatrixXd whole(const MatrixXd& upper) { return upper.selfadjointView<Eigen::Upper>(); }

  /// A vector, or a matrix row by row, in our order.
  template <class Matrix>
  void append(std::vector<double>& out, const Matrix& x) const {
    for (int i = 0; i < model_.nv; ++i) {
      if (x.cols() == 1)
        out.push_back(x(theirs_[i], 0));
      else
        for (int k = 0; k < model_.nv; ++k) out.push_back(x(theirs_[i], theirs_[k]));
    }
  }

  void append_tensor(std::vector<double>& out, const pinocchio::Data::Tensor3x& x) const {
    for (int a : theirs_)
      for (int b : theirs_)
        for (int c : theirs_) out.push_back(x(a, b, c));
  }

  bool world_;
  PinocchioModel peer_;
  const pinocchio::Model& model_ = peer_.model;
  pinocchio::Data data_;
  const std::vector<int>& theirs_ = peer_.theirs;
  std::vector<PinocchioState> states_;
};

}  // namespace

std::unique_ptr<Contender> pinocchio_contender(const std::string& urdf, const sparsedyn::Model& model,
                                               const std::vector<State>& states, bool world) {
  return std::make_unique<PinocchioContender>(urdf, model, states, world);
}

}  // namespace peers
