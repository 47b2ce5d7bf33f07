// A user's program that runs every recursive algorithm, the Solver and the Estimator on floating robots, compiled with flags
// that are not the library's. Each result is held against a second way to it, and against the numbers of another compilation:
//   outside FILE [ROBOT.urdf]     writes the numbers into FILE, or, where it is there, compares with them
// What the library computes may differ from these by rounding (another library), what the user's own compilation computes too.
// With EXACT in the environment (the same library) what the library computes must agree to the last bit.
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "findings.hpp"
#include "matrices.hpp"
#include "reference/directional_derivatives.hpp"
#include "reference/reference_derivatives.hpp"
#include "robot.hpp"
#include "sparsedyn/dynamics/eigen.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/momentum.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/dynamics/second_derivatives.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/scalar/autodiff.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;
using namespace outside;

namespace {

struct Run {
  const Model& model;
  const State& s;
  Findings& found;
  int n = model.nv;
  std::size_t square = static_cast<std::size_t>(n) * static_cast<std::size_t>(n), cube = square * static_cast<std::size_t>(n);
  Numbers tau = Numbers(static_cast<std::size_t>(n)), M = Numbers(square);

  void dynamics() {
    Workspace<double> ws(model);
    DirectMinverseWorkspace<double> direct(model);
    Numbers a(tau), bias(tau), weight(tau), inverse(square), second(square);
    rnea<double>(model, ws, s.q.data(), s.v.data(), s.a.data(), nullptr, tau.data());
    found.expect(aba<double>(model, ws, s.q.data(), s.v.data(), tau.data(), nullptr, a.data()).ok(), "aba");
    found.equal(a, s.a, "aba of rnea");
    crba<double>(model, ws, s.q.data(), M.data());
    bias_forces<double>(model, ws, s.q.data(), s.v.data(), nullptr, bias.data());
    Numbers sum = times(n, M, s.a);
    for (int k = 0; k < n; ++k) sum[k] += bias[k];
    found.equal(sum, tau, "crba and bias forces beside rnea");
    found.expect(minverse<double>(model, ws, s.q.data(), inverse.data()).ok(), "minverse");
    found.equal(product(n, M, inverse), identity(n), "crba times minverse");
    found.expect(direct_minverse<double>(model, direct, s.q.data(), second.data()).ok(), "direct_minverse");
    found.equal(second, inverse, "direct_minverse");
    gravity_torques<double>(model, ws, s.q.data(), weight.data());
    for (const Numbers* x : {&tau, &a, &M, &inverse, &second}) append(found.library, *x);
    append(found.user, bias), append(found.user, weight);

    Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(s.q.data(), model.nq),
                    v = Eigen::Map<const Eigen::VectorXd>(s.v.data(), n);
    Eigen::VectorXd acceleration = Eigen::Map<const Eigen::VectorXd>(s.a.data(), n), torque(n);
    rnea(model, ws, q, v, acceleration, torque);
    found.equal(Numbers(torque.data(), torque.data() + n), tau, "rnea on Eigen's vectors");
  }

  void first_derivatives() {
    MomentWorkspace<double> ws(model);
    AbaDerivativeWorkspace<double> forward(model);
    ReferenceDerivatives inverse_reference(model, Dynamics::inverse), forward_reference(model, Dynamics::forward);
    Numbers y(tau), by_q(square), by_v(square), by_x(square), e(tau), e_q(square), e_v(square), e_x(square);
    rnea_derivatives<double>(model, ws, s.q.data(), s.v.data(), s.a.data(), nullptr,
                             {y.data(), by_q.data(), by_v.data(), by_x.data()});
    const auto reference = [&](ReferenceDerivatives& r, const Numbers& x) {
      r.evaluate(ReferenceMethod::complex_step, s.q.data(), s.v.data(), x.data(), nullptr, 1e-20,
                 {e.data(), e_q.data(), e_v.data(), e_x.data()});
    };
    const auto compare = [&](const char* what) {
      found.equal(y, e, what), found.equal(by_q, e_q, what), found.equal(by_v, e_v, what), found.equal(by_x, e_x, what);
      for (const Numbers* x : {&y, &by_q, &by_v, &by_x}) append(found.library, *x);
    };
    reference(inverse_reference, s.a);
    compare("rnea_derivatives beside complex steps");
    reference(forward_reference, tau);
    for (AbaDerivativeMethod method : {AbaDerivativeMethod::inertia, AbaDerivativeMethod::articulated}) {
      found.expect(aba_derivatives<double>(model, forward, s.q.data(), s.v.data(), tau.data(), nullptr,
                                           {y.data(), by_q.data(), by_v.data(), by_x.data()}, method)
                       .ok(),
                   "aba_derivatives");
      compare("aba_derivatives beside complex steps");
    }
  }

  /// The tensors along one direction, against dual numbers; and with multipliers, against the contractions.
  void second_derivatives() {
    Numbers qq(cube), qv(cube), vv(cube), qx(cube);
    SecondWorkspace<double> ws(model);
    SecondDerivatives<double> second(model);
    rnea_second_derivatives<double>(model, ws, s.q.data(), s.v.data(), s.a.data(), nullptr, second);
    second.dense({qq.data(), qv.data(), vv.data(), qx.data()});
    DirectionalDerivatives along(model);
    const double* to = s.to.data();
    Numbers d(tau), dq(square), dv(square), dx(square);
    along.inverse(s.q.data(), s.v.data(), s.a.data(), nullptr, {to, nullptr, nullptr},
                  {d.data(), dq.data(), dv.data(), dx.data()});
    found.equal(contracted(n, qq, Over::last, s.to), dq, "rnea_second_derivatives, qq");
    found.equal(contracted(n, qx, Over::last, s.to), dx, "rnea_second_derivatives, Mq");
    along.inverse(s.q.data(), s.v.data(), s.a.data(), nullptr, {nullptr, to, nullptr},
                  {d.data(), dq.data(), dv.data(), dx.data()});
    found.equal(contracted(n, qv, Over::last, s.to), dq, "rnea_second_derivatives, qv");
    found.equal(contracted(n, vv, Over::last, s.to), dv, "rnea_second_derivatives, vv");
    ContractionWorkspace<double> contraction(model);
    Numbers c_qq(square), c_qv(square), c_vv(square), c_qx(square);
    rnea_contraction<double>(model, contraction, s.q.data(), s.v.data(), s.a.data(), nullptr, s.lambda.data(),
                             {c_qq.data(), c_qv.data(), c_vv.data(), c_qx.data()});
    found.equal(contracted(n, qq, Over::first, s.lambda), c_qq, "rnea_contraction, qq");
    found.equal(contracted(n, qv, Over::first, s.lambda), c_qv, "rnea_contraction, qv");
    found.equal(contracted(n, vv, Over::first, s.lambda), c_vv, "rnea_contraction, vv");
    for (const Numbers* x : {&c_qq, &c_qv, &c_vv, &c_qx}) append(found.library, *x);

    AbaSecondWorkspace<double> forward(model);
    AbaContractionWorkspace<double> forward_contraction(model);
    Numbers y(tau), by_q(square), by_v(square), by_x(square);
    const AbaDerivatives<double> first{y.data(), by_q.data(), by_v.data(), by_x.data()};
    found.expect(aba_contraction<double>(model, forward_contraction, s.q.data(), s.v.data(), tau.data(), nullptr,
                                         s.lambda.data(), first, {c_qq.data(), c_qv.data(), c_vv.data(), c_qx.data()})
                     .ok(),
                 "aba_contraction");
    for (const Numbers* x : {&c_qq, &c_qv, &c_vv, &c_qx}) append(found.library, *x);
    for (InnerTerm inner : {InnerTerm::tensor_product, InnerTerm::inverse_dynamics}) {
      found.expect(
          aba_second_derivatives<double>(model, forward, s.q.data(), s.v.data(), tau.data(), nullptr, first,
                                         {qq.data(), qv.data(), vv.data(), qx.data()}, {inner, OuterTerm::matrix_product})
              .ok(),
          "aba_second_derivatives");
      found.equal(contracted(n, qq, Over::first, s.lambda), c_qq, "aba_contraction, qq");
      found.equal(contracted(n, qv, Over::first, s.lambda), c_qv, "aba_contraction, qv");
      found.equal(contracted(n, vv, Over::first, s.lambda), c_vv, "aba_contraction, vv");
      along.forward(s.q.data(), s.v.data(), tau.data(), nullptr, {to, nullptr, nullptr},
                    {d.data(), dq.data(), dv.data(), dx.data()});
      found.equal(contracted(n, qq, Over::last, s.to), dq, "aba_second_derivatives, qq");
      along.forward(s.q.data(), s.v.data(), tau.data(), nullptr, {nullptr, to, nullptr},
                    {d.data(), dq.data(), dv.data(), dx.data()});
      found.equal(contracted(n, vv, Over::last, s.to), dv, "aba_second_derivatives, vv");
    }
  }

  /// What the user's own compilation makes of the headers: kinematics, energy, momentum, and the dynamics of another scalar.
  void templates() {
    Workspace<double> ws(model);
    forward_kinematics<double>(model, ws, s.q.data(), s.v.data(), s.a.data());
    const int link = static_cast<int>(model.links.size()) - 1;
    Numbers J(static_cast<std::size_t>(6 * n)), by[4] = {J, J, J, J};
    link_jacobian<double>(model, ws, link, Axes::link, J.data());
    const Motion<double> velocity = link_velocity(model, ws, link), acceleration = link_acceleration(model, ws, link);
    const Numbers twist{velocity.w[0], velocity.w[1], velocity.w[2], velocity.v[0], velocity.v[1], velocity.v[2]};
    found.equal(times(n, J, s.v), twist, "the Jacobian times v");
    found.equal({kinetic_energy(model, ws)}, {0.5 * dot(s.v, times(n, M, s.v))}, "kinetic energy beside crba");
    const Force<double> rate = momentum_rate(model, ws);
    const Pose<double>& base = ws.world_pose[0];
    const Vec3<double> push = base.R * Vec3<double>{{tau[3], tau[4], tau[5]}} + moving_mass(model) * model.gravity;
    found.equal({rate.f[0], rate.f[1], rate.f[2]}, {push[0], push[1], push[2]}, "the rate of momentum beside rnea");
    link_derivatives<double>(model, ws, link, {by[0].data(), by[1].data(), by[2].data(), by[3].data()});
    found.equal(by[1], J, "link_derivatives, ∂v/∂v");
    append(found.user, twist), append(found.user, by[2]), append(found.user, by[3]);
    append(found.user, {rate.n[0], rate.n[1], rate.n[2], potential_energy(model, ws), acceleration.w[0], acceleration.v[1]});

    using D = Dual<>;
    std::vector<D> q(s.q.begin(), s.q.end()), v(s.v.begin(), s.v.end()), a(s.a.begin(), s.a.end()),
        torque(tau.begin(), tau.end()), step;
    for (double t : s.to) step.push_back(D(0.0, {t}));
    integrate(model, q.data(), step.data(), q.data());
    Workspace<D> dual(model);
    forward_kinematics<D>(model, dual, q.data(), v.data(), a.data());
    const Motion<D> changed = link_acceleration(model, dual, link);
    const Numbers change{changed.w[0].d[0], changed.w[1].d[0], changed.w[2].d[0],
                         changed.v[0].d[0], changed.v[1].d[0], changed.v[2].d[0]};
    found.equal(times(n, by[2], s.to), change, "link_derivatives, ∂a/∂q beside dual numbers");

    AbaDerivativeWorkspace<D> forward(model);
    std::vector<D> y(tau.size()), by_q(square), by_v(square), by_x(square);
    found.expect(aba_derivatives<D>(model, forward, q.data(), v.data(), torque.data(), nullptr,
                                    {y.data(), by_q.data(), by_v.data(), by_x.data()})
                     .ok(),
                 "aba_derivatives of dual numbers");
    DirectionalDerivatives along(model);
    Numbers d(tau), dq(square), dv(square), dx(square), own_q, own_x;
    along.forward(s.q.data(), s.v.data(), tau.data(), nullptr, {s.to.data(), nullptr, nullptr},
                  {d.data(), dq.data(), dv.data(), dx.data()});
    for (std::size_t k = 0; k < square; ++k) own_q.push_back(by_q[k].d[0]), own_x.push_back(by_x[k].d[0]);
    found.equal(own_q, dq, "dual numbers beside those of another compilation, ∂a/∂q");
    found.equal(own_x, dx, "dual numbers beside those of another compilation, M⁻¹");
    append(found.user, own_q);

    // A pivot that is no number is one by its bits, whatever the compiler makes of comparisons.
    double nan;
    const std::uint64_t bits = 0x7ff8000000000000u;
    std::memcpy(&nan, &bits, sizeof nan);
    found.expect(is_singular_pivot(nan, 1.0) && is_singular_pivot(1.0, nan) && !is_singular_pivot(1.0, 1.0),
                 "pivots that are NaN");
    for (double x : {0.5, -3.0, 1e3, 9.9e4})
      found.equal({sin_cos(x).sin, sin_cos(x).cos}, {std::sin(x), std::cos(x)}, "sin_cos");
  }

  void solver() {
    Sensor motors, base, air;
    motors.name = "motors", motors.type = "joint_torque", motors.all = true;
    base.name = "base", base.type = "joint_torque", base.targets = {{"base"}};
    air.name = "air", air.type = "external_wrench", air.all = true, air.value = {0.0};
    SensorSet set;
    set.sensors = {motors, base, air};
    const auto system = std::make_shared<const System>(model, set);
    const auto plan = std::make_shared<const Plan>(make_plan(system->pattern(), recursive_order(*system).value()));
    Solver solver(system, plan, {{"ddq"}});
    Numbers y, out(solver.output_columns().size());
    for (const auto& input : system->inputs()) {
      const Measurement& m = system->measurements()[input.measurement];
      y.push_back(m.joint >= 0 ? tau[model.joints[m.joint].v + m.components[input.component]] : 0.0);
    }
    found.expect(solver.solve(s.q.data(), s.v.data(), y.data(), out.data()).ok(), "Solver");
    found.equal(out, s.a, "Solver beside rnea");
    append(found.library, out);
  }

  /// Torques and accelerations, both uncertain and without contradiction; alone, and in the lanes of vectors.
  void estimator() {
    Sensor motors, seen, base, air;
    motors.name = "motors", motors.type = "joint_torque", motors.all = true, motors.sigma = {0.5};
    seen.name = "seen", seen.type = "joint_acceleration", seen.all = true, seen.sigma = {0.25};
    base.name = "base", base.type = "joint_torque", base.targets = {{"base"}};
    air.name = "air", air.type = "external_wrench", air.all = true, air.value = {0.0};
    SensorSet set;
    set.sensors = {motors, seen, base, air};
    const auto system = std::make_shared<const System>(model, set);
    OptimiseOptions few;
    few.health_states = 20, few.umfpack_states = 1;
    EstimatorOptions options;
    options.outputs = {"ddq"};
    options.in_batches = true;
    Estimator estimator(system, plan_estimator(*system, {}, few), options);
    Numbers y, alone(static_cast<std::size_t>(n)), together(alone);
    for (const auto& input : system->inputs()) {
      const Measurement& m = system->measurements()[input.measurement];
      const int k = m.joint >= 0 ? model.joints[m.joint].v + m.components[input.component] : -1;
      y.push_back(k < 0 ? 0.0 : m.sensor == 1 ? s.a[k] : tau[k]);
    }
    found.expect(estimator.estimate(s.q.data(), s.v.data(), y.data(), alone.data()).ok(), "Estimator");
    found.equal(alone, s.a, "Estimator beside rnea");
    const Estimator::Inputs sample{s.q.data(), s.v.data(), y.data()};
    const Estimator::Inputs samples[2] = {sample, sample};
    estimator.prepare(samples, 2);
    found.expect(estimator.take(1, together.data()).ok() && together == alone, "Estimator in batches");
    append(found.library, alone);
  }
};

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return 2;
  Findings found;
  std::vector<Model> models{robot(2, 12)};
  if (count > 2) {
    LoadOptions options;
    options.floating = true;
    models.push_back(load_urdf(arguments[2], options));
  }
  for (const Model& model : models) {
    const State state = draw_state(model);
    Run run{model, state, found};
    run.dynamics();
    run.first_derivatives();
    run.second_derivatives();
    run.templates();
    run.solver();
  }
  const Model small = robot(1, 2);
  const State state = draw_state(small);
  Run run{small, state, found};
  run.dynamics();
  run.estimator();
  compare(found, arguments[1]);
  return found.failed ? 1 : 0;
}
