// With L's columns the quaternion u times i, j and k: u + du = u (p, 1 + s), p = Lᵀ du and s = uᵀ du. The rotation vector of
// what u was multiplied by is
//   w = 2 p / (1 + s) + O(3) = 2 p − 2 p s + O(3).
// A free base moves by dp = R V(w) v with V = 1 + ½ [w]× + O(2), and so v = r − p × r + O(3), r = Rᵀ dp; a planar joint
// likewise.
#include "coordinate_tangent.hpp"

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn {
namespace {

const char* const ball_text = R"(
/* L: the quaternion u = (x, y, z, w) times i, j and k */
static void @_lift(const double *u, double L[4][3]) {
  L[0][0] = u[3], L[0][1] = -u[2], L[0][2] = u[1];
  L[1][0] = u[2], L[1][1] = u[3], L[1][2] = -u[0];
  L[2][0] = -u[1], L[2][1] = u[0], L[2][2] = u[3];
  L[3][0] = -u[0], L[3][1] = -u[1], L[3][2] = -u[2];
}
static void @_ball(const double *u, double *T) {
  double L[4][3];
  @_lift(u, L);
  for (int k = 0; k < 3; ++k)
    for (int m = 0; m < 4; ++m) T[k * @_Q + m] = 2 * L[m][k];
}
static void @_ball_curvature(const double *u, const double *g, double *H) {
  double L[4][3], along[4];
  @_lift(u, L);
  for (int m = 0; m < 4; ++m) along[m] = L[m][0] * g[0] + L[m][1] * g[1] + L[m][2] * g[2];
  for (int m = 0; m < 4; ++m)
    for (int l = 0; l < 4; ++l) H[m * @_Q + l] -= 2 * (along[m] * u[l] + u[m] * along[l]);
}
)";

const char* const free_text = R"(
static void @_rotation(const double *u, double R[3][3]) {
  const double x = u[0], y = u[1], z = u[2], w = u[3];
  R[0][0] = 1 - 2 * (y * y + z * z), R[0][1] = 2 * (x * y - z * w), R[0][2] = 2 * (x * z + y * w);
  R[1][0] = 2 * (x * y + z * w), R[1][1] = 1 - 2 * (x * x + z * z), R[1][2] = 2 * (y * z - x * w);
  R[2][0] = 2 * (x * z - y * w), R[2][1] = 2 * (y * z + x * w), R[2][2] = 1 - 2 * (x * x + y * y);
}
static void @_free(const double *q, double *T) {
  double R[3][3];
  @_rotation(q + 3, R);
  @_ball(q + 3, T + 3);
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i) T[(3 + k) * @_Q + i] = R[i][k];
}
static void @_free_curvature(const double *q, const double *g, double *H) {
  double R[3][3], L[4][3];
  @_rotation(q + 3, R);
  @_lift(q + 3, L);
  @_ball_curvature(q + 3, g, H + 3 * @_Q + 3);
  for (int i = 0; i < 3; ++i)
    for (int m = 0; m < 4; ++m) { /* -g . (p x r) for the change i of position and m of the quaternion */
      const double x = g[3] * (L[m][1] * R[i][2] - L[m][2] * R[i][1]) + g[4] * (L[m][2] * R[i][0] - L[m][0] * R[i][2]) +
                       g[5] * (L[m][0] * R[i][1] - L[m][1] * R[i][0]);
      H[i * @_Q + 3 + m] -= x, H[(3 + m) * @_Q + i] -= x;
    }
}
)";

const char* const planar_text = R"(
static void @_planar(const double *q, double *T) {
  const double c = cos(q[2]), s = sin(q[2]);
  T[0] = c, T[1] = s;
  T[@_Q] = -s, T[@_Q + 1] = c;
  T[2 * @_Q + 2] = 1;
}
static void @_planar_curvature(const double *q, const double *g, double *H) {
  const double c = cos(q[2]), s = sin(q[2]);
  const double x = (-s * g[0] - c * g[1]) / 2, y = (c * g[0] - s * g[1]) / 2;
  H[2] += x, H[2 * @_Q] += x;
  H[@_Q + 2] += y, H[2 * @_Q + 1] += y;
}
)";

}  // namespace

TangentGroup tangent_group(BodyJoint kind) {
  return with_joint(kind, [](auto joint) {
    using Kind = decltype(joint);
    return std::is_same_v<Kind, SphericalJoint>  ? TangentGroup::ball
           : std::is_same_v<Kind, PlanarJoint>   ? TangentGroup::planar
           : std::is_same_v<Kind, FloatingJoint> ? TangentGroup::free
                                                 : TangentGroup::additive;
  });
}

bool has_additive_coordinates(const Model& model) {
  return std::all_of(model.bodies.begin(), model.bodies.end(),
                     [](const Body& body) { return tangent_group(body.joint) == TangentGroup::additive; });
}

std::string coordinate_tangent(const Model& model) {
  std::string tangent, curvature;
  bool balls = false, bases = false, planes = false;
  std::vector<char> covered(static_cast<std::size_t>(model.nv), 0);
  for (const Body& body : model.bodies) {
    const TangentGroup group = tangent_group(body.joint);
    const int freedoms = with_joint(body.joint, [](auto joint) { return static_cast<int>(decltype(joint)::freedoms.size()); });
    for (int k = 0; k < freedoms; ++k) covered[static_cast<std::size_t>(body.v + k)] = 1;
    const std::string q = std::to_string(body.q), v = std::to_string(body.v);
    if (group == TangentGroup::additive) {
      for (int k = 0; k < freedoms; ++k)
        tangent += "  T[" + std::to_string(body.v + k) + " * @_Q + " + std::to_string(body.q + k) + "] = 1;\n";
      continue;
    }
    balls |= group != TangentGroup::planar, bases |= group == TangentGroup::free, planes |= group == TangentGroup::planar;
    const std::string name = group == TangentGroup::ball ? "ball" : group == TangentGroup::free ? "free" : "planar";
    tangent += "  @_" + name + "(q + " + q + ", T + " + v + " * @_Q + " + q + ");\n";
    curvature += "  @_" + name + "_curvature(q + " + q + ", g + " + v + ", H + " + q + " * @_Q + " + q + ");\n";
  }
  if (std::find(covered.begin(), covered.end(), 0) != covered.end())
    throw std::invalid_argument("a freedom of no body: its coordinates are unknown");
  return std::string(balls ? ball_text : "") + (bases ? free_text : "") + (planes ? planar_text : "") +
         "\nstatic void @_tangent(const double *q, double *T) {\n  for (int i = 0; i < @_N * @_Q; ++i) T[i] = 0;\n" + tangent +
         "}\nstatic void @_curvature(const double *q, const double *g, double *H) {\n" + curvature + "}\n";
}

std::vector<int> quaternion_places(const Model& model) {
  std::vector<int> places;
  for (const Body& body : model.bodies)
    if (const int offset = quaternion_offset(body.joint); offset >= 0) places.push_back(body.q + offset);
  return places;
}

std::string at_norm_one(const Model& model) {
  std::string places;
  for (const int at : quaternion_places(model)) places += (places.empty() ? "" : ", ") + std::to_string(at);
  if (places.empty())
    return "\n#define @_AT_NORM_ONE(arg) const double *in[3] = {arg[0], arg[1], arg[2]}\n#define @_PER(c) 1\n";
  return R"(
static void @_unit(const double *q, double *u, double *per) {
  static const int places[] = {)" +
         places + R"(};
  for (int c = 0; c < @_Q; ++c) u[c] = q ? q[c] : 0, per[c] = 1;
  for (unsigned k = 0; k < sizeof places / sizeof *places; ++k) {
    double *x = u + places[k];
    const double most = fmax(fmax(fabs(x[0]), fabs(x[1])), fmax(fabs(x[2]), fabs(x[3])));
    for (int m = 0; m < 4; ++m) x[m] /= most; /* whose squares are in the range of numbers */
    const double scale = 1 / sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
    for (int m = 0; m < 4; ++m) x[m] *= scale, per[places[k] + m] = scale / most;
  }
}
#define @_AT_NORM_ONE(arg) \
  double unit_q[@_Q], per[@_Q]; \
  const double *in[3] = {unit_q, arg[1], arg[2]}; \
  @_unit(arg[0], unit_q, per)
#define @_PER(c) per[c]
)";
}

}  // namespace sparsedyn
