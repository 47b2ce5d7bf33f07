#include "payload_line.hpp"

#include <algorithm>
#include <cmath>

#include "dense/symmetric.hpp"
#include "io/number.hpp"
#include "io/suggestions.hpp"
#include "quoted_words.hpp"

namespace sparsedyn {
namespace {

/// MASS, X Y Z, IXX … IZZ.
constexpr std::size_t of_mass = 1, of_centre = 4, of_inertia = 10;
constexpr double heaviest = 1e9, farthest = 1e6;  // kg, m

const char* const expected_payload = "payload LINK MASS [X Y Z [IXX IXY IXZ IYY IYZ IZZ]]";

/// Principal moments of a rigid body are not negative, and none is more than the two others together: the second moments of
/// mass, ½ tr I 1 − I, have no negative eigenvalue (but for rounding).
bool has_such_a_body(const Sym3<double>& I) {
  const double half = 0.5 * (I.xx + I.yy + I.zz);
  Eigen::Matrix3d moments;
  moments << half - I.xx, -I.xy, -I.xz, -I.xy, half - I.yy, -I.yz, -I.xz, -I.yz, half - I.zz;
  return dense_algebra::symmetric_eigenvalues(moments)[0] >= -1e-9 * half;
}

}  // namespace

LiveChange read_payload(const std::vector<std::string>& words, const std::vector<std::string>& links, std::string& why) {
  LiveChange change;
  const std::size_t count = words.size() < 2 ? 0 : words.size() - 2;
  if (count != of_mass && count != of_centre && count != of_inertia) {
    why = "payload with " + std::to_string(words.size() - 1) + " words; expected " + expected_payload;
    return change;
  }
  const auto link = std::find(links.begin(), links.end(), words[1]);
  if (link == links.end()) {
    why = "no link " + words[1] + suggestions_text(words[1], links) + "; expected one of the robot";
    return change;
  }
  double x[of_inertia] = {};
  for (std::size_t k = 0; k < count; ++k) {
    const double most = k < of_mass || k >= of_centre ? heaviest : farthest;
    if (read_number(words[k + 2], x[k]) == NumberText::number && std::abs(x[k]) <= most && (k > 0 || x[k] >= 0)) continue;
    why = "payload " + words[1] + ": " + words[k + 2] + "; expected " +
          (k == 0          ? "a mass of 0 kg or more, at most 1e9"
           : k < of_centre ? "metres, at most 1e6"
                           : "kg m², at most 1e9");
    return change;
  }
  const Sym3<double> inertia{x[4], x[5], x[6], x[7], x[8], x[9]};
  if (!has_such_a_body(inertia))
    why = "payload " + words[1] +
          ": an inertia that no rigid body has; expected principal moments of which none exceeds the sum of "
          "the others";
  else if (x[0] == 0 && count == of_inertia && inertia.xx + inertia.yy + inertia.zz > 0)
    why = "payload " + words[1] + ": an inertia without a mass; expected a mass above 0 kg";
  change.kind = LiveChange::Kind::payload, change.value = x[0];
  change.payload = {static_cast<int>(link - links.begin()), x[0], {{x[1], x[2], x[3]}}, inertia};
  return change;
}

std::string payload_text(const LivePayload& payload, const std::vector<std::string>& links) {
  std::string text = "payload " + word_text(links[static_cast<std::size_t>(payload.link)]);
  const Sym3<double>& I = payload.inertia;
  for (const double x : {payload.mass, payload.at[0], payload.at[1], payload.at[2], I.xx, I.xy, I.xz, I.yy, I.yz, I.zz})
    text += " " + number_text(x);
  return text;
}

}  // namespace sparsedyn
