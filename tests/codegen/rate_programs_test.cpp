// Rates of states and the functions that acados calls: beside the library's own algorithms, complex steps, and dense products.
#include <catch2/catch.hpp>
#include <complex>

#include "codegen/casadi/acados_functions.hpp"
#include "compiled.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "support/evaluated.hpp"
#include "support/robots.hpp"
#include "varied_robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using RateInputs = std::vector<Numbers>;  // x, u, lambda
constexpr double kRateStep = 1e-30;

/// Random and special states, and rest at zero.
std::vector<RateInputs> rate_states(const Model& model, unsigned seed) {
  std::mt19937 rng(seed);
  std::vector<State> states{random_state(model, rng)};
  for (const State& s : special_states(model, rng, 1)) states.push_back(s);
  std::vector<RateInputs> all;
  for (const State& s : states) {
    Numbers x = s.q, lambda;
    x.insert(x.end(), s.v.begin(), s.v.end());
    for (int k = 0; k < 2 * model.nv; ++k) lambda.push_back(std::cos(1 + k * k));
    all.push_back({x, s.tau, lambda});
  }
  all.push_back({Numbers(all[0][0].size()), Numbers(all[0][1].size()), all[0][2]});
  return all;
}

/// Outputs at inputs moved by an imaginary step along entry k of (x, u).
std::vector<std::vector<std::complex<double>>> rate_stepped(const Program& program, const RateInputs& inputs, std::size_t k) {
  std::vector<std::vector<std::complex<double>>> moved;
  for (std::size_t port = 0; port < program.inputs().size(); ++port)
    moved.emplace_back(inputs[port].begin(), inputs[port].end());
  const std::size_t of_x = moved[0].size();
  (k < of_x ? moved[0][k] : moved[1][k - of_x]) += std::complex<double>(0, kRateStep);
  return evaluated_as(program, moved);
}

Numbers rate_slopes(const std::vector<std::complex<double>>& x) {
  Numbers made;
  for (const std::complex<double>& each : x) made.push_back(each.imag() / kRateStep);
  return made;
}

RateInputs read_by(const Program& program, const RateInputs& inputs) {
  return {inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(program.inputs().size())};
}

/// (x, u) -> ẋ by the library's forward dynamics.
Numbers rate_of(const Model& model, const RateInputs& s) {
  Workspace<double> work(model);
  Numbers rate(s[0].begin() + model.nq, s[0].end()), a(rate.size());
  REQUIRE(aba(model, work, s[0].data(), rate.data(), s[1].data(), static_cast<const Force<double>*>(nullptr), a.data()).ok());
  rate.insert(rate.end(), a.begin(), a.end());
  return rate;
}

/// A dense symmetric matrix, row by row, of a port H.
Numbers dense_hessian(const Port& H, const Numbers& values, std::size_t size) {
  Numbers made(size * size);
  for (std::size_t e = 0; e < values.size(); ++e) {
    const std::string& name = H.elements[e];
    const std::size_t i = std::stoul(name.substr(2)), k = std::stoul(name.substr(name.rfind('.') + 1));
    made[i * size + k] = made[k * size + i] = values[e];
  }
  return made;
}

/// What acados hands in: seeds as columns, [Sx Su].
struct Seeds {
  explicit Seeds(std::size_t states, std::size_t controls) : x(states), z(states + controls) {
    for (std::size_t k = 0; k < x * z; ++k) S.push_back(std::sin(1 + 3 * k));
  }
  /// Entry of (Sx Su; 0 1).
  double at(std::size_t row, std::size_t column) const { return row < x ? S[column * x + row] : row == column; }
  const double* of_u() const { return S.data() + x * x; }
  std::size_t x, z;
  Numbers S;
};

/// Calls a function of a library with ints, as acados does, for all results or for one of them.
RateInputs called_by_acados(const CompiledProgram& library, const std::string& name,
                            const std::vector<const double*>& arguments, const std::vector<std::size_t>& sizes,
                            int alone = -1) {
  const auto symbol = [&](const char* ending) { return library.symbol(name + ending); };
  int counts[4];
  REQUIRE(reinterpret_cast<int (*)(int*, int*, int*, int*)>(symbol("_work"))(counts, counts + 1, counts + 2, counts + 3) == 0);
  REQUIRE(counts[0] == static_cast<int>(arguments.size()));
  REQUIRE(counts[1] == static_cast<int>(sizes.size()));
  REQUIRE(reinterpret_cast<int (*)()>(symbol("_n_in"))() == counts[0]);
  REQUIRE(reinterpret_cast<int (*)()>(symbol("_n_out"))() == counts[1]);
  RateInputs results;
  std::vector<double*> places;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const int* shape = reinterpret_cast<const int* (*)(int)>(symbol("_sparsity_out"))(static_cast<int>(k));
    REQUIRE(static_cast<std::size_t>(shape[0] * shape[1]) == sizes[k]);
    results.emplace_back(sizes[k], 1e300);
  }
  for (Numbers& each : results) places.push_back(alone < 0 || alone == static_cast<int>(places.size()) ? each.data() : nullptr);
  Numbers scratch(static_cast<std::size_t>(counts[3]));
  std::vector<const double*> in = arguments;
  const auto call = reinterpret_cast<int (*)(const double**, double**, int*, double*, int)>(library.symbol(name));
  REQUIRE(call(in.data(), places.data(), nullptr, scratch.data(), 0) == 0);
  return results;
}

/// A robot, as acados' functions have it: with constant parameters, or with parameters p that are not the robot's own.
struct AcadosRobot {
  explicit AcadosRobot(bool varies) : robot(tree_of_hinges(false)), other(robot) {
    if (!varies) return;
    const std::vector<int> columns = all_columns(robot);
    const Numbers pi = with_columns(robot, columns, drawn(robot, 5));
    parameters = inputs_of(robot, columns), p = picked(pi, columns), other = robot_with(robot, pi);
  }
  Model robot, other;  // other: the robot whose parameters are p
  ParameterInputs parameters;
  Numbers p;
};

CProgram acados_text(const Model& model, const std::string& stage, const ParameterInputs& parameters) {
  CProgram code = emit_c(stage_program(model, stage, {stage == "rate" ? "xdot" : "x_next"}, parameters), "arm");
  code.source += acados_functions(model, stage, "arm", parameters).text;
  code.header.insert(0, acados_integers());
  return code;
}

}  // namespace

TEST_CASE("a rate is forward dynamics, its derivatives those by complex steps") {
  const Model model = tree_of_hinges(false);
  const auto n = static_cast<std::size_t>(model.nv), size = 3 * n;
  const Program rate = stage_program(model, "rate", {"xdot"}), gradient = stage_program(model, "rate", {"g"}),
                all = stage_program(model, "rate", stage_outputs("rate"));
  for (const RateInputs& s : rate_states(model, 4)) {
    const RateInputs found = evaluated_as(all, read_by(all, s));
    CHECK(norm_error(found[0], rate_of(model, s)) < 1e-11);
    CHECK(norm_error(evaluated_as(rate, read_by(rate, s))[0], found[0]) < 1e-11);
    Numbers g, H;
    for (std::size_t k = 0; k < size; ++k) {
      Numbers column;
      for (std::size_t r = 0; r < 2 * n; ++r)
        column.push_back(k < 2 * n ? found[1][r * 2 * n + k] : found[2][r * n + k - 2 * n]);
      CHECK(norm_error(column, rate_slopes(rate_stepped(rate, s, k)[0])) < 1e-10);
      g.push_back(0);
      for (std::size_t r = 0; r < 2 * n; ++r) g.back() += s[2][r] * column[r];
      const Numbers bent = rate_slopes(rate_stepped(gradient, s, k)[0]);
      H.insert(H.end(), bent.begin(), bent.end());
    }
    CHECK(norm_error(found[3], g) < 1e-11);
    CHECK(norm_error(dense_hessian(all.outputs().back(), found[4], size), H) < 1e-10);
  }
}

TEST_CASE("a rate is of robots whose positions are added to") {
  CHECK_THROWS_AS(stage_program(tree_of_hinges(true), "rate", {"xdot"}), std::invalid_argument);
  CHECK_THROWS_AS(acados_functions(tree_of_hinges(true), "rate", "f", {}), std::invalid_argument);
  CHECK_THROWS_AS(acados_functions(tree_of_hinges(false), "rk4", "f", {}), std::invalid_argument);
  CHECK(why_no_stage(tree_of_hinges(true), "semi-implicit").empty());
}

TEST_CASE("acados' functions of a rate are products with the seeds") {
  if (missing("gcc")) return;
  const AcadosRobot acados(GENERATE(false, true));
  const Model& model = acados.robot;
  const Numbers& p = acados.p;
  const CompiledProgram library(acados_text(model, "rate", acados.parameters), "arm", strictly("gcc", "-O1"));
  const Program all = stage_program(acados.other, "rate", stage_outputs("rate")),
                gradient = stage_program(acados.other, "rate", {"g"});
  const auto n = static_cast<std::size_t>(model.nv), x = 2 * n, z = 3 * n;
  const Seeds seeds(x, n);
  for (const RateInputs& s : rate_states(model, 7)) {
    const RateInputs known = evaluated_as(all, read_by(all, s));
    const double *X = s[0].data(), *u = s[1].data(), *lambda = s[2].data(), *Sx = seeds.S.data(), *Su = seeds.of_u();
    CHECK(norm_error(called_by_acados(library, "arm_expl_ode_fun", {X, u, p.data()}, {x})[0], known[0]) < 1e-10);
    const RateInputs forward = called_by_acados(library, "arm_expl_vde_forw", {X, Sx, Su, u, p.data()}, {x, x * x, x * n});
    Numbers first, found = forward[1];
    for (std::size_t c = 0; c < z; ++c)
      for (std::size_t r = 0; r < x; ++r) {
        first.push_back(0);
        for (std::size_t k = 0; k < z; ++k)
          first.back() += seeds.at(k, c) * (k < x ? known[1][r * x + k] : known[2][r * n + k - x]);
      }
    found.insert(found.end(), forward[2].begin(), forward[2].end());
    CHECK(norm_error(forward[0], known[0]) < 1e-10);
    CHECK(norm_error(found, first) < 1e-10);
    CHECK(norm_error(called_by_acados(library, "arm_expl_vde_adj", {X, lambda, u, p.data()}, {z})[0], known[3]) < 1e-10);
    const RateInputs second =
        called_by_acados(library, "arm_expl_ode_hess", {X, Sx, Su, lambda, u, p.data()}, {z, z * (z + 1) / 2});
    const Numbers H = dense_hessian(all.outputs().back(), known[4], z);
    Numbers triangle;
    for (std::size_t c = 0; c < z; ++c)
      for (std::size_t r = c; r < z; ++r) {
        triangle.push_back(0);
        for (std::size_t i = 0; i < z; ++i)
          for (std::size_t k = 0; k < z; ++k) triangle.back() += seeds.at(i, r) * H[i * z + k] * seeds.at(k, c);
      }
    CHECK(norm_error(second[0], known[3]) < 1e-10);
    CHECK(norm_error(second[1], triangle) < 1e-10);
    for (const int alone : {0, 1, 2}) {
      const auto k = static_cast<std::size_t>(alone);
      CHECK(called_by_acados(library, "arm_expl_vde_forw", {X, Sx, Su, u, p.data()}, {x, x * x, x * n}, alone)[k] ==
            forward[k]);
      if (alone == 2) continue;
      CHECK(called_by_acados(library, "arm_expl_ode_hess", {X, Sx, Su, lambda, u, p.data()}, {z, z * (z + 1) / 2}, alone)[k] ==
            second[k]);
    }
    CHECK(norm_error(second[0], evaluated_as(gradient, read_by(gradient, s))[0]) < 1e-10);
  }
}

TEST_CASE("acados' functions of a step have inputs before states, and dt first among parameters") {
  if (missing("gcc")) return;
  const AcadosRobot acados(GENERATE(false, true));
  const Model& model = acados.robot;
  Numbers p{0.03};
  p.insert(p.end(), acados.p.begin(), acados.p.end());
  const CompiledProgram library(acados_text(model, "semi-implicit", acados.parameters), "arm", strictly("gcc", "-O1"));
  const Program all = stage_program(acados.other, "semi-implicit", {"x_next", "A", "B", "H"});
  const auto n = static_cast<std::size_t>(model.nv), x = 2 * n, z = 3 * n;
  for (const RateInputs& s : rate_states(model, 8)) {
    const RateInputs known = evaluated_as(all, RateInputs{s[0], s[1], {p[0]}, s[2]});
    const RateInputs found = called_by_acados(library, "arm_dyn_disc_phi_fun_jac_hess",
                                              {s[0].data(), s[1].data(), s[2].data(), p.data()}, {x, z * x, z * z});
    const Numbers H = dense_hessian(all.outputs().back(), known[3], z + 1);
    Numbers J, bent;
    const auto of_acados = [&](std::size_t k) { return k < n ? x + k : k - n; };
    for (std::size_t r = 0; r < x; ++r)
      for (std::size_t k = 0; k < z; ++k) J.push_back(k < n ? known[2][r * n + k] : known[1][r * x + k - n]);
    for (std::size_t i = 0; i < z; ++i)
      for (std::size_t k = 0; k < z; ++k) bent.push_back(H[of_acados(i) * (z + 1) + of_acados(k)]);
    CHECK(norm_error(found[0], known[0]) < 1e-10);
    CHECK(norm_error(found[1], J) < 1e-10);
    CHECK(norm_error(found[2], bent) < 1e-10);
    const RateInputs first =
        called_by_acados(library, "arm_dyn_disc_phi_fun_jac", {s[0].data(), s[1].data(), p.data()}, {x, z * x});
    CHECK(norm_error(first[0], known[0]) < 1e-10);
    CHECK(norm_error(first[1], J) < 1e-10);
    CHECK(norm_error(called_by_acados(library, "arm_dyn_disc_phi_fun", {s[0].data(), s[1].data(), p.data()}, {x})[0],
                     known[0]) < 1e-10);
  }
}

TEST_CASE("acados' functions are not compiled with other integers than int") {
  if (missing("gcc")) return;
  const CProgram code = acados_text(tree_of_hinges(false), "rate", {});
  CHECK_THROWS_AS(CompiledProgram(code, "arm", strictly("gcc", "-O0 -Dcasadi_int=long")), CompilerFailure);
}
