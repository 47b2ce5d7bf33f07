// Derivatives of what Solver and Estimator give, against complex steps through dense algebra, other algorithms of the library,
// and systems built anew with other parameters.
#include "sparsedyn/dynamics/derivatives.hpp"

#include <algorithm>

#include "complex_step.hpp"
#include "runtime/mixed_sets.hpp"
#include "runtime/reference.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/runtime/gap_closer.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/coupled.hpp"
#include "support/heap.hpp"
#include "support/robots.hpp"
#include "support/systems.hpp"

using namespace sparsedyn;
using test::FoundDerivatives;

namespace {

constexpr double close = 1e-10, same_either_way = 1e-13;

/// The same robot with δ more of a parameter.
Model with_parameter(Model model, int k, double more) {
  const ParameterIndex index(model);
  const int joints = static_cast<int>(model.joints.size());
  if (k < 10 * joints) {
    const Joint& joint = model.joints[static_cast<std::size_t>(k / 10)];
    double ten[10] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    ten[k % 10] = more;
    const Inertia<double> added = sparsedyn::detail::inertia_of(ten);
    Link& link = model.links[static_cast<std::size_t>(joint.child_link)];
    link.inertia = link.inertia + added;
    Body& body = model.bodies[static_cast<std::size_t>(link.body)];
    body.inertia = body.inertia + to_parent(link.pose, added);
    return model;
  }
  if (model.physics.empty()) model.physics.resize(static_cast<std::size_t>(model.nv));
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (const int first = index.of_joints[j]; first >= 0 && k >= first && k < first + index.counts[j]) {
      JointPhysics& physics = model.physics[static_cast<std::size_t>(model.joints[j].v)];
      double* const numbers[5] = {&physics.armature, &physics.damping, &physics.friction, &physics.offset,
                                  physics.stiffness ? &*physics.stiffness : nullptr};
      *numbers[k - first] += more;
    }
  return model;
}

/// By central differences, refined twice by Richardson: exact where the system is affine in the parameter.
Eigen::VectorXd moved_by_parameter(const System& system, const test::SampleState& s, const test::ComplexStep& reference,
                                   int k) {
  const auto change = [&](double h) {
    const auto at = [&](double x) { return System(with_parameter(system.model(), k, x), system.sensors()); };
    const System more = at(h), less = at(-h);  // they may have entries that are zero in `system`
    REQUIRE(more.pattern().columns == system.pattern().columns);
    REQUIRE(more.pattern().column == less.pattern().column);
    REQUIRE(more.pattern().row_start == less.pattern().row_start);
    test::ComplexSystem up(more, s.q, s.v, s.y), down(less, s.q, s.v, s.y);
    up.assemble(), down.assemble();
    return reference.solution_moved(more.pattern(), (up.A - down.A).real() / (2 * h), (up.b - down.b).real() / (2 * h));
  };
  const Eigen::VectorXd a = change(4e-3), b = change(2e-3), c = change(1e-3);
  const Eigen::VectorXd ab = b + (b - a) / 3, bc = c + (c - b) / 3;
  return bc + (bc - ab) / 15;
}

/// Beside the largest of each kind.
void check_ways(const FoundDerivatives& forward, const FoundDerivatives& adjoint) {
  const auto check = [](const FoundDerivatives::Matrix& a, const FoundDerivatives::Matrix& f) {
    if (f.size() > 0) CHECK((a - f).cwiseAbs().maxCoeff() <= same_either_way * std::max(1.0, f.cwiseAbs().maxCoeff()));
  };
  check(adjoint.q, forward.q), check(adjoint.v, forward.v), check(adjoint.y, forward.y), check(adjoint.p, forward.p);
}

/// Both ways, and the gradient of a sum; `Runtime`: Solver or Estimator, after a sample.
template <class Runtime>
FoundDerivatives derivatives_both_ways(Runtime& runtime) {
  const System& system = runtime.system();
  const std::size_t outputs = runtime.output_columns().size();
  const int parameters = ParameterIndex(system.model()).count;
  FoundDerivatives forward(system, outputs, parameters), adjoint = forward, sum(system, 1, parameters);
  REQUIRE(runtime.derivatives(forward.arrays(), DerivativeMode::forward).ok());
  REQUIRE(runtime.derivatives(adjoint.arrays(), DerivativeMode::adjoint).ok());
  check_ways(forward, adjoint);
  Eigen::RowVectorXd weight(outputs);
  for (Eigen::Index c = 0; c < weight.size(); ++c) weight[c] = std::sin(1.0 + static_cast<double>(c));
  REQUIRE(runtime.gradient(weight.data(), sum.arrays()).ok());
  const double size = std::max(1.0, forward.q.cwiseAbs().maxCoeff() * static_cast<double>(outputs));
  CHECK((sum.q - weight * forward.q).cwiseAbs().maxCoeff() <= same_either_way * size);
  CHECK((sum.p - weight * forward.p).cwiseAbs().maxCoeff() <=
        same_either_way * std::max(1.0, forward.p.cwiseAbs().maxCoeff() * static_cast<double>(outputs)));
  return forward;
}

/// Checks them by y, q and v against complex steps; returns those by π, which are the same in every formulation.
Eigen::MatrixXd check_solver(const Model& model, const SensorSet& set, const Formulation& formulation,
                             std::vector<std::string> outputs, unsigned seed) {
  const auto system = std::make_shared<const System>(model, set, formulation);
  OptimiseOptions quick;
  quick.health_states = 10, quick.umfpack_states = 1;
  SolverOptions options;
  options.outputs = std::move(outputs), options.derivatives = true;
  Solver solver(system, std::make_shared<const Plan>(optimise(*system, quick).plan), options);
  std::mt19937 rng(seed);
  const test::SampleState s = test::random_sample(*system, rng);
  std::vector<double> out(solver.output_columns().size());
  REQUIRE(solver.solve(s.q.data(), s.v.data(), s.y.data(), out.data()).ok());
  const FoundDerivatives found = derivatives_both_ways(solver);
  test::ComplexStep reference(*system, s.q, s.v, s.y, test::Equations(system->pattern()));
  const Outputs wanted(*system, options.outputs);
  CHECK(test::worst_entry(found.q, reference.of_q(wanted)) <= close);
  CHECK(test::worst_entry(found.v, reference.of_v(wanted)) <= close);
  CHECK(test::worst_entry(found.y, reference.of_y(wanted)) <= close);
  return found.p;
}

/// The entry of y that gives each freedom's torque or acceleration.
std::vector<int> inputs_of_freedoms(const System& system) {
  std::vector<int> found(static_cast<std::size_t>(system.model().nv), -1);
  for (std::size_t k = 0; k < system.inputs().size(); ++k) {
    const Measurement& m = system.measurements()[static_cast<std::size_t>(system.inputs()[k].measurement)];
    if (m.kind != SensorKind::joint_torque && m.kind != SensorKind::joint_acceleration) continue;
    const int component = m.components[static_cast<std::size_t>(system.inputs()[k].component)];
    found[static_cast<std::size_t>(system.model().joints[static_cast<std::size_t>(m.joint)].v + component)] =
        static_cast<int>(k);
  }
  return found;
}

SensorSet hybrid_set(const Model& model) {
  SensorSet set = test::forward_dynamics_set();
  Sensor known;
  known.name = "driven", known.type = "joint_acceleration", known.targets = {{model.joints[1].name}};
  set.sensors.push_back(known);
  for (Sensor& s : set.sensors)
    if (s.type == "joint_torque") s.except.push_back({model.joints[1].name});
  return set;
}

test::TreeOptions tree_options(bool floating) {
  test::TreeOptions options;
  options.floating = floating;
  return options;
}

}  // namespace

TEST_CASE("Derivatives of solutions agree with complex steps in every formulation") {
  const bool floating = GENERATE(false, true);
  for (const Formulation& formulation : all_formulations()) {
    INFO(formulation_name(formulation) << (floating ? ", floating" : ", fixed"));
    const Model model = test::random_tree(5, 3, tree_options(floating));
    check_solver(model, test::forward_dynamics_set(), formulation, {"ddq"}, 1);
    check_solver(model, test::inverse_dynamics_set(), formulation, {"tau"}, 2);
    check_solver(model, hybrid_set(model), formulation, {}, 3);
  }
}

TEST_CASE("Derivatives of solutions agree with complex steps for every type of joint") {
  test::TreeOptions options = tree_options(GENERATE(false, true));
  options.kinds = test::every_joint_kind();
  for (unsigned seed : {1u, 2u, 3u}) {
    const Model model = test::with_joint_physics(test::random_tree(7, seed, options), seed);
    check_solver(model, test::forward_dynamics_set(), {}, {}, seed);
    check_solver(model, test::inverse_dynamics_set(), formulation_named("shifted"), {}, seed);
  }
}

TEST_CASE("Derivatives of solutions agree with complex steps where joints follow others") {
  for (bool floating : {false, true}) {
    const Model tree = test::with_joint_physics(test::random_tree(7, 5, tree_options(floating)), 2);
    const test::CoupledRobot robot = test::random_coupled_robot(tree, 3);
    check_solver(robot.model, test::forward_dynamics_set(), {}, {}, 4);
    check_solver(robot.model, test::inverse_dynamics_set(), {}, {}, 5);
    const Eigen::MatrixXd by_parameters = check_solver(robot.model, test::forward_dynamics_set(), {}, {"ddq"}, 6);
    for (const char* name :
         {"net-forces", "canonical", "intermediate-frames+shifted", "joint-space", "canonical+joint-space"}) {
      INFO(name);
      const Formulation formulation = formulation_named(name);
      const Eigen::MatrixXd found = check_solver(robot.model, test::forward_dynamics_set(), formulation, {"ddq"}, 6);
      if (!formulation.axis_frames()) CHECK(test::worst_entry(found, by_parameters) <= close);
    }
  }
}

TEST_CASE("Derivatives of forward dynamics are those of aba") {
  const Model model = test::random_tree(8, 2, tree_options(GENERATE(false, true)));
  SolverOptions options;
  options.outputs = {"ddq"}, options.derivatives = true;
  Solver solver = make_solver(model, test::forward_dynamics_set(), options);
  std::mt19937 rng(4);
  const test::SampleState s = test::random_sample(solver.system(), rng);
  std::vector<double> out(solver.output_columns().size()), tau(static_cast<std::size_t>(model.nv), 0.0);
  std::vector<double> y(s.y.size(), 0.0);
  const std::vector<int> torques = inputs_of_freedoms(solver.system());
  for (std::size_t k = 0; k < tau.size(); ++k) tau[k] = y[static_cast<std::size_t>(torques[k])] = s.y[k];
  REQUIRE(solver.solve(s.q.data(), s.v.data(), y.data(), out.data()).ok());
  const FoundDerivatives found = derivatives_both_ways(solver);
  const auto n = static_cast<std::size_t>(model.nv * model.nv);
  std::vector<double> dq(n), dv(n), dtau(n);
  AbaDerivativeWorkspace<double> work(model);
  std::vector<double> a(tau.size());
  const AbaDerivatives<double> into{a.data(), dq.data(), dv.data(), dtau.data()};
  REQUIRE(
      aba_derivatives(model, work, s.q.data(), s.v.data(), tau.data(), static_cast<const Force<double>*>(nullptr), into).ok());
  using Square = Eigen::Map<const FoundDerivatives::Matrix>;
  CHECK(test::worst_entry(found.q, Square(dq.data(), model.nv, model.nv)) <= close);
  CHECK(test::worst_entry(found.v, Square(dv.data(), model.nv, model.nv)) <= close);
  for (Eigen::Index k = 0; k < model.nv; ++k)
    CHECK(test::worst_entry(found.y.col(torques[static_cast<std::size_t>(k)]),
                            Square(dtau.data(), model.nv, model.nv).col(k)) <= close);
}

TEST_CASE("With accelerations known, torques move with parameters by the regressor, in every formulation") {
  for (const Formulation& formulation : all_formulations()) {
    INFO(formulation_name(formulation));
    const Model model = test::with_joint_physics(test::random_tree(6, 7, tree_options(true)), 3);
    const auto system = std::make_shared<const System>(model, test::inverse_dynamics_set(), formulation);
    OptimiseOptions quick;
    quick.health_states = 10, quick.umfpack_states = 1;
    SolverOptions options;
    options.outputs = {"tau"}, options.derivatives = true;
    Solver solver(system, std::make_shared<const Plan>(optimise(*system, quick).plan), options);
    std::mt19937 rng(4);
    const test::SampleState s = test::random_sample(*system, rng);
    std::vector<double> out(solver.output_columns().size());
    REQUIRE(solver.solve(s.q.data(), s.v.data(), s.y.data(), out.data()).ok());
    const FoundDerivatives found = derivatives_both_ways(solver);
    RegressorWorkspace<double> work(model);
    FoundDerivatives::Matrix Y(model.nv, work.index.count);
    std::vector<double> a;
    for (int k : inputs_of_freedoms(*system)) a.push_back(s.y[static_cast<std::size_t>(k)]);
    regressor(model, work, s.q.data(), s.v.data(), a.data(), Y.data());
    CHECK(test::worst_entry(found.p, Y) <= close);
  }
}

namespace {

/// Derivatives of an estimate at one sample, against dense algebra.
struct EstimateProblem {
  explicit EstimateProblem(std::shared_ptr<const System> s) : system(std::move(s)) {}

  Eigen::VectorXd weights(const std::vector<double>& y) const {
    Eigen::VectorXd w = Eigen::VectorXd::Constant(system->pattern().rows, -1.0);
    for (const Measurement& m : system->measurements())
      for (int k = 0; k < m.rows(); ++k) {
        const double sigma = m.sigma[static_cast<std::size_t>(k)];
        const int input = m.inputs[static_cast<std::size_t>(k)];
        const bool missing = input >= 0 && std::isnan(y[static_cast<std::size_t>(input)]);
        if (sigma > 0) w[m.first_row + k] = missing ? 0 : 1 / sigma;
      }
    return w;
  }
  Eigen::VectorXd precision() const {
    Eigen::VectorXd p = Eigen::VectorXd::Zero(system->pattern().columns);
    for (Eigen::Index j = 0; j < p.size(); ++j) {
      const auto prior = system->sensors().prior.find(kind_name(system->unknowns()[static_cast<std::size_t>(j)].kind));
      if (prior != system->sensors().prior.end()) p[j] = 1 / (prior->second * prior->second);
    }
    return p;
  }
  std::shared_ptr<const System> system;
};

enum class Parameters { all, some };

void check_estimate(Estimator& estimator, const std::vector<std::string>& outputs, const test::SampleState& s,
                    Parameters parameters) {
  const EstimateProblem problem(std::make_shared<const System>(estimator.system()));
  const System& system = *problem.system;
  std::vector<double> out(estimator.output_columns().size()), y = s.y;
  REQUIRE(estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data()).ok());
  const FoundDerivatives found = derivatives_both_ways(estimator);
  for (double& x : y) x = std::isnan(x) ? 0.0 : x;
  test::ComplexStep reference(system, s.q, s.v, y,
                              test::Equations(system.pattern(), problem.weights(s.y), problem.precision()));
  const Outputs wanted(system, outputs);
  CHECK(test::worst_entry(found.q, reference.of_q(wanted)) <= close);
  CHECK(test::worst_entry(found.v, reference.of_v(wanted)) <= close);
  CHECK(test::worst_entry(found.y, reference.of_y(wanted)) <= close);
  const test::SampleState there{s.q, s.v, y};
  for (int k = 0; k < found.p.cols(); k += parameters == Parameters::all ? 1 : 41) {
    const Eigen::VectorXd dz = moved_by_parameter(system, there, reference, k);
    for (Eigen::Index c = 0; c < found.rows; ++c) {
      const std::vector<int>& reads = wanted.unknowns_of(static_cast<int>(c));
      if (reads.size() != 1 ||
          system.unknown_names()[static_cast<std::size_t>(reads[0])] != wanted.columns()[static_cast<std::size_t>(c)])
        continue;
      INFO("parameter " << k << " of " << wanted.columns()[static_cast<std::size_t>(c)]);
      CHECK(std::abs(found.p(c, k) - dz[reads[0]]) <= close * std::max(1.0, dz.cwiseAbs().maxCoeff()));
    }
  }
}

void check_mixed(const std::string& path, const test::EquippedRobot& robot, const test::MixedSet& mixed,
                 Parameters parameters) {
  INFO(robot.file << ": " << mixed.title);
  LoadOptions load;
  load.floating = robot.floating;
  const auto system =
      std::make_shared<const System>(load_urdf(path, load), parse_sensor_set(test::set_text(mixed, robot), "set"));
  EstimatorOptions options;
  options.outputs = {"tau", "ddq", std::string("acc.") + robot.hand, std::string("f.") + robot.weld,
                     std::string("fx.") + robot.foot};
  options.derivatives = true;
  Estimator estimator(system, test::quick_plan(*system), options);
  std::mt19937 rng(11);
  check_estimate(estimator, options.outputs, test::random_sample(*system, rng), parameters);
}

}  // namespace

TEST_CASE("Derivatives of estimates from eleven sensor sets agree with complex steps on whole robots") {
  for (std::size_t k = 0; k < std::size(test::mixed_sets); ++k) {
    for (const int which : {0, 1}) {
      const test::EquippedRobot& robot = test::equipped_shipped[which];
      if (which == 1 && (!test::whole_robots || k % 3 != 0)) continue;
      check_mixed(test::source_folder() + "/robots/" + robot.file + ".urdf", robot, test::mixed_sets[k],
                  which == 0 && k % 3 == 0 ? Parameters::all : Parameters::some);
    }
  }
  const std::vector<std::string> paths = test::shared_robots();
  for (std::size_t k = 0; k < std::size(test::mixed_sets); ++k) {
    const std::size_t which = k % std::size(test::equipped_shared);
    if (!test::whole_robots && which >= 2) continue;
    const test::EquippedRobot& robot = test::equipped_shared[which];
    const std::string file = "/" + std::string(robot.file) + ".urdf";
    for (const std::string& path : paths)
      if (path.size() > file.size() && path.compare(path.size() - file.size(), file.size(), file) == 0)
        check_mixed(path, robot, test::mixed_sets[k], Parameters::some);
  }
}

TEST_CASE("Derivatives take no memory, and say where there is nothing to differentiate") {
  const Model model = test::random_tree(6, 3, tree_options(true));
  SolverOptions options;
  options.outputs = {"ddq"}, options.derivatives = true;
  Solver solver = make_solver(model, test::forward_dynamics_set(), options);
  std::mt19937 rng(2);
  test::SampleState s = test::random_sample(solver.system(), rng);
  const std::size_t outputs = solver.output_columns().size();
  FoundDerivatives into(solver.system(), outputs, ParameterIndex(model).count);
  std::vector<double> out(outputs), weight(outputs, 1.0);
  CHECK(solver.derivatives(into.arrays()).state == LUState::no_sample);
  REQUIRE(solver.solve(s.q.data(), s.v.data(), s.y.data(), out.data()).ok());
  const long taken = test::allocations_of([&] {
    solver.derivatives(into.arrays(), DerivativeMode::forward);
    solver.derivatives(into.arrays(), DerivativeMode::adjoint);
    solver.gradient(weight.data(), into.arrays());
  });
  CHECK(taken == 0);
  FoundDerivatives alone = into;
  const DerivativeArrays of_v{nullptr, alone.v.data(), nullptr, nullptr};
  REQUIRE(solver.derivatives(into.arrays(), DerivativeMode::forward).ok());
  REQUIRE(solver.derivatives(of_v, DerivativeMode::forward).ok());
  CHECK(test::worst_entry(alone.v, into.v) <= close);
  s.y[0] = std::numeric_limits<double>::quiet_NaN();
  REQUIRE_FALSE(solver.solve(s.q.data(), s.v.data(), s.y.data(), out.data()).ok());
  CHECK(solver.derivatives(into.arrays()).state == LUState::no_sample);
  CHECK(solver.gradient(weight.data(), into.arrays()).state == LUState::no_sample);
  Solver without = make_solver(model, test::forward_dynamics_set(), {{"ddq"}});
  s.y[0] = 0;
  REQUIRE(without.solve(s.q.data(), s.v.data(), s.y.data(), out.data()).ok());
  CHECK(without.derivatives(into.arrays()).state == LUState::no_sample);
}

TEST_CASE("missing readings have zero derivatives, and undetermined outputs have none") {
  const Model model = test::random_tree(4, 6, tree_options(false));
  SensorSet set;
  set.name = "gaps";
  const auto all = [](const char* name, const char* type, double sigma) {
    Sensor s;
    s.name = name, s.type = type, s.all = true, s.sigma = {sigma};
    return s;
  };
  set.sensors = {all("motors", "joint_torque", 0.3), all("encoders", "joint_acceleration", 0.1),
                 all("skin", "external_wrench", 0.2)};
  const auto system = std::make_shared<const System>(model, set);
  EstimatorOptions options;
  options.outputs = {"tau", "ddq"}, options.derivatives = true;
  options.close_gaps = [closer = std::make_shared<const GapCloser>(system)](const std::vector<char>& missing) {
    return closer->close(missing);
  };
  Estimator estimator(system, test::quick_plan(*system), options);
  std::mt19937 rng(3);
  test::SampleState s = test::random_sample(*system, rng);
  s.y[1] = std::numeric_limits<double>::quiet_NaN();
  check_estimate(estimator, options.outputs, s, Parameters::some);
  FoundDerivatives into(*system, 8, ParameterIndex(model).count);
  REQUIRE(estimator.derivatives(into.arrays()).ok());
  CHECK(into.y.col(1).cwiseAbs().maxCoeff() == 0);
  for (double& y : s.y) y = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t k = 4; k < 8; ++k) s.y[k] = 0.5;  // accelerations alone: no torque
  std::vector<double> out(8);
  REQUIRE(estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data()).ok());
  REQUIRE(estimator.derivatives(into.arrays()).ok());
  for (int c = 0; c < 8; ++c) {
    INFO(estimator.output_columns()[static_cast<std::size_t>(c)]);
    CHECK(std::isnan(into.q(c, 0)) == !estimator.determined(c));
    CHECK(std::isnan(into.p(c, 3)) == !estimator.determined(c));
  }
  CHECK_FALSE(estimator.determined(0));
  CHECK(estimator.determined(4));
}

TEST_CASE("Deviations of the state enter those of estimates to first order") {
  const Model model = test::random_tree(4, 6, tree_options(false));
  SensorSet set = test::inverse_dynamics_set();
  for (Sensor& s : set.sensors) s.sigma = {0.1};
  const auto exact = std::make_shared<const System>(model, set);
  set.position_sigma = {{{"*"}, 1e-3}, {{model.joints[2].name}, 5e-3}};
  set.velocity_sigma = {{{model.joints[1].name}, 2e-2}};
  const auto system = std::make_shared<const System>(model, set);
  EstimatorOptions options;
  options.outputs = {"tau"}, options.standard_deviations = options.derivatives = true;
  Estimator without(exact, test::quick_plan(*exact), options), with(system, test::quick_plan(*system), options);
  std::mt19937 rng(3);
  const test::SampleState s = test::random_sample(*system, rng);
  std::vector<double> out(4);
  REQUIRE(without.estimate(s.q.data(), s.v.data(), s.y.data(), out.data()).ok());
  REQUIRE(with.estimate(s.q.data(), s.v.data(), s.y.data(), out.data()).ok());
  FoundDerivatives d(*system, 4, ParameterIndex(model).count);
  REQUIRE(without.derivatives(d.arrays()).ok());
  const Eigen::Vector4d of_q(1e-3, 1e-3, 5e-3, 1e-3), of_v(0, 2e-2, 0, 0);
  for (int c = 0; c < 4; ++c) {
    const double plain = without.standard_deviations()[static_cast<std::size_t>(c)];
    const double expected = std::sqrt(plain * plain + d.q.row(c).transpose().cwiseProduct(of_q).squaredNorm() +
                                      d.v.row(c).transpose().cwiseProduct(of_v).squaredNorm());
    CHECK(with.standard_deviations()[static_cast<std::size_t>(c)] == Approx(expected).epsilon(1e-12));
    CHECK(expected > plain);
  }
  set.position_sigma.push_back({{"elbw"}, 1.0});
  CHECK_THROWS(System(model, set));
}
