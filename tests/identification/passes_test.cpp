// Fits by several passes: outliers, smoothing velocities of friction.
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "sparsedyn/identification/identify.hpp"
#include "sparsedyn/model/coordinate_map.hpp"
#include "support/heap.hpp"
#include "support/joint_law.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Vector = std::vector<double>;

/// Friction that is smooth at these velocities.
std::vector<FrictionShape> smooth(const Vector& s) {
  std::vector<FrictionShape> shapes;
  for (double each : s) shapes.push_back({each});
  return shapes;
}

/// Torques of a robot of parameters pi whose friction depends on speed as g says, with noise, some of them spikes.
struct Recording {
  Recording(const Model& model, const Vector& pi, const Vector& s, int samples, double noise, double spikes, unsigned seed)
      : Recording(model, pi, smooth(s), samples, noise, spikes, seed) {}
  Recording(const Model& model, const Vector& pi, const std::vector<FrictionShape>& g, int samples, double noise, double spikes,
            unsigned seed) {
    std::mt19937 rng(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> share(0, 1);
    const ParameterIndex index(model);
    Vector without = pi;
    for (int own : index.of_joints) without[static_cast<std::size_t>(own) + 2] = 0;
    RegressorWorkspace<double> work(model);
    for (int k = 0; k < samples; ++k) {
      states.push_back(random_state(model, rng));
      tau.emplace_back(static_cast<std::size_t>(model.nv));
      regressor_times(model, work, states.back().q.data(), states.back().v.data(), states.back().a.data(), without.data(),
                      tau.back().data());
      for (std::size_t j = 0; j < model.joints.size(); ++j) {
        const CoordinateMap::Entry e = entry_of(model, model.tree().joints[j].v);
        const auto v = static_cast<std::size_t>(e.index);
        tau.back()[v] += e.multiplier * pi[static_cast<std::size_t>(index.of_joints[j]) + 2] *
                         friction_by_hand(g[v], e.multiplier * states.back().v[v]);
      }
      for (double& x : tau.back()) x += noise * (share(rng) < spikes ? 100 * std::fabs(normal(rng)) : normal(rng));
    }
  }
  void into(RowInformation& information) const {
    for (std::size_t k = 0; k < states.size(); ++k)
      static_cast<TorqueInformation&>(information)
          .add(states[k].q.data(), states[k].v.data(), states[k].a.data(), tau[k].data(), nullptr);
  }
  std::vector<State> states;
  std::vector<Vector> tau;
};

Vector rubbing(const Model& model) {
  Vector pi = parameters(model);
  for (int own : ParameterIndex(model).of_joints) {
    double* const at = &pi[static_cast<std::size_t>(own)];
    at[0] = 0.1, at[1] = 0.3, at[2] = 0.5, at[3] = -0.2;
  }
  return pi;
}

Identification by_passes(const Model& model, const Recording& r, const PassOptions& options) {
  TorqueInformation information(model);
  r.into(information);
  return identify_by_passes(information, options, [&] { r.into(information); });
}

/// Errors of the base parameters in deviations.
Vector errors(const Identification& x, const Vector& pi) {
  Vector found;
  const Vector beta = x.base.values(pi);
  for (std::size_t k = 0; k < beta.size(); ++k) found.push_back((x.base_value[k] - beta[k]) / x.base_sd[k]);
  return found;
}

}  // namespace

TEST_CASE("Huber: spikes of 100 deviations do not move the fit, which they do without, deviations stay true") {
  const Model model = random_tree(3, 11);
  const Vector pi = rubbing(model), s(3, 0.01);
  int within = 0, count = 0;
  long outliers = 0;
  double sigma = 0, plain_sigma = 0, plain_spread = 0, spread = 0;
  constexpr int seeds = 40;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const Recording r(model, pi, s, 600, 0.2, 0.02, 300 + seed);
    TorqueInformation information(model);
    r.into(information);
    const Identification plain = identify(information);
    PassOptions robust;
    robust.huber = true;
    const Identification x = identify_by_passes(information, robust, [&] { r.into(information); });
    CHECK(x.settled);
    CHECK(x.passes < 20);
    for (double e : errors(x, pi)) {
      CHECK(std::fabs(e) < 5);
      ++count, within += std::fabs(e) < 2;
    }
    const Vector beta = x.base.values(pi);
    for (std::size_t k = 0; k < beta.size(); ++k) {
      plain_spread += std::pow((plain.base_value[k] - beta[k]) / x.base_sd[k], 2);
      spread += std::pow((x.base_value[k] - beta[k]) / x.base_sd[k], 2);
    }
    for (std::size_t i = 0; i < 3; ++i) {
      sigma += x.sigma[i] / (3 * seeds), plain_sigma += plain.sigma[i] / (3 * seeds);
      outliers += x.outliers[i];
    }
    CHECK(x.chi_square == Approx(1).epsilon(0.1));
  }
  CHECK(static_cast<double>(within) / count > 0.93);
  CHECK(static_cast<double>(within) / count < 0.975);
  CHECK(sigma == Approx(0.2).epsilon(0.05));
  CHECK(plain_sigma > 1);
  // 2 % are spikes, of which 96 % are beyond five deviations
  CHECK(static_cast<double>(outliers) == Approx(0.02 * 0.96 * 3 * 600 * seeds).epsilon(0.12));
  CHECK(plain_spread > 30 * spread);  // without Huber the same errors are many deviations
}

TEST_CASE(
    "Huber at its end: the sum of the residuals' influence vanishes along every parameter that has no prior to speak of") {
  const Model model = random_tree(3, 12);
  const Vector pi = rubbing(model), s(3, 0.01);
  const Recording r(model, pi, s, 500, 0.2, 0.05, 5);
  PassOptions options;
  options.huber = true;
  options.fit.prior = 1e4;
  const Identification x = by_passes(model, r, options);
  // Σ ψ(r/σ) Y_k over one torque's samples, beside √Σ Y_k²: a normal deviation at the truth, near 0 at the minimum
  RegressorWorkspace<double> work(model);
  const auto count = static_cast<std::size_t>(work.index.count);
  Vector Y(3 * count), influence(count, 0.0), length(count, 0.0);
  for (std::size_t k = 0; k < r.states.size(); ++k) {
    regressor(model, work, r.states[k].q.data(), r.states[k].v.data(), r.states[k].a.data(), Y.data());
    for (std::size_t i = 0; i < 3; ++i) {
      double residual = -r.tau[k][i];
      for (std::size_t c = 0; c < count; ++c) residual += Y[i * count + c] * x.value[c];
      const double u = residual / x.sigma[i], psi = std::max(-1.345, std::min(1.345, u));
      for (std::size_t c = 0; c < count; ++c)
        influence[c] += psi / x.sigma[i] * Y[i * count + c], length[c] += std::pow(Y[i * count + c] / x.sigma[i], 2);
    }
  }
  const ParameterIndex index(model);
  for (int own : index.of_joints)
    for (int k : {1, 2, 3}) {  // damping, friction, offset: unconstrained here
      const auto c = static_cast<std::size_t>(own + k);
      CHECK(std::fabs(influence[c]) < 0.1 * std::sqrt(length[c]));
    }
}

TEST_CASE("Smoothing velocities are found with their deviations, from logs of several") {
  const Model model = random_tree(3, 14);
  const Vector pi = rubbing(model), s{0.004, 0.05, 0.3};
  PassOptions options;
  options.smoothing.assign(3, 1);
  Vector squares(3, 0.0);
  int within = 0, count = 0;
  constexpr int seeds = 20;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const Recording r(model, pi, s, 3000, 0.02, 0, 40 + seed);
    const Identification x = by_passes(model, r, options);
    CHECK(x.settled);
    for (std::size_t v = 0; v < 3; ++v) {
      INFO(v << ": " << x.friction[v].smoothing << " +- " << x.friction_sd[v].smoothing);
      CHECK(x.friction_determined[v][0]);
      CHECK(std::fabs(x.friction[v].smoothing - s[v]) < 4 * x.friction_sd[v].smoothing + 0.1 * s[v]);
      squares[v] += std::pow((x.friction[v].smoothing - s[v]) / x.friction_sd[v].smoothing, 2) / seeds;
    }
    const std::size_t own = 10 * model.joints.size();
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 1; k < 4; ++k) {
        const std::size_t c = own + 4 * j + k;
        ++count, within += std::fabs(x.value[c] - pi[c]) < 2 * x.sd[c];
      }
  }
  for (double each : squares) {
    CHECK(each > 0.3);
    CHECK(each < 2.2);
  }
  CHECK(static_cast<double>(within) / count > 0.9);
}

TEST_CASE("Smoothing velocities are found beside joints that follow others, which keep theirs") {
  const Model tree = random_tree(5, 4);
  const Model model = coupled(tree, {{tree.joints[3].name, tree.joints[1].name, -0.5, 0.2}});
  const Vector pi = rubbing(model), s{0.2, 0.01, 0.05, 0.4};
  const Recording r(model, pi, s, 4000, 0.01, 0, 7);
  PassOptions options;
  options.smoothing = {1, 0, 1, 1};
  const Identification x = by_passes(model, r, options);
  CHECK(x.settled);
  CHECK(x.friction[1].smoothing == 0.01);
  CHECK(x.friction_sd[1].smoothing == 0);
  for (std::size_t v : {0u, 2u, 3u}) {
    CHECK(x.friction_determined[v][0]);
    CHECK(std::fabs(x.friction[v].smoothing - s[v]) < 4 * x.friction_sd[v].smoothing);
    CHECK(x.friction_sd[v].smoothing < 0.05 * s[v]);
  }
  TorqueInformation information(model);
  RowPass pass;
  pass.extra.resize(4), pass.extra[1] = {{{0.01}}};
  CHECK_THROWS_AS(information.restart(pass), std::invalid_argument);
}

TEST_CASE("Smoothing velocities and Huber's weights settle where nearly all rows that show the velocity are outliers") {
  const Model model = random_tree(3, 14);
  const Vector pi = rubbing(model), s{0.05, 0.1, 0.08};
  Recording r(model, pi, s, 3000, 0.02, 0, 40);
  // three deviations off, to and fro: about one row in twenty is within the threshold
  for (std::size_t k = 0; k < r.states.size(); ++k)
    for (std::size_t v = 0; v < 3; ++v)
      if (std::fabs(r.states[k].v[v]) < 4 * s[v]) r.tau[k][v] += k % 2 ? 0.06 : -0.06;
  PassOptions options;
  options.smoothing.assign(3, 1), options.huber = true;
  const Identification x = by_passes(model, r, options);
  CHECK(x.settled);
  PassOptions longer = options;
  longer.most_passes = 150, longer.settled_share = 1e-6;
  const Identification end = by_passes(model, r, longer);
  CHECK(end.settled);
  CHECK(end.passes < 45);
  for (std::size_t v = 0; v < 3; ++v) {
    INFO(v << ": " << x.friction[v].smoothing << " +- " << x.friction_sd[v].smoothing << ", in the end "
           << end.friction[v].smoothing);
    CHECK(std::fabs(x.friction[v].smoothing - end.friction[v].smoothing) < 0.1 * x.friction_sd[v].smoothing);
  }
}

TEST_CASE("What sliding takes from friction is found with its deviations, beside smoothing velocities and outliers") {
  const Model model = random_tree(3, 14);
  const Vector pi = rubbing(model);
  const std::vector<FrictionShape> g{{0.01, 0.6, 0.3}, {0.05, 0.3, 1.0}, {0.02, 0, 0.1}};
  PassOptions options;
  options.smoothing.assign(3, 1), options.stribeck.assign(3, 1);
  int within = 0, count = 0;
  constexpr int seeds = 20;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const Recording r(model, pi, g, 3000, 0.01, seed % 2 ? 0.02 : 0, 140 + seed);
    options.huber = seed % 2;
    const Identification x = by_passes(model, r, options);
    INFO("seed " << seed << ", passes " << x.passes);
    CHECK(x.settled);
    for (std::size_t v = 0; v < 2; ++v) {
      INFO(v << ": " << x.friction[v].stribeck << " +- " << x.friction_sd[v].stribeck << " from "
             << x.friction[v].stribeck_velocity << " +- " << x.friction_sd[v].stribeck_velocity);
      CHECK(x.friction_determined[v][1]);
      CHECK(x.friction_determined[v][2]);
      CHECK(std::fabs(x.friction[v].stribeck - g[v].stribeck) < 5 * x.friction_sd[v].stribeck);
      CHECK(std::fabs(x.friction[v].stribeck_velocity - g[v].stribeck_velocity) <
            5 * x.friction_sd[v].stribeck_velocity + 0.1 * g[v].stribeck_velocity);
      count += 2, within += std::fabs(x.friction[v].stribeck - g[v].stribeck) < 2 * x.friction_sd[v].stribeck;
      within += std::fabs(x.friction[v].stribeck_velocity - g[v].stribeck_velocity) < 2 * x.friction_sd[v].stribeck_velocity;
    }
    CHECK(x.friction[2].stribeck >= 0);
    CHECK(x.friction[2].stribeck < 4 * x.friction_sd[2].stribeck);
  }
  INFO(within << " of " << count);
  CHECK(within > 0.85 * count);
}

TEST_CASE("Derivatives of friction by its shape are the columns of a pass") {
  const Model model = random_tree(1, 3);
  const State s{{0.3}, {0.13}, {0.5}, {0}, {}};
  const FrictionShape g{0.08, 0.4, 0.2};
  const auto column = [&](const FrictionColumn& of) {
    TorqueInformation information(model);
    RowPass pass;
    pass.extra = {{of}};
    information.restart(pass);
    const double tau = 1;
    information.add(s.q.data(), s.v.data(), s.a.data(), &tau, nullptr);
    const RowInformation::Factor& factor = information.factors()[0];
    // one row: the triangle's first row is it, up to its sign; the reading is 1
    return factor.entry(0, factor.order() - 1) / factor.entry(0, factor.order());
  };
  CHECK(column({g}) == Approx(friction_by_hand(g, 0.13)).epsilon(1e-14));
  constexpr double h = 1e-5, f = 1.7;
  const auto slope = [&](auto moved) {
    return f * (friction_by_hand(moved(h), 0.13) - friction_by_hand(moved(-h), 0.13)) / (2 * h);
  };
  CHECK(column({g, FrictionNumber::smoothing, f}) == Approx(slope([&](double x) {
                                                       return FrictionShape{0.08 * std::exp(x), 0.4, 0.2};
                                                     })).epsilon(1e-8));
  CHECK(column({g, FrictionNumber::stribeck, f}) == Approx(slope([&](double x) {
                                                      return FrictionShape{0.08, 0.4 + x, 0.2};
                                                    })).epsilon(1e-8));
  CHECK(column({g, FrictionNumber::stribeck_velocity, f}) == Approx(slope([&](double x) {
                                                               return FrictionShape{0.08, 0.4, 0.2 * std::exp(x)};
                                                             })).epsilon(1e-8));
}

TEST_CASE("A smoothing velocity that no sample shows keeps the prior's, and says so") {
  const Model model = random_tree(2, 15);
  Vector pi = rubbing(model);
  for (int own : ParameterIndex(model).of_joints) pi[static_cast<std::size_t>(own) + 2] = 0;  // no friction
  const Recording r(model, pi, {0.01, 0.01}, 500, 0.1, 0, 3);
  PassOptions options;
  options.smoothing = {1, 0};
  const Identification x = by_passes(model, r, options);
  CHECK_FALSE(x.friction_determined[0][0]);
  CHECK_FALSE(x.friction_determined[1][0]);
  CHECK(x.friction[1].smoothing == 0.01);
  CHECK(x.friction_sd[1].smoothing == 0);
  CHECK(x.value.size() == pi.size());
}

TEST_CASE("Passes in parts add up, and weighing takes no memory") {
  const Model model = random_tree(3, 16);
  const Vector pi = rubbing(model);
  const Recording r(model, pi, {0.01, 0.01, 0.01}, 400, 0.1, 0.05, 9), first(model, pi, {0.01, 0.01, 0.01}, 100, 0.1, 0.05, 10);
  RowPass pass;
  pass.huber = HuberWeights{parameters(model), {0.1, 0.2, 0.3}};
  pass.friction = {{0.01}, {0.02}, {0.03}};
  pass.extra = {{{{0.01}, FrictionNumber::smoothing, 0.5}}, {}, {{{0.01}}, {{0.02}}}};
  TorqueInformation whole(model), one(model), two(model), other(model);
  for (TorqueInformation* each : {&whole, &one, &two}) each->restart(pass);
  CHECK(allocations_of([&] { r.into(whole); }) == 0);
  first.into(whole), first.into(one), r.into(two);
  TorqueInformation received(model);
  received.restart(pass);
  received.restore(two.state());
  one.merge(received);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(one.factors()[i].rows == whole.factors()[i].rows);
    CHECK(norm_error(one.factors()[i].triangle, whole.factors()[i].triangle) < 1e-12);
    CHECK(one.factors()[i].squares == Approx(whole.factors()[i].squares).epsilon(1e-12));
  }
  CHECK_THROWS_AS(other.merge(whole), std::invalid_argument);
  // rows are visited as they are added: with their friction, without weights
  RowPass apart;
  apart.friction = {{0.01}, {0.02}, {0.03}};
  whole.restart(apart);
  r.into(whole);
  Vector visited(3, 0.0);
  for (std::size_t k = 0; k < r.states.size(); ++k)
    whole.visit(r.states[k].q.data(), r.states[k].v.data(), r.states[k].a.data(), r.tau[k].data(), nullptr,
                [&](int i, const double* Y, double measured) {
                  visited[static_cast<std::size_t>(i)] += std::pow(std::inner_product(pi.begin(), pi.end(), Y, -measured), 2);
                });
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(whole.factors()[i].rows == 400);
    CHECK(visited[i] == Approx(whole.squares(static_cast<int>(i), pi)).epsilon(1e-10));
  }
  RowPass bad;
  bad.friction = {{0.1}};
  CHECK_THROWS_AS(other.restart(bad), std::invalid_argument);
}

namespace {

/// The furthest value from `expected`, in its deviations, and the furthest deviation, in shares of it.
std::pair<double, double> apart(const Vector& value, const Vector& sd, const Vector& expected, const Vector& expected_sd) {
  double values = 0, deviations = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    values = std::max(values, std::fabs(value.at(k) - expected[k]) / expected_sd[k]);
    deviations = std::max(deviations, std::fabs(sd.at(k) / expected_sd[k] - 1));
  }
  return {values, deviations};
}

Vector velocities(const std::vector<FrictionShape>& shapes) {
  Vector s;
  for (const FrictionShape& g : shapes) s.push_back(g.smoothing);
  return s;
}

/// How far Huber's fit to `r` is from the plain one to `exact`, where a fit has both: of all kinds of numbers.
void check_apart(const Model& model, const Recording& r, const Recording& exact, PassOptions options, double values,
                 double deviations) {
  const Identification plain = by_passes(model, exact, options);
  options.huber = true;
  const Identification x = by_passes(model, r, options);
  CHECK(x.settled);
  CHECK(x.rank == plain.rank);
  for (const auto& [value, sd] :
       {apart(x.value, x.sd, plain.value, plain.sd), apart(x.base_value, x.base_sd, plain.base_value, plain.base_sd),
        apart(velocities(x.friction), velocities(x.friction_sd), velocities(plain.friction), velocities(plain.friction_sd)),
        apart(x.sigma, x.sigma, plain.sigma, plain.sigma)}) {
    CHECK(value < values);
    CHECK(sd < deviations);
  }
}

}  // namespace

TEST_CASE("Huber without noise: what plain passes find, with their deviations, also where one torque in sixty is a spike") {
  const Model model = random_tree(3, 11);
  const Vector pi = rubbing(model), modelled(3, 0.01), s{0.004, 0.05, 0.3};
  PassOptions given, found;
  found.smoothing.assign(3, 1);
  for (const auto& [options, velocity] : {std::pair(given, modelled), std::pair(found, s)}) {
    const Recording exact(model, pi, velocity, 2000, 0, 0, 21);
    Recording spiked = exact;
    for (std::size_t k = 0; k < spiked.tau.size(); k += 20) spiked.tau[k][k / 20 % 3] += k % 40 ? 5 : -3;
    check_apart(model, exact, exact, options, 1e-8, 1e-8);
    check_apart(model, spiked, exact, options, 0.5, 0.03);
  }
}

TEST_CASE("Huber without noise, of deviations that are stated: the data's base parameters are the truth") {
  const Model model = random_tree(3, 11);
  const Vector pi = rubbing(model);
  const Recording r(model, pi, Vector(3, 0.01), 500, 0, 0, 22);
  for (double stated : {1e-6, 1e-3}) {
    PassOptions options;
    options.huber = true, options.fit.sigma.assign(3, stated);
    const Identification x = by_passes(model, r, options);
    INFO(stated);
    CHECK(x.settled);
    CHECK(x.sigma == options.fit.sigma);
    const Vector beta = x.base.values(pi);
    for (std::size_t k = 0; k < beta.size(); ++k) CHECK(std::fabs(x.base_value[k] - beta[k]) < 1e-6);
  }
}
