// Generated code in which equal branches, or freedoms of one branch, are lanes of vectors, against the evaluation of the
// program.
#include <catch2/catch.hpp>
#include <cstdio>
#include <map>
#include <regex>
#include <set>

#include "codegen/vector/superword_program.hpp"
#include "compiled.hpp"
#include "sparsedyn/codegen/detail/for_each_lane.hpp"
#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/codegen/recorder.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/dynamics/second_derivatives.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// Legs of these joints each, all numbers drawn at random, on a free body.
Model spider(const std::vector<std::vector<JointKind>>& legs, unsigned seed) {
  std::mt19937 rng(seed);
  ModelBuilder builder("spider");
  builder.root("body", random_inertia(rng), true);
  for (std::size_t l = 0; l < legs.size(); ++l) {
    std::string parent = "body";
    for (std::size_t k = 0; k < legs[l].size(); ++k) {
      const std::string name = std::to_string(l) + "_" + std::to_string(k);
      JointSpec spec;
      spec.kind = legs[l][k], spec.axis = random_vector(rng);
      const Inertia<double> inertia = random_inertia(rng);
      builder.link("link" + name, inertia, parent, "joint" + name, spec, random_pose(rng));
      parent = "link" + name;
    }
  }
  return builder.build();
}

Model with_equal_legs(std::size_t legs, unsigned seed) {
  return spider({legs, {JointKind::revolute, JointKind::revolute}}, seed);
}

/// Joints in a row; the last link carries two fingers.
Model arm(int joints, bool floating, unsigned seed) {
  std::mt19937 rng(seed);
  ModelBuilder builder("arm");
  builder.root("link0", random_inertia(rng), floating);
  const auto add = [&](const std::string& name, const std::string& parent, JointKind kind) {
    JointSpec spec;
    spec.kind = kind, spec.axis = random_vector(rng);
    const Inertia<double> inertia = random_inertia(rng);
    builder.link("link" + name, inertia, parent, "joint" + name, spec, random_pose(rng));
  };
  for (int k = 1; k <= joints; ++k) add(std::to_string(k), "link" + std::to_string(k - 1), JointKind::revolute);
  for (const char* finger : {"_left", "_right"}) add(finger, "link" + std::to_string(joints), JointKind::prismatic);
  return builder.build();
}

using Vectors = std::vector<std::vector<double>>;

Vectors zeros(const std::vector<Port>& ports) {
  Vectors x;
  for (const Port& p : ports) x.emplace_back(p.elements.size(), 0.0);
  return x;
}

template <class Pointer>
std::vector<Pointer> pointers(Vectors& x) {
  std::vector<Pointer> at;
  for (auto& v : x) at.push_back(v.data());
  return at;
}

void check_code(const VectorisedProgram& vectorised, const Model& model, const std::string& compiler,
                const std::string& flags) {
  const Program& program = vectorised.program;
  const CompiledProgram code(emit_c(vectorised, "f"), "f", strictly(compiler, flags));
  std::mt19937 rng(5);
  std::vector<double> work(program.nodes().size());
  for (int n = 0; n < 5; ++n) {
    const State s = random_state(model, rng);
    Vectors in;
    for (const Port& p : program.inputs())
      in.push_back(p.name == "q" ? s.q : p.name == "dq" ? s.v : p.name == "tau" ? s.tau : s.a);
    Vectors expected = zeros(program.outputs()), found = expected;
    REQUIRE(program.evaluate(pointers<const double*>(in).data(), pointers<double*>(expected).data(), work.data()));
    REQUIRE(code.call(pointers<const double*>(in).data(), pointers<double*>(found).data()) == 0);
    for (std::size_t k = 0; k < found.size(); ++k) CHECK(norm_error(found[k], expected[k]) < 1e-12);
  }
}

}  // namespace

TEST_CASE("equal legs are lanes: generated code equals the evaluation of the program") {
  for (const char* algorithm : {"rnea", "aba", "minverse", "aba-derivatives"}) {
    INFO(algorithm);
    const Model model = with_equal_legs(4, 3);
    const VectorisedProgram program = vectorised_program(model, algorithm);
    REQUIRE(program.superwords);
    CHECK(program.superwords->lanes == 4);
    if (!c_compilers().empty()) check_code(program, model, c_compilers().front(), "-O0");
  }
}

TEST_CASE("two and four equal legs by every compiler, optimised or not, and as plain C") {
  for (std::size_t legs : {2, 4}) {
    const Model model = with_equal_legs(legs, 7);
    const VectorisedProgram program = vectorised_program(model, "rnea");
    CHECK((legs == 2 || program.superwords));
    for (const std::string& compiler : c_compilers())
      for (const char* flags : {"-O0", "-O2 -march=native -ffp-contract=fast", "-O0 -D__FAST_MATH__"})
        check_code(program, model, compiler, flags);
  }
}

TEST_CASE("two hinges on a body on any joint give the same program as lanes and as scalars") {
  for (JointKind kind : {JointKind::planar, JointKind::floating, JointKind::prismatic}) {
    std::mt19937 rng(1);
    ModelBuilder builder("walker");
    builder.root("ground", random_inertia(rng), false);
    for (const char* name : {"body", "left", "right"}) {
      const std::string link = name;
      JointSpec spec;
      spec.kind = link == "body" ? kind : JointKind::revolute;
      spec.axis = link == "right" ? random_vector(rng) : Vec3<double>{{0, 0, 1}};
      const Inertia<double> inertia = random_inertia(rng);
      const Pose<double> placement = link == "left" ? identity_pose<double>() : random_pose(rng);
      builder.link(link, inertia, link == "body" ? "ground" : "body", "to_" + link, spec, placement);
    }
    const Model model = builder.build();
    for (const char* algorithm : {"rnea", "aba-derivatives"}) {
      const VectorisedProgram program = vectorised_program(model, algorithm);
      if (!c_compilers().empty()) check_code(program, model, c_compilers().front(), "-O0");
    }
  }
}

TEST_CASE("freedoms of an arm are lanes of its second derivatives by every compiler - numbers that need no vector come first") {
  const Model model = arm(4, false, 5);
  const VectorisedProgram program = vectorised_program(model, "rnea-second-derivatives");
  REQUIRE(program.superwords);
  CHECK(program.superwords->lanes == 8);
  std::size_t lanes = 0;
  for (const VectorOutput& c : program.superwords->columns) lanes += static_cast<std::size_t>(c.lanes);
  CHECK(lanes > 4 * program.superwords->columns.size());  // few pairs wait for others
  const CProgram code = emit_c(program, "f");
  CHECK(code.manifest.find("flops_in_lanes") != std::string::npos);
  const auto numbers = code.source.find("void f_numbers("), vectors = code.source.find("void f_together(");
  REQUIRE(numbers < vectors);
  CHECK(code.source.substr(numbers, vectors - numbers).find("f_branches v") == std::string::npos);
  CHECK(emit_c(vectorised_program(with_equal_legs(4, 7), "rnea"), "f").source.find("f_numbers") == std::string::npos);
  // lanes of one vector in another order are asked for by name: some that GCC 12 finds by itself are others
  CHECK(code.source.find("= f_PERMUTED(v") != std::string::npos);
  CHECK_FALSE(std::regex_search(code.source, std::regex(R"(\(f_branches\)\{(v\d+)\[\d\](, \1\[\d\]){7}\})")));
  for (const std::string& compiler : c_compilers()) check_code(program, model, compiler, "-O0");
}

TEST_CASE("freedoms of a free arm, and of a fixed one optimised, are lanes of its second derivatives") {
  for (const bool floating : {false, true}) {
    const Model model = arm(floating ? 3 : 4, floating, 6);
    const VectorisedProgram program = vectorised_program(model, "rnea-second-derivatives");
    REQUIRE(program.superwords);
    if (!c_compilers().empty()) check_code(program, model, c_compilers().front(), floating ? "-O0" : "-O1 -march=native");
  }
}

TEST_CASE("nine freedoms of an arm are lanes of its second derivatives") {
  const Model model = arm(7, false, 3);
  const VectorisedProgram program = vectorised_program(model, "rnea-second-derivatives");
  REQUIRE(program.superwords);
  if (!c_compilers().empty()) check_code(program, model, c_compilers().front(), "-O0");
}

TEST_CASE("elements of tensors stand in the order of their lanes, each once and with its name") {
  const Model model = arm(4, false, 9);
  const VectorisedProgram program = vectorised_program(model, "rnea-second-derivatives");
  REQUIRE(program.superwords);
  const auto n = static_cast<std::size_t>(model.nv);
  SecondWorkspace<double> work(model);
  SecondDerivatives<double> second(model);
  std::vector<double> qq(n * n * n), qv(qq), vv(qq), Mq(qq), values(program.program.nodes().size());
  std::mt19937 rng(3);
  const State s = random_state(model, rng);
  rnea_second_derivatives(model, work, s.q.data(), s.v.data(), s.a.data(), static_cast<const Force<double>*>(nullptr), second);
  second.dense({qq.data(), qv.data(), vv.data(), Mq.data()});
  Vectors in{s.q, s.v, s.a}, out = zeros(program.program.outputs());
  REQUIRE(program.program.evaluate(pointers<const double*>(in).data(), pointers<double*>(out).data(), values.data()));
  const std::map<std::string, std::vector<double>*> tensors{
      {"d2tau_dqdq", &qq}, {"d2tau_dqdv", &qv}, {"d2tau_dvdv", &vv}, {"dM_dq", &Mq}};
  for (std::size_t k = 0; k < out.size(); ++k) {
    const Port& port = program.program.outputs()[k];
    std::vector<double> found(n * n * n, 0.0);
    for (std::size_t e = 0; e < out[k].size(); ++e) {
      std::size_t a = 0, b = 0, c = 0;
      REQUIRE(std::sscanf(port.elements[e].c_str(), (port.name + ".%zu.%zu.%zu").c_str(), &a, &b, &c) == 3);
      double& x = found[(a * n + b) * n + c];
      CHECK(x == 0.0);
      x = out[k][e];
    }
    CHECK(norm_error(found, *tensors.at(port.name)) < 1e-12);
  }
  int in_columns = 0, all = 0;
  for (const VectorOutput& c : program.superwords->columns) in_columns += c.lanes;
  for (const Port& port : program.program.outputs()) all += static_cast<int>(port.elements.size());
  CHECK(2 * in_columns > all);
}

TEST_CASE("legs with different joints, a single leg and chosen outputs give programs without lanes") {
  const JointKind turns = JointKind::revolute, slides = JointKind::prismatic;
  CHECK_FALSE(vectorised_program(spider({{turns, turns}, {turns, slides}}, 1), "rnea").superwords);
  CHECK_FALSE(vectorised_program(with_equal_legs(1, 1), "rnea-derivatives").superwords);
  const VectorisedProgram all = vectorised_program(with_equal_legs(4, 1), "rnea-derivatives");
  CHECK(all.superwords);
  CHECK(all.only({"dtau_dq", "dtau_dv", "M"}).superwords == all.superwords);
  CHECK_FALSE(all.only({"dtau_dq"}).superwords);
  CHECK(all.only({"dtau_dq"}).program.outputs().size() == 1);
}

TEST_CASE("lanes save most of the operations and leave the text the same every time") {
  const Model model = with_equal_legs(4, 11);
  const VectorisedProgram program = vectorised_program(model, "rnea-derivatives");
  REQUIRE(program.superwords);
  long operations = 0;
  for (const VectorNode& n : program.superwords->nodes) operations += n.kind == VectorNode::Kind::operation;
  CHECK(2 * operations < program.program.counts().flops());
  CHECK(emit_c(program, "f").source == emit_c(vectorised_program(model, "rnea-derivatives"), "f").source);
}

namespace {

/// Four lanes of work on sines and cosines of one coordinate with four offsets, and the program that they are lanes of.
struct FourAngles {
  explicit FourAngles(const std::vector<double>& offsets) {
    Recorder recorder;
    recorder.keep_calls(4);
    const Expr q = recorder.input("q", {"q.a"}).front();
    std::vector<Expr> out(4);
    std::vector<int> items{0, 1, 2, 3};
    for_each_lane<Expr>(items, [&](int k) {
      const Expr sum = q + offsets[static_cast<std::size_t>(k)], s = sin(sum), c = cos(sum);
      Expr y = s;
      for (int m = 0; m < 8; ++m) y = (y + s) * (y + c);
      out[static_cast<std::size_t>(k)] = y;
    });
    recorder.output("y", {"y.0", "y.1", "y.2", "y.3"}, out);
    const Program program = recorder.program();
    angles = program.angles().size();
    lanes = superword_program(recorder.graph(), recorder.calls(), recorder.results(), recorder.any_order(), 4, program);
  }
  /// How many different angles the lanes are made from.
  std::size_t used() const {
    std::set<int> which;
    for (const VectorNode& n : lanes->nodes) {
      if (n.kind == VectorNode::Kind::angle) which.insert(n.element);
    }
    return which.size();
  }
  std::size_t angles = 0;
  std::shared_ptr<const SuperwordProgram> lanes;
};

}  // namespace

TEST_CASE("offsets that differ by less than any number of decimals are angles of their own") {
  for (double apart : {0.1, 1e-5, 1e-7, 1e-12, 1e-15}) {
    INFO(apart);
    const FourAngles four({0.3, 0.3 + apart, 0.3 - apart, 0.3 + 2 * apart});
    REQUIRE(four.lanes);
    CHECK(four.angles == 4);
    CHECK(four.used() == 4);
  }
}

TEST_CASE("legs that stand 1e-7 rad apart: generated code equals the recursive algorithm on the robot") {
  std::mt19937 rng(11);
  ModelBuilder builder("walker");
  builder.root("body", random_inertia(rng), true);
  const Inertia<double> upper = random_inertia(rng), lower = random_inertia(rng);
  for (int l = 0; l < 4; ++l) {
    const std::string name = std::to_string(l);
    JointSpec hinge;
    hinge.kind = JointKind::revolute, hinge.axis = {{0, 0, 1}};
    const auto turned = [&](double angle, double x) {
      return Pose<double>{rotation_from_rpy({{0, 0, angle}}), {{x, 0.1 * l, 0.2}}};
    };
    builder.link("upper" + name, upper, "body", "hip" + name, hinge, turned(0.3 + 1e-7 * l, 0.4));
    builder.link("lower" + name, lower, "upper" + name, "knee" + name, hinge, turned(0.7 + 1e-7 * l, 0.5));
  }
  const Model model = builder.build();
  const VectorisedProgram program = vectorised_program(model, "rnea");
  const State s = random_state(model, rng);
  Workspace<double> ws(model);
  std::vector<double> expected(static_cast<std::size_t>(model.nv));
  rnea(model, ws, s.q.data(), s.v.data(), s.a.data(), static_cast<const Force<double>*>(nullptr), expected.data());
  if (c_compilers().empty()) return;
  const CompiledProgram code(emit_c(program, "f"), "f", strictly(c_compilers().front(), "-O0"));
  Vectors in, found = zeros(program.program.outputs());
  for (const Port& p : program.program.inputs()) in.push_back(p.name == "q" ? s.q : p.name == "dq" ? s.v : s.a);
  REQUIRE(code.call(pointers<const double*>(in).data(), pointers<double*>(found).data()) == 0);
  CHECK(norm_error(found[0], expected) < 1e-12);
}
