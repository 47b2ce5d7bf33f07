// A sensor set from q, q̇ and readings to every torque and acceleration, as generated code, beside klu_refactor + klu_solve on
// the matrices of the same system, whose assembly is not counted.
#include "klu_matrices.hpp"
#include "model/samples.hpp"
#include "runtime/system_samples.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/jit/compiled_program.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/urdf/load.hpp"

namespace {

using namespace sparsedyn;

constexpr int states = 16;           // cycled through
constexpr std::size_t batch = 1032;  // samples; a multiple of 8 that crowds no set of the cache

/// Torques and contacts: accelerations and the ground's wrenches follow.
const char* const on_both_feet = R"({"sensors": [
  {"name": "motors", "type": "joint_torque", "joint": "*"},
  {"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
  {"name": "air", "type": "external_wrench", "link": "*", "except": ["l_sole", "r_sole"], "value": 0},
  {"name": "feet", "type": "contact", "link": ["l_sole", "r_sole"], "dof": 6}]})";

/// The motion, and one sole on a six-axis sensor: torques and the other sole's wrench follow.
const char* const one_sole_measured = R"({"sensors": [
  {"name": "motion", "type": "joint_acceleration", "joint": "*"},
  {"name": "base", "type": "joint_acceleration", "joint": "base"},
  {"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
  {"name": "air", "type": "external_wrench", "link": "*", "except": ["l_sole", "r_sole"], "value": 0},
  {"name": "left", "type": "external_wrench", "link": "l_sole"}], "unknown": ["fx.r_sole"]})";

/// Motion and torques with noise, both soles on six-axis sensors with noise.
const char* const redundant = R"({"sensors": [
  {"name": "motion", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
  {"name": "base", "type": "joint_acceleration", "joint": "base", "sigma": 0.1},
  {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
  {"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
  {"name": "air", "type": "external_wrench", "link": "*", "except": ["l_sole", "r_sole"], "value": 0},
  {"name": "soles", "type": "external_wrench", "link": ["l_sole", "r_sole"], "sigma": [0.5, 0.5, 0.5, 5, 5, 5]}]})";

struct Case {
  explicit Case(Program p) : program(std::move(p)), code(emit_c(program, "f"), "f") {}
  Program program;
  CompiledProgram code;
  bench::Matrices matrices;
  std::vector<std::vector<double>> in, out;  // structures of arrays, a port each
};

/// Random states in every port of a program.
void fill_inputs(Case& c, const Model& model) {
  std::mt19937 rng(1);
  std::normal_distribution<double> normal;
  for (const Port& port : c.program.inputs()) {
    c.in.emplace_back(port.elements.size() * batch);
    for (double& x : c.in.back()) x = normal(rng);
    if (port.name != "q") continue;
    for (std::size_t s = 0; s < batch; ++s) {
      const std::vector<double> q = normal_sample(model, rng);
      for (std::size_t e = 0; e < q.size(); ++e) c.in.back()[e * batch + s] = q[e];
    }
  }
  for (const Port& port : c.program.outputs()) c.out.emplace_back(port.elements.size() * batch);
}

std::shared_ptr<Case> determined(const System& system, const std::vector<std::string>& outputs) {
  const Plan plan = optimise(system).plan;
  auto c = std::make_shared<Case>(sensor_program(system, plan, outputs, required_inputs(system)));
  c->matrices = bench::matrices_of(system.pattern(), samples_of(system, states), states);
  return c;
}

std::shared_ptr<Case> estimated(const System& system, const std::vector<std::string>& outputs) {
  const auto plan = plan_estimator(system);
  auto c = std::make_shared<Case>(estimator_program(system, *plan, outputs, required_inputs(system)));
  const Samples samples = samples_of(system, states);
  std::vector<double> weight(system.pattern().rows, 1.0), values(system.pattern().entries()), y(system.pattern().rows);
  for (const Measurement& m : system.measurements())
    for (int k = 0; k < m.rows(); ++k)
      if (m.sigma[k] > 0) weight[m.first_row + k] = 1 / m.sigma[k];
  Samples augmented = samples;
  augmented.fill = [&](int s, double* a, double* b) {
    samples.fill(s, values.data(), y.data());
    plan->augmented.fill<double>(values.data(), y.data(), weight.data(), plan->regularisation.precision.data(), a, b);
  };
  c->matrices = bench::matrices_of(plan->augmented.pattern(), augmented, states);
  return c;
}

void one_sample(benchmark::State& state, const Case& c) {
  std::vector<std::vector<double>> in(c.in.size()), out(c.out.size());
  for (std::size_t k = 0; k < in.size(); ++k)
    for (std::size_t s = 0; s < states; ++s)
      for (std::size_t e = 0; e < c.in[k].size() / batch; ++e) in[k].push_back(c.in[k][e * batch + s]);
  std::vector<double*> res;
  for (std::size_t k = 0; k < out.size(); ++k) out[k].resize(c.out[k].size() / batch), res.push_back(out[k].data());
  std::vector<const double*> arg(in.size());
  std::size_t s = 0;
  for (auto _ : state) {
    for (std::size_t k = 0; k < in.size(); ++k) arg[k] = in[k].data() + s * in[k].size() / states;
    benchmark::DoNotOptimize(c.code.call(arg.data(), res.data()));
    s = (s + 1) % states;
  }
  state.counters["flops"] = static_cast<double>(c.program.counts().flops());
}

void in_batches(benchmark::State& state, const Case& c) {
  std::vector<std::vector<double>> out = c.out;
  std::vector<const double*> arg;
  std::vector<double*> res;
  for (const auto& port : c.in) arg.push_back(port.data());
  for (auto& port : out) res.push_back(port.data());
  for (auto _ : state) c.code.batch(arg.data(), res.data(), static_cast<long>(batch));
  state.counters["a_sample"] = benchmark::Counter(static_cast<double>(batch),
                                                  benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void add(const std::string& name, const std::shared_ptr<Case>& c, const Model& model) {
  fill_inputs(*c, model);
  benchmark::RegisterBenchmark((name + "/generated").c_str(), [c](benchmark::State& state) { one_sample(state, *c); });
  benchmark::RegisterBenchmark((name + "/generated_batch").c_str(), [c](benchmark::State& state) { in_batches(state, *c); });
  benchmark::RegisterBenchmark((name + "/klu").c_str(), [c](benchmark::State& state) {
    bench::run_klu(state, c->matrices);
    state.counters["unknowns"] = c->matrices.n;
  });
}

}  // namespace

int main(int argc, char** argv) {
  LoadOptions floating;
  floating.floating = true;
  const Model humanoid = load_urdf(SPARSEDYN_SOURCE_DIR "/robots/humanoid.urdf", floating);
  const System contacts(humanoid, parse_sensor_set(on_both_feet, "contacts"));
  const System sole(humanoid, parse_sensor_set(one_sole_measured, "sole"));
  const System noisy(humanoid, parse_sensor_set(redundant, "redundant"));
  add("on_both_feet", determined(contacts, {"ddq", "fx.l_sole", "fx.r_sole"}), humanoid);
  add("one_sole_measured", determined(sole, {"tau", "fx.r_sole"}), humanoid);
  add("redundant", estimated(noisy, {"ddq", "tau", "fx.l_sole", "fx.r_sole"}), humanoid);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
