#include "rows.hpp"

#include <algorithm>
#include <cmath>

#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/model/coordinate_map.hpp"
#include "sparsedyn/model/detail/joint.hpp"
#include "sparsedyn/model/detail/rotations.hpp"

namespace sparsedyn {

ConstraintRows::ConstraintRows(const Model& model, std::vector<RowBlock> blocks)
    : model_(model), blocks_(std::move(blocks)), states_(blocks_.size()), nv_(model.nv) {
  for (const RowBlock& b : blocks_) {
    rows_ += b.rows, forces_ += b.forces, gaps_ += b.first_gap >= 0;
  }
  J_.assign(static_cast<std::size_t>(rows_) * nv_, 0.0);
  aim_.assign(rows_, 0.0);
  for (std::vector<double>& jacobian : jacobian_) jacobian.assign(static_cast<std::size_t>(6) * nv_, 0.0);
  own_.assign(static_cast<std::size_t>(LawNumbers::most_rows) * nv_, 0.0), weighed_ = own_;
  turned_.assign(nv_, 0.0);
  weld_.assign(blocks_.size(), identity3<double>());
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    states_[k].axes = blocks_[k].plane;
    if (blocks_[k].found >= 0) found_.emplace_back();
  }
}

void ConstraintRows::at(Workspace<double>& ws, const double* q, const double* v, const ConstraintRows* found) noexcept {
  ws_ = &ws, v_ = v, moving_link_ = {-1, -1};
  forward_kinematics<double>(model_, ws, q, v, nullptr);
  if (found)
    std::copy(found->found_.begin(), found->found_.end(), found_.begin());
  else
    find_contacts(q);
  const bool coupled = model_.coordinate_map != nullptr;
  q_ = coupled ? ws.tree.q.data() : q;
  const double* tree_v = coupled ? ws.tree.v.data() : v;
  for (const Body& body : model_.tree().bodies) {
    if (freedoms(body.joint) == 1) continue;  // w and v of a hinge, a slider and a screw are parallel
    const Motion<double> vJ = joint_motion(body, tree_v);
    const Vec3<double> change = cross(vJ.w, vJ.v);
    for (int c = 0; c < freedoms(body.joint); ++c)
      turned_[entry_of(model_, body.v + c).index] = dot(motion_subspace(body, c).v, change);
  }
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const RowBlock& b = blocks_[k];
    RowBlockState& s = states_[k];
    s.law.rows = b.rows;
    switch (b.type) {
      case ConstraintType::contact: contact(b, s); break;
      case ConstraintType::connect:
      case ConstraintType::weld: pair(b, s); break;
      case ConstraintType::joint: coupling(b, s); break;
      case ConstraintType::limit: stop(b, s); break;
      case ConstraintType::dry_friction: rub(b, s); break;
      case ConstraintType::link_contact: link_contact(b, s); break;
    }
  }
}

const ConstraintRows::Moving& ConstraintRows::moving(int link, int side) noexcept {
  const auto k = static_cast<std::size_t>(side);
  if (link < 0 || moving_link_[k] != link) moving_[k] = moved(link, jacobian_[k].data());
  moving_link_[k] = link;
  return moving_[k];
}

ConstraintRows::Moving ConstraintRows::moved(int link, double* jacobian) const noexcept {
  Moving m;
  if (link < 0) return m;
  m.pose = link_pose(model_, *ws_, link);
  if (model_.links[link].body < 0) return m;
  link_jacobian(model_, *ws_, link, Axes::world, jacobian);
  m.jacobian = jacobian;
  const Motion<double> v = link_velocity(model_, *ws_, link), a = link_acceleration(model_, *ws_, link);
  m.w = m.pose.R * v.w, m.v = m.pose.R * v.v;
  m.turning = m.pose.R * a.w;
  m.pushing = m.pose.R * (a.v + cross(v.w, v.v)) + model_.gravity;  // a holds −g
  return m;
}

double ConstraintRows::along(const RowBlock& b, int r, const double* x) const noexcept {
  const double* J = row(r);
  double sum = 0;
  for (int i : b.freedoms) sum += J[i] * x[i];
  return sum;
}

/// a* of rows with error φ and drift J̇ v; hard ones: ρ = 1/(μ w), μ = 1e-6 (the proximal factor).
void ConstraintRows::aim_equality(const RowBlock& b, RowBlockState& s, const double* error, const double* drift,
                                  int rows) noexcept {
  constexpr double proximal = 1e-6;
  double size = 0;
  for (int k = 0; k < rows; ++k) size += error[k] * error[k], s.error[k] = error[k];
  const double d = impedance_at(b.impedance, std::sqrt(size));
  s.active = true;
  s.law.law = Law::quadratic;
  for (int k = 0; k < rows; ++k) {
    const int row = b.first_row + k;
    const double w = k < 3 ? b.linear_weight : b.angular_weight, speed = along(b, row, v_);
    s.law.D[k] = 1 / (b.hard ? proximal * w : regularisation(d, w));
    s.law.pull[k] = 0;
    aim_[row] = b.hard ? -2 * b.omega * speed - b.omega * b.omega * error[k] - drift[k]
                       : -b.pull.B * speed - b.pull.K * d * error[k] - drift[k];
  }
}

/// The first link's point less the second's; of a weld also the vector part e of the quaternion (s, e) of R2ᵀ R1, for which
/// ė = G ω, G = ½ (s 1 − [e]×), ω the relative angular velocity in the second frame.
void ConstraintRows::pair(const RowBlock& b, RowBlockState& s) noexcept {
  const Moving link[2] = {moving(b.link[0], 0), moving(b.link[1], 1)};
  Vec3<double> arm[2], point[2];
  Mat3<double> R[2];
  for (int k = 0; k < 2; ++k) {
    arm[k] = link[k].pose.R * b.frames[k].d;
    point[k] = arm[k] + link[k].pose.d;
    R[k] = link[k].pose.R * b.frames[k].R;
  }
  const bool weld = b.type == ConstraintType::weld;
  const std::array<double, 4> u = quaternion_from_rotation(transpose(R[1]) * R[0]);
  const Vec3<double> e{{u[0], u[1], u[2]}};
  const Mat3<double> across = hat(e);
  Mat3<double> G{};
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) G(r, c) = 0.5 * ((r == c ? u[3] : 0) - across(r, c));
  const Mat3<double> to_rows = G * transpose(R[1]);
  for (int r = 0; r < b.rows; ++r) {
    double* J = own_row(b.first_row + r);
    for (int i : b.freedoms) J[i] = 0;
  }
  for (int k = 0; k < 2; ++k) {
    if (!link[k].jacobian) continue;
    const double sign = k == 0 ? 1 : -1;
    for (int i : b.freedoms) {
      const double* J = link[k].jacobian;
      const Vec3<double> w{{J[i], J[nv_ + i], J[2 * nv_ + i]}}, v{{J[3 * nv_ + i], J[4 * nv_ + i], J[5 * nv_ + i]}};
      const Vec3<double> moved = v + cross(w, arm[k]), turned = to_rows * w;
      for (int r = 0; r < 3; ++r) {
        own_row(b.first_row + r)[i] += sign * moved[r];
        if (weld) own_row(b.first_row + 3 + r)[i] += sign * turned[r];
      }
    }
  }
  double error[6], drift[6];
  const Vec3<double> apart = point[0] - point[1], pushed = link[0].acceleration_at(arm[0]) - link[1].acceleration_at(arm[1]);
  const Vec3<double> w2 = transposed_times(R[1], link[1].w), w = transposed_times(R[1], link[0].w) - w2;
  const Vec3<double> turning = transposed_times(R[1], link[0].turning - link[1].turning) - cross(w2, w);
  const Vec3<double> rate = G * w, turned = G * turning + 0.5 * (-0.5 * dot(w, e)) * w - 0.5 * cross(rate, w);
  for (int r = 0; r < 3; ++r) error[r] = apart[r], drift[r] = pushed[r], error[3 + r] = e[r], drift[3 + r] = turned[r];
  weld_[static_cast<std::size_t>(&b - blocks_.data())] = transpose(to_rows);
  aim_equality(b, s, error, drift, b.rows);
}

/// q_j − p(q_of) − Σ c_k q_k.
void ConstraintRows::coupling(const RowBlock& b, RowBlockState& s) noexcept {
  const bool follows = b.freedom[1] >= 0;
  const double x = follows ? q_[b.coordinate[1]] : 0, v = follows ? b.ratio[1] * v_[b.freedom[1]] : 0;
  double p = 0, slope = 0, curvature = 0;
  for (std::size_t k = b.polynomial.size(); k-- > 0;) {
    curvature = curvature * x + 2 * slope;
    slope = slope * x + p;
    p = p * x + b.polynomial[k];
  }
  double* J = own_row(b.first_row);
  for (int i : b.freedoms) J[i] = 0;  // both may be moved by one
  J[b.freedom[0]] += b.ratio[0];
  if (follows) J[b.freedom[1]] -= slope * b.ratio[1];
  double error = q_[b.coordinate[0]] - p;
  for (const LinearTerm& term : b.linear) {
    J[term.freedom] -= term.factor * term.ratio;
    error -= term.factor * q_[term.coordinate];
  }
  const double drift = b.hard ? -curvature * v * v : 0;  // MuJoCo leaves it out
  aim_equality(b, s, &error, &drift, 1);
}

/// Two rows: q − lower and upper − q, each where it is below the margin.
void ConstraintRows::stop(const RowBlock& b, RowBlockState& s) noexcept {
  const double q = q_[b.coordinate[0]];
  s.law.law = Law::one_sided;
  s.active = false;
  for (int k = 0; k < 2; ++k) {
    const int row = b.first_row + k;
    const double sign = k == 0 ? 1 : -1, gap = k == 0 ? q - b.lower : b.upper - q, r = gap - b.margin;
    const double slope = sign * b.ratio[0];
    own_row(row)[b.freedom[0]] = slope;
    const bool near = gap < b.margin;
    s.active = s.active || near;
    const double d = impedance_at(b.impedance, r);
    s.law.D[k] = near ? 1 / regularisation(d, b.linear_weight) : 0;
    aim_[row] = near ? -b.pull.B * slope * v_[b.freedom[0]] - b.pull.K * d * r : 0;
  }
}

void ConstraintRows::rub(const RowBlock& b, RowBlockState& s) noexcept {
  s.active = b.loss > 0;
  s.law.law = Law::bounded;
  s.law.bound = b.loss;
  own_row(b.first_row)[b.freedom[0]] = b.ratio[0];
  s.law.D[0] = 1 / regularisation(impedance_at(b.impedance, 0), b.linear_weight);
  aim_[b.first_row] = -b.pull.B * b.ratio[0] * v_[b.freedom[0]];
}

void ConstraintRows::miss(const double* a, double* j) const noexcept {
  for (std::size_t k = 0; k < blocks_.size(); ++k)
    for (int r = blocks_[k].first_row; r < blocks_[k].first_row + blocks_[k].rows; ++r)
      j[r] = states_[k].active ? along(blocks_[k], r, a) - aim_[r] : 0;
}

void ConstraintRows::add_transposed(const double* f, double* x) const noexcept { add_columns_transposed<1>(f, x); }

namespace {

/// H += Jᵀ W, of `freedoms` (ascending) the lower triangle; J and W freedom by freedom, `rows` numbers each. Known row counts
/// are unrolled.
template <int Known>
void add_lower(const std::vector<int>& freedoms, int any, const double* J, const double* W, int nv, double* H) noexcept {
  const int rows = Known > 0 ? Known : any;
  for (std::size_t k = 0; k < freedoms.size(); ++k, J += rows) {
    double* of_k = H + static_cast<std::ptrdiff_t>(freedoms[k]) * nv;
    const double* w = W;
    for (std::size_t c = 0; c <= k; ++c, w += rows) {
      double sum = 0;
      for (int r = 0; r < rows; ++r) sum += J[r] * w[r];
      of_k[freedoms[c]] += sum;
    }
  }
}

}  // namespace

void ConstraintRows::add_product(const RowBlock& b, const double* h, double* H) noexcept {
  std::array<int, LawNumbers::most_rows> pull{};  // rows that do: of a pyramid the edges that press
  int rows = 0;
  for (int r = 0; r < b.rows; ++r)
    if (std::any_of(h + r * b.rows, h + (r + 1) * b.rows, [](double x) { return x != 0; }))
      pull[static_cast<std::size_t>(rows++)] = r;
  for (std::size_t k = 0; k < b.freedoms.size(); ++k) {
    double *own = own_.data() + k * static_cast<std::size_t>(rows),
           *weighed = weighed_.data() + k * static_cast<std::size_t>(rows);
    for (int r = 0; r < rows; ++r) own[r] = row(b.first_row + pull[r])[b.freedoms[k]], weighed[r] = 0;
    for (int s = 0; s < rows; ++s)
      for (int r = 0; r < rows; ++r) weighed[r] += h[pull[s] * b.rows + pull[r]] * own[s];
  }
  constexpr std::array<decltype(&add_lower<0>), 5> unrolled{add_lower<0>, add_lower<1>, add_lower<2>, add_lower<3>,
                                                            add_lower<4>};
  const auto add = rows < static_cast<int>(unrolled.size()) ? unrolled[static_cast<std::size_t>(rows)] : add_lower<0>;
  add(b.freedoms, rows, own_.data(), weighed_.data(), nv_, H);
}

void ConstraintRows::write(const double* all, double* lambda, double* gap) const noexcept {
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const RowBlock& b = blocks_[k];
    const double* f = all + b.first_row;
    double* out = lambda + b.first_force;
    if (b.first_gap >= 0) gap[b.first_gap] = states_[k].gap;
    std::fill_n(out, b.forces, 0.0);
    if (!states_[k].active) continue;
    if (b.is_contact()) {
      const std::array<double, 6> along = forces_along(b, f);
      for (int d = 0; d < b.directions(); ++d)
        for (int c = 0; c < 3; ++c) out[(d < 3 ? 0 : 3) + c] += along[d] * states_[k].axes(d % 3, c);
    } else if (b.type == ConstraintType::weld) {
      const Vec3<double> n = weld_[k] * Vec3<double>{{f[3], f[4], f[5]}};
      for (int c = 0; c < 3; ++c) out[c] = n[c], out[3 + c] = f[c];
    } else if (b.type == ConstraintType::limit) {
      out[0] = f[0] - f[1];
    } else {
      std::copy_n(f, b.rows, out);
    }
  }
}

void ConstraintRows::gather(const double* of_written, double* of_rows) const noexcept {
  std::fill_n(of_rows, rows_, 0.0);
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const RowBlock& b = blocks_[k];
    const double* given = of_written + b.first_force;
    double* own = of_rows + b.first_row;
    if (!states_[k].active) continue;
    if (b.is_contact()) {
      const std::array<double, 6> along = multipliers_along(b, states_[k], given);
      const bool pyramid = b.rows != b.directions();
      for (int r = 0; r < b.rows; ++r)
        own[r] = pyramid ? along[0] + (r % 2 ? -1 : 1) * b.friction[r / 2] * along[1 + r / 2] : along[r];
    } else if (b.type == ConstraintType::weld) {
      const Vec3<double> n = transposed_times(weld_[k], Vec3<double>{{given[0], given[1], given[2]}});
      for (int c = 0; c < 3; ++c) own[c] = given[3 + c], own[3 + c] = n[c];
    } else if (b.type == ConstraintType::limit) {
      own[0] = given[0], own[1] = -given[0];
    } else {
      std::copy_n(given, b.rows, own);
    }
  }
}

}  // namespace sparsedyn
