// Identification from simulated torques: what is found, how sure it says it is, and that logs add up.
#include "sparsedyn/identification/identify.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "sparsedyn/urdf/load.hpp"
#include "support/heap.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Vector = std::vector<double>;

/// A motion of so many samples and what torque sensors read along it on a robot of parameters pi.
struct Readings {
  std::vector<State> states;
  std::vector<Vector> tau;
};
Readings readings(const Model& model, const Vector& pi, int samples, double noise, unsigned seed) {
  std::mt19937 rng(seed);
  std::normal_distribution<double> normal;
  RegressorWorkspace<double> work(model);
  Readings r;
  for (int k = 0; k < samples; ++k) {
    r.states.push_back(random_state(model, rng));
    r.tau.emplace_back(static_cast<std::size_t>(model.nv));
    regressor_times(model, work, r.states.back().q.data(), r.states.back().v.data(), r.states.back().a.data(), pi.data(),
                    r.tau.back().data());
    for (double& x : r.tau.back()) x += noise * normal(rng);
  }
  return r;
}
void add(TorqueInformation& information, const Readings& r, int first, int last) {
  for (int k = first; k < last; ++k) {
    const auto i = static_cast<std::size_t>(k);
    information.add(r.states[i].q.data(), r.states[i].v.data(), r.states[i].a.data(), r.tau[i].data(), nullptr);
  }
}

/// The robot's parameters, moved within the prior, of bodies that still can exist; joints rub.
Vector moved(const Model& model, unsigned seed) {
  Vector pi = parameters(model);
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> share(-0.1, 0.1), positive(0.1, 0.5);
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    double* const ten = &pi[10 * j];
    const double scale = 1 + share(rng);
    for (int k = 0; k < 10; ++k) ten[k] *= scale;  // heavier
    const double d = 0.02 * share(rng);            // and its centre of mass shifted along x: I += …
    ten[6] += 2 * d * ten[1] + ten[0] * d * d, ten[9] += 2 * d * ten[1] + ten[0] * d * d;
    ten[5] -= d * ten[2], ten[7] -= d * ten[3];
    ten[1] += ten[0] * d;
    REQUIRE(consistency(ten) > 0);
  }
  const ParameterIndex index(model);
  for (int own : index.of_joints)
    for (int k = 0; own >= 0 && k < 4; ++k) pi[static_cast<std::size_t>(own + k)] = positive(rng);
  return pi;
}

}  // namespace

TEST_CASE("Base parameters give the same torques as all parameters") {
  for (const bool floating : {false, true}) {
    const Model model = random_tree(5, 21, {floating});
    RegressorWorkspace<double> work(model);
    std::vector<int> all(static_cast<std::size_t>(work.index.count));
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<int>(k);
    const BaseParameters base = base_parameters(model, all);
    CHECK(base.independent.size() + base.dependent.size() == all.size());
    CHECK(base.independent.size() < all.size());
    const Vector pi = moved(model, 3), beta = base.values(pi);
    Vector reduced(pi.size(), 0.0), tau(static_cast<std::size_t>(model.nv)), again(tau);
    for (std::size_t k = 0; k < beta.size(); ++k) reduced[static_cast<std::size_t>(base.independent[k])] = beta[k];
    std::mt19937 rng(8);
    for (int k = 0; k < 5; ++k) {
      const State s = random_state(model, rng);
      regressor_times(model, work, s.q.data(), s.v.data(), s.a.data(), pi.data(), tau.data());
      regressor_times(model, work, s.q.data(), s.v.data(), s.a.data(), reduced.data(), again.data());
      CHECK(norm_error(again, tau) < 1e-10);
    }
  }
}

/// Base parameters of an arm of n hinges: inertial ones, and all with armature, damping, friction and offset.
std::array<std::size_t, 2> numbers_of_base_parameters(const Model& arm) {
  const auto n = static_cast<std::size_t>(arm.nv);
  std::vector<int> inertial(10 * n), all(14 * n);
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<int>(k);
  std::copy_n(all.begin(), inertial.size(), inertial.begin());
  REQUIRE(ParameterIndex(arm).count == static_cast<int>(all.size()));
  return {base_parameters(arm, inertial).independent.size(), base_parameters(arm, all).independent.size()};
}

TEST_CASE("Four joint parameters a joint are base parameters but the armature of the first two") {
  // links 1 and 2 turn about their own axes in one way only, so that their inertia about it is as good as armature
  CHECK(numbers_of_base_parameters(arm_like_ur5()) == std::array<std::size_t, 2>{36, 36 + 24 - 2});
  for (const std::string& path : shared_robots()) {
    if (!is_one_of(path, {"panda.urdf"})) continue;
    LoadOptions options;
    options.cut = {"panda_hand"};
    CHECK(numbers_of_base_parameters(load_urdf(path, options)) == std::array<std::size_t, 2>{43, 43 + 28 - 2});
  }
}

TEST_CASE("The factor of the rows tells the sum of squares of any parameters") {
  const Model model = random_tree(4, 5);
  const Vector pi = moved(model, 1), other = parameters(model);
  const Readings r = readings(model, pi, 150, 0.1, 2);
  TorqueInformation information(model);
  add(information, r, 0, 150);
  RegressorWorkspace<double> work(model);
  Vector squares(static_cast<std::size_t>(model.nv), 0.0), tau(squares);
  for (std::size_t k = 0; k < r.states.size(); ++k) {
    const State& s = r.states[k];
    regressor_times(model, work, s.q.data(), s.v.data(), s.a.data(), other.data(), tau.data());
    for (std::size_t i = 0; i < tau.size(); ++i) squares[i] += (tau[i] - r.tau[k][i]) * (tau[i] - r.tau[k][i]);
  }
  for (int i = 0; i < model.nv; ++i)
    CHECK(information.squares(i, other) == Approx(squares[static_cast<std::size_t>(i)]).epsilon(1e-10));
}

TEST_CASE("Logs add up in any order, also through the stored state") {
  const Model model = random_tree(4, 6, {true});
  const Readings r = readings(model, moved(model, 1), 300, 0.1, 3);
  TorqueInformation whole(model), first(model), second(model), third(model);
  add(whole, r, 0, 300), add(first, r, 0, 70), add(second, r, 70, 213), add(third, r, 213, 300);
  TorqueInformation sum(model), received(model);
  received.restore(second.state());
  sum.merge(third), sum.merge(first), sum.merge(received);
  for (int i = 0; i < model.nv; ++i) {
    const TorqueInformation::Factor &a = whole.factors()[static_cast<std::size_t>(i)],
                                    &b = sum.factors()[static_cast<std::size_t>(i)];
    CHECK(a.rows == b.rows);
    CHECK(norm_error(a.triangle, b.triangle) < 1e-12);
  }
  const Model another = random_tree(3, 6, {true});
  TorqueInformation other(another);
  CHECK_THROWS_AS(other.merge(whole), std::invalid_argument);
  CHECK_THROWS_AS(other.restore(whole.state()), std::invalid_argument);
}

TEST_CASE("A hundred logs, in two halves or in any order, are one: factors, chi-square, parameters") {
  const Model model = random_tree(4, 6);
  const Readings r = readings(model, moved(model, 1), 2000, 0.1, 3);
  TorqueInformation whole(model);
  add(whole, r, 0, 2000);
  const Identification one = identify(whole);
  std::vector<int> order(100);
  for (int k = 0; k < 100; ++k) order[static_cast<std::size_t>(k)] = k;
  std::mt19937 rng(5);
  for (int shuffle = 0; shuffle < 3; ++shuffle) {
    std::shuffle(order.begin(), order.end(), rng);
    TorqueInformation halves[] = {TorqueInformation(model), TorqueInformation(model)};
    for (int k = 0; k < 100; ++k) {
      TorqueInformation log(model), sent(model);
      add(log, r, 20 * order[static_cast<std::size_t>(k)], 20 * order[static_cast<std::size_t>(k)] + 20);
      sent.restore(log.state());
      halves[k % 2].merge(sent);
    }
    halves[1].merge(halves[0]);
    for (std::size_t i = 0; i < whole.factors().size(); ++i)
      CHECK(norm_error(halves[1].factors()[i].triangle, whole.factors()[i].triangle) < 1e-12);
    const Identification x = identify(halves[1]);
    CHECK(std::fabs(x.chi_square - one.chi_square) < 1e-12 * one.chi_square);
    for (std::size_t k = 0; k < x.value.size(); ++k) CHECK(std::fabs(x.value[k] - one.value[k]) <= 1e-6 * one.sd[k]);
  }
}

TEST_CASE("Without noise the parameters that the torques show are found, with any joints") {
  TreeOptions options;
  options.kinds = every_joint_kind();
  for (const unsigned seed : {1u, 2u, 3u}) {
    const Model model = random_tree(4, seed, options);
    const Vector pi = moved(model, seed);
    TorqueInformation information(model);
    add(information, readings(model, pi, 400, 0.0, seed), 0, 400);
    const Identification x = identify(information);
    CHECK(x.rank == static_cast<int>(x.base.independent.size()));
    const Vector beta = x.base.values(pi);
    for (std::size_t k = 0; k < beta.size(); ++k)
      CHECK(std::fabs(x.base_value[k] - beta[k]) < 1e-9 + x.base_sd[k]);  // no noise counts as a millionth of the torques
    for (std::size_t j = 0; j < model.joints.size(); ++j) CHECK(consistency(&x.value[10 * j]) > 0);
  }
}

TEST_CASE("Determined parameters lie within two deviations as often as they say, and noise is found by joint") {
  const Model model = random_tree(3, 11);
  const Vector pi = moved(model, 4);
  int within = 0, determined = 0;
  double sigma = 0;
  constexpr int seeds = 60;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    TorqueInformation information(model);
    add(information, readings(model, pi, 300, 0.2, 100 + seed), 0, 300);
    const Identification x = identify(information);
    for (std::size_t k = 0; k < x.base_value.size(); ++k) {
      const double error = x.base_value[k] - x.base.values(pi)[k];
      ++determined, within += std::fabs(error) < 2 * x.base_sd[k];
    }
    for (double s : x.sigma) sigma += s / (seeds * static_cast<double>(x.sigma.size()));
    CHECK(x.chi_square == Approx(1).epsilon(0.05));
  }
  CHECK(static_cast<double>(within) / determined > 0.93);
  CHECK(static_cast<double>(within) / determined < 0.975);
  CHECK(sigma == Approx(0.2).epsilon(0.02));
}

TEST_CASE("Fitted bodies can exist where the unconstrained fit's cannot, and the constrained one is the best of those") {
  // few, noisy samples
  const Model model = random_tree(3, 12);
  const Vector pi = moved(model, 2);
  TorqueInformation information(model);
  add(information, readings(model, pi, 60, 20.0, 7), 0, 60);
  IdentifyOptions wide;
  wide.prior = 10;
  const Identification x = identify(information, wide);
  const auto cost = [&](const Vector& value) {
    double sum = 0;
    for (int i = 0; i < model.nv; ++i)
      sum += information.squares(i, value) / (x.sigma[static_cast<std::size_t>(i)] * x.sigma[static_cast<std::size_t>(i)]);
    return sum;
  };
  bool at_the_edge = false;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    CHECK(consistency(&x.value[10 * j]) > 0);
    at_the_edge = at_the_edge || consistency(&x.value[10 * j]) < 1e-6;
  }
  CHECK(at_the_edge);
  for (std::size_t k = 10 * model.joints.size(); k < x.value.size(); ++k)
    if ((k - 10 * model.joints.size()) % 4 != 3) CHECK(x.value[k] > 0);
  CHECK(cost(x.value) < cost(pi));  // the truth is one of those that can exist
}

TEST_CASE("Only the parameters that --fit names are fitted") {
  const Model model = random_tree(3, 13);
  const Vector pi = moved(model, 2);
  TorqueInformation information(model);
  add(information, readings(model, pi, 300, 0.01, 7), 0, 300);
  IdentifyOptions friction;
  friction.start = pi;
  friction.fitted.assign(pi.size(), 0);
  for (std::size_t k = 10 * model.joints.size(); k < pi.size(); ++k) friction.fitted[k] = 1, friction.start[k] = 0;
  const Identification x = identify(information, friction);
  for (std::size_t k = 0; k < 10 * model.joints.size(); ++k) {
    CHECK(x.value[k] == pi[k]);
    CHECK(x.sd[k] == 0);
  }
  CHECK(x.rank == 12);
  for (std::size_t k = 10 * model.joints.size(); k < pi.size(); ++k) CHECK(std::fabs(x.value[k] - pi[k]) < 5 * x.sd[k]);
}

TEST_CASE("A motionless log determines no inertia, and says so") {
  const Model model = random_tree(3, 14);
  const Vector pi = parameters(model);
  RegressorWorkspace<double> work(model);
  TorqueInformation information(model);
  std::mt19937 rng(3);
  Vector rest(static_cast<std::size_t>(model.nv), 0.0), tau(rest);
  for (int k = 0; k < 100; ++k) {
    const State s = random_state(model, rng);
    regressor_times(model, work, s.q.data(), rest.data(), rest.data(), pi.data(), tau.data());
    information.add(s.q.data(), rest.data(), rest.data(), tau.data(), nullptr);
  }
  const Identification x = identify(information);
  CHECK(x.rank < static_cast<int>(x.base.independent.size()));
  const std::vector<std::string> names = parameter_names(model);
  for (std::size_t k = 0; k < names.size(); ++k) {
    INFO(names[k]);
    const std::string part = names[k].substr(names[k].rfind('.'));
    if (part[1] == 'I' || part == ".armature" || part == ".damping" || part == ".friction") CHECK_FALSE(x.determined[k]);
  }
}

TEST_CASE("Adding a sample takes no memory") {
  const Model model = random_tree(6, 3, {true});
  TorqueInformation information(model);
  const Readings r = readings(model, parameters(model), 200, 0.1, 3);
  CHECK(allocations_of([&] { add(information, r, 0, 200); }) == 0);
}
