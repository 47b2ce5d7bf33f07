// The shared robots, against sums and poses taken straight from their XML.
#include <tinyxml2.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>

#include "sparsedyn/model/detail/joint.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;

namespace {

Vec3<double> vector(const tinyxml2::XMLElement* of, const char* attribute, Vec3<double> otherwise) {
  if (!of || !of->Attribute(attribute)) return otherwise;
  std::istringstream text(of->Attribute(attribute));
  Vec3<double> v{};
  text >> v[0] >> v[1] >> v[2];
  return v;
}

/// R = 1 + sin φ [u]× + (1 − cos φ) [u]×² (Rodrigues).
Mat3<double> turn(const Vec3<double>& u, double angle) {
  const Mat3<double> U = hat(u), U2 = U * U;
  Mat3<double> R = identity3<double>();
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) R(i, k) += std::sin(angle) * U(i, k) + (1 - std::cos(angle)) * U2(i, k);
  return R;
}

Pose<double> origin(const tinyxml2::XMLElement& of) {
  const tinyxml2::XMLElement* o = of.FirstChildElement("origin");
  const Vec3<double> rpy = vector(o, "rpy", {{0, 0, 0}});
  return {turn({{0, 0, 1}}, rpy[2]) * turn({{0, 1, 0}}, rpy[1]) * turn({{1, 0, 0}}, rpy[0]), vector(o, "xyz", {{0, 0, 0}})};
}

/// Poses of all links in the root's frame, by walking the XML; q by joint name.
std::map<std::string, Pose<double>> poses(const tinyxml2::XMLElement& robot, const std::map<std::string, double>& q) {
  std::map<std::string, Pose<double>> of_link;
  std::map<std::string, const tinyxml2::XMLElement*> above;
  for (auto* j = robot.FirstChildElement("joint"); j; j = j->NextSiblingElement("joint"))
    above[j->FirstChildElement("child")->Attribute("link")] = j;
  for (auto* l = robot.FirstChildElement("link"); l; l = l->NextSiblingElement("link")) {
    Pose<double> pose = identity_pose<double>();
    for (std::string name = l->Attribute("name"); above.count(name);) {
      const tinyxml2::XMLElement& joint = *above[name];
      Pose<double> here = origin(joint);
      const auto value = q.find(joint.Attribute("name"));
      if (value != q.end()) {
        Vec3<double> axis = vector(joint.FirstChildElement("axis"), "xyz", {{1, 0, 0}});
        axis = (1.0 / std::sqrt(dot(axis, axis))) * axis;
        if (joint.Attribute("type") == std::string("prismatic"))
          here = here * Pose<double>{identity3<double>(), value->second * axis};
        else
          here = here * Pose<double>{turn(axis, value->second), zero3<double>()};
      }
      pose = here * pose;
      name = joint.FirstChildElement("parent")->Attribute("link");
    }
    of_link[l->Attribute("name")] = pose;
  }
  return of_link;
}

/// Poses of the model's links at q.
std::vector<Pose<double>> poses(const Model& model, const std::vector<double>& q) {
  std::vector<Pose<double>> body, link;
  for (const Body& b : model.bodies) {
    const Pose<double> in_parent = joint_pose(b, q.data());
    body.push_back(b.parent < 0 ? in_parent : body[b.parent] * in_parent);
  }
  for (const Link& l : model.links) link.push_back(l.body < 0 ? l.pose : body[l.body] * l.pose);
  return link;
}

/// R I Rᵀ + m (c·c 1 − c cᵀ): the inertia tensor about the link's origin, from the XML.
Mat3<double> tensor_about_origin(const tinyxml2::XMLElement& inertial) {
  const tinyxml2::XMLElement& i = *inertial.FirstChildElement("inertia");
  const double m = inertial.FirstChildElement("mass")->DoubleAttribute("value");
  const auto at = [&](const char* name) { return i.DoubleAttribute(name); };
  const Mat3<double> I{
      {{at("ixx"), at("ixy"), at("ixz")}, {at("ixy"), at("iyy"), at("iyz")}, {at("ixz"), at("iyz"), at("izz")}}};
  const Pose<double> com = origin(inertial);
  Mat3<double> sum = com.R * I * transpose(com.R);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) sum(r, c) += m * ((r == c ? dot(com.d, com.d) : 0.0) - com.d[r] * com.d[c]);
  return sum;
}

/// Largest difference between the link's inertia in the model and in the file.
double inertia_error(const Link& link, const tinyxml2::XMLElement& inertial) {
  const double m = inertial.FirstChildElement("mass")->DoubleAttribute("value");
  const Pose<double> com = origin(inertial);
  const Mat3<double> expected = tensor_about_origin(inertial), found = dense(trace_minus(link.inertia.moments));
  double worst = std::abs(link.inertia.m - m);
  for (int r = 0; r < 3; ++r) {
    worst = std::max(worst, std::abs(link.inertia.h[r] - m * com.d[r]));
    for (int c = 0; c < 3; ++c) worst = std::max(worst, std::abs(found(r, c) - expected(r, c)));
  }
  return worst;
}

int count(const tinyxml2::XMLElement& robot, const char* element) {
  int n = 0;
  for (auto* e = robot.FirstChildElement(element); e; e = e->NextSiblingElement(element)) ++n;
  return n;
}

}  // namespace

TEST_CASE("links, joints, inertias and poses of whole robots are those of the file") {
  for (const std::string& path : test::all_robots()) {
    INFO(path);
    tinyxml2::XMLDocument document;
    REQUIRE(document.LoadFile(path.c_str()) == tinyxml2::XML_SUCCESS);
    const tinyxml2::XMLElement& robot = *document.RootElement();
    LoadReport report;
    LoadOptions options;
    const Model model = load_urdf(path, options, &report);
    CHECK(static_cast<int>(model.links.size()) == count(robot, "link"));

    int moving = 0;
    for (auto* j = robot.FirstChildElement("joint"); j; j = j->NextSiblingElement("joint"))
      if (j->Attribute("type") != std::string("fixed")) {
        ++moving;
        CHECK(model.find_joint(j->Attribute("name")) >= 0);
      }
    CHECK(model.nv == moving);

    double total = 0, of_links = 0, worst_inertia = 0;
    for (auto* l = robot.FirstChildElement("link"); l; l = l->NextSiblingElement("link"))
      if (auto* inertial = l->FirstChildElement("inertial")) {
        total += inertial->FirstChildElement("mass")->DoubleAttribute("value");
        const Link& link = model.links[model.find_link(l->Attribute("name"))];
        worst_inertia = std::max(worst_inertia, inertia_error(link, *inertial));
      }
    for (const Link& l : model.links) of_links += l.inertia.m;
    CHECK(of_links == Approx(total).epsilon(1e-12));
    CHECK(worst_inertia < 1e-9);  // what is snapped is turned by up to 1e-9

    std::mt19937 rng(7);
    std::uniform_real_distribution<double> any(-3.0, 3.0);
    std::vector<double> q(static_cast<std::size_t>(model.nq));
    std::map<std::string, double> by_name;
    for (const Joint& j : model.joints) by_name[j.name] = q[static_cast<std::size_t>(j.q)] = any(rng);
    const auto expected = poses(robot, by_name);
    const auto found = poses(model, q);
    double worst = 0;
    for (std::size_t i = 0; i < model.links.size(); ++i) {
      const Pose<double>& e = expected.at(model.links[i].name);
      for (int r = 0; r < 3; ++r) {
        worst = std::max(worst, std::abs(found[i].d[r] - e.d[r]));
        for (int c = 0; c < 3; ++c) worst = std::max(worst, std::abs(found[i].R(r, c) - e.R(r, c)));
      }
    }
    CHECK(worst < 1e-10);
  }
}
