// MuJoCo (Apache-2.0): its own sequence of steps for each quantity. It has no analytic derivatives with respect to q.
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "contender.hpp"

namespace peers {
namespace {

using sparsedyn::Body;
using sparsedyn::BodyJoint;
using sparsedyn::Mat3;
using sparsedyn::Vec3;

void copy(const Vec3<double>& x, double* out) { std::copy_n(x.e, 3, out); }

/// Adds body `index` of our model under `parent`: same frame, same joint, explicit inertia.
mjsBody* add_body(mjsBody* parent, const Body& body) {
  mjsBody* out = mjs_addBody(parent, nullptr);
  copy(body.placement.d, out->pos);
  mju_mat2Quat(out->quat, &body.placement.R.e[0][0]);
  const double m = body.inertia.m;
  const Vec3<double> com = m > 0 ? (1.0 / m) * body.inertia.h : body.inertia.h;
  const sparsedyn::Inertia<double> point{m, m * com, {0, 0, 0, 0, 0, 0}};
  const auto about_origin = body.inertia.moments;
  const auto entry = [&](double whole, int i, int k) { return whole - point.h[i] * com[k]; };
  const auto T = sparsedyn::trace_minus(sparsedyn::Sym3<double>{entry(about_origin.xx, 0, 0), entry(about_origin.xy, 0, 1),
                                                                entry(about_origin.xz, 0, 2), entry(about_origin.yy, 1, 1),
                                                                entry(about_origin.yz, 1, 2), entry(about_origin.zz, 2, 2)});
  out->mass = m;
  copy(com, out->ipos);
  const double full[6] = {T.xx, T.yy, T.zz, T.xy, T.xz, T.yz};
  std::copy_n(full, 6, out->fullinertia);
  out->explicitinertial = 1;
  if (body.joint == BodyJoint::floating) {
    mjs_addFreeJoint(out)->align = mjALIGNFREE_FALSE;
    return out;
  }
  mjsJoint* joint = mjs_addJoint(out, nullptr);
  joint->type = body.joint == BodyJoint::revolute ? mjJNT_HINGE : mjJNT_SLIDE;
  copy({{0, 0, 1}}, joint->axis);
  return out;
}

mjModel* compile(const sparsedyn::Model& model) {
  mjSpec* spec = mj_makeSpec();
  std::vector<mjsBody*> bodies;
  copy(model.gravity, spec->option.gravity);
  for (const Body& body : model.bodies)
    bodies.push_back(add_body(body.parent < 0 ? mjs_findBody(spec, "world") : bodies[body.parent], body));
  mjModel* compiled = mj_compile(spec, nullptr);
  if (!compiled) std::fprintf(stderr, "MuJoCo refuses %s: %s\n", model.name.c_str(), mjs_getError(spec));
  mj_deleteSpec(spec);
  return compiled;
}

/// MuJoCo's free joint: the linear part first, in world axes, and its rate is the world's; the angular part as ours.
class BaseMap {
 public:
  BaseMap(const sparsedyn::Model& model, const State& state) : floating_(model.floating()) {
    if (!floating_) return;
    const double* u = state.q.data() + 3;
    const double wxyz[4] = {u[3], u[0], u[1], u[2]};
    mju_quat2Mat(&R_.e[0][0], wxyz);
    const double* v = state.v.data();
    transport_ = cross(Vec3<double>{{v[0], v[1], v[2]}}, Vec3<double>{{v[3], v[4], v[5]}});
  }
  std::vector<double> coordinates(std::vector<double> q) const {
    if (floating_) std::rotate(q.begin() + 3, q.begin() + 6, q.begin() + 7);
    return q;
  }
  std::vector<double> velocity(const std::vector<double>& v) const { return to_world(v, sparsedyn::zero3<double>()); }
  std::vector<double> acceleration(const std::vector<double>& a) const { return to_world(a, transport_); }
  std::vector<double> force(const std::vector<double>& tau) const { return velocity(tau); }
  std::vector<double> acceleration_back(const std::vector<double>& a) const { return from_world(a, transport_); }
  std::vector<double> force_back(const std::vector<double>& tau) const { return from_world(tau, sparsedyn::zero3<double>()); }

 private:
  std::vector<double> to_world(std::vector<double> x, const Vec3<double>& added) const {
    if (!floating_) return x;
    const Vec3<double> angular{{x[0], x[1], x[2]}}, linear = R_ * (Vec3<double>{{x[3], x[4], x[5]}} + added);
    copy(linear, x.data());
    copy(angular, x.data() + 3);
    return x;
  }
  std::vector<double> from_world(std::vector<double> x, const Vec3<double>& added) const {
    if (!floating_) return x;
    const Vec3<double> angular{{x[3], x[4], x[5]}};
    const Vec3<double> linear = transposed_times(R_, Vec3<double>{{x[0], x[1], x[2]}}) - added;
    copy(angular, x.data());
    copy(linear, x.data() + 3);
    return x;
  }

  bool floating_;
  Mat3<double> R_ = sparsedyn::identity3<double>();
  Vec3<double> transport_ = sparsedyn::zero3<double>();
};

class MujocoContender : public Contender {
 public:
  MujocoContender(mjModel* compiled, const sparsedyn::Model& model, const std::vector<State>& states)
      : model_(compiled), data_(mj_makeData(compiled)), result_(model.nv), bias_(model.nv), identity_(model.nv * model.nv) {
    for (int i = 0; i < model.nv; ++i) identity_[i * model.nv + i] = 1;
    inverse_.resize(identity_.size());
    for (const State& x : states) {
      maps_.emplace_back(model, x);
      const BaseMap& map = maps_.back();
      states_.push_back({map.coordinates(x.q), map.velocity(x.v), map.acceleration(x.a), map.force(x.tau)});
    }
  }
  ~MujocoContender() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  MujocoContender(const MujocoContender&) = delete;
  MujocoContender& operator=(const MujocoContender&) = delete;

  std::string label() const override { return "MuJoCo"; }
  bool offers(Algorithm algorithm) const override {
    return algorithm == Algorithm::rnea || algorithm == Algorithm::aba || algorithm == Algorithm::crba ||
           algorithm == Algorithm::minverse;
  }

  void run(Algorithm algorithm, int s) override {
    const State& x = states_[s];
    std::copy(x.q.begin(), x.q.end(), data_->qpos);
    mj_kinematics(model_, data_);
    mj_comPos(model_, data_);
    if (algorithm != Algorithm::rnea) mj_makeM(model_, data_);
    if (algorithm == Algorithm::aba || algorithm == Algorithm::minverse) mj_factorM(model_, data_);
    if (algorithm == Algorithm::minverse) mj_solveM(model_, data_, inverse_.data(), identity_.data(), model_->nv);
    if (algorithm != Algorithm::rnea && algorithm != Algorithm::aba) return;
    std::copy(x.v.begin(), x.v.end(), data_->qvel);
    mj_comVel(model_, data_);
    if (algorithm == Algorithm::rnea) {
      std::copy(x.a.begin(), x.a.end(), data_->qacc);
      mj_rne(model_, data_, 1, result_.data());
    } else {
      mj_rne(model_, data_, 0, bias_.data());
      for (std::size_t i = 0; i < bias_.size(); ++i) bias_[i] = x.tau[i] - bias_[i];
      mj_solveM(model_, data_, result_.data(), bias_.data(), 1);
    }
  }

  /// Torques and accelerations only: matrices stay in MuJoCo's own base coordinates.
  std::vector<double> result(Algorithm algorithm, int s) override {
    run(algorithm, s);
    return algorithm == Algorithm::rnea ? maps_[s].force_back(result_) : maps_[s].acceleration_back(result_);
  }

 private:
  mjModel* model_;
  mjData* data_;
  std::vector<double> result_, bias_, identity_, inverse_;
  std::vector<BaseMap> maps_;
  std::vector<State> states_;
};

}  // namespace

std::unique_ptr<Contender> mujoco_contender(const sparsedyn::Model& model, const std::vector<State>& states) {
  for (const Body& body : model.bodies)
    if (body.joint != BodyJoint::revolute && body.joint != BodyJoint::prismatic && body.joint != BodyJoint::floating)
      return nullptr;
  mjModel* compiled = compile(model);
  if (!compiled) return nullptr;
  return std::make_unique<MujocoContender>(compiled, model, states);
}

}  // namespace peers
