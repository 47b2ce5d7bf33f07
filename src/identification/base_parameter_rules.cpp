// Base parameters without any motion sampled: which numbers of a body its joints can show at all.
//
// The torques are linear in each body's inertia through v ⊙ w, the products of its attainable velocities v with each other and
// with the proper acceleration of the base, which is gravity's. Let Φ be body i's joint, λ its parent, X the transform at q =
// 0, and ad the motion cross product Φ ×, which turns what the parent moves by as the joint turns:
//
//   V_i = closure_ad(X V_λ) + Φ                     the span of its velocities
//   G_i = closure_ad(X G_λ)                         of gravity, seen from it
//   T_i = closure_ad(X⊗X T_λ) + Φ ⊙ (V_i + G_i)     of the products, in the 21 dimensions of Sym² R⁶
//
// Let B_i be the inertia of i and of all it carries, at q = 0. Freedom i shows Φ ⊙ (V_i + G_i) of B_i, and all other freedoms
// show how B_i as the parent feels it changes with q_i: ad closure_ad(X⊗X T_λ). What of its ten numbers these do not show is
// felt at the parent just the same at every q_i: a rod's moment about its own length, a mass on the axis. These are the rules
// by which Gautier and Khalil (1990) give parameters to the parent, in one sentence for joints of any kind. The numbers of B_i
// that are shown, joint by joint, are the base parameters.
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>

#include "sparsedyn/identification/identify.hpp"

namespace sparsedyn {
namespace {

using Six = Eigen::Matrix<double, 6, 1>;
using Six6 = Eigen::Matrix<double, 6, 6>;
using Rows = Eigen::MatrixXd;  // vectors of a span, one a row

/// What is left of a vector beside the others, of length 1 and less, that is rounding.
constexpr double no_new_direction = 1e-9;

/// Adds a vector to an orthonormal basis unless it lies in its span.
bool extend(Rows& basis, Eigen::VectorXd x) {
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

/// Sym² R⁶ as 21 numbers: the entries S_rc, r ≤ c, those off the diagonal times √2, so that lengths are Frobenius's.
Eigen::VectorXd packed(const Six6& S) {
  Eigen::VectorXd x(21);
  int k = 0;
  for (int r = 0; r < 6; ++r)
    for (int c = r; c < 6; ++c) x[k++] = r == c ? S(r, c) : std::sqrt(0.5) * (S(r, c) + S(c, r));
  return x;
}
Six6 unpacked(const Eigen::VectorXd& x) {
  Six6 S;
  int k = 0;
  for (int r = 0; r < 6; ++r)
    for (int c = r; c < 6; ++c) S(r, c) = S(c, r) = (r == c ? 1.0 : std::sqrt(0.5)) * x[k++];
  return S;
}
Six6 product(const Six& a, const Six& b) { return 0.5 * (a * b.transpose() + b * a.transpose()); }

/// Closes the span under every one of the maps.
template <class Apply>
void close(Rows& basis, std::size_t maps, Apply apply) {
  for (Eigen::Index k = 0; k < basis.rows(); ++k)
    for (std::size_t m = 0; m < maps; ++m) extend(basis, apply(m, Eigen::VectorXd(basis.row(k).transpose())));
}

/// What a body feels: spans in its frame at q = 0.
struct Attainable {
  Rows velocity = Rows(0, 6), gravity = Rows(0, 6), products = Rows(0, 21);
  /// Gravity as it is at q = 0, and directions about which something turned on the way: what of gravity no turn moves is
  /// constant.
  Six down = Six::Zero();
  std::vector<Eigen::Vector3d> turned;

  Six constant_gravity() const {
    Eigen::Vector3d g = down.tail<3>();
    for (const Eigen::Vector3d& axis : turned) {
      if ((axis - turned.front() * axis.dot(turned.front())).norm() > no_new_direction) return Six::Zero();
      g = axis * axis.dot(g);
    }
    Six constant = Six::Zero();
    constant.tail<3>() = g;
    return constant;
  }
};

/// Functionals on a body's ten numbers and, beyond them, on its joint's armature and offset: rows of 12.
class Shown {
 public:
  Shown() : rows_(0, 12) {}
  /// Σ S_rc I_rc as a row on the ten numbers in the frame S is in.
  void add(const Six6& S, double armature = 0, double offset = 0) {
    Eigen::VectorXd row(12);
    for (int k = 0; k < 10; ++k) {
      std::array<double, 10> ten{};
      ten[static_cast<std::size_t>(k)] = 1;
      const Inertia<double> I = detail::inertia_of(ten.data());
      double sum = 0;
      for (int c = 0; c < 6; ++c) {
        const Force<double> x = I * motion(Six::Unit(c));
        for (int r = 0; r < 3; ++r) sum += S(r, c) * x.n[r] + S(3 + r, c) * x.f[r];
      }
      row[k] = sum;
    }
    row[10] = armature, row[11] = offset;
    rows_.conservativeResize(rows_.rows() + 1, 12);
    rows_.bottomRows(1) = row.transpose();
  }
  const Rows& rows() const { return rows_; }

 private:
  Rows rows_;
};

class Rules {
 public:
  explicit Rules(const Model& model) : model_(model), index_(model), at_(model.bodies.size()), found_(0, index_.count) {
    for (std::size_t b = 0; b < model.bodies.size(); ++b) visit(b);
    add_damping_and_friction();
  }
  /// Base parameters as rows over all parameters, in no particular form.
  const Rows& found() const { return found_; }

 private:
  void visit(std::size_t b) {
    const Body& body = model_.bodies[b];
    const Pose<double>& X = body.placement;
    const Six6 into = matrix_of([&](const Motion<double>& m) { return to_child(X, m); });
    std::vector<Six> screws;
    std::vector<Six6> turn;
    for (int k = 0; k < freedoms(body.joint); ++k) {
      screws.push_back(six(motion_subspace(body, k)));
      turn.push_back(matrix_of([&](const Motion<double>& m) { return cross(motion(screws.back()), m); }));
    }
    Attainable& here = at_[b];
    if (body.parent < 0) {
      Six g = Six::Zero();
      for (int k = 0; k < 3; ++k) g[3 + k] = model_.gravity[k];
      here.down = into * g;
      extend(here.gravity, here.down);
    } else {
      const Attainable& parent = at_[static_cast<std::size_t>(body.parent)];
      for (Eigen::Index k = 0; k < parent.velocity.rows(); ++k)
        extend(here.velocity, into * parent.velocity.row(k).transpose());
      for (Eigen::Index k = 0; k < parent.gravity.rows(); ++k) extend(here.gravity, into * parent.gravity.row(k).transpose());
      for (Eigen::Index k = 0; k < parent.products.rows(); ++k)
        extend(here.products, packed(into * unpacked(parent.products.row(k).transpose()) * into.transpose()));
      here.down = into * parent.down;
      for (const Eigen::Vector3d& axis : parent.turned) here.turned.push_back(into.topLeftCorner<3, 3>() * axis);
    }
    const auto turned = [&](std::size_t k, const Eigen::VectorXd& x) -> Eigen::VectorXd { return turn[k] * x; };
    close(here.velocity, turn.size(), turned), close(here.gravity, turn.size(), turned);
    const auto turned_product = [&](std::size_t k, const Eigen::VectorXd& x) -> Eigen::VectorXd {
      const Six6 S = unpacked(x);
      return packed(turn[k] * S + S * turn[k].transpose());
    };
    close(here.products, turn.size(), turned_product);
    Shown shown;
    for (Eigen::Index k = 0; k < here.products.rows(); ++k)
      for (std::size_t t = 0; t < turn.size(); ++t) shown.add(unpacked(turned_product(t, here.products.row(k).transpose())));
    for (const Six& screw : screws)
      if (screw.head<3>().norm() > 0) here.turned.push_back(screw.head<3>().normalized());
    show_freedoms(here, screws, shown);
    for (const Six& screw : screws) extend(here.velocity, screw);
    close(here.velocity, turn.size(), turned);
    for (const Six& screw : screws)
      for (const Rows* span : {&here.velocity, &here.gravity})
        for (Eigen::Index k = 0; k < span->rows(); ++k) extend(here.products, packed(product(screw, span->row(k).transpose())));
    close(here.products, turn.size(), turned_product);
    gather(b, shown);
  }

  /// Φ ⊙ v for all others' velocities and for gravity; Φ ⊙ Φ beside the armature, and what of gravity is constant beside the
  /// offset.
  static void show_freedoms(const Attainable& here, const std::vector<Six>& screws, Shown& shown) {
    const Six constant = here.constant_gravity();
    for (std::size_t i = 0; i < screws.size(); ++i) {
      for (Eigen::Index k = 0; k < here.velocity.rows(); ++k) shown.add(product(screws[i], here.velocity.row(k).transpose()));
      for (std::size_t j = 0; j < screws.size(); ++j) shown.add(product(screws[i], screws[j]), i == j ? 1 : 0);
      // gravity as the closure less its constant part
      Rows moving(0, 6);
      const Eigen::VectorXd axis = constant.norm() > 0 ? Eigen::VectorXd(constant.normalized()) : Eigen::VectorXd::Zero(6);
      for (Eigen::Index k = 0; k < here.gravity.rows(); ++k) {
        const Eigen::VectorXd g = here.gravity.row(k).transpose();
        extend(moving, g - axis * axis.dot(g));
      }
      for (Eigen::Index k = 0; k < moving.rows(); ++k) shown.add(product(screws[i], moving.row(k).transpose()));
      shown.add(product(screws[i], -constant), 0, 1);  // proper: gravity enters as −g
    }
  }

  /// The rows on B as rows on all parameters: each carried body's ten numbers, brought here at q = 0.
  void gather(std::size_t b, const Shown& shown) {
    const int joint = joint_of(b);
    Rows rows = Rows::Zero(shown.rows().rows(), index_.count);
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      const Joint& carried = model_.joints[j];
      const auto last = static_cast<int>(detail::last_body(carried));
      Pose<double> place = model_.links[static_cast<std::size_t>(carried.child_link)].pose;
      int up = last;
      while (up > static_cast<int>(b)) {
        place = model_.bodies[static_cast<std::size_t>(up)].placement * place;
        up = model_.bodies[static_cast<std::size_t>(up)].parent;
      }
      if (up != static_cast<int>(b)) continue;
      for (int k = 0; k < 10; ++k) {
        std::array<double, 10> ten{};
        ten[static_cast<std::size_t>(k)] = 1;
        const std::array<double, 10> there = detail::ten_numbers(to_parent(place, detail::inertia_of(ten.data())));
        for (Eigen::Index r = 0; r < rows.rows(); ++r)
          for (int c = 0; c < 10; ++c)
            rows(r, 10 * static_cast<int>(j) + k) += shown.rows()(r, c) * there[static_cast<std::size_t>(c)];
      }
    }
    if (const int own = index_.of_joints[static_cast<std::size_t>(joint)]; own >= 0)
      rows.col(own) = shown.rows().col(10), rows.col(own + 3) = shown.rows().col(11);
    append(rows);
  }

  int joint_of(std::size_t body) const {
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      const Joint& joint = model_.joints[j];
      if (static_cast<int>(body) >= joint.first_body && static_cast<int>(body) < joint.first_body + joint.bodies)
        return static_cast<int>(j);
    }
    return -1;
  }

  void add_damping_and_friction() {
    for (int own : index_.of_joints)
      for (int k : {1, 2})
        if (own >= 0) append(Rows(Eigen::RowVectorXd::Unit(index_.count, own + k)));
  }
  void append(const Rows& rows) {
    if (rows.rows() == 0) return;
    found_.conservativeResize(found_.rows() + rows.rows(), index_.count);
    found_.bottomRows(rows.rows()) = rows;
  }

  const Model& model_;
  ParameterIndex index_;
  std::vector<Attainable> at_;
  Rows found_;
};

}  // namespace

BaseParameters base_parameters_by_rules(const Model& model, const std::vector<int>& which) {
  if (model.coordinate_map) throw std::invalid_argument("base parameters by rules: a joint follows another (mimic)");
  const Rules rules(model);
  const auto columns = static_cast<Eigen::Index>(which.size());
  Rows rows(rules.found().rows(), columns);
  for (Eigen::Index k = 0; k < columns; ++k) rows.col(k) = rules.found().col(which[static_cast<std::size_t>(k)]);
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
    for (Eigen::Index r = 0; r < rank; ++r) share.push_back(std::fabs(rows(r, d)) < 1e-10 ? 0.0 : rows(r, d));
    base.share.push_back(std::move(share));
  }
  return base;
}

}  // namespace sparsedyn
