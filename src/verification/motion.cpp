// Laws of mechanics along a motion q(t), v(t), whose derivatives by time are complex steps along (v, a): power, momentum,
// Coriolis's matrix, and what links do.
#include <algorithm>
#include <cmath>

#include "checks.hpp"
#include "complex_step.hpp"
#include "entry_names.hpp"
#include "sparsedyn/dynamics/coriolis.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/jacobians.hpp"
#include "sparsedyn/dynamics/momentum.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "term_sizes.hpp"

namespace sparsedyn::verification {
namespace {

/// The robot without what takes energy, and without constant torques.
Model conservative(Model model) {
  for (JointPhysics& p : model.physics) p.damping = p.friction = p.offset = 0;
  return model;
}

class Motions final : public Check {
 public:
  explicit Motions(const Model& model) : model_(conservative(model)), work_(model_), complex_(model_), coriolis_(model_) {
    if (!(moving_mass(model) > 0)) momentum_.skip("no mass moves");
    if (!model.coordinate_map) return;
    for (Comparison* c : {&power_, &bias_, &inertia_rate_})
      c->skip("joints that follow others: friction of the tree within is not taken out");
  }

  void at(const State& s) override {
    const std::vector<Complex> q = stepped_posture(model_, s.q, s.v), v = stepped(s.v, s.a);
    forward_kinematics(model_, complex_, q.data(), v.data(), static_cast<const Complex*>(nullptr));
    forward_kinematics(model_, work_, s.q.data(), s.v.data(), s.a.data());
    links(s);
    if (moving_mass(model_) > 0) {
      const Force<Complex> h = momentum(model_, complex_);
      const Force<double> rate = momentum_rate(model_, work_);
      const std::vector<double> x{rate.n[0], rate.n[1], rate.n[2], rate.f[0], rate.f[1], rate.f[2]};
      std::vector<double> r;
      for (const Vec3<Complex>* part : {&h.n, &h.f})
        for (int k = 0; k < 3; ++k) r.push_back((*part)[k].imag() / complex_step);
      // The weight, which the recursion carries and takes out again, at the centre of mass or a metre from the origin.
      const Vec3<double> c = centre_of_mass(model_, work_);
      const double weight = moving_mass(model_) * std::sqrt(dot(model_.gravity, model_.gravity));
      momentum_.add(s, x, r, std::vector<double>(6, weight * std::max(1.0, std::sqrt(dot(c, c)))));
    }
    if (model_.coordinate_map) return;
    const Complex energy = kinetic_energy(model_, complex_, v.data()) + potential_energy(model_, complex_, q.data());
    const auto n = static_cast<std::size_t>(model_.nv);
    std::vector<double> tau(n);
    rnea(model_, work_, s.q.data(), s.v.data(), s.a.data(), static_cast<const Force<double>*>(nullptr), tau.data());
    double power = 0;
    for (std::size_t i = 0; i < n; ++i) power += tau[i] * s.v[i];
    const double rate = energy.imag() / complex_step;
    power_.add(s, &power, &rate, 1);
    coriolis_matrix(s, q);
  }

  void report(Verification& out) const override {
    const EntryNames names(model_);
    const char* axes[6] = {"angular.x", "angular.y", "angular.z", "linear.x", "linear.y", "linear.z"};
    const auto of_link = [&](int i) { return model_.links[static_cast<std::size_t>(i / 6)].name + "." + axes[i % 6]; };
    for (const Comparison* c : {&velocity_, &jacobian_, &acceleration_}) out.agreements.push_back(c->result(of_link));
    out.agreements.push_back(momentum_.result([&](int i) { return std::string(axes[i]); }));
    out.agreements.push_back(power_.result([](int) { return std::string("power"); }));
    out.agreements.push_back(bias_.result(names.torques()));
    out.agreements.push_back(inertia_rate_.result(names.pairs()));
  }

 private:
  /// In world axes. Of each link: the rate of its pose, R' Rᵀ = [ω], d' = v; J v; J a + J' v.
  void links(const State& s) {
    const auto n = static_cast<std::size_t>(model_.nv);
    std::vector<double> moves, rates, by_jacobian, accelerates, by_rates, J(6 * n), dJ(6 * n);
    for (int l = 0; l < static_cast<int>(model_.links.size()); ++l) {
      const Pose<Complex> pose = link_pose(model_, complex_, l);
      const auto rate = [](const Complex& x) { return x.imag() / complex_step; };
      const auto spin = [&](int i, int k) {  // (R' Rᵀ)_ik
        double sum = 0;
        for (int c = 0; c < 3; ++c) sum += rate(pose.R(i, c)) * pose.R(k, c).real();
        return sum;
      };
      for (double x : {spin(2, 1), spin(0, 2), spin(1, 0), rate(pose.d[0]), rate(pose.d[1]), rate(pose.d[2])})
        rates.push_back(x);
      const Motion<double> v = link_velocity(model_, work_, l, Axes::world);
      append(v, moves);
      Motion<double> a = link_acceleration(model_, work_, l, Axes::world);
      a.v += model_.gravity + cross(v.w, v.v);  // a is spatial: the origin's velocity changes by a + ω × v
      append(a, accelerates);
      link_jacobian(model_, work_, l, Axes::world, J.data());
      point_jacobian_rate(model_, work_, l, Axes::world, zero3<double>(), dJ.data());
      for (std::size_t r = 0; r < 6; ++r) {
        double Jv = 0, Ja = 0;
        for (std::size_t k = 0; k < n; ++k) Jv += J[r * n + k] * s.v[k], Ja += J[r * n + k] * s.a[k] + dJ[r * n + k] * s.v[k];
        by_jacobian.push_back(Jv), by_rates.push_back(Ja);
      }
    }
    velocity_.add(s, moves, rates);
    jacobian_.add(s, by_jacobian, moves);
    acceleration_.add(s, by_rates, accelerates);
  }

  static void append(const Motion<double>& m, std::vector<double>& x) {
    x.insert(x.end(), {m.w[0], m.w[1], m.w[2], m.v[0], m.v[1], m.v[2]});
  }

  /// C v + g = bias; M' = C + Cᵀ.
  void coriolis_matrix(const State& s, const std::vector<Complex>& q) {
    const auto n = static_cast<std::size_t>(model_.nv);
    std::vector<double> C(n * n), M(n * n), x(n), bias(n), sum(n * n), rate(n * n);
    coriolis(model_, coriolis_, s.q.data(), s.v.data(), CoriolisMatrices<double>{C.data(), M.data()});
    std::vector<double> still(n);
    bias_forces(model_, work_, s.q.data(), s.v.data(), static_cast<const Force<double>*>(nullptr), bias.data());
    bias_forces(model_, work_, s.q.data(), static_cast<const double*>(still.data()), static_cast<const Force<double>*>(nullptr),
                x.data());
    std::vector<Complex> wide(n * n);
    crba(model_, complex_, q.data(), wide.data());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k) {
        x[i] += C[i * n + k] * s.v[k];
        sum[i * n + k] = C[i * n + k] + C[k * n + i];
        rate[i * n + k] = wide[i * n + k].imag() / complex_step;
      }
    const TermSizes sizes(model_, s, M);
    std::vector<double> of_bias;
    for (std::size_t i = 0; i < n; ++i) of_bias.push_back(sizes.bias(i));
    bias_.add(s, x, bias, of_bias);
    inertia_rate_.add(s, sum, rate, sizes.matrix([&](auto i, auto k) { return sizes.by_rate(i, k); }));
  }

  Model model_;
  Workspace<double> work_;
  Workspace<Complex> complex_;
  CoriolisWorkspace<double> coriolis_;
  Comparison velocity_{"link velocities", "recursion", "rates of the poses, complex step"};
  Comparison jacobian_{"link velocities", "J dq", "recursion"};
  Comparison acceleration_{"link accelerations", "J ddq + J' dq", "recursion"};
  Comparison momentum_{"momentum's rate", "recursion", "rate of the momentum, complex step"};
  Comparison power_{"power", "dq tau, without friction", "rate of the energy, complex step"};
  Comparison bias_{"bias forces", "C dq + gravity", "recursion (rnea)"};
  Comparison inertia_rate_{"M'", "C + its transpose", "rate of M, complex step"};
};

}  // namespace

std::unique_ptr<Check> motion_check(const Model& model) { return std::make_unique<Motions>(model); }

}  // namespace sparsedyn::verification
