// The catalogue: each algorithm beside the others that say the same, and what each says of itself.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "sparsedyn/algorithms/algorithm.hpp"
#include "sparsedyn/dynamics/momentum.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "support/heap.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Vector = std::vector<double>;

/// The catalogue on one robot.
class Catalogue {
 public:
  explicit Catalogue(const Model& model) : model_(model), data_(model), pi_(sparsedyn::parameters(model)) {}

  /// The outputs by name. No wrenches.
  std::map<std::string, Vector> operator()(const Algorithm& algorithm, const State& s, const Vector& lambda = {}) {
    std::map<std::string, Vector> named;
    std::vector<double*> out;
    for (const AlgorithmOutput& output : algorithm.outputs) {
      Vector& values = named[output.name] = Vector(static_cast<std::size_t>(output.size(model_)), std::nan(""));
      out.push_back(values.data());
    }
    CHECK(algorithm.evaluate(data_, inputs(s, lambda), out.data()) == -1);
    return named;
  }
  std::map<std::string, Vector> operator()(const std::string& name, const State& s) {
    REQUIRE(find_algorithm(name));
    return (*this)(*find_algorithm(name), s);
  }

  AlgorithmInputs<double> inputs(const State& s, const Vector& lambda) const {
    return {s.q.data(), s.v.data(), s.a.data(), s.tau.data(), lambda.data(), nullptr, pi_.data()};
  }
  /// What `pi` is from now on.
  void set_parameters(const Vector& pi) { pi_ = pi; }
  const Vector& parameters() const { return pi_; }
  AlgorithmData<double>& data() { return data_; }

 private:
  const Model& model_;
  AlgorithmData<double> data_;
  Vector pi_;
};

/// A x for a matrix of as many rows as x has entries or more.
Vector times(const Vector& A, const Vector& x) {
  Vector y(A.size() / x.size(), 0.0);
  for (std::size_t i = 0; i < y.size(); ++i)
    for (std::size_t k = 0; k < x.size(); ++k) y[i] += A[i * x.size() + k] * x[k];
  return y;
}
Vector sum(Vector x, const Vector& y, double factor = 1) {
  for (std::size_t k = 0; k < x.size(); ++k) x[k] += factor * y[k];
  return x;
}
double product(const Vector& x, const Vector& y) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += x[k] * y[k];
  return sum;
}

Model robot_of_all_kinds() { return random_tree(9, 4, {true, true, 0.4, every_joint_kind()}); }

}  // namespace

TEST_CASE("Algorithms of the catalogue that compute the same quantity agree") {
  for (const Model& model : {robot_of_all_kinds(), random_tree(6, 3)}) {
    Catalogue of(model);
    std::mt19937 rng(8);
    for (int k = 0; k < 3; ++k) {
      State s = random_state(model, rng);
      const Vector ddq = of("aba", s).at("ddq");
      const Vector M = of("crba", s).at("M"), bias = of("bias", s).at("tau"), gravity = of("gravity", s).at("tau");
      CHECK(worst_error(sum(times(M, ddq), bias), s.tau) < 1e-9);
      CHECK(worst_error(times(of("minverse", s).at("Minv"), sum(s.tau, bias, -1)), ddq) < 1e-9);
      CHECK(worst_error(sum(times(of("coriolis", s).at("C"), s.v), gravity), bias) < 1e-11);
      const auto hamilton = of("hamilton", s), energy = of("energy", s);
      CHECK(worst_error(hamilton.at("p"), times(M, s.v)) < 1e-11);
      CHECK(energy.at("kinetic")[0] == Approx(0.5 * product(s.v, times(M, s.v))));
      CHECK(hamilton.at("energy")[0] == Approx(energy.at("kinetic")[0] + energy.at("potential")[0]));
      const auto moving = of("momentum", s);
      State at_rest = s;
      at_rest.a.assign(s.a.size(), 0.0);
      const Vector A = of("centroidal-momentum-matrix", s).at("A"), J = of("centre-of-mass-jacobian", s).at("J");
      CHECK(worst_error(times(A, s.v), moving.at("momentum")) < 1e-11);
      const Vector linear(moving.at("momentum").begin() + 3, moving.at("momentum").end());
      CHECK(worst_error(times(J, s.v), sum(Vector(3, 0.0), linear, 1 / moving_mass(model))) < 1e-11);
      const Vector change =
          sum(of("momentum-rate", s).at("momentum_rate"), of("momentum-rate", at_rest).at("momentum_rate"), -1);
      CHECK(worst_error(change, times(A, s.a)) < 1e-10);
      const Vector by_links = of("regressor", s).at("Y"), tau = of("rnea", s).at("tau");
      CHECK(by_links.size() == tau.size() * static_cast<std::size_t>(size_of(Axis::parameters, model)));
      const auto first = of("rnea-derivatives", s);
      CHECK(worst_error(first.at("tau"), tau) < 1e-11);
      CHECK(worst_error(first.at("M"), M) < 1e-11);
      s.a = ddq;
      CHECK(worst_error(of("rnea", s).at("tau"), s.tau) < 1e-9);
    }
  }
}

TEST_CASE("The catalogue's Jacobians give the links' velocities, and their rates what J loses in between") {
  for (const Model& model : {robot_of_all_kinds(), random_tree(6, 3)}) {
    Catalogue of(model);
    std::mt19937 rng(4);
    for (int k = 0; k < 3; ++k) {
      const State s = random_state(model, rng);
      const Vector J = of("jacobians", s).at("J");
      CHECK(worst_error(times(J, s.v), of("kinematics", s).at("vel")) < 1e-12);
      const double h = 1e-3;
      const auto along = [&](double steps) {
        State moved = s;
        Vector change = s.v;
        for (double& x : change) x *= steps * h;
        integrate(model, s.q.data(), change.data(), moved.q.data());
        return of("jacobians", moved).at("J");
      };
      Vector slope = sum(along(1), along(-1), -1), wide = sum(along(2), along(-2), -1);
      for (std::size_t e = 0; e < slope.size(); ++e) slope[e] = (8 * slope[e] - wide[e]) / (12 * h);
      const Vector rates = of("jacobian-rates", s).at("dJ");
      CHECK(norm_error(rates, slope) < 1e-7);  // of the difference's fourth order
    }
  }
}

TEST_CASE("The catalogue's products with the regressor are those with its matrix") {
  const Model model = with_joint_physics(robot_of_all_kinds(), 5);
  Catalogue of(model);
  std::mt19937 rng(5);
  for (int k = 0; k < 3; ++k) {
    const State s = random_state(model, rng);
    of.set_parameters(parameters(model));
    CHECK(worst_error(of("regressor-times", s).at("tau"), of("rnea", s).at("tau")) < 1e-10);
    Vector pi = of.parameters();
    for (double& x : pi) x = std::uniform_real_distribution<double>(-1, 1)(rng);
    of.set_parameters(pi);
    const Vector Y = of("regressor", s).at("Y"), lambda = random_state(model, rng).v;
    CHECK(worst_error(of("regressor-times", s).at("tau"), times(Y, pi)) < 1e-10);
    Vector transposed(pi.size(), 0.0);
    for (std::size_t i = 0; i < lambda.size(); ++i)
      for (std::size_t p = 0; p < pi.size(); ++p) transposed[p] += lambda[i] * Y[i * pi.size() + p];
    const Algorithm& product = *find_algorithm("regressor-transposed-times");
    CHECK(worst_error(of(product, s, lambda).at("Yt_lambda"), transposed) < 1e-10);
  }
}

TEST_CASE("The catalogue's torques with all their derivatives are those of its other algorithms") {
  const Model model = robot_of_all_kinds();
  Catalogue of(model);
  std::mt19937 rng(6);
  const State s = random_state(model, rng);
  const auto all = of("rnea-with-derivatives", s);
  CHECK(worst_error(all.at("tau"), of("rnea", s).at("tau")) < 1e-11);
  std::size_t compared = 1;
  for (const char* name : {"rnea-derivatives", "rnea-second-derivatives"})
    for (const auto& [output, values] : of(name, s))
      if (output != "tau") compared += all.at(output) == values;
  CHECK(compared == all.size());
}

TEST_CASE("The catalogue's contractions are those of its tensors, its symbols those of its Coriolis matrix") {
  const Model model = random_tree(5, 3);
  Catalogue of(model);
  std::mt19937 rng(2);
  const State s = random_state(model, rng);
  const Vector lambda = random_state(model, rng).v;
  const std::size_t n = static_cast<std::size_t>(model.nv);
  for (const char* name : {"rnea-second-derivatives", "aba-second-derivatives"}) {
    const Algorithm& whole = *find_algorithm(name);
    REQUIRE(whole.contracted);
    const auto tensors = of(whole, s), matrices = of(*whole.contracted, s, lambda);
    for (const auto& [tensor, entries] : tensors) {
      Vector contracted(n * n, 0.0);
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t k = 0; k < n * n; ++k) contracted[k] += lambda[a] * entries[a * n * n + k];
      CHECK(worst_error(matrices.at(tensor), contracted) < 1e-9);
    }
  }
  CHECK(worst_error(times(of("christoffel", s).at("Gamma"), s.v), of("coriolis", s).at("C")) < 1e-11);
  CHECK(find_algorithm("christoffel")->misfit(model).found.empty());
  CHECK(find_algorithm("christoffel")->misfit(robot_of_all_kinds()).found == "several freedoms in one");
}

TEST_CASE(
    "Every algorithm of the catalogue has the names, columns and inputs that it states, and no heap from the second call on") {
  const Model model = robot_of_all_kinds();
  std::mt19937 rng(2);
  const State s = random_state(model, rng);
  std::set<std::string> names;
  for (const Algorithm& algorithm : algorithms()) {
    INFO(algorithm.name);
    CHECK(names.insert(algorithm.name).second);
    CHECK(find_algorithm(algorithm.name) == &algorithm);
    if (algorithm.misfit && !algorithm.misfit(model).found.empty()) continue;
    Catalogue of(model);
    const Vector lambda(static_cast<std::size_t>(model.nv), 1.0);
    const auto outputs = of(algorithm, s, lambda);
    std::set<std::string> columns;
    for (const AlgorithmColumn& column : algorithm.columns(model)) {
      CHECK(columns.insert(column.name).second);
      REQUIRE(column.output < static_cast<int>(algorithm.outputs.size()));
      const Vector& values = outputs.at(algorithm.outputs[static_cast<std::size_t>(column.output)].name);
      REQUIRE(column.entry < static_cast<int>(values.size()));
      CHECK(std::isfinite(values[static_cast<std::size_t>(column.entry)]));
    }

    AlgorithmInputs<double> needed = of.inputs(s, lambda);
    if (!algorithm.reads.dq) needed.dq = nullptr;
    if (!algorithm.reads.ddq) needed.ddq = nullptr;
    if (!algorithm.reads.tau) needed.tau = nullptr;
    if (!algorithm.reads.pi) needed.pi = nullptr;
    std::vector<Vector> again;
    std::vector<double*> out;
    for (const AlgorithmOutput& output : algorithm.outputs) again.push_back(outputs.at(output.name));
    for (Vector& values : again) out.push_back(values.data());
    const long taken = allocations_of([&] { algorithm.evaluate(of.data(), needed, out.data()); });
    CHECK(taken == 0);
    for (std::size_t k = 0; k < again.size(); ++k) CHECK(again[k] == outputs.at(algorithm.outputs[k].name));
  }
  CHECK(names.size() >= 25);
  CHECK(find_algorithm("rneaa") == nullptr);
}
