// Second derivatives of arms as loops over rows.
#include <algorithm>
#include <catch2/catch.hpp>

#include "codegen/vector/row_program.hpp"
#include "compiled.hpp"
#include "sparsedyn/codegen/algorithm_programs.hpp"
#include "sparsedyn/codegen/emit.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// The first joint along gravity; on it `links` of random joints, each on the parent that is named: -1 for the first body.
Model arm_of(const std::vector<int>& parents, JointKind first, unsigned seed) {
  std::mt19937 rng(seed);
  ModelBuilder builder("arm");
  builder.root("ground", zero_inertia<double>(), false);
  JointSpec spec;
  spec.kind = first, spec.axis = {{0, 0, 1}};
  builder.link("link", random_inertia(rng), "ground", "joint", spec, identity_pose<double>());
  for (std::size_t k = 0; k < parents.size(); ++k) {
    spec.kind = k % 3 == 2 ? JointKind::prismatic : JointKind::revolute;
    spec.axis = random_vector(rng);
    const std::string name = std::to_string(k), parent = parents[k] < 0 ? "link" : "link" + std::to_string(parents[k]);
    const Inertia<double> inertia = random_inertia(rng);
    builder.link("link" + name, inertia, parent, "joint" + name, spec, random_pose(rng));
  }
  return builder.build();
}

/// The model's second derivatives in rows, wanted or not.
Program in_rows(const Model& model) {
  const Program program = algorithm_program(model, "rnea-second-derivatives");
  if (program.rows()) return program;
  const auto rows = row_program(model, program);
  REQUIRE(rows);
  return program.with_rows(rows);
}

/// The rows' code against the evaluation of the straight-line program.
void check_rows(const Model& model, const Program& program, const std::string& compiler, const std::string& flags) {
  const CProgram text = emit_c(program, "f");
  REQUIRE(text.source.find("f_pick(") != std::string::npos);
  const CompiledProgram code(text, "f", strictly(compiler, flags));
  std::mt19937 rng(5);
  std::vector<double> work(program.nodes().size());
  for (int n = 0; n < 3; ++n) {
    const State s = random_state(model, rng);
    const double* in[] = {s.q.data(), s.v.data(), s.a.data()};
    std::vector<std::vector<double>> expected, found;
    for (const Port& p : program.outputs()) expected.emplace_back(p.elements.size()), found.emplace_back(p.elements.size());
    double* at[] = {expected[0].data(), expected[1].data(), expected[2].data(), expected[3].data()};
    REQUIRE(program.evaluate(in, at, work.data()));
    for (std::size_t k = 0; k < found.size(); ++k) at[k] = found[k].data();
    REQUIRE(code.call(in, at) == 0);
    for (std::size_t k = 0; k < found.size(); ++k) CHECK(norm_error(found[k], expected[k]) < 1e-12);
  }
}

}  // namespace

TEST_CASE("an arm of nine freedoms is done in rows") {
  if (c_compilers().empty()) WARN("skipped: no C compiler");
  const Model model = arm_of({-1, 0, 1, 2, 3, 4, 5, 5}, JointKind::revolute, 3);
  const Program program = algorithm_program(model, "rnea-second-derivatives");
  REQUIRE(program.rows());
  const auto chosen = [](const std::vector<int>& parents) {
    return algorithm_program(arm_of(parents, JointKind::revolute, 3), "rnea-second-derivatives").rows() != nullptr;
  };
  CHECK(chosen({-1, 0, 1, 2, 3, 4}));  // without lanes
  CHECK_FALSE(chosen({-1, 0}));        // short as a straight line
  if (c_compilers().empty()) return;
  check_rows(model, program, c_compilers().front(), "-O0");
  check_rows(model, program, c_compilers().back(), "-O2 -march=native -ffp-contract=fast");
}

TEST_CASE("a short arm is done in rows by every compiler, optimised or not, with the processor's vectors and without") {
  if (c_compilers().empty()) WARN("skipped: no C compiler");
  const Model model = arm_of({-1, 0, 0}, JointKind::revolute, 4);
  const Program program = in_rows(model);
  for (const std::string& compiler : c_compilers())
    for (const char* flags : {"-O0", "-O1", "-O2 -march=native -ffp-contract=fast"})
      check_rows(model, program, compiler, flags);
}

TEST_CASE("arms with branches, and arms that slide first, are done in rows") {
  if (c_compilers().empty()) WARN("skipped: no C compiler");
  const std::vector<std::vector<int>> trees{{-1, 0}, {-1, 0, 1, -1, 3}, {-1, 0, 0, 2, 2, -1}};
  for (std::size_t k = 0; k < trees.size() && !c_compilers().empty(); ++k) {
    const Model model = arm_of(trees[k], k == 1 ? JointKind::prismatic : JointKind::revolute, static_cast<unsigned>(k));
    check_rows(model, in_rows(model), c_compilers().front(), "-O0");
  }
}

TEST_CASE("elements of rows are named once, and all of the straight-line program's are among them") {
  const Model model = arm_of({-1, 0, 1, 1, 3}, JointKind::revolute, 4);
  const Program program = in_rows(model);
  const std::vector<std::string> kinds{"d2tau_dqdq", "d2tau_dqdv", "d2tau_dvdv", "dM_dq"};
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const Program alone = algorithm_program(model, "rnea-second-derivatives", {kinds[k]});
    CHECK_FALSE(alone.rows());
    std::vector<std::string> names = program.outputs()[k].elements, asked = alone.outputs()[0].elements;
    CHECK(program.outputs()[k].name == kinds[k]);
    std::sort(names.begin(), names.end()), std::sort(asked.begin(), asked.end());
    CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
    CHECK_FALSE(asked.empty());
    CHECK(std::includes(names.begin(), names.end(), asked.begin(), asked.end()));
  }
}

TEST_CASE("sums over the bodies of a branch take each once; three steps for a chain of eight, seven for seven leaves on one") {
  const std::vector<std::vector<int>> trees{{-1, 0, 1, 2, 3, 4, 5, 6}, {-1, 0, 1, 2, 3, 4, 5, 5}, {-1, 0, 0, 0, 0, 0, 0, 0},
                                            {-1, 0, 1, -1, 3},         {-1, 0, 0, 2, 2, -1},      {-1, 0, 1, 1, 0, 4}};
  const std::vector<std::size_t> up_steps{3, 3, 7, 2, 3, 3};
  for (std::size_t t = 0; t < trees.size(); ++t) {
    const Model model = arm_of(trees[t], JointKind::revolute, 4);
    const auto rows = row_program(model, algorithm_program(model, "rnea-second-derivatives"));
    REQUIRE(rows);
    CHECK(rows->up.size() == up_steps[t]);
    const auto sums = [](const std::vector<LaneStep>& steps) {
      std::array<std::array<int, 8>, 8> x{};  // of each lane: how often it has each
      for (std::size_t l = 0; l < 8; ++l) x[l][l] = 1;
      for (const LaneStep& step : steps) {
        const auto before = x;
        for (std::size_t l = 0; l < 8; ++l)
          for (std::size_t m = 0; m < 8; ++m) x[l][m] += step[l] < 0 ? 0 : before[static_cast<std::size_t>(step[l])][m];
      }
      return x;
    };
    const auto up = sums(rows->up), down = sums(rows->down);
    const auto n = static_cast<int>(trees[t].size());
    for (int l = 0; l < n; ++l)
      for (int m = 0; m < n; ++m) {
        int b = n - 1 - m;  // link number of lane m
        while (b > n - 1 - l) b = trees[t][static_cast<std::size_t>(b)];
        const int below = b == n - 1 - l ? 1 : 0;
        CHECK(up[static_cast<std::size_t>(l)][static_cast<std::size_t>(m)] == below);
        CHECK(down[static_cast<std::size_t>(m)][static_cast<std::size_t>(l)] == below);
      }
  }
}

TEST_CASE("a first axis across gravity, ten bodies, and two bodies at the world are not done in rows") {
  const auto none = [](const Model& model) {
    return row_program(model, algorithm_program(model, "rnea-second-derivatives")) == nullptr;
  };
  CHECK(none(arm_of({-1, 0, 1, 2, 3, 4, 5, 6, 7}, JointKind::revolute, 1)));
  std::mt19937 rng(2);
  const auto link = [&](ModelBuilder& builder, const std::string& name, const std::string& parent, const Vec3<double>& axis) {
    JointSpec spec;
    spec.kind = JointKind::revolute, spec.axis = axis;
    builder.link(name, random_inertia(rng), parent, "to_" + name, spec, identity_pose<double>());
  };
  ModelBuilder across("across"), twin("twin");
  across.root("ground", zero_inertia<double>(), false), twin.root("ground", zero_inertia<double>(), false);
  link(across, "a", "ground", {{1, 0, 0}}), link(across, "b", "a", {{0, 0, 1}}), link(across, "c", "b", {{0, 1, 0}});
  CHECK(none(across.build()));
  for (const char* name : {"a", "b"}) link(twin, name, "ground", {{0, 0, 1}});
  link(twin, "c", "b", {{0, 1, 0}});
  CHECK(none(twin.build()));
}
