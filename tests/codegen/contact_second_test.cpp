// ContactSecondDerivatives without generated code (beside which curved_contacts.hpp holds it): beside differences of
// ConstrainedDynamics::derivatives, under effort limits, with powers of solimp that generated code refuses; and what is
// refused.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "curved_contacts.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "support/contact_loops.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;

namespace {

struct SecondAnswer {
  ConstraintStatus status;
  CurveVector g, H;  // λᵀ ∂a + ηᵀ ∂f; 3nv × 3nv
};

/// At a state, with λ = cos 1, cos 2, …; η of the forces where `eta` is not empty.
class LibrarySecond {
 public:
  LibrarySecond(const Model& model, const ConstraintSet& set, const ConstraintOptions& options = {})
      : model_(model), n_(static_cast<std::size_t>(model.nv)), second_(model, set, options) {
    for (std::size_t k = 0; k < n_; ++k) lambda.push_back(std::cos(1.0 + static_cast<double>(k)));
  }
  SecondAnswer at(const ContactState& s) {
    const std::size_t forces = second_.dynamics().force_columns().size();
    CurveVector a(n_), force(forces), gap(second_.dynamics().gap_columns().size()), by[6];
    for (int k = 0; k < 6; ++k) by[k].resize((k < 3 ? n_ : forces) * n_);
    const auto of_forces = [&](int k) { return eta.empty() ? nullptr : by[k].data(); };
    SecondAnswer answer{{}, CurveVector(3 * n_), CurveVector(9 * n_ * n_)};
    answer.status = second_.evaluate(s.q.data(), s.v.data(), s.tau.data(), nullptr, lambda.data(),
                                     {a.data(), force.data(), gap.data(), by[0].data(), by[1].data(), by[2].data(),
                                      of_forces(3), of_forces(4), of_forces(5)},
                                     answer.H.data(), eta.empty() ? nullptr : eta.data());
    for (std::size_t part = 0; part < 3; ++part) {
      for (std::size_t i = 0; i < n_ * n_; ++i) answer.g[part * n_ + i % n_] += lambda[i / n_] * by[part][i];
      for (std::size_t i = 0; i < eta.size() * n_; ++i) answer.g[part * n_ + i % n_] += eta[i / n_] * by[3 + part][i];
    }
    return answer;
  }
  /// Along directions y and z of two of q, v and τ: yᵀ H z less the least difference of several steps (long ones may reach
  /// where a contact changes its kind, short ones carry rounding), beside terms. Of q and q half of both orders of
  /// differentiation, which differ on the tangent space of a rotation.
  double difference(const ContactState& s, const SecondAnswer& found, std::size_t row, std::size_t column) {
    CurveVector y, z;
    for (std::size_t e = 0; e < n_; ++e)
      y.push_back(std::sin(static_cast<double>(e + 1))), z.push_back(std::cos(static_cast<double>(2 * e)));
    double sum = 0, terms = 1;
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t k = 0; k < n_; ++k) {
        const double term = y[i] * z[k] * found.H[(row * n_ + i) * 3 * n_ + column * n_ + k];
        sum += term, terms += std::abs(term);
      }
    double least = INFINITY;
    for (const double step : {1e-4, 1e-3, 1e-5}) {
      if (least <= 1e-7) break;
      double slope = slope_of_first(s, row, y, column, z, step);
      if (row == column) slope = 0.5 * (slope + slope_of_first(s, row, z, column, y, step));
      least = std::min(least, std::abs(sum - slope) / terms);
    }
    return least;
  }

  /// Every block of H at the state.
  void hold_against_differences(const ContactState& s) {
    const SecondAnswer found = at(s);
    REQUIRE(found.status.ok());
    for (std::size_t row = 0; row < 3; ++row)
      for (std::size_t column = row; column < 3; ++column) {
        CAPTURE(row, column);
        CHECK(difference(s, found, row, column) <= 1e-6);
      }
  }

  /// η = sin 1, sin 2, …, with or without λ.
  void ask_for_forces(bool alone) {
    eta.clear();
    for (std::size_t k = 0; k < n_ && alone; ++k) lambda[k] = 0;
    for (std::size_t k = 0; k < second_.dynamics().force_columns().size(); ++k)
      eta.push_back(std::sin(1.0 + static_cast<double>(k)));
  }

  CurveVector lambda, eta;

 private:
  ContactState moved(const ContactState& s, std::size_t part, const CurveVector& along, double by) const {
    ContactState to = s;
    CurveVector delta;
    for (const double x : along) delta.push_back(by * x);
    if (part == 0) integrate(model_, s.q.data(), delta.data(), to.q.data());
    for (std::size_t k = 0; part > 0 && k < n_; ++k) (part == 1 ? to.v : to.tau)[k] += delta[k];
    return to;
  }
  /// How ∂(λᵀa) by z of `column` changes along y of `row`, by differences of sixth order.
  double slope_of_first(const ContactState& s, std::size_t row, const CurveVector& y, std::size_t column, const CurveVector& z,
                        double step) {
    const CurveVector slope = difference_of_sixth_order([&](double by) { return at(moved(s, row, y, by)).g; }, step);
    return std::inner_product(z.begin(), z.end(), slope.begin() + static_cast<std::ptrdiff_t>(column * n_), 0.0);
  }

  const Model& model_;
  std::size_t n_;
  ContactSecondDerivatives second_;
};

/// Two bars each way about one point, their tips welded: of the weld's six rows three follow from the others, other ones at
/// each posture.
Model spherical_linkage() {
  ModelBuilder builder("spherical");
  builder.root("ground", zero_inertia<double>(), false);
  const auto bar = [&](const std::string& name, const std::string& parent, const Vec3<double>& axis) {
    JointSpec hinge;
    hinge.kind = JointKind::revolute, hinge.axis = axis;
    builder.link(name, inertia_about_com(1, {{0.1, 0.05, -0.2}}, {0.03, 0, 0, 0.02, 0, 0.04}), parent, "at_" + name, hinge,
                 identity_pose<double>());
  };
  bar("a", "ground", {{0.6, 0, 0.8}}), bar("b", "a", {{0, 1, 0}});
  bar("c", "ground", {{0, 0.28, 0.96}}), bar("d", "c", {{0.8, 0.6, 0}});
  return builder.build();
}

}  // namespace

TEST_CASE("second derivatives through contacts, stops and loops are differences of the library's first derivatives") {
  const Model model = with_near_stops(shipped_model("arm", false));
  for (const double power : {2.0, 2.5}) {
    ConstraintSet set = spheres_on_leaves(model, {{0.8}});
    add_stops_and_friction(set);
    set.constraints.push_back(pair_of(model, ConstraintType::weld, model.links.back().name, "world", false));
    if (power <= 2) set.constraints.push_back(coupling_of(model, true));
    set.parameters.solimp = {0.5, 0.95, 2, 0.4, power};
    LibrarySecond second(model, set);
    std::mt19937 rng(7);
    for (int k = 0; k < 3; ++k) {
      ContactState s = touching_state(model, set, rng);
      if (k == 2) std::fill(s.v.begin(), s.v.end(), 0.0), std::fill(s.tau.begin(), s.tau.end(), 0.0);
      CAPTURE(power, k);
      if (k > 0) second.ask_for_forces(k == 2);
      second.hold_against_differences(s);
    }
  }
}

TEST_CASE("second derivatives through contacts of a floating base that turns are differences of the library's first ones") {
  const Model model = shipped_model("quadruped", true);
  ConstraintSet set = spheres_on_leaves(model, {{0.8}});
  set.parameters.solimp = {0.5, 0.95, 0.01, 0.5, 2};  // feet are 1 mm deep, which is the width of solimp unless said otherwise
  LibrarySecond second(model, set);
  std::mt19937 rng(11);
  for (int k = 0; k < 2; ++k) {
    ContactState s = touching_state(model, set, rng);
    if (k == 1) std::fill(s.v.begin(), s.v.end(), 0.0), std::fill(s.tau.begin(), s.tau.end(), 0.0);
    CAPTURE(k);
    if (k == 1) second.ask_for_forces(false);
    second.hold_against_differences(s);
  }
}

TEST_CASE("second derivatives through a soft coupling that is closed, by a power of solimp below 2: infinite, and it says so") {
  const Model model = shipped_model("arm", false);
  ConstraintSet set;
  set.constraints = {coupling_of(model, false)};
  set.constraints[0].polynomial = {0, 0.5};
  const ContactState still{std::vector<double>(static_cast<std::size_t>(model.nq)),
                           std::vector<double>(static_cast<std::size_t>(model.nv)),
                           std::vector<double>(static_cast<std::size_t>(model.nv))};
  for (const double power : {1.5, 2.0}) {
    set.parameters.solimp = {0.5, 0.95, 2, 0.4, power};
    const ConstraintStatus status = LibrarySecond(model, set).at(still).status;
    CAPTURE(power);
    CHECK(status.state == (power < 2 ? ConstraintState::no_derivatives : ConstraintState::ok));
    if (power < 2)
      CHECK_THAT(ConstrainedDynamics(model, set).describe(status), Contains("second derivative") && Contains("solimp"));
  }
}

TEST_CASE("second derivatives through contacts under effort limits: those at the limit, and none by a torque beyond it") {
  const Model model = shipped_model("quadruped", true);
  const ConstraintSet set = spheres_on_leaves(model, {{0.8}});
  ConstraintOptions options;
  options.effort_limits.assign(static_cast<std::size_t>(model.nv), std::numeric_limits<double>::infinity());
  options.effort_limits[8] = 0.5;
  LibrarySecond limited(model, set, options), free(model, set);
  for (LibrarySecond* one : {&limited, &free}) one->ask_for_forces(false);
  std::mt19937 rng(3);
  ContactState s = touching_state(model, set, rng);
  s.tau[8] = -4;
  const SecondAnswer found = limited.at(s);
  s.tau[8] = -0.5;
  SecondAnswer expected = free.at(s);
  REQUIRE((found.status.ok() && expected.status.ok()));
  const std::size_t width = found.g.size(), at = 2 * width / 3 + 8;
  for (std::size_t k = 0; k < width; ++k) expected.H[at * width + k] = expected.H[k * width + at] = 0;
  expected.g[at] = 0;
  CHECK(found.H == expected.H);
  CHECK(found.g == expected.g);
}

TEST_CASE("second derivatives through contacts: multipliers that are zero or not finite, states that fail, finders") {
  const Model model = shipped_model("quadruped", true);
  ConstraintSet set = spheres_on_leaves(model, {{0.8}});
  LibrarySecond second(model, set);
  std::mt19937 rng(5);
  ContactState s = touching_state(model, set, rng);
  std::fill(second.lambda.begin(), second.lambda.end(), 0.0);
  SecondAnswer found = second.at(s);
  REQUIRE(found.status.ok());
  CHECK(std::all_of(found.H.begin(), found.H.end(), [](double x) { return x == 0; }));
  second.lambda[2] = std::nan("");
  CHECK(second.at(s).status.state == ConstraintState::not_finite_input);
  second.lambda[2] = 1, second.ask_for_forces(false), second.eta[1] = INFINITY;
  CHECK(second.at(s).status.state == ConstraintState::not_finite_input);
  second.eta[1] = 0, s.v[3] = INFINITY;
  CHECK(second.at(s).status.state == ConstraintState::not_finite_input);
  Constraint claws;
  claws.name = "claws", claws.type = ConstraintType::link_contact, claws.links = {"lf_foot", "rf_foot"};
  claws.friction = {0.8}, claws.finder = [](const double*, const Pose<double>&, const Pose<double>&, ContactPoint*) {};
  set.constraints = {claws};
  CHECK_THROWS_WITH(ContactSecondDerivatives(model, set), Contains("claws") && Contains("first ones alone"));
}

TEST_CASE("second derivatives through a spherical linkage that a weld closes, its forces included, along its motion") {
  const Model model = spherical_linkage();
  Constraint tips;
  tips.name = "tips", tips.type = ConstraintType::weld, tips.links = {"b", "d"}, tips.hard = true;
  for (Pose<double>& frame : tips.frames) frame.d = {{0.2, -0.1, 0.3}};
  ConstraintSet set;
  set.constraints.push_back(tips);
  LibrarySecond second(model, set);
  LoopProjection loop(model, set);
  const auto closed = [&](double by) {  // straight lines put onto the loop
    ContactState s{{0.3 + by, 0.1, -0.2, 0.2 - by}, {1 + by, -0.5, 0.3, 0.2}, {0.4, 1 + by, -0.7, 2 * by}};
    REQUIRE(loop.project(s.q.data(), s.v.data()).ok());
    return s;
  };
  const auto joined = [](const ContactState& s) {
    CurveVector all = s.q;
    for (const CurveVector* x : {&s.v, &s.tau}) all.insert(all.end(), x->begin(), x->end());
    return all;
  };
  const CurveVector along = difference_of_sixth_order([&](double by) { return joined(closed(by)); }, 1e-3);
  for (const bool alone : {false, true}) {
    second.ask_for_forces(alone);
    const SecondAnswer found = second.at(closed(0));
    REQUIRE(found.status.ok());
    const CurveVector slope = difference_of_sixth_order([&](double by) { return second.at(closed(by)).g; }, 1e-3);
    double sum = 0, terms = 1;
    for (std::size_t i = 0; i < 12; ++i)
      for (std::size_t k = 0; k < 12; ++k) {
        const double term = along[i] * along[k] * found.H[12 * i + k];
        sum += term, terms += std::abs(term);
      }
    CAPTURE(alone, sum, terms);
    CHECK(std::abs(sum - std::inner_product(along.begin(), along.end(), slope.begin(), 0.0)) <= 1e-8 * terms);
    CHECK(std::abs(sum) > 0.01 * terms);
  }
}
