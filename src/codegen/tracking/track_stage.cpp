#include "codegen/tracking/track_stage.hpp"

#include <string>

#include "codegen/ir/port_names.hpp"
#include "sparsedyn/codegen/recorder.hpp"
#include "sparsedyn/dynamics/jacobians.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn {
namespace {

using tracking::Layout;
using tracking::PointGroup;
using Expressions = std::vector<Expr>;
using Square = std::vector<Expressions>;

/// The encoders' deviation by entry of v; 0: there is none.
std::vector<double> encoder_deviations(const Layout& layout) {
  std::vector<double> sigma(static_cast<std::size_t>(layout.model.nv), 0.0);
  for (const tracking::TrackedJoint& joint : layout.joints)
    if (!joint.positions.empty()) sigma[static_cast<std::size_t>(joint.v)] = joint.positions.front().sigma;
  return sigma;
}

/// The Jacobian of a point that is by so much beside the one that J is of.
void move_point(Expressions& J, std::size_t nv, const Vec3<Expr>& by) {
  for (std::size_t v = 0; v < nv; ++v) {
    const Vec3<Expr> moved = cross(Vec3<Expr>{{J[v], J[nv + v], J[2 * nv + v]}}, by);
    for (int k = 0; k < 3; ++k) {
      Expr& at = J[(3 + static_cast<std::size_t>(k)) * nv + v];
      at = at + moved[k];
    }
  }
}

/// Σ_j σ_j² J_j J_jᵀ + σ² 1 of a group's places in the root link's axes turned into the tracked frame's: the lower half. Of a
/// foot that rolls J is that of its lowest point.
Square covariance_of(const Layout& layout, const Workspace<Expr>& work, const PointGroup& group, const Vec3<Expr>& up) {
  const std::vector<double> sigma = encoder_deviations(layout);
  const Mat3<double> R = layout.model.links[static_cast<std::size_t>(layout.link)].pose.R * layout.frame.R;
  const auto nv = static_cast<std::size_t>(layout.model.nv);
  Square rows;  // of the places, by the group's joints
  for (int index : group.points) {
    const tracking::ContactPoint& point = layout.points[static_cast<std::size_t>(index)];
    Expressions J(6 * nv, Expr(0.0));
    point_jacobian(layout.model, work, point.link, Axes::world, point.in_link, J.data());
    if (point.rolls()) move_point(J, nv, Expr(-point.radius) * (cast<Expr>(R) * up));
    for (int r = 0; r < 3; ++r) {
      Expressions row;
      for (int v : group.joints) {
        const auto at = static_cast<std::size_t>(v);
        Expr sum(0.0);
        for (int k = 0; k < 3; ++k) sum = sum + Expr(R(k, r)) * J[(3 + static_cast<std::size_t>(k)) * nv + at];
        row.push_back(Expr(sigma[at]) * sum);
      }
      rows.push_back(row);
    }
  }
  Square S(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k <= i; ++k) {
      Expr sum(0.0);
      for (std::size_t c = 0; c < rows[i].size(); ++c) sum = sum + rows[i][c] * rows[k][c];
      const tracking::ContactPoint& point = layout.points[static_cast<std::size_t>(group.points[i / 3])];
      const double own = layout.contacts[static_cast<std::size_t>(point.contact)].settings->kinematics;
      S[i].push_back(i == k ? sum + Expr(own * own) : sum);
    }
  return S;
}

/// W = L⁻¹ with L Lᵀ = S.
Square whitener(Square L) {
  for (std::size_t i = 0; i < L.size(); ++i)
    for (std::size_t k = 0; k <= i; ++k) {
      for (std::size_t c = 0; c < k; ++c) L[i][k] = L[i][k] - L[i][c] * L[k][c];
      L[i][k] = k < i ? L[i][k] / L[k][k] : sqrt(L[i][k]);
    }
  Square W(L.size());
  for (std::size_t i = 0; i < L.size(); ++i) {
    const Expr pivot = Expr(1.0) / L[i][i];
    for (std::size_t c = 0; c <= i; ++c) {
      Expr entry(c == i ? 1.0 : 0.0);
      for (std::size_t k = c; k < i; ++k) entry = entry - L[i][k] * W[k][c];
      W[i].push_back(entry * pivot);
    }
  }
  return W;
}

}  // namespace

Program feet_stage(const Layout& layout) {
  Recorder recorder;
  const Expressions joints = recorder.input("q", numbered("q", layout.joints.size()));
  const bool any_rolls = tracking::count_rolling(layout.points) > 0;
  Vec3<Expr> up{{Expr(0.0), Expr(0.0), Expr(0.0)}};
  if (any_rolls) {
    const Expressions given = recorder.input("up", {"up.x", "up.y", "up.z"});
    for (int k = 0; k < 3; ++k) up[k] = given[static_cast<std::size_t>(k)];
  }
  std::vector<double> zero(static_cast<std::size_t>(layout.model.nq));
  neutral(layout.model, zero.data());
  Expressions q(zero.begin(), zero.end());
  for (std::size_t j = 0; j < joints.size(); ++j) q[static_cast<std::size_t>(layout.joints[j].q)] = joints[j];
  Workspace<Expr> work(layout.model);
  forward_kinematics(layout.model, work, q.data(), static_cast<const Expr*>(nullptr), static_cast<const Expr*>(nullptr));
  const Pose<double> frame = layout.model.links[static_cast<std::size_t>(layout.link)].pose * layout.frame;
  Expressions places, links, white, variance(layout.points.size(), Expr(0.0));
  for (const tracking::ContactPoint& point : layout.points) {
    const Pose<Expr> link = link_pose(layout.model, work, point.link);
    const Vec3<Expr> in_root = link.R * cast<Expr>(point.in_link) + link.d - cast<Expr>(frame.d);
    const Vec3<Expr> in_frame = transposed_times(cast<Expr>(frame.R), in_root);
    for (int k = 0; k < 3; ++k) places.push_back(in_frame[k]);
    if (!point.rolls()) continue;
    const Mat3<Expr> turned = transpose(cast<Expr>(frame.R)) * link.R;
    for (int k = 0; k < 9; ++k) links.push_back(turned(k / 3, k % 3));
  }
  for (const PointGroup& group : layout.groups) {
    const Square S = covariance_of(layout, work, group, up);
    for (std::size_t p = 0; p < group.points.size(); ++p)
      variance[static_cast<std::size_t>(group.points[p])] = S[3 * p][3 * p] + S[3 * p + 1][3 * p + 1] + S[3 * p + 2][3 * p + 2];
    for (const Expressions& row : whitener(S)) white.insert(white.end(), row.begin(), row.end());
  }
  recorder.output("point", numbered("point", places.size()), places);
  recorder.output("variance", numbered("variance", variance.size()), variance);
  recorder.output("white", numbered("white", white.size()), white);
  if (any_rolls) recorder.output("link", numbered("link", links.size()), links);
  return recorder.program();
}

}  // namespace sparsedyn
