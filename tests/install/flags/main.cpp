// A user's program that runs every recursive algorithm, the Solver and the Estimator on floating robots, compiled with flags
// that are not the library's. Each result is held against a second way to it, and against the numbers of another compilation:
//   outside FILE [ROBOT.urdf]     writes the numbers into FILE, or, where it is there, compares with them
// What the library computes may differ from these by rounding (another library), what the user's own compilation computes too.
// With EXACT in the environment (the same library) what the library computes must agree to the last bit.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "sparsedyn/dynamics/aba_contraction.hpp"
#include "sparsedyn/dynamics/aba_second_derivatives.hpp"
#include "sparsedyn/dynamics/bias_forces.hpp"
#include "sparsedyn/dynamics/detail/directional_derivatives.hpp"
#include "sparsedyn/dynamics/detail/ltdl.hpp"
#include "sparsedyn/dynamics/detail/reference_derivatives.hpp"
#include "sparsedyn/dynamics/eigen.hpp"
#include "sparsedyn/dynamics/energy.hpp"
#include "sparsedyn/dynamics/jacobian.hpp"
#include "sparsedyn/dynamics/kinematics_derivatives.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/planning/plan_estimator.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "sparsedyn/runtime/recursive_order.hpp"
#include "sparsedyn/scalar/dual.hpp"
#include "sparsedyn/system/matrix_aba.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;

namespace {

using Numbers = std::vector<double>;

/// What was computed, who computed it, and the worst of the second ways.
struct Findings {
  Numbers library, user;
  bool failed = false;

  void expect(bool condition, const char* what) {
    if (!condition) std::printf("FAILED: %s\n", what), failed = true;
  }
  /// |a − b| beside the largest of both. By `<=`, and counted by bits: -ffast-math knows no NaN.
  void equal(const Numbers& a, const Numbers& b, const char* what) {
    double size = 1, error = 0;
    bool finite = a.size() == b.size();
    for (std::size_t k = 0; finite && k < a.size(); ++k) {
      finite = is_finite(a[k]) && is_finite(b[k]);
      size = std::fmax(size, std::fmax(std::fabs(a[k]), std::fabs(b[k]))), error = std::fmax(error, std::fabs(a[k] - b[k]));
    }
    if (finite && error <= 1e-10 * size) return;
    std::printf("FAILED: %s: relative error %.1e\n", what, finite ? error / size : NAN), failed = true;
  }
};

void append(Numbers& to, const Numbers& x) { to.insert(to.end(), x.begin(), x.end()); }

/// Numbers k/64 from bits alone: the same whatever the compiler does with sums.
double drawn(std::mt19937& rng, int range) {
  return (static_cast<int>(rng() % (128u * static_cast<unsigned>(range))) - 64 * range) / 64.0;
}
Numbers drawn(std::mt19937& rng, int count, int range) {
  Numbers x;
  for (int k = 0; k < count; ++k) x.push_back(drawn(rng, range));
  return x;
}

/// A floating trunk with chains of `hinges` hinges and one of other joints: 6 + chains · hinges + 8 freedoms.
Model robot(int chains, int hinges) {
  std::mt19937 rng(7);
  const auto body = [&] {  // arguments are evaluated in the compiler's order, statements in this one
    const double mass = 1.0 + 0.5 * static_cast<double>(rng() % 4);
    const Vec3<double> centre{{drawn(rng, 1) / 4, drawn(rng, 1) / 4, drawn(rng, 1) / 4}};
    return inertia_about_com(mass, centre, {0.25, 0.03125, 0, 0.375, 0.0625, 0.3125});
  };
  const auto placed = [&] {
    const double yaw = drawn(rng, 1), side = drawn(rng, 1) / 4;
    return Pose<double>{rotation_from_rpy({{0.5, yaw, -0.25}}), {{0.125, side, 0.25}}};
  };
  ModelBuilder builder("outsider");
  builder.root("trunk", body(), true);
  int count = 0;
  const auto link = [&](const std::string& parent, JointKind kind) {
    JointSpec joint;
    joint.kind = kind;
    joint.pitch = 0.125;
    joint.axis = {{0, 0, 0}}, joint.axis[static_cast<int>(rng() % 3)] = 1;
    const std::string name = "link" + std::to_string(++count);
    const Inertia<double> inertia = body();
    builder.link(name, inertia, parent, "joint" + std::to_string(count), joint, placed());
    return name;
  };
  for (int c = 0; c < chains; ++c) {
    std::string parent = "trunk";
    for (int k = 0; k < hinges; ++k) parent = link(parent, JointKind::revolute);
  }
  std::string parent = "trunk";
  for (JointKind kind :
       {JointKind::prismatic, JointKind::helical, JointKind::spherical, JointKind::revolute, JointKind::planar})
    parent = link(parent, kind);
  return builder.build();
}

struct State {
  Numbers q, v, a, lambda, to;
};

/// Unit quaternions are (½, ½, −½, ½), without any rounding.
State draw_state(const Model& model) {
  std::mt19937 rng(3);
  State s{drawn(rng, model.nq, 1), drawn(rng, model.nv, 1), drawn(rng, model.nv, 2), drawn(rng, model.nv, 1),
          drawn(rng, model.nv, 1)};
  for (const Body& body : model.bodies) {
    const bool spherical = body.joint == BodyJoint::spherical, floating = body.joint == BodyJoint::floating;
    double* const u = s.q.data() + body.q + (floating ? 3 : 0);
    if (spherical || floating) u[0] = u[1] = u[3] = 0.5, u[2] = -0.5;
  }
  return s;
}

Numbers product(int n, const Numbers& A, const Numbers& B) {
  Numbers C(A.size(), 0.0);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) C[i * n + j] += A[i * n + k] * B[k * n + j];
  return C;
}
Numbers times(int n, const Numbers& A, const Numbers& x) {
  Numbers y(A.size() / static_cast<std::size_t>(n), 0.0);
  for (std::size_t i = 0; i < y.size(); ++i)
    for (int k = 0; k < n; ++k) y[i] += A[i * static_cast<std::size_t>(n) + static_cast<std::size_t>(k)] * x[k];
  return y;
}
double dot(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}
Numbers identity(int n) {
  Numbers I(static_cast<std::size_t>(n * n), 0.0);
  for (int k = 0; k < n; ++k) I[k * n + k] = 1;
  return I;
}
/// Σ over the place of three that is named: T[a,b,c] x_c, T[a,c,b] x_c, x_a T[a,b,c].
enum class Over { last, middle, first };
Numbers contracted(int n, const Numbers& T, Over place, const Numbers& x) {
  Numbers out(static_cast<std::size_t>(n * n), 0.0);
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      for (int c = 0; c < n; ++c) {
        const double t = T[static_cast<std::size_t>((a * n + b) * n + c)];
        if (place == Over::last) out[a * n + b] += t * x[c];
        if (place == Over::middle) out[a * n + c] += t * x[b];
        if (place == Over::first) out[b * n + c] += t * x[a];
      }
  return out;
}

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

    Numbers LD(M), x(tau);
    for (int k = 0; k < n; ++k) x[k] -= bias[k];
    ltdl_factor(n, ws.parent_freedom.data(), LD.data());
    ltdl_solve(n, ws.parent_freedom.data(), LD.data(), x.data());
    found.equal(x, s.a, "ltdl");
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
    for (const Numbers* x : {&c_qq, &c_qv, &c_vv, &c_qx, &dq, &dv}) append(found.library, *x);

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
    found.equal(own_q, dq, "the user's dual numbers beside the library's, ∂a/∂q");
    found.equal(own_x, dx, "the user's dual numbers beside the library's, M⁻¹");
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
    const MatrixAba matrices = matrix_aba(*system, s.q.data(), s.v.data(), y.data());
    const Eigen::VectorXd x = matrices.solve();
    Numbers ddq;
    for (int k = 0; k < n; ++k) ddq.push_back(x[system->ddq_column(k)]);
    found.equal(ddq, s.a, "matrix_aba beside rnea");
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
    found.expect(estimator.take(1, together.data()).ok() && together == alone, "Estimator in packs");
    append(found.library, alone);
  }
};

/// Beside the numbers of another compilation, or for others to compare with.
void compare(Findings& found, const std::string& path) {
  std::fstream file(path, std::ios::in | std::ios::binary);
  for (Numbers* mine : {&found.library, &found.user}) {
    if (!file) break;
    Numbers other(mine->size());
    file.read(reinterpret_cast<char*>(other.data()), static_cast<std::streamsize>(other.size() * sizeof(double)));
    found.equal(*mine, other,
                mine == &found.user ? "what the user computes, beside another compilation"
                                    : "what the library computes, beside another compilation");
    if (mine == &found.library && std::getenv("EXACT"))
      found.expect(std::memcmp(mine->data(), other.data(), other.size() * sizeof(double)) == 0,
                   "what the library computes depends on the user's flags");
  }
  if (file.is_open()) return;
  file.open(path, std::ios::out | std::ios::binary);
  for (const Numbers* mine : {&found.library, &found.user})
    file.write(reinterpret_cast<const char*>(mine->data()), static_cast<std::streamsize>(mine->size() * sizeof(double)));
}

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
