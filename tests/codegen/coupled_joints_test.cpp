// Programs of robots whose joints follow others, every algorithm and a sensor set, against the algorithms.
#include <catch2/catch.hpp>
#include <map>

#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/dynamics/coriolis.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"
#include "sparsedyn/dynamics/second_derivatives.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "support/coupled.hpp"
#include "support/evaluated.hpp"
#include "support/robots.hpp"
#include "support/systems.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Results = std::map<std::string, double>;

Results results_of(const Program& program, const State& s, const std::vector<double>& y) {
  const std::vector<double> none(1000, 0.0);
  const std::map<std::string, const double*> known{{"q", s.q.data()},     {"dq", s.v.data()}, {"ddq", s.a.data()},
                                                   {"tau", s.tau.data()}, {"y", y.data()},    {"fx", none.data()}};
  const std::vector<std::vector<double>> out = evaluated(program, known);
  Results named;
  for (std::size_t k = 0; k < out.size(); ++k)
    for (std::size_t e = 0; e < out[k].size(); ++e) named[program.outputs()[k].elements[e]] = out[k][e];
  return named;
}

void check_names(const Results& found, const std::string& kind, const std::vector<std::string>& names,
                 const std::vector<double>& expected) {
  for (std::size_t k = 0; k < names.size(); ++k) {
    INFO(kind << names[k]);
    CHECK(std::abs(found.at(kind + names[k]) - expected[k]) <= 1e-9 * std::max(1.0, std::abs(expected[k])));
  }
}

/// Elements that a program leaves out are zero.
void check_array(const Results& found, const std::string& kind, int n, int indices, const std::vector<double>& expected) {
  double largest = 1;
  for (double x : expected) largest = std::max(largest, std::abs(x));
  for (std::size_t k = 0; k < expected.size(); ++k) {
    std::string name;
    for (std::size_t d = 0, rest = k; d < static_cast<std::size_t>(indices); ++d, rest /= static_cast<std::size_t>(n))
      name = "." + std::to_string(rest % static_cast<std::size_t>(n)) + name;
    const auto at = found.find(kind + name);
    INFO(kind << name);
    CHECK(std::abs((at == found.end() ? 0.0 : at->second) - expected[k]) <= 1e-10 * largest);
  }
}

void check_programs(const CoupledRobot& r, unsigned seed) {
  const Model& model = r.model;
  std::mt19937 rng(seed);
  const State s = random_state(model, rng);
  const int n = model.nv;
  const std::size_t size = static_cast<std::size_t>(n), square = size * size;
  const auto run = [&](const std::string& algorithm) { return results_of(algorithm_program(model, algorithm), s, {}); };

  Workspace<double> ws(model);
  std::vector<double> tau(size), a(size), M(square), inverse(square), dq(square), dv(square), C(square);
  rnea<double>(model, ws, s.q.data(), s.v.data(), s.a.data(), nullptr, tau.data());
  check_names(run("rnea"), "tau.", force_names(model), tau);
  REQUIRE(aba<double>(model, ws, s.q.data(), s.v.data(), s.tau.data(), nullptr, a.data()).ok());
  check_names(run("aba"), "ddq.", velocity_names(model), a);
  crba(model, ws, s.q.data(), M.data());
  check_array(run("crba"), "M", n, 2, M);
  REQUIRE(minverse(model, ws, s.q.data(), inverse.data()).ok());
  check_array(run("minverse"), "Minv", n, 2, inverse);

  CoriolisWorkspace<double> coriolis_work(model);
  coriolis<double>(model, coriolis_work, s.q.data(), s.v.data(), {C.data(), M.data()});
  check_array(run("coriolis"), "C", n, 2, C);

  MomentWorkspace<double> moments(model);
  rnea_derivatives<double>(model, moments, s.q.data(), s.v.data(), s.a.data(), nullptr,
                           {tau.data(), dq.data(), dv.data(), M.data()});
  const Results first = run("rnea-derivatives");
  check_array(first, "dtau_dq", n, 2, dq), check_array(first, "dtau_dv", n, 2, dv), check_array(first, "M", n, 2, M);
  AbaDerivativeWorkspace<double> forward(model);
  REQUIRE(aba_derivatives<double>(model, forward, s.q.data(), s.v.data(), s.tau.data(), nullptr,
                                  {a.data(), dq.data(), dv.data(), inverse.data()})
              .ok());
  const Results of_forward = run("aba-derivatives");
  check_array(of_forward, "dddq_dq", n, 2, dq), check_array(of_forward, "dddq_dv", n, 2, dv);
  check_array(of_forward, "dddq_dtau", n, 2, inverse);

  SecondWorkspace<double> second_work(model);
  SecondDerivatives<double> second(model);
  std::vector<double> qq(square * size), qv(qq), vv(qq), Mq(qq);
  rnea_second_derivatives<double>(model, second_work, s.q.data(), s.v.data(), s.a.data(), nullptr, second);
  second.dense({qq.data(), qv.data(), vv.data(), Mq.data()});
  for (const char* algorithm : {"rnea-second-derivatives", "rnea-with-derivatives"}) {
    const Results found = run(algorithm);
    check_array(found, "d2tau_dqdq", n, 3, qq), check_array(found, "d2tau_dqdv", n, 3, qv);
    check_array(found, "d2tau_dvdv", n, 3, vv), check_array(found, "dM_dq", n, 3, Mq);
  }
}

}  // namespace

TEST_CASE("programs of coupled joints do what the algorithms do") {
  for (unsigned seed = 0; seed < 4; ++seed) {
    INFO("seed " << seed);
    Model tree = random_tree(4, seed, {seed % 2 == 1, true, 0.4});
    if (seed > 1) tree = with_joint_physics(tree, seed);
    check_programs(random_coupled_robot(tree, seed), seed);
  }
}

TEST_CASE("programs of coupled joints of every kind, which have no minimal tree") {
  check_programs(random_coupled_robot(random_tree(4, 5, {false, true, 0.4, every_joint_kind()}), 5), 5);
}

TEST_CASE("a sensor set's program on coupled joints") {
  const CoupledRobot r = random_coupled_robot(random_tree(6, 1), 1);
  std::mt19937 rng(2);
  const State s = random_state(r.model, rng);
  for (bool inverse : {true, false}) {
    const System system(r.model, inverse ? inverse_dynamics_set() : forward_dynamics_set());
    const auto order = recursive_order(system);
    REQUIRE(order);
    const std::vector<std::string> outputs{inverse ? "tau" : "ddq"};
    CHECK_FALSE(is_plain_dynamics(system, outputs));
    const Program program = sensor_program(system, make_plan(system.pattern(), *order), outputs, required_inputs(system));
    Workspace<double> ws(r.model);
    std::vector<double> expected(s.v.size());
    if (inverse)
      rnea<double>(r.model, ws, s.q.data(), s.v.data(), s.a.data(), nullptr, expected.data());
    else
      aba<double>(r.model, ws, s.q.data(), s.v.data(), s.tau.data(), nullptr, expected.data());
    check_names(results_of(program, s, inverse ? s.a : s.tau), outputs[0] + ".",
                inverse ? force_names(r.model) : velocity_names(r.model), expected);
  }
}
