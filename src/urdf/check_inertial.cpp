#include <Eigen/Eigenvalues>
#include <cmath>
#include <cstdio>

#include "io/number.hpp"
#include "robot_elements.hpp"

namespace sparsedyn::urdf {
namespace {

/// Principal moments, ascending.
Vec3<double> principal_moments(const Sym3<double>& I) {
  Eigen::Matrix3d tensor;
  tensor << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
  const Eigen::Vector3d p = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(tensor, Eigen::EigenvaluesOnly).eigenvalues();
  return {{p[0], p[1], p[2]}};
}

std::string text_of(const Vec3<double>& p) {
  char text[80];
  std::snprintf(text, sizeof text, "%.6g, %.6g, %.6g", p[0], p[1], p[2]);
  return text;
}

double size_of(const Sym3<double>& I) {
  return std::abs(I.xx) + std::abs(I.yy) + std::abs(I.zz) + std::abs(I.xy) + std::abs(I.xz) + std::abs(I.yz);
}

}  // namespace

void check_inertial(const XmlFile& file, const LinkElement& link, const tinyxml2::XMLElement& inertial, LoadReport& report) {
  const std::string owner = "link \"" + link.name + "\"";
  const tinyxml2::XMLElement& mass = *inertial.FirstChildElement("mass");
  const tinyxml2::XMLElement& tensor = *inertial.FirstChildElement("inertia");
  const Sym3<double>& I = link.tensor;
  if (link.mass < 0)
    file.fail(mass.GetLineNum(), inside(owner, mass), "value=\"" + number_text(link.mass) + "\"",
              "a mass that is not negative");

  const double size = size_of(I);
  const double limit = 1e100;  // far beyond any robot, and far from overflow in products
  const Vec3<double>& c = link.inertial_origin.xyz;
  if (!(size < limit) || !(link.mass < limit) || !(std::abs(c[0]) + std::abs(c[1]) + std::abs(c[2]) < limit))
    file.fail(inertial.GetLineNum(), inside(owner, inertial), "numbers without physical sense", "magnitudes below 1e100");

  // Tolerance: decimals in the file round a lamina's or a rod's moments by about this much.
  const Vec3<double> p = principal_moments(I);
  const double rounding = 1e-9 * size;
  if (p[0] < -rounding)
    file.fail(tensor.GetLineNum(), inside(owner, tensor), "principal moments " + text_of(p), "none that is negative");
  if (p[0] + p[1] < p[2] - rounding)
    warn(file, tensor.GetLineNum(), inside(owner, tensor),
         "principal moments " + text_of(p) + " break the triangle inequality; no rigid body has them", report);
}

void check_massless(const XmlFile& file, const RobotElements& robot, LoadReport& report) {
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    const LinkElement& link = robot.links[i];
    if (link.mass != 0 || !(size_of(link.tensor) > 0)) continue;
    const std::string element = "link \"" + link.name + "\" <inertia>";
    if (static_cast<int>(i) != robot.root)
      file.fail(link.tensor_line, element, "inertia without mass", "a mass, or an inertia of zero");
    warn(file, link.tensor_line, element, "inertia without mass", report);
  }
}

}  // namespace sparsedyn::urdf
