// Generated code of whole robots: one sample, batches with tails and without alignment, and samples that are not finite,
// against the evaluation of the program in this process and against the recursive algorithms.
#include "support/robots.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "compiled.hpp"
#include "runtime/system_samples.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/codegen/recorder.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Vectors = std::vector<std::vector<double>>;  // of each port

template <class Pointer>
std::vector<Pointer> pointers_at(Vectors& vectors, std::size_t offset = 0) {
  std::vector<Pointer> at;
  for (auto& x : vectors) at.push_back(x.data() + offset);
  return at;
}

/// Room for n samples of each port and one number more.
Vectors room(const std::vector<Port>& ports, std::size_t n, double value) {
  Vectors x;
  for (const Port& port : ports) x.emplace_back(port.elements.size() * n + 1, value);
  return x;
}

Vectors evaluated(const Program& program, Vectors in) {
  Vectors out = room(program.outputs(), 1, 0.0);
  std::vector<double> work(program.nodes().size());
  CHECK(program.evaluate(pointers_at<const double*>(in).data(), pointers_at<double*>(out).data(), work.data()));
  return out;
}

double difference(const Vectors& a, const Vectors& b) {
  double worst = 0;
  for (std::size_t k = 0; k < a.size(); ++k) worst = std::max(worst, norm_error(a[k], b[k]));
  return worst;
}

/// q, v and the accelerations or torques in the order of the program's y.
Vectors inputs_of(const Program& program, const Model& model, bool inverse, const State& s) {
  const std::vector<std::string> names =
      inverse ? prefixed("ddq.", velocity_names(model)) : prefixed("tau.", force_names(model));
  const std::vector<double>& x = inverse ? s.a : s.tau;
  std::vector<double> y;
  for (const std::string& element : program.inputs()[2].elements)
    y.push_back(x.at(static_cast<std::size_t>(std::find(names.begin(), names.end(), element) - names.begin())));
  return {s.q, s.v, y};
}

struct Sample {
  Vectors in, expected;
};

std::vector<Sample> samples_of(const Program& program, const Model& model, bool inverse, int n) {
  std::mt19937 rng(1);
  std::vector<Sample> samples;
  for (int k = 0; k < n; ++k) {
    const Vectors in = inputs_of(program, model, inverse, random_state(model, rng));
    samples.push_back({in, evaluated(program, in)});
  }
  return samples;
}

void check_one(const CompiledProgram& code, const Program& program, const Sample& sample, double bound) {
  Vectors in = sample.in, out = room(program.outputs(), 1, 0.0);
  CHECK(code.call(pointers_at<const double*>(in).data(), pointers_at<double*>(out).data()) == 0);
  CHECK(difference(out, sample.expected) < bound);
}

/// The first n samples at addresses off by `offset` doubles; `bad`: one that is not finite, or -1.
void check_batch(const CompiledProgram& code, const Program& program, const std::vector<Sample>& samples, std::size_t n,
                 std::size_t offset, int bad, double bound) {
  Vectors in = room(program.inputs(), n, 0.0), out = room(program.outputs(), n, 42.0);
  for (std::size_t k = 0; k < in.size(); ++k)
    for (std::size_t e = 0; e < program.inputs()[k].elements.size(); ++e)
      for (std::size_t s = 0; s < n; ++s) in[k][offset + e * n + s] = samples[s].in[k][e];
  if (bad >= 0) in[1][offset + static_cast<std::size_t>(bad)] = std::numeric_limits<double>::quiet_NaN();
  using Status = long (*)(const double* const*, double* const*, long, int*);
  std::vector<int> status(n, 7);
  const auto with_status = reinterpret_cast<Status>(code.symbol("f_batch_status"));
  CHECK(with_status(pointers_at<const double*>(in, offset).data(), pointers_at<double*>(out, offset).data(),
                    static_cast<long>(n), status.data()) == (bad >= 0 ? 1 : 0));
  for (std::size_t s = 0; s < n; ++s) {
    const bool is_bad = static_cast<int>(s) == bad;
    CHECK(status[s] == (is_bad ? 1 : 0));
    Vectors one = room(program.outputs(), 1, 0.0);
    for (std::size_t k = 0; k < out.size(); ++k)
      for (std::size_t e = 0; e < program.outputs()[k].elements.size(); ++e) {
        one[k][e] = out[k][offset + e * n + s];
        if (is_bad) CHECK(std::isnan(one[k][e]));
      }
    if (!is_bad) CHECK(difference(one, samples[s].expected) < bound);
  }
}

void check_code(const Program& program, const Model& model, bool inverse, const std::string& compiler, const std::string& flags,
                double bound) {
  const CompiledProgram code(emit_c(program, "f"), "f", strictly(compiler, flags));
  const std::vector<Sample> samples = samples_of(program, model, inverse, 21);
  for (const Sample& sample : samples) check_one(code, program, sample, bound);
  for (std::size_t n : {1, 3, 8, 21}) {
    check_batch(code, program, samples, n, 0, -1, bound);
    check_batch(code, program, samples, n, 1, static_cast<int>(n) / 2, bound);
  }
}

/// Every required input: the accelerations or the joint torques (with a floating base: and no tau.base).
Program dynamics(const Model& model, bool inverse) {
  const System system(model, load_sensor_set(inverse ? "inverse-dynamics" : "forward-dynamics"));
  ReadInputs read = required_inputs(system);
  for (std::size_t k = 0; k < read.size(); ++k)
    read[k] = read[k] || system.inputs()[k].columns.back().compare(0, 9, "tau.base.") == 0;
  return plain_dynamics_program(system, {inverse ? "tau" : "ddq"}, read);
}

void check_recursions(const Program& program, const Model& model, bool inverse, double bound) {
  std::mt19937 rng(3);
  for (int k = 0; k < 10; ++k) {
    const State s = random_state(model, rng);
    Workspace<double> work(model);
    std::vector<double> x(s.v.size());
    const Force<double>* const none = nullptr;
    if (inverse)
      rnea(model, work, s.q.data(), s.v.data(), s.a.data(), none, x.data());
    else
      REQUIRE(aba(model, work, s.q.data(), s.v.data(), s.tau.data(), none, x.data()).ok());
    const std::vector<double> found = evaluated(program, inputs_of(program, model, inverse, s))[0];
    CHECK(norm_error({found.begin(), found.end() - 1}, x) < bound);
  }
}

Model robot(const std::string& path, bool floating) {
  LoadOptions options;
  options.floating = floating;
  return load_urdf(path, options);
}

std::string shipped(const std::string& name) { return source_folder() + "/robots/" + name + ".urdf"; }

bool no_compiler() { return c_compilers().empty(); }

}  // namespace

TEST_CASE("generated dynamics of the arm, by every compiler, with and without optimisation") {
  if (no_compiler()) return;
  const Model arm = robot(shipped("arm"), false);
  for (bool inverse : {true, false}) {
    const Program program = dynamics(arm, inverse);
    check_recursions(program, arm, inverse, 1e-12);
    for (const std::string& compiler : c_compilers())
      for (const char* flags : {"-O0", "-O3 -march=native -ffp-contract=fast"})
        check_code(program, arm, inverse, compiler, flags, 1e-12);
  }
}

TEST_CASE("generated dynamics of the quadruped and the humanoid") {
  if (no_compiler()) return;
  for (const char* name : {"quadruped", "humanoid"})
    for (bool inverse : {true, false}) {
      INFO(name);
      const Model model = robot(shipped(name), true);
      const Program program = dynamics(model, inverse);
      check_recursions(program, model, inverse, 1e-12);
      check_code(program, model, inverse, c_compilers().back(), "-O0", 1e-12);
    }
}

TEST_CASE("generated dynamics of whole robots, by every compiler, with and without optimisation", "[.long]") {
  for (const std::string& path : all_robots())
    for (bool floating : {false, true})
      for (bool inverse : {true, false}) {
        INFO(path << (floating ? " floating" : " fixed") << (inverse ? ", inverse" : ", forward"));
        const Model model = robot(path, floating);
        const Program program = dynamics(model, inverse);
        const double bound = inverse ? 1e-12 : 1e-10;  // of M's conditioning
        check_recursions(program, model, inverse, bound);
        for (const std::string& compiler : c_compilers())
          for (const char* flags : {"-O0", "-O3 -march=native -ffp-contract=fast"})
            check_code(program, model, inverse, compiler, flags, bound);
      }
}
