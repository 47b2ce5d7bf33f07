#include <cmath>

#include "io/number.hpp"
#include "principal_moments.hpp"
#include "robot_elements.hpp"

namespace sparsedyn::urdf {
namespace {

double size_of(const Sym3<double>& I) {
  return std::abs(I.xx) + std::abs(I.yy) + std::abs(I.zz) + std::abs(I.xy) + std::abs(I.xz) + std::abs(I.yz);
}

}  // namespace

bool has_inertia(const LinkElement& link) { return size_of(link.tensor) > 0; }

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
  const auto warn_of = [&](const std::string& what) { warn(file, tensor.GetLineNum(), inside(owner, tensor), what, report); };
  if (link.mass == 0 && size > 0) warn_of("inertia without mass; used as it stands");
  if (p[0] < -rounding)
    warn_of("principal moments " + text_of(p) + ", one of them negative; no rigid body has them");
  else if (p[0] + p[1] < p[2] - rounding)
    warn_of("principal moments " + text_of(p) + " break the triangle inequality; no rigid body has them");
}

}  // namespace sparsedyn::urdf
