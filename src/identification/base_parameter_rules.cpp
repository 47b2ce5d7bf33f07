// Base parameters by rules: which numbers of a body its joints can show at all.
//
// The torques are linear in each body's inertia through v ⊙ w, the products of its attainable velocities v with each other and
// with the proper acceleration of the base, which is gravity's. Let Φ be body i's joint, λ its parent, X the transform at q =
// 0, and ad the motion cross product Φ ×, which turns what the parent moves by as the joint turns:
//
//   V_i = closure_ad(X V_λ) + Φ                     the span of its velocities
//   G_i = closure_ad(X G_λ)                         of gravity, seen from it
//   T_i = closure_ad(X⊗X T_λ) + Φ ⊙ (V_i + G_i)     of the products, in Sym² R⁶
//
// Let B_i be the inertia of i and of all it carries, at q = 0. Freedom i shows Φ ⊙ (V_i + G_i) of B_i, and all other freedoms
// show how B_i, as seen from the parent, changes with q_i: ad closure_ad(X⊗X T_λ). What of its ten numbers these do not show is
// the same at the parent at every q_i: a rod's moment about its own length, a mass on the axis. These are the rules
// by which Gautier and Khalil (1990) give parameters to the parent, in one sentence for joints of any kind. The numbers of B_i
// that are shown, joint by joint, are the base parameters.
//
// Joints that move together, a leader y and its followers j with q_j = m_j y + o_j, are held at some y, and what a body moves
// by gets one entry more for each such y: the velocity of a body is (v, e_y ẏ, …), and a joint that is held passes it on as
// (X v + m_j Φ_j ẏ, ẏ). Then all of the above holds again with these longer vectors, whose span begins in the world as {e_y},
// and the torque of y is what the world feels: e_y ⊙ e_z and e_y ⊙ gravity of all bodies, at q = 0 of the other joints. The
// base parameters are what all y show together; their number ends to grow once some y, drawn anywhere, shows nothing new.
//
// Gravity has an entry more as well, always 1, which stands for what is constant in a torque: the offset is beside it.
#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>

#include "base_columns.hpp"
#include "joint_rows.hpp"
#include "sparsedyn/identification/identify.hpp"
#include "sparsedyn/model/coordinate_map.hpp"

namespace sparsedyn {
namespace {

using Six = Eigen::Matrix<double, 6, 1>;
using Six6 = Eigen::Matrix<double, 6, 6>;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Rows = Eigen::MatrixXd;  // vectors of a span, one a row

/// What is left of a vector beside the others, of length 1 and less, that is rounding.
constexpr double no_new_direction = 1e-9;

/// Adds a vector to an orthonormal basis unless it lies in its span.
bool extend(Rows& basis, Vector x) {
  const double size = x.norm();
  if (!(size > 1e-12)) return false;
  x /= size;
  for (int again = 0; again < 2 && basis.rows() > 0; ++again) x -= basis.transpose() * (basis * x);
  if (x.norm() < no_new_direction) return false;
  basis.conservativeResize(basis.rows() + 1, x.size());
  basis.bottomRows(1) = x.normalized().transpose();
  return true;
}

Six six(const Motion<double>& m) {
  Six x;
  x << m.w[0], m.w[1], m.w[2], m.v[0], m.v[1], m.v[2];
  return x;
}
Motion<double> motion(const Six& x) { return {{{x[0], x[1], x[2]}}, {{x[3], x[4], x[5]}}}; }
template <class Map>
Six6 matrix_of(Map map) {
  Six6 M;
  for (int c = 0; c < 6; ++c) M.col(c) = six(map(motion(Six::Unit(c))));
  return M;
}
Six6 into_child(const Pose<double>& X) {
  return matrix_of([&](const Motion<double>& m) { return to_child(X, m); });
}

/// A symmetric matrix as numbers: the entries S_rc, r ≤ c, those off the diagonal times √2, so that lengths are Frobenius's.
Vector packed(const Matrix& S) {
  const Eigen::Index n = S.rows();
  Vector x(n * (n + 1) / 2);
  Eigen::Index k = 0;
  for (Eigen::Index r = 0; r < n; ++r)
    for (Eigen::Index c = r; c < n; ++c) x[k++] = r == c ? S(r, c) : std::sqrt(0.5) * (S(r, c) + S(c, r));
  return x;
}
Matrix unpacked(const Vector& x, Eigen::Index n) {
  Matrix S(n, n);
  Eigen::Index k = 0;
  for (Eigen::Index r = 0; r < n; ++r)
    for (Eigen::Index c = r; c < n; ++c) S(r, c) = S(c, r) = (r == c ? 1.0 : std::sqrt(0.5)) * x[k++];
  return S;
}
Matrix product(const Vector& a, const Vector& b) { return 0.5 * (a * b.transpose() + b * a.transpose()); }

/// Closes the span under every one of the maps.
template <class Apply>
void close(Rows& basis, std::size_t maps, Apply apply) {
  for (Eigen::Index k = 0; k < basis.rows(); ++k)
    for (std::size_t m = 0; m < maps; ++m) extend(basis, apply(m, Vector(basis.row(k).transpose())));
}

/// The freedoms that joints share: which they are, how each joint moves with its own, and which parameters these share.
class SharedFreedoms {
 public:
  explicit SharedFreedoms(const Model& model) {
    if (!model.coordinate_map) return;
    const CoordinateMap& map = *model.coordinate_map;
    entries_.resize(map.v.size(), {-1, 1, 0});
    for (const std::vector<int>& joined : map.joined) {
      if (joined.size() < 2) continue;
      for (int k : joined) {
        entries_[static_cast<std::size_t>(k)] = map.v[static_cast<std::size_t>(k)];
        entries_[static_cast<std::size_t>(k)].index = count_;
      }
      ++count_;
    }
    for (const Body& body : map.tree.bodies)
      if (freedoms(body.joint) == 1 && of(body.v))
        entries_[static_cast<std::size_t>(body.v)].offset = map.q[static_cast<std::size_t>(body.q)].offset;
  }
  int count() const { return count_; }
  /// Of an entry of the tree's v; null where it moves on its own.
  const CoordinateMap::Entry* of(int v) const {
    if (entries_.empty() || entries_[static_cast<std::size_t>(v)].index < 0) return nullptr;
    return &entries_[static_cast<std::size_t>(v)];
  }

 private:
  std::vector<CoordinateMap::Entry> entries_;
  int count_ = 0;
};

/// What a body feels, in its frame with the joints that move on their own at 0: spans of velocities, of gravity, of products.
struct Attainable {
  Rows velocity, gravity, products;
};

/// What is shown with the shared freedoms held where they are.
class Held {
 public:
  /// at: the shared freedoms, rad or m.
  Held(const Model& tree, const ParameterIndex& index, const SharedFreedoms& shared, const Vector& at)
      : tree_(tree),
        index_(index),
        shared_(shared),
        felt_(6 + shared.count()),
        joint_of_(tree.bodies.size()),
        place_(tree.bodies.size()),
        in_body_(tree.bodies.size()),
        at_(tree.bodies.size()),
        at_y_(at) {
    for (std::size_t j = 0; j < tree.joints.size(); ++j)
      for (int b = 0; b < tree.joints[j].bodies; ++b) joint_of_[static_cast<std::size_t>(tree.joints[j].first_body + b)] = j;
    for (std::size_t b = 0; b < tree.bodies.size(); ++b) place(b, at);
    const Attainable world = from_the_world();
    for (std::size_t b = 0; b < tree.bodies.size(); ++b) visit(b, world);
    show_shared(world);
  }
  /// Rows over all parameters.
  const std::vector<Vector>& rows() const { return rows_; }

 private:
  const CoordinateMap::Entry* held(const Body& body) const { return freedoms(body.joint) == 1 ? shared_.of(body.v) : nullptr; }

  void place(std::size_t b, const Vector& at) {
    const Body& body = tree_.bodies[b];
    place_[b] = body.placement;
    in_body_[b] = Matrix::Identity(felt_, felt_);
    if (const CoordinateMap::Entry* entry = held(body)) {
      std::vector<double> q(static_cast<std::size_t>(tree_.nq), 0.0);
      q[static_cast<std::size_t>(body.q)] = entry->multiplier * at[entry->index] + entry->offset;
      place_[b] = joint_pose(body, q.data());
      in_body_[b].block(0, 6 + entry->index, 6, 1) = entry->multiplier * six(motion_subspace(body, 0));
    }
    in_body_[b].topLeftCorner(6, 6) = into_child(place_[b]);
  }

  /// The world at rest, the shared freedoms moving.
  Attainable from_the_world() const {
    Attainable world{Rows(0, felt_), Rows(0, 7), Rows(0, felt_ * (felt_ + 1) / 2)};
    Vector g = Vector::Zero(7);
    for (int k = 0; k < 3; ++k) g[3 + k] = -tree_.gravity[k];  // proper: gravity enters as −g
    g[6] = 1;
    world.gravity = g.transpose();
    for (int y = 6; y < felt_; ++y) {
      extend(world.velocity, Vector::Unit(felt_, y));
      for (int z = 6; z <= y; ++z) extend(world.products, packed(product(Vector::Unit(felt_, y), Vector::Unit(felt_, z))));
      extend(world.products, packed(product(Vector::Unit(felt_, y), longer(g))));
    }
    return world;
  }
  /// Gravity among velocities, without its 1.
  Vector longer(const Vector& g) const {
    Vector x = Vector::Zero(felt_);
    x.head<6>() = g.head<6>();
    return x;
  }

  /// What the parent feels, seen from the body.
  Attainable carried(std::size_t b, const Attainable& parent) const {
    const Matrix& X = in_body_[b];
    Attainable here{Rows(0, felt_), Rows(0, 7), Rows(0, parent.products.cols())};
    for (Eigen::Index k = 0; k < parent.velocity.rows(); ++k) extend(here.velocity, X * parent.velocity.row(k).transpose());
    for (Eigen::Index k = 0; k < parent.gravity.rows(); ++k) {
      Vector g = parent.gravity.row(k).transpose();
      g.head<6>() = X.topLeftCorner(6, 6) * Six(g.head<6>());
      extend(here.gravity, g);
    }
    for (Eigen::Index k = 0; k < parent.products.rows(); ++k)
      extend(here.products, packed(X * unpacked(parent.products.row(k).transpose(), felt_) * X.transpose()));
    return here;
  }

  void visit(std::size_t b, const Attainable& world) {
    const Body& body = tree_.bodies[b];
    Attainable& here = at_[b] = carried(b, body.parent < 0 ? world : at_[static_cast<std::size_t>(body.parent)]);
    if (held(body)) return;
    std::vector<Vector> screws;
    std::vector<Matrix> turn;
    for (int k = 0; k < freedoms(body.joint); ++k) {
      const Motion<double> screw = motion_subspace(body, k);
      screws.push_back(Vector::Zero(felt_)), screws.back().head<6>() = six(screw);
      turn.push_back(Matrix::Zero(felt_, felt_));
      turn.back().topLeftCorner(6, 6) = matrix_of([&](const Motion<double>& m) { return cross(screw, m); });
    }
    const auto turned = [&](std::size_t k, const Vector& x) -> Vector { return turn[k] * x; };
    const auto turned_gravity = [&](std::size_t k, const Vector& x) -> Vector {
      Vector g = Vector::Zero(7);
      g.head<6>() = turn[k].topLeftCorner(6, 6) * x.head<6>();
      return g;
    };
    const auto turned_product = [&](std::size_t k, const Vector& x) -> Vector {
      const Matrix S = unpacked(x, felt_);
      return packed(turn[k] * S + S * turn[k].transpose());
    };
    close(here.velocity, turn.size(), turned), close(here.gravity, turn.size(), turned_gravity);
    close(here.products, turn.size(), turned_product);
    for (Eigen::Index k = 0; k < here.products.rows(); ++k)
      for (std::size_t t = 0; t < turn.size(); ++t)
        show(static_cast<int>(b), unpacked(turned_product(t, here.products.row(k).transpose()), felt_));
    show_freedoms(b, here, screws);
    for (const Vector& screw : screws) extend(here.velocity, screw);
    close(here.velocity, turn.size(), turned);
    for (const Vector& screw : screws) {
      for (Eigen::Index k = 0; k < here.velocity.rows(); ++k)
        extend(here.products, packed(product(screw, here.velocity.row(k).transpose())));
      for (Eigen::Index k = 0; k < here.gravity.rows(); ++k)
        extend(here.products, packed(product(screw, longer(here.gravity.row(k).transpose()))));
    }
    close(here.products, turn.size(), turned_product);
  }

  /// Φ ⊙ v for all others' velocities and for gravity, beside the offset; Φ ⊙ Φ beside the armature.
  void show_freedoms(std::size_t b, const Attainable& here, const std::vector<Vector>& screws) {
    const int body = static_cast<int>(b), own = index_.of_joints[joint_of_[b]];
    for (std::size_t i = 0; i < screws.size(); ++i) {
      for (Eigen::Index k = 0; k < here.velocity.rows(); ++k) show(body, product(screws[i], here.velocity.row(k).transpose()));
      for (std::size_t j = 0; j < screws.size(); ++j) {
        Vector& row = show(body, product(screws[i], screws[j]));
        if (own >= 0 && i == j) row[own] = 1;
      }
      for (Eigen::Index k = 0; k < here.gravity.rows(); ++k) {
        Vector& row = show(body, product(screws[i], longer(here.gravity.row(k).transpose())));
        if (own >= 0) row[own + 3] = here.gravity(k, 6);
      }
    }
  }

  /// The torques of the shared freedoms with all others at 0, rotors, offsets and springs among them.
  void show_shared(const Attainable& world) {
    for (int y = 0; y < shared_.count(); ++y) {
      const Vector e = Vector::Unit(felt_, 6 + y);
      for (int z = 0; z <= y; ++z) {
        Vector& row = show(-1, product(e, Vector::Unit(felt_, 6 + z)));
        if (z == y) add_own(y, 0, 2, row);
      }
      Vector& row = show(-1, product(e, longer(world.gravity.row(0).transpose())));
      add_own(y, 3, 1, row);
      add_springs(y, row);
    }
  }
  /// m^power of parameter `which` of each joint that moves with y.
  void add_own(int y, int which, int power, Vector& row) const {
    for (std::size_t b = 0; b < tree_.bodies.size(); ++b) {
      const CoordinateMap::Entry* entry = held(tree_.bodies[b]);
      const int own = index_.of_joints[joint_of_[b]];
      if (entry && entry->index == y && own >= 0) row[own + which] += std::pow(entry->multiplier, power);
    }
  }

  /// m (m y + o), what a spring of each joint that moves with y gives where y is held.
  void add_springs(int y, Vector& row) const {
    for (std::size_t b = 0; b < tree_.bodies.size(); ++b) {
      const CoordinateMap::Entry* entry = held(tree_.bodies[b]);
      const std::size_t j = joint_of_[b];
      if (entry && entry->index == y && index_.counts[j] == 5)
        row[index_.of_joints[j] + 4] += entry->multiplier * (entry->multiplier * at_y_[y] + entry->offset);
    }
  }

  /// Σ S_rc B_rc as a row on all parameters, B the inertia of the body (-1: the world) and of all it carries, in its frame.
  Vector& show(int b, const Matrix& S) {
    rows_.emplace_back(Vector::Zero(index_.count));
    if (S.isZero(0)) return rows_.back();
    std::map<int, Matrix> seen{{b, S}};  // by body
    for (int i = b + 1; i < static_cast<int>(tree_.bodies.size()); ++i) {
      const auto parent = seen.find(tree_.bodies[static_cast<std::size_t>(i)].parent);
      if (parent == seen.end()) continue;
      const Matrix& X = in_body_[static_cast<std::size_t>(i)];
      seen[i] = X * parent->second * X.transpose();
    }
    for (const auto& [body, T] : seen)
      if (body >= 0) add_numbers(static_cast<std::size_t>(body), T.topLeftCorner(6, 6), rows_.back());
    return rows_.back();
  }
  /// Of the ten numbers that lead the body, if it is the last of its joint.
  void add_numbers(std::size_t body, const Six6& S, Vector& row) const {
    const std::size_t j = joint_of_[body];
    const Joint& joint = tree_.joints[j];
    if (detail::last_body(joint) != body) return;
    const Six6 X = into_child(tree_.links[static_cast<std::size_t>(joint.child_link)].pose), T = X * S * X.transpose();
    for (int k = 0; k < 10; ++k) {
      std::array<double, 10> ten{};
      ten[static_cast<std::size_t>(k)] = 1;
      const Inertia<double> I = detail::inertia_of(ten.data());
      for (int c = 0; c < 6; ++c) {
        const Force<double> x = I * motion(Six::Unit(c));
        for (int r = 0; r < 3; ++r) row[10 * static_cast<int>(j) + k] += T(r, c) * x.n[r] + T(3 + r, c) * x.f[r];
      }
    }
  }

  const Model& tree_;
  const ParameterIndex& index_;
  const SharedFreedoms& shared_;
  Eigen::Index felt_;  // entries of what a body moves by
  std::vector<std::size_t> joint_of_;
  std::vector<Pose<double>> place_;  // by body: in its parent, where it is held
  std::vector<Matrix> in_body_;      // by body: from what the parent moves by to what it moves by itself
  std::vector<Attainable> at_;
  Vector at_y_;  // the shared freedoms
  std::vector<Vector> rows_;
};

void append(Rows& rows, const std::vector<Vector>& more) {
  const Eigen::Index first = rows.rows();
  rows.conservativeResize(first + static_cast<Eigen::Index>(more.size()), Eigen::NoChange);
  for (std::size_t k = 0; k < more.size(); ++k) rows.row(first + static_cast<Eigen::Index>(k)) = more[k].transpose();
}

/// As few rows as there are columns, of the same span and with the same lengths in every direction.
Rows compressed(const Rows& rows) {
  const Eigen::Index n = std::min(rows.rows(), rows.cols());
  return Eigen::HouseholderQR<Matrix>(rows).matrixQR().topRows(n).triangularView<Eigen::Upper>();
}

Eigen::Index rank(const Rows& rows) {
  Eigen::ColPivHouseholderQR<Matrix> qr(rows);
  return qr.setThreshold(no_new_direction).rank();
}

/// The robot with lengths in units of this one, in m. Gravity stays as it is: its torques have rows of their own.
Model in_lengths(Model tree, double unit) {
  for (Body& body : tree.bodies) body.placement.d = (1 / unit) * body.placement.d, body.pitch /= unit;
  for (Link& link : tree.links) link.pose.d = (1 / unit) * link.pose.d;
  return tree;
}

/// What π's numbers are measured in there: m 1, h L, I and the armature of what turns L², its offset, beside gravity, L.
std::vector<double> units(const Model& tree, const ParameterIndex& index, double L) {
  std::vector<double> unit(static_cast<std::size_t>(index.count), 1.0);
  for (std::size_t j = 0; j < tree.joints.size(); ++j) {
    for (std::size_t k = 1; k < 10; ++k) unit[10 * j + k] = k < 4 ? L : L * L;
    const bool turns = !is_shift(tree.bodies[static_cast<std::size_t>(tree.joints[j].first_body)].joint, 0);
    if (const int own = index.of_joints[j]; own >= 0 && turns)
      unit[static_cast<std::size_t>(own)] = L * L, unit[static_cast<std::size_t>(own + 3)] = L;
  }
  return unit;
}

/// What the torques show of the parameters, one row a number; lengths in `unit`.
Rows shown_by_rules(const Model& model, double unit) {
  const ParameterIndex index(model);
  const SharedFreedoms shared(model);
  const Model tree = in_lengths(model.tree(), unit);
  std::mt19937 rng(1);
  std::uniform_real_distribution<double> anywhere(-2, 2);
  Rows found(0, index.count);
  append(found, joint_rows(model, index));
  for (Eigen::Index before = -1, now = 0; now > before;) {
    const Vector at = Vector::NullaryExpr(shared.count(), [&] { return anywhere(rng); });
    append(found, Held(tree, index, shared, at).rows());
    if (shared.count() == 0) break;
    found = compressed(found);
    before = now, now = rank(found);
  }
  return found;
}

}  // namespace

BaseParameters base_parameters_by_rules(const Model& model, const std::vector<int>& which) {
  // Couplings are stated in rad and m: there the unit stays 1 m.
  const double length = model.coordinate_map ? 1 : own_length(model.tree());
  const std::vector<double> unit = units(model.tree(), ParameterIndex(model), length);
  const Rows found = shown_by_rules(model, length);
  const auto columns = static_cast<Eigen::Index>(which.size());
  Rows rows(found.rows(), columns);
  for (Eigen::Index k = 0; k < columns; ++k) rows.col(k) = found.col(which[static_cast<std::size_t>(k)]);
  // Echelon form, columns from the left: those that come first in π are independent first.
  BaseParameters base;
  Eigen::Index rank = 0;
  std::vector<Eigen::Index> dependent;
  for (Eigen::Index k = 0; k < columns; ++k) {
    Eigen::Index pivot = rank;
    const double left = rank < rows.rows() ? rows.col(k).tail(rows.rows() - rank).cwiseAbs().maxCoeff(&pivot) : 0.0;
    if (left < no_new_direction) {
      base.dependent.push_back(which[static_cast<std::size_t>(k)]), dependent.push_back(k);
      continue;
    }
    rows.row(rank).swap(rows.row(rank + pivot));
    rows.row(rank) /= Eigen::VectorXd(rows.row(rank))[k];
    for (Eigen::Index r = 0; r < rows.rows(); ++r)
      if (r != rank && rows(r, k) != 0) rows.row(r) -= double(rows(r, k)) * rows.row(rank);
    base.independent.push_back(which[static_cast<std::size_t>(k)]);
    ++rank;
  }
  for (Eigen::Index d : dependent) {
    std::vector<double> share;
    const double own = unit[static_cast<std::size_t>(which[static_cast<std::size_t>(d)])];
    for (Eigen::Index r = 0; r < rank; ++r) {
      const double in = unit[static_cast<std::size_t>(base.independent[static_cast<std::size_t>(r)])] / own;
      share.push_back(std::fabs(rows(r, d)) < 1e-10 ? 0.0 : rows(r, d) * in);
    }
    base.share.push_back(std::move(share));
  }
  return base;
}

}  // namespace sparsedyn
