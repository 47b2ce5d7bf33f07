// Pinocchio (BSD-2-Clause), its templates compiled here with the flags of the race.
#include <console_bridge/console.h>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/parsers/urdf.hpp>

#include "contender.hpp"

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
      : world_(world), model_(load(urdf, ours.floating())), data_(model_) {
    if (model_.nv != ours.nv) throw std::runtime_error(urdf + ": Pinocchio finds another number of freedoms");
    index_velocities(ours);
    for (auto* tensor : {&data_.d2tau_dqdq, &data_.d2tau_dqdv, &data_.d2tau_dvdv, &data_.d2tau_dadq}) tensor->setZero();
    for (const State& state : states)
      states_.push_back({coordinates(ours, state.q), permuted(state.v), permuted(state.a), permuted(state.tau)});
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

  static pinocchio::Model load(const std::string& urdf, bool floating) {
    console_bridge::noOutputHandler();  // urdfdom warns of elements that it passes over
    pinocchio::Model model;
    if (floating)
      pinocchio::urdf::buildModel(urdf, pinocchio::JointModelFreeFlyer(), model);
    else
      pinocchio::urdf::buildModel(urdf, model);
    return model;
  }

  /// theirs_[i]: where Pinocchio keeps the entry that is our velocity i. Its floating base is linear first.
  void index_velocities(const sparsedyn::Model& ours) {
    for (const sparsedyn::Joint& joint : ours.joints) {
      const bool base = joint.name == "base";
      const auto id = base ? pinocchio::JointIndex(1) : model_.getJointId(joint.name);
      if (id >= static_cast<pinocchio::JointIndex>(model_.njoints)) throw std::runtime_error("Pinocchio lacks " + joint.name);
      for (int k = 0; k < joint.nv; ++k) theirs_.push_back(model_.idx_vs[id] + (base ? (k + 3) % 6 : k));
    }
  }

  /// Coordinates by joint; continuous joints are (cos, sin) there.
  VectorXd coordinates(const sparsedyn::Model& ours, const std::vector<double>& q) const {
    VectorXd out(model_.nq);
    for (const sparsedyn::Joint& joint : ours.joints) {
      const auto id = joint.name == "base" ? pinocchio::JointIndex(1) : model_.getJointId(joint.name);
      double* entry = out.data() + model_.idx_qs[id];
      if (joint.kind == sparsedyn::JointKind::continuous)
        entry[0] = std::cos(q[joint.q]), entry[1] = std::sin(q[joint.q]);
      else
        std::copy_n(q.begin() + joint.q, joint.nq, entry);
    }
    return out;
  }

  VectorXd permuted(const std::vector<double>& x) const {
    VectorXd out(model_.nv);
    for (int i = 0; i < model_.nv; ++i) out[theirs_[i]] = x[i];
    return out;
  }

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
  pinocchio::Model model_;
  pinocchio::Data data_;
  std::vector<int> theirs_;
  std::vector<PinocchioState> states_;
};

}  // namespace

std::unique_ptr<Contender> pinocchio_contender(const std::string& urdf, const sparsedyn::Model& model,
                                               const std::vector<State>& states, bool world) {
  return std::make_unique<PinocchioContender>(urdf, model, states, world);
}

}  // namespace peers
