// Contacts between links, where a finder of the user's says that they touch: beside contacts with planes, beside the forces
// that act on both links, beside differences; what finders may not give.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "constrained_states.hpp"
#include "derivative_differences.hpp"
#include "found_contacts.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/system/detail/constraint_pattern.hpp"
#include "support/coupled.hpp"
#include "support/heap.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// Spheres on pairs of links, placed so that they overlap by 1 mm in this posture.
struct Pairs {
  Pairs(const Model& model, const Instant& s, std::mt19937& rng, Cone cone, int how_many) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    Workspace<double> ws(model);
    forward_kinematics<double>(model, ws, s.q.data(), nullptr, nullptr);
    set.parameters.cone = cone, set.parameters.impratio = 3, set.parameters.solimp = {0.7, 0.95, 0.02, 0.4, 2};
    set.parameters.solref = {0.2, 1};
    const std::vector<std::vector<double>> frictions{{0.8}, {}, {0.5, 0.02}, {0.7, 0.02, 0.01}};
    std::vector<std::string> names{"world"};
    for (const Link& link : model.links) names.push_back(link.name);
    std::uniform_int_distribution<std::size_t> any(0, names.size() - 1);
    const auto body_of = [&](const std::string& name) {
      return name == "world" ? -1 : model.links[model.find_link(name)].body;
    };
    const auto pose_of = [&](const std::string& name) {
      return name == "world" ? identity_pose<double>() : link_pose(model, ws, model.find_link(name));
    };
    while (static_cast<int>(set.constraints.size()) < how_many) {
      const std::string one = names[any(rng)], other = names[any(rng)];
      if (body_of(one) == body_of(other)) continue;
      Constraint c;
      c.name = "pair" + std::to_string(set.constraints.size()), c.type = ConstraintType::link_contact;
      c.links = {one, other}, c.friction = frictions[set.constraints.size() % 4];
      const Vec3<double> in_one{{0.1 * uniform(rng), 0.1 * uniform(rng), 0.1}};
      const Vec3<double> apart{{uniform(rng), uniform(rng), 1 + uniform(rng)}},
          centre = pose_of(one).R * in_one + pose_of(one).d;
      const Vec3<double> far = centre - (0.149 / std::sqrt(dot(apart, apart))) * apart;
      const Pose<double> second = pose_of(other);
      c.finder = between_spheres(in_one, 0.05, transposed_times(second.R, far - second.d), 0.1);
      set.constraints.push_back(c);
    }
  }
  ConstraintSet set;
};

/// The wrenches that λ is on the bodies, in their frames, with what the finders say.
std::vector<Force<double>> wrenches(const Model& model, const ConstraintSet& set, const Instant& s,
                                    const ConstrainedAnswer& x) {
  Workspace<double> ws(model);
  forward_kinematics<double>(model, ws, s.q.data(), nullptr, nullptr);
  std::vector<Force<double>> fx(model.bodies.size(), Force<double>{zero3<double>(), zero3<double>()});
  const double* lambda = x.lambda.data();
  for (const Constraint& c : set.constraints) {
    Pose<double> poses[2];
    int body[2];
    for (int k = 0; k < 2; ++k) {
      const int link = model.find_link(c.links[static_cast<std::size_t>(k)]);
      body[k] = link < 0 ? -1 : model.links[link].body,
      poses[k] = link < 0 ? identity_pose<double>() : link_pose(model, ws, link);
    }
    ContactPoint p;
    c.finder(s.q.data(), poses[0], poses[1], &p);
    const Vec3<double> f{{lambda[0], lambda[1], lambda[2]}};
    Vec3<double> moment = zero3<double>();
    if (c.friction.size() > 1) moment = {{lambda[3], lambda[4], lambda[5]}};
    const double normal = dot(f, p.normal), sliding = std::sqrt(dot(f - normal * p.normal, f - normal * p.normal));
    CHECK(normal >= -1e-10);
    CHECK(sliding <=
          (c.friction.empty() ? 0 : c.friction[0]) * normal * std::sqrt(2.0) + 1e-9 * (1 + normal));  // a pyramid's edge
    for (int k = 0; k < 2; ++k) {
      if (body[k] < 0) continue;
      const double sign = k == 0 ? 1 : -1;
      const Pose<double>& frame = ws.world_pose[body[k]];
      const Force<double> wrench{transposed_times(frame.R, sign * (cross(p.point - frame.d, f) + moment)),
                                 transposed_times(frame.R, sign * f)};
      fx[static_cast<std::size_t>(body[k])] = fx[static_cast<std::size_t>(body[k])] + wrench;
    }
    lambda += c.friction.size() > 1 ? 6 : 3;
  }
  return fx;
}

}  // namespace

TEST_CASE("a sphere on a plane, found by a finder, is the contact of that sphere with that plane") {
  std::mt19937 rng(5);
  TreeOptions options;
  options.kinds = every_joint_kind();
  int touched = 0;
  for (unsigned seed = 0; seed < 12; ++seed) {
    options.floating = seed % 2 == 0;
    const Model model = random_tree(7, seed, options);
    const Instant s = instant(model, rng);
    ConstraintSet plain = touching(model, s, rng, seed % 4 < 2 ? Cone::elliptic : Cone::pyramidal);
    plain.parameters.solref = {0.2, 1};
    ConstraintSet found = plain, swapped = plain;
    found.constraints.clear(), swapped.constraints.clear();
    for (const Constraint& c : plain.constraints)
      for (std::size_t k = 0; k < c.points.size(); ++k) {
        const Vec3<double> n = (1 / std::sqrt(dot(c.plane_normal, c.plane_normal))) * c.plane_normal;
        Constraint pair = c;
        pair.name += "." + std::to_string(k), pair.type = ConstraintType::link_contact, pair.links.push_back("world");
        pair.finder = sphere_on_plane(c.points[k], c.radius, c.plane_point, n);
        found.constraints.push_back(pair);
        std::swap(pair.links[0], pair.links[1]);
        pair.finder = [finder = pair.finder](const double* q, const Pose<double>& first, const Pose<double>& second,
                                             ContactPoint* p) {
          finder(q, second, first, p);
          p->normal = -p->normal;
        };
        swapped.constraints.push_back(pair);
      }
    ConstraintOptions precise;
    precise.tolerance = 1e-14;
    ConstrainedDynamics known(model, plain, precise), same(model, found, precise), opposite(model, swapped);
    Derivatives expected(model, known), x(model, same);
    ConstrainedAnswer other(model, opposite);
    CAPTURE(seed);
    REQUIRE(known.derivatives(s.q.data(), s.v.data(), s.tau.data(), nullptr, expected.out()).ok());
    REQUIRE(same.derivatives(s.q.data(), s.v.data(), s.tau.data(), nullptr, x.out()).ok());
    REQUIRE(solve(opposite, s, other).ok());
    check_near(x.at.a, expected.at.a, 1e-12), check_near(x.at.lambda, expected.at.lambda, 1e-12);
    check_near(x.at.gap, expected.at.gap, 1e-12), check_near(other.a, expected.at.a, 1e-9);
    std::vector<double> turned(other.lambda);
    for (double& f : turned) f = -f, touched += f != 0;
    check_near(turned, expected.at.lambda, 1e-8);
    for (int kind = 0; kind < 3; ++kind)
      check_near(x.da[kind], expected.da[kind], 1e-10), check_near(x.dlambda[kind], expected.dlambda[kind], 1e-10);
  }
  CHECK(touched > 100);
}

TEST_CASE("contacts between links: equal and opposite forces act at the point, and inverse dynamics return them") {
  std::mt19937 rng(7);
  TreeOptions options;
  options.kinds = every_joint_kind();
  int pressed = 0;
  for (unsigned seed = 0; seed < 30; ++seed) {
    options.floating = seed % 2 == 0;
    const Model model = random_tree(8, seed, options);
    const Instant s = instant(model, rng);
    const ConstraintSet set = Pairs(model, s, rng, seed % 4 < 2 ? Cone::elliptic : Cone::pyramidal, 5).set;
    ConstrainedDynamics dynamics(model, set);
    ConstrainedAnswer x(model, dynamics), back(model, dynamics);
    const ConstraintStatus status = solve(dynamics, s, x);
    CAPTURE(seed, dynamics.describe(status));
    REQUIRE(status.ok());
    CHECK(dynamics.force_columns()[0] == "pair0.0.x");
    CHECK(dynamics.gap_columns() == std::vector<std::string>{"pair0.0", "pair1.0", "pair2.0", "pair3.0", "pair4.0"});
    for (double gap : x.gap) CHECK(gap == Approx(-0.001).epsilon(1e-9));
    for (double f : x.lambda) pressed += f != 0;
    const std::vector<Force<double>> fx = wrenches(model, set, s, x);
    Workspace<double> ws(model);
    std::vector<double> a(model.nv), tau(model.nv);
    REQUIRE(aba(model, ws, s.q.data(), s.v.data(), s.tau.data(), fx.data(), a.data()).ok());
    check_near(x.a, a, 1e-10);
    REQUIRE(
        dynamics.inverse(s.q.data(), s.v.data(), x.a.data(), nullptr, tau.data(), back.lambda.data(), back.gap.data()).ok());
    check_near(back.lambda, x.lambda, 1e-8);  // λ is the law's force at J a − a*, in its cone: with the equation above, KKT
    double size = 1;
    for (double f : x.lambda) size = std::max(size, std::abs(f));
    for (int k = 0; k < model.nv; ++k) CHECK(std::abs(tau[k] - s.tau[k]) <= 1e-8 * size);
  }
  CHECK(pressed > 150);
}

TEST_CASE("links of robots whose joints follow others touch each other: their forces on both links move the robot") {
  std::mt19937 rng(9);
  TreeOptions options;
  options.kinds = every_joint_kind();
  for (unsigned seed = 0; seed < 16; ++seed) {
    options.floating = seed % 2 == 0;
    const Model model = random_coupled_robot(random_tree(8, seed, options), seed).model;
    const Instant s = instant(model, rng);
    const ConstraintSet set = Pairs(model, s, rng, Cone::elliptic, 4).set;
    ConstrainedDynamics dynamics(model, set);
    ConstrainedAnswer x(model, dynamics);
    CAPTURE(seed);
    REQUIRE(solve(dynamics, s, x).ok());
    const std::vector<Force<double>> fx = wrenches(model, set, s, x);
    Workspace<double> ws(model);
    std::vector<double> tau(static_cast<std::size_t>(model.nv));
    rnea(model, ws, s.q.data(), s.v.data(), x.a.data(), fx.data(), tau.data());
    check_near(tau, s.tau, 1e-9);
  }
}

TEST_CASE("derivatives under contacts between links are the differences'") {
  std::mt19937 rng(11);
  TreeOptions options;
  options.kinds = every_joint_kind();
  Judged judged;
  for (unsigned seed = 0; seed < 12; ++seed) {
    options.floating = seed % 2 == 0;
    const Model tree = random_tree(7, seed, options);
    const Model model = seed % 3 == 2 ? random_coupled_robot(tree, seed).model : tree;
    const Instant s = instant(model, rng);
    CAPTURE(seed);
    hold_against_differences(model, Pairs(model, s, rng, seed % 4 < 2 ? Cone::elliptic : Cone::pyramidal, 4).set, s, judged);
  }
  CAPTURE(judged.accelerations, judged.kinks_of_accelerations, judged.forces, judged.kinks_of_forces);
  CHECK(judged.accelerations > 9 * judged.kinks_of_accelerations);
  CHECK(judged.forces > 100);
}

TEST_CASE("a contact between links couples the paths below their last common body only") {
  TreeOptions options;
  options.floating = true;
  const Model model = random_tree(12, 3, options);
  const auto path = [&](const std::string& name) {
    std::vector<int> bodies;
    for (int b = model.links[model.find_link(name)].body; b >= 0; b = model.bodies[b].parent) bodies.push_back(b);
    return bodies;
  };
  const std::vector<std::vector<int>> alone = tied_freedoms(model, {});
  int branches = 0;
  for (const Link& one : model.links)
    for (const Link& other : model.links) {
      if (one.body < 0 || other.body < 0 || one.body == other.body) continue;
      Constraint c;
      c.name = "pair", c.type = ConstraintType::link_contact, c.links = {one.name, other.name};
      c.finder = between_spheres({{0, 0, 0}}, 1, {{0, 0, 0}}, 1);
      ConstraintSet set;
      set.constraints = {c};
      std::vector<std::vector<int>> expected = alone;
      std::vector<int> mine = path(one.name), theirs = path(other.name), both;
      for (int b : mine)
        if (std::count(theirs.begin(), theirs.end(), b) == 0) both.push_back(b);
      for (int b : theirs)
        if (std::count(mine.begin(), mine.end(), b) == 0) both.push_back(b);
      std::vector<int> freedoms;
      for (const Joint& j : model.joints)
        for (int b : both)
          if (b >= j.first_body && b < j.first_body + j.bodies)
            for (int d = 0; d < j.nv; ++d) freedoms.push_back(j.v + d);
      for (int i : freedoms)
        for (int j : freedoms)
          if (i != j) expected[static_cast<std::size_t>(i)].push_back(j);
      for (std::vector<int>& list : expected) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
      }
      branches += expected != alone;
      CHECK(tied_freedoms(model, set) == expected);
    }
  CHECK(branches > 10);
}

TEST_CASE("finders are asked once a state, take what they fill in, and calls take no heap, points come and go") {
  std::mt19937 rng(13);
  TreeOptions options;
  options.floating = true;
  const Model model = random_coupled_robot(random_tree(8, 4, options), 4).model;
  const Instant s = instant(model, rng);
  ConstraintSet set = Pairs(model, s, rng, Cone::elliptic, 2).set;
  int asked = 0;
  bool there = true;
  Constraint& first = set.constraints[0];
  first.most_points = 3, first.margin = 0.01;
  first.finder = [&, inner = first.finder](const double* q, const Pose<double>& one, const Pose<double>& other,
                                           ContactPoint* p) {
    ++asked;
    CHECK(q == s.q.data());
    for (int k = 0; k < 3; ++k) CHECK((!p[k].there && !p[k].follows && p[k].gap == 0));
    if (!there) return;
    inner(q, one, other, p + 2);
    p[1] = p[2], p[1].gap = 0.02;
  };
  ConstrainedDynamics dynamics(model, set);
  CHECK(dynamics.gap_columns() == std::vector<std::string>{"pair0.0", "pair0.1", "pair0.2", "pair1.0"});
  Derivatives x(model, dynamics);
  ConstraintStatus status;
  CHECK(allocations_of([&] { status = solve(dynamics, s, x.at); }) == 0);
  REQUIRE(status.ok());
  CHECK(asked == 1);
  CHECK((std::isinf(x.at.gap[0]) && x.at.gap[1] == 0.02 && x.at.gap[2] == Approx(-0.001)));
  const std::vector<double> pressed(x.at.lambda.begin() + 6, x.at.lambda.begin() + 9);
  for (int k = 0; k < 6; ++k) CHECK(x.at.lambda[static_cast<std::size_t>(k)] == 0);
  CHECK(std::any_of(pressed.begin(), pressed.end(), [](double f) { return f != 0; }));
  CHECK(allocations_of([&] { status = dynamics.derivatives(s.q.data(), s.v.data(), s.tau.data(), nullptr, x.out()); }) == 0);
  REQUIRE(status.ok());
  CHECK(asked == 2);
  std::vector<double> tau(static_cast<std::size_t>(model.nv)), lambda(x.at.lambda), gap(x.at.gap);
  REQUIRE(dynamics.inverse(s.q.data(), s.v.data(), x.at.a.data(), nullptr, tau.data(), lambda.data(), gap.data()).ok());
  CHECK(asked == 3);
  there = false;
  REQUIRE(solve(dynamics, s, x.at).ok());
  CHECK((std::isinf(x.at.gap[2]) && x.at.lambda[8] == 0 && x.at.gap[3] < 0));
}

TEST_CASE("what finders may not give is a status with the contact's name, what sets may not hold is refused") {
  std::mt19937 rng(15);
  const Model model = random_tree(8, 4);
  const Instant s = instant(model, rng);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  ConstraintSet set = Pairs(model, s, rng, Cone::elliptic, 3).set;
  ContactPoint given;
  set.constraints[1].finder = [&given](const double*, const Pose<double>&, const Pose<double>&, ContactPoint* p) {
    *p = given;
  };
  ConstrainedDynamics dynamics(model, set);
  Derivatives x(model, dynamics);
  const auto forward = [&] { return solve(dynamics, s, x.at); };
  const auto inverse = [&] {
    return dynamics.inverse(s.q.data(), s.v.data(), s.tau.data(), nullptr, x.at.a.data(), x.at.lambda.data(), x.at.gap.data());
  };
  const auto derivatives = [&] { return dynamics.derivatives(s.q.data(), s.v.data(), s.tau.data(), nullptr, x.out()); };
  given.point = {{nan, 0, 0}};
  CHECK(forward().ok());  // it is not there
  ContactPoint touching;
  touching.there = true, touching.gap = -0.001;
  std::vector<ContactPoint> wrong(5, touching);
  wrong[0].point[1] = nan, wrong[1].gap = nan, wrong[2].normal = {{0, 0, 0}}, wrong[3].normal = {{0, 1, 1}};
  wrong[4].normal[0] = std::numeric_limits<double>::infinity();
  for (const ContactPoint& p : wrong) {
    given = p;
    for (const ConstraintStatus& status : {forward(), inverse(), derivatives()}) {
      CHECK(status.state == ConstraintState::no_contact_point);
      CHECK_THAT(dynamics.describe(status), Catch::Contains("\"pair1.0\"") && Catch::Contains("unit length"));
    }
  }
  given = touching, given.normal = {{0, 0, 1 + 5e-7}};  // a finder's float
  CHECK((forward().ok() && inverse().ok()));
  ConstraintStatus status = derivatives();
  CHECK(status.state == ConstraintState::no_derivatives);
  CHECK_THAT(dynamics.describe(status), Catch::Contains("\"pair1.0\""));
  given.follows = true;
  CHECK(derivatives().ok());
  given.normal_by_turn(1, 2) = nan;
  CHECK(derivatives().state == ConstraintState::no_derivatives);
  given.gap = 1;  // open: how it would move does not matter
  CHECK(derivatives().ok());
  std::vector<double> q(s.q);
  q[0] = nan;
  CHECK(
      dynamics.forward(q.data(), s.v.data(), s.tau.data(), nullptr, x.at.a.data(), x.at.lambda.data(), x.at.gap.data()).state ==
      ConstraintState::not_finite_input);

  const auto refused = [&](const std::function<void(Constraint&)>& change, const char* why) {
    ConstraintSet bad = set;
    change(bad.constraints[1]);
    CHECK_THROWS_WITH(ConstrainedDynamics(model, bad), Catch::Contains("\"pair1\"") && Catch::Contains(why));
  };
  refused([](Constraint& c) { c.links[0] = c.links[1]; }, "move as one");
  refused([](Constraint& c) { c.links = {"world", "world"}; }, "move as one");
  refused([](Constraint& c) { c.links.pop_back(); }, "two links");
  refused([](Constraint& c) { c.links[0] = "elsewhere"; }, "no link \"elsewhere\"");
  refused([](Constraint& c) { c.finder = nullptr; }, "finder");
  refused([](Constraint& c) { c.most_points = 0; }, "point");
  refused([](Constraint& c) { c.hard = true; }, "hard");
  refused([](Constraint& c) { c.friction = {-1}; }, "friction");
  CHECK_THROWS_WITH(contact_dynamics_code(model, set, "f"), Catch::Contains("\"pair0.0\""));  // what a finder finds is not code
}
