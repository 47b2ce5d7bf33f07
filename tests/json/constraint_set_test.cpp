#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <sstream>

#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/files.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;

namespace {

/// root – upper – lower on hinges "shoulder" and "elbow", the latter with stops; "plate" fixed to upper.
Model two_hinges() {
  JointSpec hinge, fixed;
  hinge.kind = JointKind::revolute, hinge.axis = {{0, 1, 0}};
  const Inertia<double> rod = inertia_about_com(1, {{0, 0, -0.5}}, {0.1, 0, 0, 0.1, 0, 0.1});
  const Pose<double> below{identity3<double>(), {{0, 0, -1}}};
  Model model = ModelBuilder("two")
                    .root("root", zero_inertia<double>(), false)
                    .link("upper", rod, "root", "shoulder", hinge, identity_pose<double>())
                    .link("plate", rod, "upper", "glue", fixed, below)
                    .link("lower", rod, "upper", "elbow", hinge, below)
                    .build();
  JointLimits limits;
  limits.lower = -1, limits.upper = 2;
  set_joint_limits(model, "elbow", limits);
  return model;
}

ConstraintSet read(const std::string& constraints, const std::string& parameters = "{}") {
  return parse_constraint_set("{\"parameters\": " + parameters + ",\n\"constraints\": [\n" + constraints + "]}", "c.json",
                              two_hinges());
}

std::string constraint_error_of(const std::string& constraints, const std::string& parameters = "{}") {
  try {
    read(constraints, parameters);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a constraint file holds contacts, loops, couplings, stops and dry friction") {
  const ConstraintSet set = read(R"(
    {"name": "foot", "type": "contact", "link": "lower", "points": [[0, 0, -1], [0.1, 0, -1]], "radius": 0.02,
     "friction": [0.8, 0.01, 0.001], "plane": {"xyz": [0, 0, -2], "normal": [0, 0, 2]}, "margin": 0.01, "solref": [-100, -20]},
    {"name": "rod", "type": "connect", "links": ["lower", "world"], "xyz": [[0, 0, -1], [0.3, 0, -2]], "hard": true,
     "stabilisation": {"omega": 20}},
    {"name": "hold", "type": "weld", "links": ["lower", "plate"], "xyz": [[0, 0, 0], [0, 0, 0]], "rpy": [[0, 0, 0], [0, 0, 1]]},
    {"name": "gear", "type": "joint", "joint": "elbow", "of": "shoulder", "polynomial": [0, 2]},
    {"name": "stops", "type": "limit", "joint": "*"},
    {"name": "rub", "type": "dry_friction", "joint": ["elbow", "shoulder"], "loss": 0.3, "solimp": [0.8, 0.9, 0.01, 0.5, 1]})",
                                 R"({"cone": "pyramidal", "impratio": 10, "solref": [0.05, 2], "timestep": 0.001})");
  REQUIRE(set.constraints.size() == 6);
  CHECK((set.parameters.cone == Cone::pyramidal && set.parameters.impratio == 10 && set.parameters.timestep == 0.001));
  CHECK(set.parameters.solref == SolverReference{0.05, 2});
  const Constraint &foot = set.constraints[0], &rod = set.constraints[1], &rub = set.constraints[5];
  CHECK((foot.points.size() == 2 && foot.radius == 0.02 && foot.margin == 0.01 && foot.line == 4));
  CHECK(foot.friction == std::vector<double>{0.8, 0.01, 0.001});
  CHECK((foot.plane_point[2] == -2 && foot.plane_normal[2] == 2 && *foot.solref == SolverReference{-100, -20}));
  CHECK((rod.hard && rod.omega == 20 && rod.links[1] == "world" && rod.frames[1].d[0] == 0.3));
  CHECK((set.constraints[3].of == "shoulder" && set.constraints[3].polynomial[1] == 2 && set.constraints[4].all));
  CHECK((rub.joints.size() == 2 && rub.loss == 0.3 && (*rub.solimp)[0] == 0.8));
}

TEST_CASE("what is wrong in a constraint file is named with its line and what was expected") {
  const std::string contact = R"({"name": "a", "type": "contact", "link": "lower", "points": [[0, 0, 0]])";
  CHECK_THAT(constraint_error_of(contact + ", \"frictoin\": 1}"),
             Contains("c.json:3: ") && Contains("frictoin") && Contains("friction"));
  CHECK_THAT(constraint_error_of(contact + ", \"friction\": -1}"), Contains("-1; expected a number >= 0"));
  CHECK_THAT(constraint_error_of(contact + ", \"friction\": [1, 0]}"), Contains("0; expected a number > 0"));
  CHECK_THAT(constraint_error_of(contact + ", \"friction\": [1, 1, 1, 1]}"), Contains("one to three"));
  CHECK_THAT(constraint_error_of(contact + ", \"hard\": true}"), Contains("connect, weld or joint alone"));
  CHECK_THAT(constraint_error_of(contact + ", \"solimp\": [0.9, 1.5, 0.001, 0.5, 2]}"),
             Contains("1.5; expected a number between 0 and 1"));
  CHECK_THAT(constraint_error_of(contact + ", \"solimp\": [0.9, 0.95, 0, 0.5, 2]}"), Contains("a width > 0"));
  CHECK_THAT(constraint_error_of(contact + ", \"solref\": [0.02, -1]}"), Contains("both > 0"));
  CHECK_THAT(constraint_error_of(contact + ", \"plane\": {\"normal\": [0, 0, 0]}}"), Contains("length 0"));
  CHECK_THAT(constraint_error_of(contact + "},\n" + contact + "}"), Contains("c.json:4: ") && Contains("a second time"));
  CHECK_THAT(constraint_error_of(R"({"name": "a", "type": "contact", "link": "lowre", "points": [[0, 0, 0]]})"),
             Contains("\"lowre\"") && Contains("lower"));
  CHECK_THAT(constraint_error_of(R"({"name": "a", "type": "contact", "link": "root", "points": [[0, 0, 0]]})"),
             Contains("does not move"));
  CHECK_THAT(constraint_error_of(R"({"name": "a", "type": "contact", "link": "lower", "points": []})"),
             Contains("at least one point"));
  CHECK_THAT(constraint_error_of(R"({"name": "a", "type": "contcat"})"), Contains("contcat") && Contains("contact"));
  CHECK_THAT(constraint_error_of(R"({"name": "a", "type": "connect", "links": ["upper", "plate"]})"),
             Contains("\"upper\" and \"plate\", two links that move as one"));
  CHECK_THAT(constraint_error_of(R"({"name": "a", "type": "connect", "links": ["upper"]})"), Contains("two links"));
  CHECK_THAT(constraint_error_of(R"({"name": "a", "type": "limit", "joint": "shoulder"})"), Contains("has no limits"));
  CHECK_THAT(constraint_error_of(R"({"name": "a", "type": "limit", "joint": "elbw"})"), Contains("elbow"));
  CHECK_THAT(constraint_error_of(R"({"name": "a", "type": "limit", "joint": ["elbow", "elbow"]})"),
             Contains("\"elbow\" a second time; expected each joint once"));
  CHECK_THAT(
      constraint_error_of(R"({"name": "a", "type": "joint", "joint": "elbow", "polynomial": [0], "linear": {"elbow": 1}})"),
      Contains("\"elbow\" a second time; expected other joints"));
  CHECK_THAT(
      constraint_error_of(R"({"name": "a", "type": "joint", "joint": "elbow", "polynomial": [0], "linear": {"sholder": 1}})"),
      Contains("near: shoulder"));
  CHECK_THAT(constraint_error_of(
                 R"({"name": "a", "type": "joint", "joint": "elbow", "polynomial": [0], "linear": {"shoulder": "x"}})"),
             Contains("expected a number"));
  CHECK_THAT(constraint_error_of(R"({"name": "a", "type": "joint", "joint": "elbow", "of": "elbow", "polynomial": [0, 1]})"),
             Contains("itself"));
  CHECK_THAT(constraint_error_of(R"({"name": "a", "type": "dry_friction", "joint": "elbow"})"), Contains("loss"));
  CHECK_THAT(constraint_error_of(contact + "}", R"({"cone": "eliptic"})"), Contains("elliptic"));
  CHECK_THAT(constraint_error_of(contact + "}", R"({"impratio": 0})"), Contains("a number > 0"));
  CHECK_THAT(constraint_error_of(contact + "}", R"({"gravity": 0})"), Contains("gravity"));
}

TEST_CASE("the world is not the link of a robot that is called so and floats") {
  const auto error_of = [](bool floats) -> std::string {
    JointSpec hinge;
    hinge.kind = JointKind::revolute;
    const Inertia<double> rod = inertia_about_com(1, {{0, 0, -0.5}}, {0.1, 0, 0, 0.1, 0, 0.1});
    const Model model = ModelBuilder("one")
                            .root("world", rod, floats)
                            .link("arm", rod, "world", "shoulder", hinge, identity_pose<double>())
                            .build();
    ConstraintSet set;
    set.constraints.resize(1);
    Constraint& rod_to_world = set.constraints[0];
    rod_to_world.name = "rod", rod_to_world.type = ConstraintType::connect, rod_to_world.links = {"arm", "world"};
    std::string found;
    try {
      parse_constraint_set(R"({"name": "s", "constraints": [{"name": "rod", "type": "connect", "links": ["arm", "world"]}]})",
                           "c.json", model);
    } catch (const InputError& error) {
      found = error.what();
    }
    try {
      ConstrainedDynamics dynamics(model, set);
    } catch (const std::invalid_argument& error) {
      found += std::string("; ") + error.what();
    }
    return found;
  };
  CHECK(error_of(false).empty());
  CHECK_THAT(
      error_of(true),
      Contains(
          "constraints[0].links[1]: \"world\", which is the world and a link of the robot that moves; expected another name") &&
          Contains("constraint \"rod\": \"world\" is the world, and a link"));
}

TEST_CASE("forces of a constraint on a list are named by its joints, of one joint too") {
  const auto forces = [](const std::string& joints) {
    const ConstraintSet set = read(R"({"name": "rub", "type": "dry_friction", "loss": 0.3, "joint": )" + joints + "}");
    return ConstrainedDynamics(two_hinges(), set).force_columns();
  };
  using Names = std::vector<std::string>;
  CHECK(forces("\"elbow\"") == Names{"rub"});
  CHECK(forces("[\"elbow\"]") == Names{"rub.elbow"});
  CHECK(forces("[\"elbow\", \"shoulder\"]") == Names{"rub.elbow", "rub.shoulder"});
}

TEST_CASE("a soft row sees the inverse inertia that is stated, or that of its bodies") {
  const auto acceleration_under = [](const std::string& constraint, double elbow) {
    const Model model = two_hinges();
    const ConstraintSet set = read(constraint);
    ConstrainedDynamics dynamics(model, set);
    const double q[2] = {0.1, elbow}, v[2] = {0.2, -0.1}, tau[2] = {1, 2};
    std::vector<double> a(2), force(dynamics.force_columns().size()), gap(dynamics.gap_columns().size());
    REQUIRE(dynamics.forward(q, v, tau, nullptr, a.data(), force.data(), gap.data()).ok());
    return a;
  };
  const auto acceleration = [&](const std::string& weight) {
    return acceleration_under(
        R"({"name": "rod", "type": "connect", "links": ["lower", "world"], "xyz": [[0, 0, -1], [0.3, 0, -2]])" + weight + "}",
        0.3);
  };
  // of the lower rod at q = 0: tr(C M⁻¹ Cᵀ) / 3 of its centre of mass
  const Model model = two_hinges();
  Workspace<double> ws(model);
  const double q[2] = {0, 0};
  Eigen::Matrix2d M;
  crba(model, ws, q, M.data());
  Eigen::Matrix<double, 1, 2> C;
  C << -1.5, -0.5;  // along x, of both hinges
  const double linear = (C * M.inverse() * C.transpose())(0, 0) / 3;
  std::ostringstream same;
  same.precision(17);
  same << ", \"inverse_weight\": [" << linear << ", 1]";
  const std::vector<double> usual = acceleration(""), stated = acceleration(same.str()),
                            other = acceleration(", \"inverse_weight\": [50, 1]");
  for (int k = 0; k < 2; ++k) CHECK(std::abs(usual[k] - stated[k]) < 1e-10);
  CHECK(std::abs(usual[0] - other[0]) > 1e-3);
  CHECK_THAT(
      constraint_error_of(R"({"name": "rod", "type": "connect", "links": ["lower", "world"], "inverse_weight": [0, 1]})"),
      Contains("inverse_weight[0]: 0; expected a number > 0"));
  CHECK_THAT(
      constraint_error_of(
          R"({"name": "gear", "type": "joint", "joint": "elbow", "of": "shoulder", "polynomial": [0, 2], "inverse_weight": [1, 2]})"),
      Contains("inverse_weight: a list; expected a number"));
  // of the elbow, beyond its stop and where it rubs
  for (const std::string row : {R"({"name": "stop", "type": "limit", "joint": "elbow")",
                                R"({"name": "rub", "type": "dry_friction", "loss": 9, "joint": "elbow")"}) {
    const auto weighing = [&](const std::string& weight) { return acceleration_under(row + weight + "}", 2.1); };
    std::ostringstream text;
    text.precision(17);
    text << ", \"inverse_weight\": " << M.inverse()(1, 1);
    CAPTURE(row);
    CHECK(std::abs(weighing("")[1] - weighing(text.str())[1]) < 1e-10);
    CHECK(std::abs(weighing("")[1] - weighing(", \"inverse_weight\": 50")[1]) > 1e-3);
    CHECK_THAT(constraint_error_of(row + ", \"inverse_weight\": 0}"), Contains("inverse_weight: 0; expected a number > 0"));
  }
}
