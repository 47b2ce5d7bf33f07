// Programs of the regressor, its products and its normal equations against the template, for every joint type, coupled ones
// too.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>

#include "codegen/compiled.hpp"
#include "codegen/programs/normal_equations.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/coupled.hpp"
#include "support/evaluated.hpp"
#include "support/renumbered.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Vector = std::vector<double>;

struct ExpectedRegressor {
  ExpectedRegressor(const Model& model, const State& s)
      : work(model), count(static_cast<std::size_t>(work.index.count)), Y(s.v.size() * count) {
    regressor(model, work, s.q.data(), s.v.data(), s.a.data(), Y.data());
  }
  RegressorWorkspace<double> work;
  std::size_t count;
  Vector Y;
};

Vector first_output(const Program& program, const State& s, const Vector& more) {
  return sparsedyn::test::evaluated(
             program,
             {{"q", s.q.data()}, {"dq", s.v.data()}, {"ddq", s.a.data()}, {"pi", more.data()}, {"lambda", more.data()}})
      .at(0);
}

/// Y, whole, row by row.
Vector whole_regressor(const Program& program, const Vector& entries, std::size_t rows, std::size_t count) {
  Vector Y(rows * count, 0.0);
  const std::vector<std::string>& names = program.outputs().at(0).elements;
  for (std::size_t e = 0; e < names.size(); ++e) {
    const std::size_t dot = names[e].find('.', 2);
    Y[std::stoul(names[e].substr(2)) * count + std::stoul(names[e].substr(dot + 1))] = entries[e];
  }
  return Y;
}

void check_programs(const Model& model, const State& s) {
  ExpectedRegressor expected(model, s);
  const std::size_t n = s.v.size(), count = expected.count;
  const Program program = algorithm_program(model, "regressor");
  CHECK(norm_error(whole_regressor(program, first_output(program, s, {}), n, count), expected.Y) < 1e-12);
  Vector pi(count), tau(n, 0.0), gradient(count, 0.0);
  for (std::size_t k = 0; k < count; ++k) pi[k] = std::sin(1.0 + static_cast<double>(k));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < count; ++k)
      tau[i] += expected.Y[i * count + k] * pi[k], gradient[k] += expected.Y[i * count + k] * s.tau[i];
  CHECK(norm_error(first_output(algorithm_program(model, "regressor-times"), s, pi), tau) < 1e-12);
  CHECK(norm_error(first_output(algorithm_program(model, "regressor-transposed-times"), s, s.tau), gradient) < 1e-12);
}

/// The program without some columns of Y: every third, and all but one of the last body's.
Program without_some_columns(const Program& program, const Model& model) {
  std::vector<std::string> kept;
  const int last = 10 * static_cast<int>(model.joints.size()) - 10;
  for (const std::string& name : program.outputs().at(0).elements) {
    const int column = std::stoi(name.substr(name.find('.', 2) + 1));
    if (column % 3 && !(column > last && column < last + 10 && column != last + 7)) kept.push_back(name);
  }
  return program.only(kept);
}

/// Where a program has an element in the column.
std::vector<bool> columns_of(const Program& program, std::size_t count) {
  std::vector<bool> there(count, false);
  for (const std::string& name : program.outputs().at(0).elements) there[std::stoul(name.substr(name.find('.', 2) + 1))] = true;
  return there;
}

/// Element e of sample k at [e * samples + k].
Vector side_by_side(const Vector& x, std::size_t samples) {
  const std::size_t elements = x.size() / samples;
  Vector y(x.size());
  for (std::size_t k = 0; k < samples; ++k)
    for (std::size_t e = 0; e < elements; ++e) y[e * samples + k] = x[k * elements + e];
  return y;
}

/// NAME_normal and NAME_normal_batch on several samples, against dense products of the columns that the program has.
void check_normal_equations(const Model& model, const Program& program, const std::string& compiler,
                            const std::string& more = "") {
  const ParameterIndex index(model);
  const NormalEquations text = normal_equations(program, index, model.nv, "r");
  std::vector<CodeFile> files = emit_files({program, nullptr}, "c", "r", {});
  add(text, files);
  const CompiledProgram compiled({files.at(0).text, files.at(1).text, files.at(2).text}, "r",
                                 strictly(compiler, "-O2 -march=native -Wmissing-prototypes " + more));
  using Add = void (*)(const double*, const double*, const double*, long, double*, double*);
  const auto normal = reinterpret_cast<Add>(compiled.symbol("r_normal"));
  const auto matrix = reinterpret_cast<void (*)(const double*, double*)>(compiled.symbol("r_normal_matrix"));
  const std::size_t n = static_cast<std::size_t>(model.nv), count = static_cast<std::size_t>(index.count);
  const std::size_t entries = program.outputs().at(0).elements.size();
  const std::vector<bool> there = columns_of(program, count);
  constexpr std::size_t samples = 19;  // more than are taken together
  Vector sum(count * count, 0.0), A(sum), b(count, 0.0), A_dense(A), b_dense(b), Y(samples * entries), tau(samples * n), w(tau);
  std::mt19937 rng(3);
  for (std::size_t k = 0; k < samples; ++k) {
    const State s = random_state(model, rng);
    const double* arg[] = {s.q.data(), s.v.data(), s.a.data()};
    double* res[] = {Y.data() + k * entries};
    REQUIRE(compiled.call(arg, res) == 0);
    Vector dense = ExpectedRegressor(model, s).Y;
    for (std::size_t e = 0; e < dense.size(); ++e)
      if (!there[e % count]) dense[e] = 0;
    for (std::size_t i = 0; i < n; ++i) {
      tau[k * n + i] = s.tau[i], w[k * n + i] = 0.5 + static_cast<double>((i + k) % 5);
      const double weight = w[k * n + i] + (k < 2 ? 1 : 0);  // the first two are added again, unweighted
      for (std::size_t r = 0; r < count; ++r) {
        const double x = weight * dense[i * count + r];
        b_dense[r] += x * s.tau[i];
        for (std::size_t c = 0; c < count; ++c) A_dense[r * count + c] += x * dense[i * count + c];
      }
    }
  }
  normal(Y.data(), tau.data(), w.data(), samples, sum.data(), b.data());
  normal(Y.data(), tau.data(), nullptr, 2, sum.data(), b.data());
  matrix(sum.data(), A.data());
  CHECK(norm_error(A, A_dense) < 1e-12);
  CHECK(norm_error(b, b_dense) < 1e-12);

  // The same from samples side by side; of the first two once more.
  std::fill(sum.begin(), sum.end(), 0.0), std::fill(b.begin(), b.end(), 0.0);
  const auto batch = reinterpret_cast<Add>(compiled.symbol("r_normal_batch"));
  batch(side_by_side(Y, samples).data(), side_by_side(tau, samples).data(), side_by_side(w, samples).data(), samples,
        sum.data(), b.data());
  for (Vector* x : {&Y, &tau, &w}) x->resize(2 * x->size() / samples);
  batch(side_by_side(Y, 2).data(), side_by_side(tau, 2).data(), nullptr, 2, sum.data(), b.data());
  matrix(sum.data(), A.data());
  CHECK(norm_error(A, A_dense) < 1e-12);
  CHECK(norm_error(b, b_dense) < 1e-12);
}

}  // namespace

TEST_CASE("programs of the regressor and its products equal the template, for every joint type") {
  std::mt19937 rng(23);
  for (bool floating : {false, true})
    for (unsigned seed : {1u, 2u}) {
      TreeOptions options;
      options.floating = floating, options.kinds = every_joint_kind();
      const Model model = with_joint_physics(random_tree(8, seed, options), seed);
      check_programs(model, random_state(model, rng));
    }
}

TEST_CASE("programs of the regressor of robots whose joints follow others equal the template") {
  std::mt19937 rng(24);
  for (bool floating : {false, true}) {
    const CoupledRobot robot = random_coupled_robot(random_tree(7, 5, {floating}), 2);
    check_programs(robot.model, random_state(robot.model, rng));
  }
}

TEST_CASE("programs of the regressor of robots that are not numbered depth first equal the template, and rnea") {
  std::mt19937 rng(26);
  for (bool floating : {false, true}) {
    const Model model = renumbered(8, 5, {floating, LinkOrder::any, floating ? 4 : 0, every_joint_kind()}).other;
    const State s = random_state(model, rng);
    check_programs(model, s);
    Workspace<double> work(model);
    Vector tau(s.v.size());
    rnea<double>(model, work, s.q.data(), s.v.data(), s.a.data(), nullptr, tau.data());
    CHECK(norm_error(first_output(algorithm_program(model, "regressor-times"), s, parameters(model)), tau) < 1e-12);
  }
}

TEST_CASE("programs of the regressor of whole robots equal the template") {
  std::mt19937 rng(25);
  for (const std::string& path : all_robots()) {
    INFO(path);
    LoadOptions options;
    options.floating = true, options.mimic = true;
    const Model model = load_urdf(path, options);
    check_programs(model, random_state(model, rng));
  }
}

TEST_CASE("a regressor's program holds no numbers of bodies") {
  const Model model = random_tree(5, 3);
  Model heavier = model;
  for (Body& body : heavier.bodies) body.inertia = body.inertia + body.inertia;
  const auto text = [](const Model& m) { return emit_c(algorithm_program(m, "regressor-times"), "r").source; };
  CHECK(text(model) == text(heavier));
}

TEST_CASE("generated normal equations are dense products of the regressor") {
  const std::vector<std::string> compilers = c_compilers();
  for (const std::string& compiler : compilers) {
    INFO(compiler);
    for (const Model& model : {random_tree(6, 4, {true}), random_coupled_robot(random_tree(7, 6), 3).model}) {
      const Program whole = algorithm_program(model, "regressor");
      check_normal_equations(model, whole, compiler);
      check_normal_equations(model, without_some_columns(whole, model), compiler);
      for (const char* more : {"-Dr_TOGETHER=1", "-Dr_TOGETHER=8", "-march=x86-64 -mno-avx"})
        check_normal_equations(model, whole, compiler, more);
    }
  }
}

TEST_CASE("normal equations without columns take fewer operations") {
  const Model model = random_tree(6, 4, {true});
  const Program whole = algorithm_program(model, "regressor");
  const ParameterIndex index(model);
  const long all = normal_equations(whole, index, model.nv, "r").flops;
  const long fewer = normal_equations(without_some_columns(whole, model), index, model.nv, "r").flops;
  CHECK(2 * fewer < all);
}
