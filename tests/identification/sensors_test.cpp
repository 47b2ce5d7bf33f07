// Rows of sensor sets: against readings of a robot of other parameters, which the system's own solver makes.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numeric>

#include "sparsedyn/identification/sensor_information.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/heap.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Vector = std::vector<double>;

/// The robot with other bodies, and its π; all of it in the links that lead.
Model heavier(const Model& model, unsigned seed, Vector& pi) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> share(0.8, 1.3);
  Model other = model;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const auto b = static_cast<std::size_t>(model.joints[j].first_body + model.joints[j].bodies - 1);
    other.bodies[b].inertia.m *= share(rng);
    for (int k = 0; k < 3; ++k) other.bodies[b].inertia.h[k] *= share(rng);
    Sym3<double>& I = other.bodies[b].inertia.moments;
    I.xx *= share(rng), I.xy *= share(rng), I.xz *= share(rng), I.yy *= share(rng), I.yz *= share(rng), I.zz *= share(rng);
  }
  pi = parameters(other);
  return other;
}

/// What sensors of a set read on a robot: the rows of the set's own system at the solution of inverse dynamics.
class SensorReadings {
 public:
  SensorReadings(const Model& model, const SensorSet& set)
      : system_(model, set),
        inverse_(model, load_sensor_set("inverse-dynamics")),
        solver_(make_solver(model, inverse_.sensors())),
        work_(system_) {}

  /// y of one state; `fx`: by link that may have one, six each.
  Vector at(const State& s, const std::map<std::string, Vector>& fx) {
    Vector given;
    for (const Input& input : inverse_.inputs()) given.push_back(value(input.columns.back(), s, fx));
    Vector x(inverse_.unknowns().size());
    REQUIRE(solver_.solve(s.q.data(), s.v.data(), given.data(), x.data()).ok());
    std::map<std::string, double> unknown;
    for (std::size_t k = 0; k < x.size(); ++k) unknown[solver_.output_columns()[k]] = x[k];
    // D x − b with y = 0 is what each sensor reads
    Vector y(system_.inputs().size(), 0.0), values(static_cast<std::size_t>(system_.pattern().entries())),
        rhs(system_.equations().size());
    system_.assemble(s.q.data(), s.v.data(), y.data(), values.data(), rhs.data(), work_);
    const Pattern& pattern = system_.pattern();
    Vector product(rhs.size(), 0.0);
    for (int r = 0; r < pattern.rows; ++r)
      for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e)
        product[r] += values[e] * unknown.at(system_.unknown_names()[pattern.column[e]]);
    for (std::size_t r = 0; r < rhs.size(); ++r)
      if (const int input = system_.input_of(static_cast<int>(r)); input >= 0)
        y[static_cast<std::size_t>(input)] = product[r] - rhs[r];
    return y;
  }
  const System& system() const { return system_; }

 private:
  double value(const std::string& column, const State& s, const std::map<std::string, Vector>& fx) const {
    const Model& model = system_.model();
    const std::vector<std::string> names = velocity_names(model);
    for (std::size_t k = 0; k < names.size(); ++k)
      if (column == "ddq." + names[k]) return s.a[k];
    const char* parts[] = {"nx", "ny", "nz", "fx", "fy", "fz"};
    for (const auto& [link, wrench] : fx)
      for (std::size_t k = 0; k < 6; ++k)
        if (column == "fx." + link + "." + parts[k]) return wrench[k];
    return 0;
  }
  System system_, inverse_;
  Solver solver_;
  SystemWorkspace<double> work_;
};

}  // namespace

namespace {

SensorSet set_of(const std::string& sensors) { return parse_sensor_set("{\"sensors\": [" + sensors + "]}", "set.json"); }

Vector random_wrench(std::mt19937& rng) {
  std::normal_distribution<double> normal;
  Vector w(6);
  for (double& x : w) x = normal(rng);
  return w;
}

/// Σ y² of a row of samples.
double size_of(RowInformation& information, std::size_t i) {
  const RowInformation::Factor& factor = information.factors()[i];
  double sum = 0;
  for (int r = 0; r <= factor.order(); ++r) sum += factor.entry(r, factor.order()) * factor.entry(r, factor.order());
  return sum;
}

}  // namespace

TEST_CASE("Rows of sensors predict the readings on a robot with other parameters") {
  TreeOptions options;
  options.lumped = false;
  for (const bool floating : {false, true}) {
    options.floating = floating;
    const Model model = random_tree(4, 31, options);
    const std::string middle = model.joints[1 + floating].name, last = model.joints.back().name,
                      tip = model.links[static_cast<std::size_t>(model.joints.back().child_link)].name;
    const SensorSet set =
        set_of(R"({"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},)" +
               std::string(floating ? R"({"name": "free", "type": "joint_torque", "joint": "base"},)" : "") +
               R"({"name": "both", "type": "torque_combination", "coefficients": {")" + middle + R"(": 2, ")" + last +
               R"(": -0.5}},)" + R"({"name": "inner", "type": "force_torque", "joint": ")" + middle +
               R"(", "xyz": [0.1, -0.2, 0.3], "rpy": [0.3, 0.2, 0.1], "direction": "child_to_parent", "sigma": 0.2},)" +
               R"({"name": "wrist", "type": "force_torque", "joint": ")" + last + R"(", "components": ["nz", "fx"]},)" +
               R"({"name": "imu", "type": "accelerometer", "link": ")" + tip + R"(", "sigma": 0.1},)" +
               R"({"name": "push", "type": "external_wrench", "link": ")" + tip + R"("},)" +
               R"({"name": "air", "type": "external_wrench", "link": "*", "except": [")" + tip + R"("], "value": 0})");
    Vector pi;
    SensorReadings readings(heavier(model, 7, pi), set);
    const System system(model, set);
    SensorInformation information(system);
    CHECK(information.silent() == std::vector<std::string>{"imu"});
    REQUIRE(information.factors().size() == static_cast<std::size_t>(model.nv) + 1 + 6 + 2);
    std::mt19937 rng(4);
    std::vector<State> states;
    std::vector<Vector> y;
    for (int k = 0; k < 150; ++k) {
      states.push_back(random_state(model, rng));
      y.push_back(readings.at(states.back(), {{tip, random_wrench(rng)}}));
    }
    const auto add = [&] {
      for (std::size_t k = 0; k < y.size(); ++k)
        information.add(states[k].q.data(), states[k].v.data(), states[k].a.data(), y[k].data());
    };
    CHECK(allocations_of(add) == 0);
    for (std::size_t i = 0; i < information.factors().size(); ++i) {
      INFO(information.names()[i]);
      CHECK(std::sqrt(information.squares(static_cast<int>(i), pi)) < 1e-10 * std::sqrt(size_of(information, i)));
      CHECK(std::sqrt(information.squares(static_cast<int>(i), parameters(model))) >
            1e-3 * std::sqrt(size_of(information, i)));  // which knows the difference
    }
  }
}

TEST_CASE("Unknown and roughly known wrenches are eliminated from the rows") {
  TreeOptions options;
  options.lumped = false, options.floating = true;
  const Model model = random_tree(4, 33, options);
  const std::string tip = model.links[static_cast<std::size_t>(model.joints.back().child_link)].name,
                    root = model.links[0].name;
  const SensorSet set =
      set_of(R"({"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},)"
             R"({"name": "free", "type": "joint_torque", "joint": "base", "value": 0},)"
             R"({"name": "cell", "type": "load_cell", "link": ")" +
             tip + R"(", "sigma": [0.5, 0.1, 0.1]},)" + R"({"name": "rope", "type": "external_wrench", "link": ")" + root +
             R"(", "sigma": 0.3},)" + R"({"name": "air", "type": "external_wrench", "link": "*", "except": [")" + tip +
             R"(", ")" + root + R"("], "value": 0})");
  const System system(model, set);
  SensorInformation information(system);
  Vector pi;
  SensorReadings readings(heavier(model, 7, pi), set);
  std::mt19937 rng(5);
  std::normal_distribution<double> normal;
  double chi_square = 0;
  long rows = 0;
  const Vector other = parameters(model);
  Vector visited(information.names().size(), 0.0);  // Σ (Y π − y)² of the rows as they are visited
  for (int k = 0; k < 400; ++k) {
    State s = random_state(model, rng);
    // the rope holds what no torque of the base does: its wrench is chosen so that the base's is zero
    const Vector push = random_wrench(rng);
    std::map<std::string, Vector> fx{{tip, push}, {root, Vector(6, 0.0)}};
    RegressorWorkspace<double> work(model);
    Vector tau(static_cast<std::size_t>(model.nv));
    std::vector<Force<double>> forces(model.bodies.size(), {zero3<double>(), zero3<double>()});
    const Link& link = model.links[static_cast<std::size_t>(model.find_link(tip))];
    forces[static_cast<std::size_t>(link.body)] =
        to_parent(link.pose, Force<double>{{{push[0], push[1], push[2]}}, {{push[3], push[4], push[5]}}});
    rnea(heavier(model, 7, pi), work.dynamics, s.q.data(), s.v.data(), s.a.data(), forces.data(), tau.data());
    for (std::size_t c = 0; c < 6; ++c) fx[root][c] = tau[c];  // the root link's frame is the base's
    Vector y = readings.at(s, fx);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const Input& input = system.inputs()[i];
      y[i] +=
          normal(rng) *
          system.measurements()[static_cast<std::size_t>(input.measurement)].sigma[static_cast<std::size_t>(input.component)];
    }
    information.add(s.q.data(), s.v.data(), s.a.data(), y.data());
    information.visit(s.q.data(), s.v.data(), s.a.data(), y.data(), [&](int i, const double* Y, double measured) {
      visited[static_cast<std::size_t>(i)] += std::pow(std::inner_product(other.begin(), other.end(), Y, -measured), 2);
    });
  }
  CHECK(information.names()[static_cast<std::size_t>(information.gathered())] == "beside unknown wrenches");
  for (std::size_t i = 0; i < visited.size(); ++i)
    CHECK(std::fabs(visited[i] - information.squares(static_cast<int>(i), other)) < 1e-10 * size_of(information, i));
  for (std::size_t i = 0; i < information.factors().size(); ++i) {
    const double sigma = information.factors()[i].sigma;
    REQUIRE(sigma > 0);
    chi_square += information.squares(static_cast<int>(i), pi) / (sigma * sigma), rows += information.factors()[i].rows;
  }
  // 10 torques, 6 of them exact, and 9 readings of wrenches, less 12 unknown ones: 7 a sample are left
  CHECK(rows == 400 * 7);
  CHECK(chi_square / static_cast<double>(rows) == Approx(1).margin(4 * std::sqrt(2.0 / static_cast<double>(rows))));
  const Identification x = identify(information);
  CHECK(x.chi_square == Approx(1).epsilon(0.1));
  const Vector beta = x.base.values(pi);
  int within = 0;
  for (std::size_t k = 0; k < beta.size(); ++k)
    within += std::fabs(x.base_value[k] - beta[k]) < 3 * x.base_sd[k] || std::isnan(x.base_sd[k]);
  CHECK(within >= static_cast<int>(beta.size()) - 2);
}

TEST_CASE("A force/torque sensor under the arm reads the weight of the links fixed below too") {
  const Model model = load_urdf(source_folder() + "/robots/arm.urdf");
  const SensorSet set = set_of(R"({"name": "floor", "type": "force_torque", "joint": "plate", "sigma": 0.5},)"
                               R"({"name": "air", "type": "external_wrench", "link": "*", "value": 0})");
  const System system(model, set);
  SensorInformation information(system);
  CHECK(information.factors().size() == 6);
  Vector pi;
  SensorReadings readings(heavier(model, 3, pi), set);
  std::mt19937 rng(6);
  for (int k = 0; k < 150; ++k) {
    const State s = random_state(model, rng);
    const Vector y = readings.at(s, {});
    information.add(s.q.data(), s.v.data(), s.a.data(), y.data());
  }
  for (std::size_t i = 0; i < 6; ++i)
    CHECK(std::sqrt(information.squares(static_cast<int>(i), pi)) < 1e-10 * std::sqrt(size_of(information, i)));
}

TEST_CASE("Sets that tell nothing of parameters, or what is none of theirs, are refused by line") {
  const Model model = load_urdf(source_folder() + "/robots/arm.urdf");
  const auto refused = [&](const std::string& sensors) {
    const System system(model, set_of(sensors));
    try {
      const SensorInformation information(system);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  using Catch::Contains;
  CHECK_THAT(refused(R"({"name": "wrist", "type": "force_torque", "joint": "flange"})"),
             Contains("set.json:1: sensor wrist: a joint that does not move; expected a joint that moves"));
  CHECK_THAT(refused(R"({"name": "h", "type": "momentum_rate"})"), Contains("sensor h: momentum_rate; expected joint_torque"));
  CHECK_THAT(refused(R"({"name": "imu", "type": "accelerometer", "link": "link3"})"),
             Contains("expected torques or wrenches of joints"));
  CHECK_THAT(refused(R"({"name": "m", "type": "joint_torque", "joint": "*", "bias": true, "sigma": 1})"),
             Contains("an unknown offset"));
}
