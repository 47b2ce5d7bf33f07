// Programs with external wrenches on all links as inputs, against the algorithms with the wrenches that these make on the
// bodies.
#include <catch2/catch.hpp>
#include <map>

#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"
#include "sparsedyn/dynamics/second_derivatives.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Vector = std::vector<double>;

struct LinkWrenches {
  LinkWrenches(const Model& model, std::mt19937& rng) : on_bodies(model.bodies.size()) {
    for (const Link& link : model.links) {
      if (link.body < 0) continue;
      const Vec3<double> n = random_vector(rng), f = random_vector(rng);
      values.insert(values.end(), {n[0], n[1], n[2], f[0], f[1], f[2]});
      on_bodies[link.body] = on_bodies[link.body] + to_parent(link.pose, Force<double>{n, f});
    }
  }
  Vector values;
  std::vector<Force<double>> on_bodies;
};

/// Outputs by the names of their elements.
std::map<std::string, double> evaluate(const Program& program, const State& s, const Vector& fx) {
  const std::map<std::string, const Vector*> known{{"q", &s.q}, {"dq", &s.v}, {"ddq", &s.a}, {"tau", &s.tau}, {"fx", &fx}};
  std::vector<const double*> arg;
  for (const Port& port : program.inputs()) {
    REQUIRE(known.at(port.name)->size() == port.elements.size());
    arg.push_back(known.at(port.name)->data());
  }
  std::vector<Vector> out;
  for (const Port& port : program.outputs()) out.emplace_back(port.elements.size());
  std::vector<double*> res;
  for (Vector& x : out) res.push_back(x.data());
  Vector work(program.nodes().size());
  REQUIRE(program.evaluate(arg.data(), res.data(), work.data()));
  std::map<std::string, double> named;
  for (std::size_t k = 0; k < out.size(); ++k)
    for (std::size_t e = 0; e < out[k].size(); ++e) named[program.outputs()[k].elements[e]] = out[k][e];
  return named;
}

/// The elements `kind`.i.j... of an array; those that a program leaves out are zero.
Vector read(const std::map<std::string, double>& named, const std::string& kind, int n, int indices) {
  std::vector<std::string> names{kind};
  for (int d = 0; d < indices; ++d) {
    std::vector<std::string> longer;
    for (const std::string& name : names)
      for (int i = 0; i < n; ++i) longer.push_back(name + "." + std::to_string(i));
    names = longer;
  }
  Vector x;
  for (const std::string& name : names) x.push_back(named.count(name) ? named.at(name) : 0.0);
  return x;
}

Vector read(const std::map<std::string, double>& named, const std::string& kind, const std::vector<std::string>& names) {
  Vector x;
  for (const std::string& name : names) x.push_back(named.at(kind + "." + name));
  return x;
}

void check_inverse(const Model& model, const State& s, const LinkWrenches& fx) {
  const int n = model.nv;
  const auto size = static_cast<std::size_t>(n);
  const auto all = evaluate(algorithm_program(model, "rnea-with-derivatives", {}, true), s, fx.values);
  MomentWorkspace<double> moments(model);
  Vector tau(size), dq(size * size), dv(dq), M(dq), qq(size * size * size), qv(qq), vv(qq), Mq(qq);
  rnea_derivatives(model, moments, s.q.data(), s.v.data(), s.a.data(), fx.on_bodies.data(),
                   {tau.data(), dq.data(), dv.data(), M.data()});
  CHECK(norm_error(read(all, "tau", force_names(model)), tau) < 1e-12);
  CHECK(norm_error(read(all, "dtau_dq", n, 2), dq) < 1e-12);
  CHECK(norm_error(read(all, "dtau_dv", n, 2), dv) < 1e-12);
  CHECK(norm_error(read(all, "M", n, 2), M) < 1e-12);
  SecondWorkspace<double> work(model);
  SecondDerivatives<double> second(model);
  rnea_second_derivatives(model, work, s.q.data(), s.v.data(), s.a.data(), fx.on_bodies.data(), second);
  second.dense({qq.data(), qv.data(), vv.data(), Mq.data()});
  const auto tensors = evaluate(algorithm_program(model, "rnea-second-derivatives", {}, true), s, fx.values);
  CHECK(norm_error(read(tensors, "d2tau_dqdq", n, 3), qq) < 1e-12);
  CHECK(norm_error(read(tensors, "d2tau_dqdv", n, 3), qv) < 1e-12);
  CHECK(norm_error(read(tensors, "d2tau_dvdv", n, 3), vv) < 1e-12);
  CHECK(norm_error(read(tensors, "dM_dq", n, 3), Mq) < 1e-12);
  CHECK(norm_error(read(all, "d2tau_dqdq", n, 3), qq) < 1e-12);
  const auto rnea = evaluate(algorithm_program(model, "rnea", {}, true), s, fx.values);
  CHECK(norm_error(read(rnea, "tau", force_names(model)), tau) < 1e-12);
  const auto first = evaluate(algorithm_program(model, "rnea-derivatives", {}, true), s, fx.values);
  CHECK(norm_error(read(first, "dtau_dq", n, 2), dq) < 1e-12);
}

void check_forward(const Model& model, const State& s, const LinkWrenches& fx) {
  const int n = model.nv;
  const auto size = static_cast<std::size_t>(n);
  AbaDerivativeWorkspace<double> work(model);
  Vector a(size), dq(size * size), dv(dq), dtau(dq);
  REQUIRE(aba_derivatives(model, work, s.q.data(), s.v.data(), s.tau.data(), fx.on_bodies.data(),
                          {a.data(), dq.data(), dv.data(), dtau.data()})
              .ok());
  const auto aba = evaluate(algorithm_program(model, "aba", {}, true), s, fx.values);
  CHECK(norm_error(read(aba, "ddq", velocity_names(model)), a) < 1e-10);
  const auto first = evaluate(algorithm_program(model, "aba-derivatives", {}, true), s, fx.values);
  CHECK(norm_error(read(first, "dddq_dq", n, 2), dq) < 1e-9);
  CHECK(norm_error(read(first, "dddq_dv", n, 2), dv) < 1e-9);
}

/// A tree, given by the parent of each body, whose bodies carry another link each on a fixed joint, with axes of its own.
Model with_lumped_links(const std::vector<int>& parents, unsigned seed, bool floating, const std::vector<JointKind>& kinds) {
  std::mt19937 rng(seed);
  ModelBuilder builder("lumped");
  const Inertia<double> root = random_inertia(rng);
  builder.root("link0", root, floating);
  for (std::size_t k = 1; k <= parents.size(); ++k) {
    JointSpec joint;
    joint.kind = kinds[k % kinds.size()];
    joint.axis = random_vector(rng);
    const std::string name = std::to_string(k);
    const Inertia<double> inertia = random_inertia(rng), rigid_group = random_inertia(rng);
    const Pose<double> placement = random_pose(rng), on = random_pose(rng);
    builder.link("link" + name, inertia, "link" + std::to_string(parents[k - 1]), "joint" + name, joint, placement);
    builder.link("lump" + name, rigid_group, "link" + name, "weld" + name, JointSpec(), on);
  }
  return builder.build();
}

void check(const Model& model, unsigned seed) {
  std::mt19937 rng(seed);
  const State s = random_state(model, rng);
  const LinkWrenches fx(model, rng);
  check_inverse(model, s, fx);
  check_forward(model, s, fx);
}

}  // namespace

TEST_CASE("programs with wrenches on links as inputs equal the algorithms") {
  const std::vector<JointKind> minimal{JointKind::revolute, JointKind::prismatic, JointKind::revolute};
  const std::vector<JointKind> general{JointKind::helical, JointKind::revolute, JointKind::spherical};
  for (const auto& kinds : {minimal, general})
    for (bool floating : {false, true}) {
      INFO("floating " << floating);
      check(with_lumped_links({0, 1, 1, 2}, 1, floating, kinds), 2);
    }
}

TEST_CASE("wrenches are inputs where a robot has equal branches, and wheels, too") {
  check(with_wheels(with_lumped_links({0, 0, 0, 0}, 3, true, {JointKind::revolute})), 4);
}
