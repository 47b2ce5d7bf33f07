#include "tracking/visibility/loop_forces.hpp"

#include <algorithm>

#include "constraints/hard_row_ranks.hpp"
#include "dense/orthogonal.hpp"
#include "tracking/visibility/held_forces.hpp"

namespace sparsedyn::tracking {
namespace {

constexpr double no_row = 1e-6;      // of the largest, a singular value that is rounding: redundant loops close to 1e-8 rad
constexpr double takes_part = 1e-6;  // of the square of a direction of length one

/// How the rows move with these forces at a posture.
Eigen::MatrixXd by_forces(const WholeLayout& layout, IntervalRows& rows, const std::vector<int>& forces,
                          const std::vector<double>& q) {
  const std::vector<double> rest(static_cast<std::size_t>(layout.nv), 0.0), z(layout.unknowns.size(), 0.0),
      none(layout.system->inputs().size(), 0.0);
  rows.find_derivatives(q.data(), rest.data(), none.data(), z.data());
  const auto columns = static_cast<Eigen::Index>(forces.size());
  Eigen::MatrixXd D = Eigen::MatrixXd::Zero(std::max<Eigen::Index>(rows.rows(), columns), columns);
  for (int i = 0; i < rows.rows(); ++i)
    for (Eigen::Index k = 0; k < columns; ++k) D(i, k) = rows.derivative(i)[forces[static_cast<std::size_t>(k)]];
  return D;
}

/// Unknowns that are such forces, and those that follow from them: the same forces along the world's axes.
std::vector<int> names_of_forces(const WholeLayout& layout, const std::vector<int>& forces) {
  std::vector<int> unknowns;
  for (int k : forces) unknowns.push_back(layout.unknowns[static_cast<std::size_t>(k)].unknown);
  for (const Closure& c : layout.system->closures())
    for (int k = 0; k < c.rows && c.axes >= 0; ++k) unknowns.push_back(c.world_force(k));
  return unknowns;
}

/// How these unknowns move with the forces at the posture of by_forces().
Eigen::MatrixXd of_forces(const IntervalRows& rows, const std::vector<int>& unknowns, const std::vector<int>& forces) {
  Eigen::MatrixXd T(static_cast<Eigen::Index>(unknowns.size()), static_cast<Eigen::Index>(forces.size()));
  for (Eigen::Index i = 0; i < T.rows(); ++i)
    for (Eigen::Index k = 0; k < T.cols(); ++k)
      T(i, k) = rows.unknown_derivative(unknowns[static_cast<std::size_t>(i)])[forces[static_cast<std::size_t>(k)]];
  return T;
}

/// How many directions of forces the rows tell, and how much of the square of each unknown lies in the others.
struct Unseen {
  int told = 0;
  std::vector<double> share;
};

Unseen unseen_at(const Eigen::MatrixXd& D, const Eigen::MatrixXd& T) {
  const dense_algebra::SingularValues found = dense_algebra::singular_values(D);
  Unseen unseen;
  unseen.share.assign(static_cast<std::size_t>(T.rows()), 0.0);
  for (Eigen::Index d = 0; d < found.values.size(); ++d) {
    if (found.values[d] > no_row * found.values[0]) {
      ++unseen.told;
      continue;
    }
    const Eigen::VectorXd part = T * found.V.col(d);
    for (Eigen::Index i = 0; i < T.rows(); ++i) unseen.share[static_cast<std::size_t>(i)] += part[i] * part[i];
  }
  return unseen;
}

}  // namespace

std::vector<std::string> unseen_loop_forces(const WholeLayout& layout, IntervalRows& rows) {
  const std::vector<int> forces = loop_forces(*layout.system, rows);
  if (forces.empty()) return {};
  const std::vector<int> unknowns = names_of_forces(layout, forces);
  std::vector<double> share(unknowns.size(), 0.0);  // of each that lies in unseen directions, the largest over the postures
  int most = -1;                                    // directions that the rows tell
  const ConstraintSet& set = layout.system->sensors().constraints;
  for (const std::vector<double>& q : moving_postures(layout.model, set)) {
    const Eigen::MatrixXd D = by_forces(layout, rows, forces, q);
    const Unseen found = unseen_at(D, of_forces(rows, unknowns, forces));
    if (found.told < most) continue;
    if (found.told > most) std::fill(share.begin(), share.end(), 0.0), most = found.told;
    for (std::size_t k = 0; k < share.size(); ++k) share[k] = std::max(share[k], found.share[k]);
  }
  std::vector<std::string> names;
  for (std::size_t k = 0; k < unknowns.size(); ++k)
    if (share[k] > takes_part) names.push_back(layout.system->unknown_names()[static_cast<std::size_t>(unknowns[k])]);
  return names;
}

}  // namespace sparsedyn::tracking
