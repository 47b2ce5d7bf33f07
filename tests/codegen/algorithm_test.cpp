// Programs of the recursive algorithms, evaluated, against the algorithms.
#include "sparsedyn/algorithms/algorithm.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "reference/reference_second_derivatives.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/coriolis.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/evaluated.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

double largest(const std::vector<double>& x) {
  double size = 0;
  for (double each : x) size = std::max(size, std::abs(each));
  return size;
}

using NamedVectors = std::map<std::string, std::vector<double>>;

NamedVectors evaluate(const Program& program, const State& s, const std::vector<double>& pi = {}) {
  const std::map<std::string, const double*> known{{"q", s.q.data()},     {"dq", s.v.data()}, {"ddq", s.a.data()},
                                                   {"tau", s.tau.data()}, {"pi", pi.data()},  {"lambda", s.tau.data()}};
  const std::vector<std::vector<double>> out = evaluated(program, known);
  NamedVectors named;
  for (std::size_t k = 0; k < out.size(); ++k) named[program.outputs()[k].name] = out[k];
  return named;
}

struct Programs {
  explicit Programs(const Model& model) {
    for (const char* name : {"rnea", "aba", "crba", "minverse", "coriolis", "rnea-derivatives", "aba-derivatives"})
      by_name.emplace(name, algorithm_program(model, name));
  }
  std::map<std::string, Program> by_name;
};

const Force<double>* const kNoWrenches = nullptr;

/// The entries of a program's tensor, and zeros where it has none.
std::vector<double> dense(const Program& program, const std::string& tensor, const std::vector<double>& entries, int n) {
  std::vector<double> x(static_cast<std::size_t>(n * n * n), 0.0);
  for (const Port& port : program.outputs())
    for (std::size_t e = 0; port.name == tensor && e < port.elements.size(); ++e) {
      int a = -1, b = -1, c = -1;
      REQUIRE(std::sscanf(port.elements[e].c_str(), (tensor + ".%d.%d.%d").c_str(), &a, &b, &c) == 3);
      x[static_cast<std::size_t>((a * n + b) * n + c)] = entries[e];
    }
  return x;
}

void check_second_derivatives(const Program& alone_program, const Program& all_program, const Model& model, const State& s) {
  const auto n = static_cast<std::size_t>(model.nv);
  ReferenceSecondDerivatives reference(model, Dynamics::inverse);  // the chain rule on rnea: nothing of the analytic derivation
  std::vector<double> qq(n * n * n), qv(qq), vv(qq), qM(qq), Mq(qq);
  reference.evaluate(SecondReferenceMethod::chain_rule, s.q.data(), s.v.data(), s.a.data(), kNoWrenches, 0.0,
                     {qq.data(), qv.data(), vv.data(), qM.data()});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k) Mq[(i * n + j) * n + k] = qM[(i * n + k) * n + j];  // there q comes before the column
  const NamedVectors alone = evaluate(alone_program, s), all = evaluate(all_program, s);
  const std::map<std::string, const std::vector<double>*> tensors{
      {"d2tau_dqdq", &qq}, {"d2tau_dqdv", &qv}, {"d2tau_dvdv", &vv}, {"dM_dq", &Mq}};
  for (const auto& [name, r] : tensors) {
    CHECK(norm_error(dense(alone_program, name, alone.at(name), model.nv), *r) < 1e-12);
    CHECK(norm_error(dense(all_program, name, all.at(name), model.nv), *r) < 1e-12);
  }
  MomentWorkspace<double> moments(model);
  std::vector<double> tau(n), dq(n * n), dv(n * n), M(n * n);
  rnea_derivatives(model, moments, s.q.data(), s.v.data(), s.a.data(), kNoWrenches,
                   {tau.data(), dq.data(), dv.data(), M.data()});
  CHECK(norm_error(all.at("tau"), tau) < 1e-12);
  CHECK(norm_error(all.at("M"), M) < 1e-12);
  CHECK(norm_error(all.at("dtau_dq"), dq) < 1e-12);
  CHECK(norm_error(all.at("dtau_dv"), dv) < 1e-12);
}

/// M⁻¹ A for a matrix of n columns, given M⁻¹.
std::vector<double> product(const std::vector<double>& A, const std::vector<double>& B, std::size_t n) {
  std::vector<double> C(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < n; ++j) C[i * n + j] += A[i * n + k] * B[k * n + j];
  return C;
}

void check(const Programs& programs, const Model& model, const State& s) {
  const auto n = static_cast<std::size_t>(model.nv);
  Workspace<double> work(model);
  std::vector<double> tau(n), a(n), dq(n * n), dv(n * n), M(n * n), one(n * n, 0.0);
  rnea(model, work, s.q.data(), s.v.data(), s.a.data(), kNoWrenches, tau.data());
  CHECK(norm_error(evaluate(programs.by_name.at("rnea"), s).at("tau"), tau) < 1e-12);

  REQUIRE(aba(model, work, s.q.data(), s.v.data(), s.tau.data(), kNoWrenches, a.data()).ok());
  CHECK(norm_error(evaluate(programs.by_name.at("aba"), s).at("ddq"), a) < 1e-10);

  CoriolisWorkspace<double> moving(model);
  std::vector<double> C(n * n);
  coriolis(model, moving, s.q.data(), s.v.data(), CoriolisMatrices<double>{C.data(), M.data()});
  const NamedVectors rates = evaluate(programs.by_name.at("coriolis"), s);
  CHECK(norm_error(rates.at("C"), C) < 1e-12);
  CHECK(norm_error(rates.at("M"), M) < 1e-12);

  MomentWorkspace<double> moments(model);
  rnea_derivatives(model, moments, s.q.data(), s.v.data(), s.a.data(), kNoWrenches,
                   {tau.data(), dq.data(), dv.data(), M.data()});
  CHECK(norm_error(evaluate(programs.by_name.at("crba"), s).at("M"), M) < 1e-12);
  const NamedVectors id = evaluate(programs.by_name.at("rnea-derivatives"), s);
  CHECK(norm_error(id.at("dtau_dq"), dq) < 1e-12);
  CHECK(norm_error(id.at("dtau_dv"), dv) < 1e-12);
  CHECK(norm_error(id.at("M"), M) < 1e-12);

  const std::vector<double> inverse = evaluate(programs.by_name.at("minverse"), s).at("Minv");
  for (std::size_t i = 0; i < n; ++i) one[i * n + i] = 1;
  const double conditioning = largest(inverse) * largest(M);  // of M⁻¹: composite joints come near to singular ones
  CHECK(norm_error(product(inverse, M, n), one) < 1e-12 * std::max(1.0, conditioning));

  rnea_derivatives(model, moments, s.q.data(), s.v.data(), a.data(), kNoWrenches, {tau.data(), dq.data(), dv.data(), M.data()});
  for (auto* D : {&dq, &dv})
    for (double& x : *D) x = -x;
  const NamedVectors fd = evaluate(programs.by_name.at("aba-derivatives"), s);
  CHECK(norm_error(fd.at("dddq_dtau"), inverse) < 1e-10);
  CHECK(norm_error(fd.at("dddq_dq"), product(inverse, dq, n)) < 1e-12 * std::max(1.0, conditioning));
  CHECK(norm_error(fd.at("dddq_dv"), product(inverse, dv, n)) < 1e-12 * std::max(1.0, conditioning));
}

/// How far M a + bias is from the torques, as a share of the largest row of |M| |a| + |bias| + |τ|: small whatever M's
/// conditioning.
double backward_error(const Model& model, const State& s, const std::vector<double>& a) {
  const auto n = static_cast<std::size_t>(model.nv);
  const std::vector<double> still(n, 0.0);
  MomentWorkspace<double> work(model);
  std::vector<double> tau(n), bias(n), dq(n * n), dv(n * n), M(n * n);
  const RneaDerivatives<double> out{bias.data(), dq.data(), dv.data(), M.data()};
  rnea_derivatives(model, work, s.q.data(), s.v.data(), still.data(), kNoWrenches, out);
  Workspace<double> plain(model);
  rnea(model, plain, s.q.data(), s.v.data(), a.data(), kNoWrenches, tau.data());
  double error = 0, size = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double row = std::fabs(bias[i]) + std::fabs(s.tau[i]);
    for (std::size_t k = 0; k < n; ++k) row += std::fabs(M[i * n + k] * a[k]);
    error = std::max(error, std::fabs(tau[i] - s.tau[i]));
    size = std::max(size, row);
  }
  return size > 0 ? error / size : error;
}

}  // namespace

TEST_CASE("programs of second derivatives equal the algorithm on minimal trees and on others") {
  const std::vector<JointKind> axial{JointKind::revolute, JointKind::prismatic};
  struct Case {
    int joints;
    bool floating;
    std::vector<JointKind> kinds;
  };
  const Case cases[] = {{4, false, axial},
                        {4, true, axial},
                        {2, false, {JointKind::helical, JointKind::planar}},
                        {2, false, {JointKind::spherical, JointKind::universal}}};
  for (const Case& c : cases) {
    const Model model = random_tree(c.joints, 5, {c.floating, true, 0.4, c.kinds});
    for (const Model& m : {model, with_joint_physics(model, 6)}) {
      const Program alone = algorithm_program(m, "rnea-second-derivatives"),
                    all = algorithm_program(m, "rnea-with-derivatives");
      std::mt19937 rng(2);
      for (int k = 0; k < 3; ++k) check_second_derivatives(alone, all, m, random_state(m, rng));
      for (const State& s : special_states(m, rng, 3)) check_second_derivatives(alone, all, m, s);
    }
  }
}

TEST_CASE("programs of the algorithms equal the algorithms, for every joint type") {
  for (bool floating : {false, true})
    for (unsigned seed = 0; seed < 3; ++seed)
      for (const auto& kinds : {std::vector<JointKind>{JointKind::revolute, JointKind::prismatic}, every_joint_kind()}) {
        const Model model = random_tree(5, seed, {floating, true, 0.4, kinds});
        const Programs programs(model);
        std::mt19937 rng(seed);
        for (int k = 0; k < 3; ++k) check(programs, model, random_state(model, rng));
        for (const State& s : special_states(model, rng, 3)) check(programs, model, s);
      }
}

TEST_CASE("programs of robots whose joints have rotors and rub equal the algorithms") {
  for (bool floating : {false, true})
    for (const auto& kinds : {std::vector<JointKind>{JointKind::revolute, JointKind::prismatic}, every_joint_kind()}) {
      const Model model = with_joint_physics(random_tree(5, 1, {floating, true, 0.4, kinds}), 2);
      const Programs programs(model);
      std::mt19937 rng(3);
      for (int k = 0; k < 3; ++k) check(programs, model, random_state(model, rng));
      for (const State& s : special_states(model, rng, 3)) check(programs, model, s);
    }
}

TEST_CASE("what joints add costs what it says, and nothing where it is zero") {
  const Model rigid = random_tree(5, 1, {false, true, 0.4, {JointKind::revolute}});
  const auto counts = [](const Model& model, const char* algorithm) { return algorithm_program(model, algorithm).counts(); };
  const auto with = [&](JointPhysics p) {
    Model model = rigid;
    set_joint_physics(model, "joint3", p);
    return model;
  };
  JointPhysics damped, rubbing, geared, shifted;
  damped.damping = 0.3, rubbing.friction = 0.3, geared.armature = 0.3, shifted.offset = 0.3;
  Model nothing = rigid;
  nothing.physics.resize(static_cast<std::size_t>(rigid.nv));
  for (const char* algorithm : {"rnea", "aba", "crba", "minverse", "rnea-derivatives", "aba-derivatives"})
    CHECK(counts(nothing, algorithm) == counts(rigid, algorithm));
  const OperationCounts before = counts(rigid, "rnea");
  CHECK(counts(with(damped), "rnea") == before + OperationCounts{1, 1, 0, 0, 0});
  CHECK(counts(with(geared), "rnea").flops() <= before.flops() + 2);  // fewer where the rotor is added to the body's inertia
  CHECK(counts(with(rubbing), "rnea") == before + OperationCounts{2, 1, 0, 0, 1});
  CHECK(counts(with(shifted), "rnea") == before + OperationCounts{0, 1, 0, 0, 0});
  CHECK(counts(with(geared), "crba").flops() <= counts(rigid, "crba").flops() + 1);
  CHECK(counts(with(rubbing), "crba") == counts(rigid, "crba"));
}

TEST_CASE("programs of robots with wheels equal the algorithms and do not use the wheels' angles") {
  for (bool floating : {false, true})
    for (unsigned seed = 0; seed < 2; ++seed) {
      const Model model = with_wheels(random_tree(5, seed, {floating, true, 0.4}));
      const Programs programs(model);
      const Program second = algorithm_program(model, "rnea-second-derivatives"),
                    all = algorithm_program(model, "rnea-with-derivatives");
      std::mt19937 rng(seed);
      std::vector<State> states = special_states(model, rng, 3);
      for (int k = 0; k < 3; ++k) states.push_back(random_state(model, rng));
      for (const State& s : states) {
        check(programs, model, s);
        check_second_derivatives(second, all, model, s);
        State turned = s;
        for (const Body& b : model.bodies)
          if (b.joint == BodyJoint::revolute && b.inertia.moments.xx == b.inertia.moments.yy) turned.q[b.q] += 1;
        CHECK(turned.q != s.q);
        for (const auto& [name, program] : programs.by_name) CHECK(evaluate(program, turned) == evaluate(program, s));
      }
    }
}

TEST_CASE("a body that is not exactly symmetric about its axis is not treated as a wheel") {
  std::mt19937 rng(3);
  for (double off : {1e-3, 1e-9}) {
    Model model = with_wheels(random_tree(3, 1, {false, false, 0.0, {JointKind::revolute}}));
    const auto sines = [](const Program& program) { return program.counts().trig; };
    const long round = sines(algorithm_program(model, "rnea"));
    model.bodies.back().inertia.moments.xy = off * model.bodies.back().inertia.moments.xx;
    const Programs programs(model);
    CHECK(sines(programs.by_name.at("rnea")) > round);
    check(programs, model, random_state(model, rng));
  }
}

TEST_CASE("programs of bodies that float in turned frames of the world equal the algorithms") {
  std::mt19937 rng(3);
  ModelBuilder builder("two swimmers");
  builder.root("room", random_inertia(rng), false);
  for (const char* name : {"a", "b"}) {
    const std::string body = std::string("body_") + name, fin = std::string("fin_") + name;
    JointSpec free, hinge;
    free.kind = JointKind::floating;
    hinge.kind = JointKind::revolute;
    hinge.axis = random_vector(rng);
    const Inertia<double> body_inertia = random_inertia(rng), fin_inertia = random_inertia(rng);
    const Pose<double> start = random_pose(rng), root = random_pose(rng);
    builder.link(body, body_inertia, "room", "free_" + body, free, start);
    builder.link(fin, fin_inertia, body, "root_" + fin, hinge, root);
  }
  const Model model = builder.build();
  const Programs programs(model);
  for (int k = 0; k < 3; ++k) check(programs, model, random_state(model, rng));
  const Program alone = algorithm_program(model, "rnea-second-derivatives"),
                all = algorithm_program(model, "rnea-with-derivatives");
  check_second_derivatives(alone, all, model, random_state(model, rng));
}

namespace {

/// Every algorithm of the catalogue beside its program, column by column. Poses are written in another way, by matrices.
void check_catalogue(const Model& model, const std::set<std::string>& left_out) {
  std::mt19937 rng(3);
  for (const Algorithm& algorithm : algorithms()) {
    const std::string name = algorithm.name;
    if (left_out.count(name)) continue;
    INFO(name);
    const Program program = algorithm_program(model, name);
    for (int k = 0; k < 3; ++k) {
      const State s = random_state(model, rng);
      const std::vector<double> pi = parameters(model);
      AlgorithmData<double> data(model);
      std::vector<std::vector<double>> values;
      std::vector<double*> out;
      for (const AlgorithmOutput& output : algorithm.outputs) values.emplace_back(output.size(model));
      for (std::vector<double>& value : values) out.push_back(value.data());
      const AlgorithmInputs<double> in{s.q.data(), s.v.data(), s.a.data(), s.tau.data(), s.tau.data(), nullptr, pi.data()};
      REQUIRE(algorithm.evaluate(data, in, out.data()) == -1);
      std::map<std::string, double> left;
      double size = 1;
      for (const AlgorithmColumn& column : algorithm.columns(model)) {
        left[column.name] = out[column.output][column.entry];
        size = std::max(size, std::abs(left[column.name]));
      }
      const NamedVectors found = evaluate(program, s, pi);
      for (const Port& port : program.outputs())
        for (std::size_t e = 0; e < port.elements.size(); ++e) {
          INFO(port.elements[e]);
          if (name == "coriolis" && port.name == "M") continue;  // more than the catalogue has
          REQUIRE(left.count(port.elements[e]) == 1);
          CHECK(std::abs(found.at(port.name)[e] - left[port.elements[e]]) <= 1e-10 * size);
          left.erase(port.elements[e]);
        }
      for (const auto& [column, value] : left) CHECK(std::abs(value) < 1e-12 * size);  // zero at every state, but for rounding
    }
  }
}

}  // namespace

TEST_CASE("every algorithm of the catalogue is a program that gives its numbers, column by column") {
  check_catalogue(random_tree(7, 6, {true, true, 0.4, every_joint_kind()}),
                  {"kinematics", "christoffel", "aba-second-derivatives"});
  check_catalogue(random_tree(4, 5, {true, true, 0.4, {JointKind::revolute, JointKind::prismatic}}),
                  {"kinematics", "christoffel"});
  check_catalogue(with_joint_physics(random_tree(4, 2, {false, true, 0.4, {JointKind::revolute, JointKind::prismatic}}), 2),
                  {"kinematics"});
}

TEST_CASE("a program of what a robot has no meaning for is refused with the reason") {
  CHECK_THROWS_WITH(algorithm_program(random_tree(3, 1, {true, true, 0.4}), "christoffel"),
                    Catch::Contains("several freedoms in one; expected a fixed base and joints of one freedom"));
  const Model weightless = massless_tip();
  CHECK_NOTHROW(algorithm_program(weightless, "momentum"));
}

TEST_CASE("programs of a robot without freedoms have nothing to write but where it is") {
  ModelBuilder builder("plinth");
  std::mt19937 rng(1);
  builder.root("stone", random_inertia(rng), false);
  const Model model = builder.build();
  for (const std::string& algorithm : program_algorithms()) {
    INFO(algorithm);
    const NamedVectors outputs = evaluate(algorithm_program(model, algorithm), State());
    CHECK_FALSE(outputs.empty());
    for (const auto& output : outputs) {
      const bool of_place = std::set<std::string>{"energy", "pose", "vel", "acc"}.count(output.first) == 1;
      CHECK(output.second.empty() != of_place);
    }
  }
}

TEST_CASE("programs of whole robots equal the algorithms") {
  for (const std::string& path : all_robots())
    for (bool floating : {false, true}) {
      LoadOptions options;
      options.floating = floating;
      const Model model = load_urdf(path, options);
      INFO(path);
      const Program id = algorithm_program(model, "rnea"), fd = algorithm_program(model, "aba");
      std::mt19937 rng(1);
      std::vector<State> states = special_states(model, rng, 10);
      for (int k = 0; k < 10; ++k) states.push_back(random_state(model, rng));
      Workspace<double> work(model);
      std::vector<double> tau(static_cast<std::size_t>(model.nv)), a = tau;
      for (const State& s : states) {
        rnea(model, work, s.q.data(), s.v.data(), s.a.data(), kNoWrenches, tau.data());
        CHECK(norm_error(evaluate(id, s).at("tau"), tau) < 1e-12);
        REQUIRE(aba(model, work, s.q.data(), s.v.data(), s.tau.data(), kNoWrenches, a.data()).ok());
        const std::vector<double> ddq = evaluate(fd, s).at("ddq");
        CHECK(norm_error(ddq, a) < 1e-10);  // of M's conditioning
        CHECK(backward_error(model, s, ddq) < 1e-12);
      }
    }
}

TEST_CASE("a joint between bodies that move no mass: no program comes of it, by every algorithm that divides") {
  ModelBuilder builder("massless");
  builder.root("ground", zero_inertia<double>(), false);
  builder.link("ball", zero_inertia<double>(), "ground", "socket", {JointKind::spherical, {}, 0, {}, {}},
               identity_pose<double>());
  builder.link("tip", zero_inertia<double>(), "ball", "hinge", {JointKind::revolute, {{0, 0, 1}}, 0, {}, {}},
               identity_pose<double>());
  for (const Model& model : {builder.build(), massless_tip()})
    for (const char* algorithm : {"aba", "minverse", "aba-derivatives"})
      CHECK_THROWS_AS(algorithm_program(model, algorithm), std::domain_error);
}

TEST_CASE("an algorithm or output that is not there is refused") {
  const Model model = random_tree(2, 1);
  CHECK_THROWS_AS(algorithm_program(model, "ceara"), std::invalid_argument);
  CHECK_THROWS_AS(algorithm_program(model, "rnea", {"ddq"}), std::invalid_argument);
  CHECK(algorithm_program(model, "rnea-derivatives", {"dtau_dv"}).outputs().size() == 1);
}
