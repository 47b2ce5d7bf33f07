#include "support/world_dynamics.hpp"

#include <algorithm>
#include <cmath>

namespace sparsedyn::test {
namespace {

Vec3<Quad> quads(const Vec3<double>& a) { return cast<Quad>(a); }
Vec3<Quad> column(const Mat3<Quad>& R, int k) { return {{R(0, k), R(1, k), R(2, k)}}; }
Quad norm(const Vec3<Quad>& a) { return sqrt(dot(a, a)); }
double size(const Vec3<Quad>& a) {
  const double x = static_cast<double>(a[0]), y = static_cast<double>(a[1]), z = static_cast<double>(a[2]);
  return std::hypot(x, y, z);
}

}  // namespace

std::vector<Quad> quads(const std::vector<double>& x) { return std::vector<Quad>(x.begin(), x.end()); }

Mat3<Quad> quad_rotation(const Vec3<Quad>& axis, const Quad& angle) {
  const Quad half = sin(Quad(0.5) * angle);
  const Mat3<Quad> K = hat(axis), KK = K * K;
  Mat3<Quad> R = identity3<Quad>();
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) R(i, k) = R(i, k) + sin(angle) * K(i, k) + Quad(2) * half * half * KK(i, k);
  return R;
}

Mat3<Quad> quad_rotation_from_rpy(const Vec3<double>& rpy) {
  const Vec3<Quad> x{{1.0, 0.0, 0.0}}, y{{0.0, 1.0, 0.0}}, z{{0.0, 0.0, 1.0}};
  return quad_rotation(z, rpy[2]) * quad_rotation(y, rpy[1]) * quad_rotation(x, rpy[0]);
}

Mat3<Quad> quad_rotation_from_quaternion(const Quad* u) {
  const Vec3<Quad> axis{{u[0], u[1], u[2]}};
  const Quad s = norm(axis);
  if (s == Quad(0.0)) return identity3<Quad>();
  return quad_rotation((Quad(1) / s) * axis, Quad(2) * atan2(s, u[3]));
}

Mat3<Quad> quad_shortest_rotation(const Vec3<double>& given) {
  // to unit length, of vectors of any length
  const double largest = std::max({std::fabs(given[0]), std::fabs(given[1]), std::fabs(given[2])});
  Vec3<Quad> a{{given[0] / Quad(largest), given[1] / Quad(largest), given[2] / Quad(largest)}};
  a = (Quad(1) / norm(a)) * a;
  const Vec3<Quad> u{{-a[1], a[0], 0.0}};  // e_z × a
  const double across = std::max(static_cast<double>(abs(a[0])), static_cast<double>(abs(a[1])));
  if (across == 0) return a[2] > Quad(0.0) ? identity3<Quad>() : quad_rotation({{1.0, 0.0, 0.0}}, atan2(Quad(0.0), a[2]));
  const Vec3<Quad> big = (Quad(1) / Quad(across)) * u;
  const Quad s = norm(big);
  return quad_rotation((Quad(1) / s) * big, atan2(s * Quad(across), a[2]));
}

QuadMatrix inverse(const QuadMatrix& given) {
  const int n = given.rows;
  QuadMatrix A = given, X(n, n);
  for (int i = 0; i < n; ++i) X(i, i) = 1;
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (abs(A(i, k)) > abs(A(pivot, k))) pivot = i;
    for (int c = 0; c < n; ++c) std::swap(A(k, c), A(pivot, c)), std::swap(X(k, c), X(pivot, c));
    const Quad scale = Quad(1) / A(k, k);
    for (int c = 0; c < n; ++c) A(k, c) *= scale, X(k, c) *= scale;
    for (int i = 0; i < n; ++i) {
      const Quad factor = A(i, k);
      if (i == k || factor == Quad(0.0)) continue;
      for (int c = 0; c < n; ++c) A(i, c) -= factor * A(k, c), X(i, c) -= factor * X(k, c);
    }
  }
  return X;
}

std::vector<Quad> product(const QuadMatrix& A, const std::vector<Quad>& x) {
  std::vector<Quad> y(static_cast<std::size_t>(A.rows));
  for (int i = 0; i < A.rows; ++i)
    for (int k = 0; k < A.columns; ++k) y[i] += A(i, k) * x[k];
  return y;
}

WorldDynamics::WorldDynamics(const AwkwardRobot& robot) : robot_(robot), carrier_(robot.links.size()) {
  add(-1, 0, robot.floating ? JointKind::floating : JointKind::fixed, identity_pose<Quad>(), {{0, 0, 1}}, 0);
  for (std::size_t i = 1; i < robot.links.size(); ++i) {
    const AwkwardLink& link = robot.links[i];
    int parent = carrier_[link.parent];
    for (std::size_t p = 0; p < link.parts.size(); ++p) {
      const AwkwardPart& part = link.parts[p];
      const int carried = p + 1 == link.parts.size() ? static_cast<int>(i) : -1;
      const Pose<Quad> placement{quad_rotation_from_rpy(part.rpy), quads(part.xyz)};
      if (part.joint.kind == JointKind::universal) {
        add(parent, -1, JointKind::revolute, placement, part.joint.axis, 0);
        add(static_cast<int>(stages_.size()) - 1, carried, JointKind::revolute, identity_pose<Quad>(), part.joint.axis2, 0);
      } else {
        add(parent, carried, part.joint.kind, placement, part.joint.axis, part.joint.pitch);
      }
      parent = static_cast<int>(stages_.size()) - 1;
    }
    carrier_[i] = parent;
  }
  motions_.resize(stages_.size()), sizes_.resize(stages_.size()), steps_.resize(stages_.size());
}

void WorldDynamics::add(int parent, int link, JointKind kind, const Pose<Quad>& placement, const Vec3<double>& axis,
                        double pitch) {
  stages_.push_back({parent, link, kind, placement, quad_shortest_rotation(axis), pitch, nq_, nv_});
  switch (kind) {
    case JointKind::fixed: break;
    case JointKind::spherical: nq_ += 4, nv_ += 3; break;
    case JointKind::planar: nq_ += 3, nv_ += 3; break;
    case JointKind::floating: nq_ += 7, nv_ += 6; break;
    default: nq_ += 1, nv_ += 1;
  }
}

Pose<Quad> WorldDynamics::joint_pose(const Stage& stage, const Quad* q, const Quad* d) const {
  const Vec3<Quad> x = column(stage.frame, 0), y = column(stage.frame, 1), axis = column(stage.frame, 2), o = zero3<Quad>();
  const auto about = [](const Quad* w) {  // by a rotation vector
    const Vec3<Quad> turn{{w[0], w[1], w[2]}};
    const Quad angle = norm(turn);
    return angle == Quad(0.0) ? identity3<Quad>() : quad_rotation((Quad(1) / angle) * turn, angle);
  };
  switch (stage.kind) {
    case JointKind::fixed: return identity_pose<Quad>();
    case JointKind::prismatic: return {identity3<Quad>(), (q[0] + d[0]) * axis};
    case JointKind::helical: return {quad_rotation(axis, q[0] + d[0]), (stage.pitch * (q[0] + d[0])) * axis};
    case JointKind::spherical: return {quad_rotation_from_quaternion(q) * about(d), o};
    case JointKind::planar: {
      const Mat3<Quad> R = quad_rotation(axis, q[2]);
      return {R * quad_rotation(axis, d[2]), q[0] * x + q[1] * y + R * (d[0] * x + d[1] * y)};
    }
    case JointKind::floating: {
      const Mat3<Quad> R = quad_rotation_from_quaternion(q + 3);
      return {R * about(d), Vec3<Quad>{{q[0], q[1], q[2]}} + R * Vec3<Quad>{{d[3], d[4], d[5]}}};
    }
    default: return {quad_rotation(axis, q[0] + d[0]), o};
  }
}

/// The motion of the child relative to the parent, in the world's axes, for entries x of the joint; R: of the child.
Motion<Quad> WorldDynamics::along(const Stage& stage, const Mat3<Quad>& R, const Quad* x) const {
  const Vec3<Quad> o = zero3<Quad>(), axis = R * column(stage.frame, 2);
  switch (stage.kind) {
    case JointKind::fixed: return {o, o};
    case JointKind::prismatic: return {o, x[0] * axis};
    case JointKind::helical: return {x[0] * axis, (stage.pitch * x[0]) * axis};
    case JointKind::spherical: return {R * Vec3<Quad>{{x[0], x[1], x[2]}}, o};
    case JointKind::planar: return {x[2] * axis, R * (x[0] * column(stage.frame, 0) + x[1] * column(stage.frame, 1))};
    case JointKind::floating: return {R * Vec3<Quad>{{x[0], x[1], x[2]}}, R * Vec3<Quad>{{x[3], x[4], x[5]}}};
    default: return {x[0] * axis, o};
  }
}

void WorldDynamics::pose(const std::vector<Quad>& q, const std::vector<Quad>& shift) {
  const std::vector<Quad> none(static_cast<std::size_t>(nv_));
  const std::vector<Quad>& d = shift.empty() ? none : shift;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const Stage& stage = stages_[i];
    const Pose<Quad> joint = joint_pose(stage, q.data() + stage.q, d.data() + stage.v), own = stage.placement * joint;
    motions_[i].pose = stage.parent < 0 ? own : motions_[stage.parent].pose * own;
    steps_[i] = static_cast<double>(norm(stage.placement.d) + norm(joint.d));
    sizes_[i].distance = steps_[i] + (stage.parent < 0 ? 0.0 : sizes_[stage.parent].distance);
  }
}

void WorldDynamics::move(const std::vector<Quad>& v, const std::vector<Quad>& a) {
  const Vec3<Quad> o = zero3<Quad>();
  const WorldMotion world{identity_pose<Quad>(), o, o, o, o};
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const Stage& stage = stages_[i];
    const WorldMotion& up = stage.parent < 0 ? world : motions_[stage.parent];
    WorldMotion& m = motions_[i];
    const Motion<Quad> rate = along(stage, m.pose.R, v.data() + stage.v), change = along(stage, m.pose.R, a.data() + stage.v);
    const Vec3<Quad> r = m.pose.d - up.pose.d;
    m.w = up.w + rate.w;
    m.v = up.v + cross(up.w, r) + rate.v;
    // the joint's axes turn with the child
    m.al = up.al + cross(m.w, rate.w) + change.w;
    m.a = up.a + cross(up.al, r) + cross(up.w, cross(up.w, r) + rate.v) + cross(m.w, rate.v) + change.v;
    // the same with sizes for vectors
    const MotionSizes from = stage.parent < 0 ? MotionSizes{} : sizes_[stage.parent];
    MotionSizes& s = sizes_[i];
    const double turn = size(rate.w), shift = size(rate.v), step = steps_[i];
    s.w = from.w + turn;
    s.v = from.v + from.w * step + shift;
    s.al = from.al + s.w * turn + size(change.w);
    s.a = from.a + from.al * step + from.w * (from.w * step + shift) + s.w * shift + size(change.v);
  }
}

std::vector<Quad> WorldDynamics::torques(const std::vector<Force<double>>& wrenches, bool gravity,
                                         std::vector<double>* sizes) const {
  struct Load {
    Force<Quad> wrench;   // about the stage's origin
    double n = 0, f = 0;  // sums of the sizes of its terms
  };
  std::vector<Load> loads(stages_.size(), Load{{zero3<Quad>(), zero3<Quad>()}});
  std::vector<Quad> tau(static_cast<std::size_t>(nv_));
  if (sizes) sizes->assign(static_cast<std::size_t>(nv_), 0.0);
  const Vec3<Quad> g = gravity ? quads(robot_.gravity) : zero3<Quad>();
  for (std::size_t i = stages_.size(); i-- > 0;) {
    const Stage& stage = stages_[i];
    const WorldMotion& m = motions_[i];
    Load& load = loads[i];
    if (stage.link >= 0) {
      const AwkwardLink& link = robot_.links[stage.link];
      const Vec3<Quad> c = m.pose.R * quads(link.com);
      const Sym3<Quad> I = rotated(m.pose.R, cast<Quad>(link.tensor));
      const Vec3<Quad> f = Quad(link.mass) * (m.a + cross(m.al, c) + cross(m.w, cross(m.w, c)) - g);
      const Vec3<Quad> n = I * m.al + cross(m.w, I * m.w) + cross(c, f);
      load.wrench = load.wrench + Force<Quad>{n, f};
      const MotionSizes& s = sizes_[i];
      const double turning = s.al + s.w * s.w, weight = link.mass * (s.a + turning * size(c) + size(g));
      load.f += weight;
      load.n += (link.tensor.xx + link.tensor.yy + link.tensor.zz) * turning + size(c) * weight;
      if (!wrenches.empty()) {
        const Force<double>& x = wrenches[stage.link];
        load.wrench = load.wrench - Force<Quad>{m.pose.R * quads(x.n), m.pose.R * quads(x.f)};
        load.f += size(quads(x.f)), load.n += size(quads(x.n));
      }
    }
    for (int k = stage.v; k < (i + 1 < stages_.size() ? stages_[i + 1].v : nv_); ++k) {
      std::vector<Quad> unit(6);
      unit[k - stage.v] = 1;
      const Motion<Quad> axis = along(stage, m.pose.R, unit.data());
      tau[k] = dot(axis, load.wrench);
      if (sizes) (*sizes)[k] = size(axis.w) * load.n + size(axis.v) * load.f;
    }
    if (stage.parent >= 0) {
      const Vec3<Quad> r = m.pose.d - motions_[stage.parent].pose.d;
      Load& up = loads[stage.parent];
      up.wrench = up.wrench + Force<Quad>{load.wrench.n + cross(r, load.wrench.f), load.wrench.f};
      up.n += load.n + steps_[i] * load.f;
      up.f += load.f;
    }
  }
  return tau;
}

WorldTotals WorldDynamics::totals() const {
  WorldTotals sum{};
  sum.com = zero3<Quad>();
  Vec3<Quad> momentum = zero3<Quad>(), rate = zero3<Quad>();
  std::vector<char> moves(stages_.size(), 0);
  const auto each = [&](auto&& work) {
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      const Stage& stage = stages_[i];
      moves[i] = stage.kind != JointKind::fixed || (stage.parent >= 0 && moves[stage.parent]);
      if (!moves[i] || stage.link < 0) continue;
      const AwkwardLink& link = robot_.links[stage.link];
      const WorldMotion& m = motions_[i];
      const Vec3<Quad> c = m.pose.R * quads(link.com);
      work(Quad(link.mass), m, Vec3<Quad>(m.pose.d + c), Vec3<Quad>(m.v + cross(m.w, c)),
           Vec3<Quad>(m.a + cross(m.al, c) + cross(m.w, cross(m.w, c))), rotated(m.pose.R, cast<Quad>(link.tensor)));
    }
  };
  each([&](const Quad& mass, const WorldMotion& m, const Vec3<Quad>& c, const Vec3<Quad>& v, const Vec3<Quad>& a,
           const Sym3<Quad>& I) {
    sum.mass += mass;
    sum.com += mass * c;
    momentum += mass * v;
    rate += mass * a;
    sum.kinetic += Quad(0.5) * (mass * dot(v, v) + dot(m.w, I * m.w));
    sum.potential -= mass * dot(quads(robot_.gravity), c);
  });
  sum.com = (Quad(1) / sum.mass) * sum.com;
  sum.momentum = {zero3<Quad>(), momentum};
  sum.rate = {zero3<Quad>(), rate};
  each([&](const Quad& mass, const WorldMotion& m, const Vec3<Quad>& c, const Vec3<Quad>& v, const Vec3<Quad>& a,
           const Sym3<Quad>& I) {
    sum.momentum.n += I * m.w + mass * cross(c - sum.com, v);
    sum.rate.n += I * m.al + cross(m.w, I * m.w) + mass * cross(c - sum.com, a);
  });
  return sum;
}

QuadMatrix WorldDynamics::mass_matrix(std::vector<double>* sizes) {
  QuadMatrix M(nv_, nv_);
  if (sizes) sizes->resize(M.e.size());
  const std::vector<Quad> still(static_cast<std::size_t>(nv_));
  std::vector<double> column;
  for (int k = 0; k < nv_; ++k) {
    std::vector<Quad> unit = still;
    unit[k] = 1;
    move(still, unit);
    const std::vector<Quad> tau = torques({}, false, &column);
    for (int i = 0; i < nv_; ++i) M(i, k) = tau[i];
    for (int i = 0; sizes && i < nv_; ++i) (*sizes)[i * nv_ + k] = column[i];
  }
  return M;
}

QuadMatrix WorldDynamics::differences(const AwkwardState& state, bool by_q) {
  const std::vector<Quad> q = quads(state.q), v = quads(state.v), a = quads(state.a);
  QuadMatrix D(nv_, nv_);
  // (8 (f(h) − f(−h)) − (f(2h) − f(−2h))) / 12h: an error of h⁴ and of 1e-34/h
  const double h = 1.0 / (1 << 20);
  for (int k = 0; k < nv_; ++k) {
    const auto at = [&](double step) {
      std::vector<Quad> shift(static_cast<std::size_t>(nv_)), moved = v;
      if (by_q)
        shift[k] = step;
      else
        moved[k] += Quad(step);
      pose(q, shift);
      move(moved, a);
      return torques(state.wrenches);
    };
    const std::vector<Quad> p1 = at(h), m1 = at(-h), p2 = at(2 * h), m2 = at(-2 * h);
    for (int i = 0; i < nv_; ++i) D(i, k) = (Quad(8) * (p1[i] - m1[i]) - (p2[i] - m2[i])) / Quad(12 * h);
  }
  return D;
}

QuadMatrix WorldDynamics::torques_by_q(const AwkwardState& state) { return differences(state, true); }
QuadMatrix WorldDynamics::torques_by_v(const AwkwardState& state) { return differences(state, false); }

}  // namespace sparsedyn::test
