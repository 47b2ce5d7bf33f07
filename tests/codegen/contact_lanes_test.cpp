// Batches of generated contact dynamics, a state in each lane: beside ConstrainedDynamics, with cones of every kind in one
// batch; and that no lane depends on those beside it, whatever these hold.
#include <catch2/catch.hpp>
#include <cstring>
#include <limits>

#include "compiled.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "support/contact_robots.hpp"
#include "support/coupled.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Rows = std::vector<std::vector<double>>;  // a sample each

/// Element e of sample s at e n + s.
std::vector<double> by_element(const Rows& rows) {
  std::vector<double> all;
  for (std::size_t e = 0; e < rows[0].size(); ++e)
    for (const std::vector<double>& row : rows) all.push_back(row[e]);
  return all;
}

Rows by_sample(const std::vector<double>& all, std::size_t n) {
  Rows rows(n);
  for (std::size_t s = 0; s < n; ++s)
    for (std::size_t k = s; k < all.size(); k += n) rows[s].push_back(all[k]);
  return rows;
}

struct BatchAnswer {
  Rows a, lambda, gap, next, solver;
  std::vector<int> status;
  long failed;
};

/// A generated function and the lengths of its vectors.
struct Batches {
  Batches(const Model& model, const ConstraintSet& set, const std::string& compiler, const std::string& flags)
      : program(contact_dynamics_code(model, set, "f").files, "f", strictly(compiler, flags)) {
    batch = reinterpret_cast<decltype(batch)>(program.symbol("f_batch_status"));
    const ConstrainedDynamics d(model, set);
    const auto size = reinterpret_cast<const long long int* (*)(long long int)>(program.symbol("f_sparsity_out"));
    for (long long int k = 0; k < 5; ++k) lengths.push_back(static_cast<std::size_t>(size(k)[0]));
  }

  BatchAnswer call(const std::vector<ContactState>& states, const Rows& start = {}) const {
    const std::size_t n = states.size();
    Rows q, v, tau;
    for (const ContactState& s : states) q.push_back(s.q), v.push_back(s.v), tau.push_back(s.tau);
    const std::vector<double> in[] = {by_element(q), by_element(v), by_element(tau),
                                      start.empty() ? std::vector<double>{} : by_element(start)};
    std::vector<std::vector<double>> out;
    for (std::size_t length : lengths) out.emplace_back(length * n, -7.0);
    const double* arg[] = {in[0].data(), in[1].data(), in[2].data(), start.empty() ? nullptr : in[3].data()};
    double* res[] = {out[0].data(), out[1].data(), out[2].data(), out[3].data(), out[4].data()};
    BatchAnswer answer;
    answer.status.assign(n, -1);
    answer.failed = batch(arg, res, static_cast<long>(n), answer.status.data());
    answer.a = by_sample(out[0], n), answer.lambda = by_sample(out[1], n), answer.gap = by_sample(out[2], n);
    answer.next = by_sample(out[3], n), answer.solver = by_sample(out[4], n);
    return answer;
  }

  CompiledProgram program;
  long (*batch)(const double* const*, double* const*, long, int*);
  std::vector<std::size_t> lengths;
};

void check_reference(ConstrainedDynamics& reference, const std::vector<ContactState>& states, const BatchAnswer& answer) {
  for (std::size_t k = 0; k < states.size(); ++k) {
    std::vector<double> a(answer.a[k].size()), lambda(answer.lambda[k].size()), gap(answer.gap[k].size());
    const ContactState& s = states[k];
    CAPTURE(k);
    REQUIRE(reference.forward(s.q.data(), s.v.data(), s.tau.data(), nullptr, a.data(), lambda.data(), gap.data()).ok());
    REQUIRE(answer.status[k] == 0);
    CHECK(relative_difference(answer.a[k], a) <= 1e-10);
    CHECK(relative_difference(answer.lambda[k], lambda) <= 1e-10);
    CHECK(relative_difference(answer.gap[k], gap) <= 1e-12);
  }
}

std::vector<ContactState> touching_states(const Model& model, const ConstraintSet& set, int n, unsigned seed) {
  std::mt19937 rng(seed);
  std::vector<ContactState> states;
  for (int k = 0; k < n; ++k) states.push_back(touching_state(model, set, rng));
  return states;
}

/// Cold, and warm at torques a little larger. More samples than lanes, and no multiple of them.
Seen hold_lanes_against_reference(const Model& model, const ConstraintSet& set, unsigned seed, const std::string& compiler,
                                  const std::string& flags) {
  CAPTURE(model.name, seed, compiler, flags);
  const Batches f(model, set, compiler, flags);
  ConstrainedDynamics reference(model, set);
  std::vector<ContactState> states = touching_states(model, set, 45, seed);
  const BatchAnswer cold = f.call(states);
  CHECK(cold.failed == 0);
  check_reference(reference, states, cold);
  Seen seen;
  for (std::size_t k = 0; k < states.size(); ++k) count_kinds(set, cold.lambda[k], cold.gap[k], seen);
  for (ContactState& s : states)
    for (double& x : s.tau) x *= 1.01;
  check_reference(reference, states, f.call(states, cold.next));
  return seen;
}

bool same_bits(const std::vector<double>& x, const std::vector<double>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
}

/// Whether sample k of `one` is sample l of `other`, to the last bit.
bool same_sample(const BatchAnswer& one, std::size_t k, const BatchAnswer& other, std::size_t l) {
  return one.status[k] == other.status[l] && same_bits(one.a[k], other.a[l]) && same_bits(one.lambda[k], other.lambda[l]) &&
         same_bits(one.gap[k], other.gap[l]) && same_bits(one.next[k], other.next[l]) &&
         same_bits(one.solver[k], other.solver[l]);
}

}  // namespace

TEST_CASE("contact dynamics in lanes give the reference's accelerations and forces: all cones and frictions") {
  const Model model = shipped_model("quadruped", true);
  for (const std::string compiler : {"gcc", "clang"})
    for (const Cone cone : {Cone::elliptic, Cone::pyramidal})
      for (const double impratio : {1.0, 5.0}) {
        if (missing(compiler)) continue;
        ConstraintSet set = spheres_on_leaves(model, impratio == 1 ? std::vector<std::vector<double>>{{0.8}} : all_frictions);
        set.parameters.cone = cone, set.parameters.impratio = impratio;
        if (impratio != 1) add_stops_and_friction(set);
        const Seen seen = hold_lanes_against_reference(model, set, 3, compiler, "-O1 -march=native");
        CHECK(seen.open > 0);
        if (cone == Cone::elliptic) CHECK((seen.sticking > 0 && seen.sliding > 0));
      }
}

TEST_CASE("contact dynamics in lanes: contacts of one, four and six directions each by themselves") {
  if (missing("gcc")) return;
  const Model model = shipped_model("quadruped", true);
  for (const std::vector<double>& friction : {all_frictions[1], all_frictions[2], all_frictions[3]})
    for (const Cone cone : {Cone::elliptic, Cone::pyramidal}) {
      ConstraintSet set = spheres_on_leaves(model, {friction});
      set.parameters.cone = cone;
      hold_lanes_against_reference(model, set, 17, "gcc", "-O1 -march=native");
    }
}

TEST_CASE("contact dynamics in two and four lanes") {
  if (missing("gcc")) return;
  const Model model = shipped_model("quadruped", true);
  ConstraintSet set = spheres_on_leaves(model, all_frictions);
  add_stops_and_friction(set);
  for (const std::string flags : {"-O1", "-O1 -mavx2 -mfma"}) hold_lanes_against_reference(model, set, 11, "gcc", flags);
}

TEST_CASE(
    "batches of generated contact dynamics on other robots: fixed bases, sloping planes, every joint, dry friction alone") {
  if (missing("gcc")) return;
  for (unsigned seed = 0; seed < 4; ++seed) {
    ContactRobot robot = robot_on_a_slope(seed);
    std::vector<Constraint>& all = robot.set.constraints;
    if (seed == 3) all.erase(all.begin(), all.end() - 1);
    hold_lanes_against_reference(robot.model, robot.set, seed, "gcc", "-O0 -march=native");
  }
}

TEST_CASE("batches of generated contact dynamics where joints follow others agree with the library") {
  if (missing("gcc")) return;
  for (unsigned seed = 0; seed < 3; ++seed) {
    const ContactRobot robot = robot_with_followers(seed);
    hold_lanes_against_reference(robot.model, robot.set, seed, "gcc", "-O1 -march=native");
  }
}

TEST_CASE("batches of generated contact dynamics of whole robots agree with the library") {
  if (missing("gcc")) return;
  for (const ContactRobot& robot : standing_robots({"arm.", "hyq", "simple_humanoid", "atlas"}))
    hold_lanes_against_reference(robot.model, robot.set, 1, "gcc", "-O1 -march=native");
}

TEST_CASE("a lane of generated contact dynamics does not depend on the other lanes") {
  if (missing("gcc")) return;
  const Model model = shipped_model("quadruped", true);
  ConstraintSet set = spheres_on_leaves(model, all_frictions);
  add_stops_and_friction(set);
  const Batches f(model, set, "gcc", "-O2 -march=native -ffp-contract=fast");
  std::vector<ContactState> states = touching_states(model, set, 21, 5);
  std::vector<BatchAnswer> alone;
  for (const ContactState& s : states) alone.push_back(f.call({s}));
  const BatchAnswer together = f.call(states);
  for (std::size_t k = 0; k < states.size(); ++k) CHECK(same_sample(together, k, alone[k], 0));

  const double bad[] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};
  states[2].v[1] = bad[0], states[4].q[3] = bad[1], states[9].tau[6] = bad[0];  // not finite: codes of their own
  states[6].q[8] = 3e7, states[12].v[7] = 1e200;  // beyond the polynomials of sines; overflows on the way
  const BatchAnswer beside = f.call(states);
  for (std::size_t k = 0; k < states.size(); ++k) {
    CAPTURE(k);
    if (k == 2 || k == 4 || k == 9) {
      CHECK(beside.status[k] == 1);
      for (double x : beside.a[k]) CHECK(std::isnan(x));
    } else if (k == 12) {
      CHECK(beside.status[k] != 0);
      for (double x : beside.a[k]) CHECK(std::isnan(x));
    } else if (k == 6) {
      CHECK(same_sample(beside, k, f.call({states[k]}), 0));
    } else {
      CHECK(same_sample(beside, k, alone[k], 0));
    }
  }
  CHECK(beside.failed == 4);
}

TEST_CASE("lanes of generated contact dynamics that do not converge are flagged, and the others have their results") {
  if (missing("gcc")) return;
  const Model model = shipped_model("quadruped", true);
  const ConstraintSet set = spheres_on_leaves(model, {{0.8}});
  const Batches f(model, set, "gcc", "-O1 -march=native -Df_ITERATIONS=3"), whole(model, set, "gcc", "-O1 -march=native");
  const std::vector<ContactState> states = touching_states(model, set, 40, 9);
  const BatchAnswer few = f.call(states), all = whole.call(states);
  int unsettled = 0;
  for (std::size_t k = 0; k < states.size(); ++k) {
    CAPTURE(k);
    const bool enough = all.solver[k][0] <= 3;
    unsettled += !enough;
    CHECK(few.status[k] == (enough ? 0 : 3));
    CHECK(few.solver[k][0] == std::min(3.0, all.solver[k][0]));
    if (enough) CHECK(same_sample(few, k, all, k));
    if (!enough) CHECK((few.solver[k][1] > 1e-11 && few.solver[k][2] >= 0 && std::isnan(few.a[k][0])));
  }
  CHECK(unsettled > 0);
  CHECK(unsettled < 40);
  CHECK(few.failed == unsettled);
}
