// One sample of a robot on its feet, everything from the numbers of the equations to the unknowns: the plan replayed, for one
// sample and for several at once (the time is that of one: rows of a log), KLU on the same system, and the normal equations by
// Eigen's SimplicialLDLT, exact rows held by a large weight. (Berdy in iDynTree: Latella et al., Simultaneous floating-base
// estimation of human kinematics and joint torques, Sensors 19, 2019.)
#include <Eigen/SparseCholesky>

#include "klu_matrices.hpp"
#include "runtime/system_samples.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/sparse/detail/lu_in_lanes.hpp"
#include "sparsedyn/sparse/zero_fill_lu.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"

namespace {

using namespace sparsedyn;
using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;

/// Nothing touches the robot but the ground under its soles, and the base has no motor.
const char* const ground = R"(
  {"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
  {"name": "air", "type": "external_wrench", "link": "*", "except": ["l_sole", "r_sole"], "value": 0},)";

/// As many rows as unknowns: the soles' wrenches tell the base's acceleration.
const char* const determined = R"(
  {"name": "encoders", "type": "joint_acceleration", "joint": "*"},
  {"name": "soles", "type": "external_wrench", "link": ["l_sole", "r_sole"]})";

/// Everything measured, with noise.
const char* const redundant = R"(
  {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.3},
  {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.5},
  {"name": "imu", "type": "accelerometer", "link": "$base", "sigma": 0.1},
  {"name": "soles", "type": "external_wrench", "link": ["l_sole", "r_sole"], "sigma": [0.1, 0.1, 0.1, 2, 2, 2]})";

constexpr int states = 16;  // cycled through, so that no branch predictor knows the numbers

/// A plan, and its matrices at some states.
struct Planned {
  Plan plan;
  bench::Matrices matrices;
};

void replay_plan(benchmark::State& state, const std::shared_ptr<Planned>& planned) {
  ZeroFillLU<double> lu(planned->plan);
  std::vector<double> x(planned->plan.pattern.columns);
  int s = 0;
  bool ok = true;
  for (auto _ : state) {
    ok = lu.factor(planned->matrices.values[s].data()).ok() && ok;
    ok = lu.solve(planned->matrices.right_sides[s].data(), x.data()).ok() && ok;
    benchmark::DoNotOptimize(x.data());
    s = (s + 1) % states;
  }
  if (!ok) state.SkipWithError("a pivot vanished");
  state.counters["unknowns"] = planned->plan.pattern.columns;
  state.counters["flops"] = static_cast<double>(planned->plan.flops().total());
}

/// A lane each of these arrays.
void to_lanes(const std::vector<std::vector<double>>& samples, int first, Batch* batches) {
  for (std::size_t e = 0; e < samples[first].size(); ++e)
    for (int k = 0; k < Batch::lanes; ++k) batches[e].lane[k] = samples[first + k][e];
}

void replay_plan_in_lanes(benchmark::State& state, const std::shared_ptr<Planned>& planned) {
  static_assert(states % Batch::lanes == 0, "batches are full");
  LUInLanes lu(planned->plan);
  int s = 0;
  bool ok = true;
  while (state.KeepRunningBatch(Batch::lanes)) {
    to_lanes(planned->matrices.values, s, lu.values());
    to_lanes(planned->matrices.right_sides, s, lu.right_side());
    lu.factor();
    lu.solve();
    for (int k = 0; k < Batch::lanes; ++k) ok = lu.ok(k) && ok;
    benchmark::DoNotOptimize(lu.solution());
    s = (s + Batch::lanes) % states;
  }
  if (!ok) state.SkipWithError("a pivot vanished");
}

/// Rows, values and weights of one system at the same states.
struct Rows {
  std::string name;
  std::vector<Sparse> matrices;
  std::vector<Eigen::VectorXd> right_sides;
  Eigen::VectorXd weight;  // 1/σ²
};

std::shared_ptr<Rows> rows_of(const std::string& name, const System& system) {
  constexpr double exact = 1e8;
  auto rows = std::make_shared<Rows>();
  rows->name = name;
  const Pattern& p = system.pattern();
  const Samples samples = samples_of(system, states);
  rows->weight = Eigen::VectorXd::Constant(p.rows, exact);
  for (const Measurement& m : system.measurements())
    for (int k = 0; k < m.rows(); ++k)
      if (m.sigma[k] > 0) rows->weight[m.first_row + k] = 1 / (m.sigma[k] * m.sigma[k]);
  for (int s = 0; s < states; ++s) {
    std::vector<double> values(p.entries());
    Eigen::VectorXd right_side(p.rows);
    samples.fill(s, values.data(), right_side.data());
    rows->matrices.push_back(
        Eigen::Map<const Sparse>(p.rows, p.columns, p.entries(), p.row_start.data(), p.column.data(), values.data()));
    rows->right_sides.push_back(right_side);
  }
  return rows;
}

void normal_equations(benchmark::State& state, const std::shared_ptr<Rows>& rows) {
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> ldlt;
  Eigen::SparseMatrix<double> A;
  Eigen::VectorXd x;
  std::size_t s = 0;
  for (auto _ : state) {
    const Sparse& Y = rows->matrices[s];
    A = Y.transpose() * rows->weight.asDiagonal() * Y;
    if (x.size() == 0) ldlt.analyzePattern(A);
    ldlt.factorize(A);
    x = ldlt.solve(Y.transpose() * rows->weight.cwiseProduct(rows->right_sides[s]));
    benchmark::DoNotOptimize(x.data());
    s = (s + 1) % states;
  }
  if (ldlt.info() != Eigen::Success) state.SkipWithError("LDLT failed");
}

std::shared_ptr<Planned> planned(const System& system) {
  if (system.pattern().rows == system.pattern().columns)
    return std::make_shared<Planned>(
        Planned{optimise(system).plan, bench::matrices_of(system.pattern(), samples_of(system, states), states)});
  const auto plan = plan_estimator(system);
  return std::make_shared<Planned>(
      Planned{plan->plan, bench::matrices_of(plan->plan.pattern, augmented_samples(system, *plan, states), states)});
}

void add(const std::string& name, const System& system) {
  const auto own = planned(system);
  benchmark::RegisterBenchmark((name + "/plan").c_str(), [own](benchmark::State& state) { replay_plan(state, own); });
  benchmark::RegisterBenchmark((name + "/plan_in_lanes").c_str(),
                               [own](benchmark::State& state) { replay_plan_in_lanes(state, own); });
  benchmark::RegisterBenchmark((name + "/klu").c_str(),
                               [own](benchmark::State& state) { bench::run_klu(state, own->matrices); });
  const auto rows = rows_of(name, system);
  benchmark::RegisterBenchmark((name + "/normal").c_str(), [rows](benchmark::State& state) { normal_equations(state, rows); });
}

/// The sensors of the URDF with this noise, as rows of a set.
std::string measured(const std::string& path) {
  UrdfSensorSet set = load_urdf_sensors(path);
  for (UrdfSensor& s : set.sensors) s.sigma = {s.type == "accelerometer" ? 0.1 : s.type == "gyroscope" ? 0.01 : 0.5};
  const std::string text = json_text(set);
  const std::size_t first = text.find('['), last = text.rfind(']');
  return text.substr(first + 1, last - first - 1);
}

System standing(const Model& model, std::string sensors, const std::string& base) {
  if (const std::size_t at = sensors.find("$base"); at != std::string::npos) sensors.replace(at, 5, base);
  return System(model, parse_sensor_set(std::string("{\"sensors\": [") + ground + sensors + "]}", "standing"));
}

}  // namespace

int main(int argc, char** argv) {
  LoadOptions options;
  options.floating = true;
  const Model humanoid = load_urdf(test::source_folder() + "/robots/humanoid.urdf", options);
  add("humanoid/determined", standing(humanoid, determined, ""));
  add("humanoid/redundant", standing(humanoid, redundant, "pelvis"));
  for (const std::string& path : test::shared_robots())
    if (path.find("/icub.urdf") != std::string::npos) {
      const Model icub = load_urdf(path, options);
      add("icub/determined", standing(icub, determined, ""));
      add("icub/redundant", standing(icub, redundant + ("," + measured(path)), "root_link"));
    }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
