// The articulated-body algorithm as five sparse transformations of the forward-dynamics system A x = b (Nori et al. 2017,
// Property 2 and its proof, here for the unknowns a, f, τ, fx, q̈ of system.hpp, for any tree and any joints):
//
//   step 1   x = W₁ x̃        f_i is replaced by p_i, where f_i = I_i^A a_i + p_i
//   step 2   W₂ from the left  row (τ)_i + S_iᵀ I_i^A row (a)_i: a_i leaves, D_i = S_iᵀ I_i^A S_i appears before q̈_i
//   step 3   W₃                row (τ)_i times D_i⁻¹: it now gives q̈_i
//   step 4   W₄                row (a)_i − S_i row (τ)_i: q̈_i leaves
//   step 5   W₅                row (f)_i + Σ_j jX_iᵀ I_j^A row (a)_j over the children j: a_j leaves, and a_i too, as
//                              I_i^A = I_i + Σ_j jX_iᵀ (I_j^A − I_j^A S_j D_j⁻¹ S_jᵀ I_j^A) jX_i
//
// W₅ W₄ W₃ W₂ A W₁ is lower triangular with a ±1 diagonal in the order: what is given, p from tips to base, then q̈_i and a_i
// from base to tips. Forward substitution through it is the algorithm's two passes.
#pragma once

#include <Eigen/Dense>
#include <Eigen/SparseCore>
#include <array>
#include <stdexcept>
#include <vector>

#include "sparsedyn/model/model.hpp"
#include "sparsedyn/sparse/pattern.hpp"
#include "sparsedyn/system/system.hpp"
#include "sparsedyn/system/workspace.hpp"

namespace sparsedyn {

/// The system at one state and the five transformations.
struct MatrixAba {
  using Matrix = Eigen::SparseMatrix<double>;  // unknowns × unknowns, rows and columns as in the System

  Matrix system;                                     // A
  Eigen::VectorXd right_side;                        // b
  std::array<Matrix, 5> step;                        // W₁ … W₅
  Order order;                                       // in which after(5) is lower triangular
  std::vector<Eigen::Matrix<double, 6, 6>> inertia;  // I_i^A, in the coordinates of the body's leading link
  std::vector<Eigen::MatrixXd> D;                    // S_iᵀ I_i^A S_i and armature, freedoms × freedoms

  /// The matrix after so many steps, 0 to 5; entries that cancelled to rounding (1e-13 of the largest) are removed.
  Matrix after(int steps) const;
  /// x by forward substitution through after(5).
  Eigen::VectorXd solve() const;
};

/// At q (nq), v (nv), y (inputs). Dense in nothing: time and memory proportional to the bodies. Throws std::invalid_argument
/// unless every joint torque and every external wrench is given, each by a row of its own, and no joint follows another.
MatrixAba matrix_aba(const System& system, const double* q, const double* v, const double* y);

namespace matrix_aba_detail {

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Triplets = std::vector<Eigen::Triplet<double>>;

inline Motion<double> unit_motion(int c) {
  Motion<double> unit{zero3<double>(), zero3<double>()};
  (c < 3 ? unit.w[c] : unit.v[c - 3]) = 1.0;
  return unit;
}

/// Motion from parent to child coordinates: (Rᵀ, 0; −Rᵀ[d]×, Rᵀ).
inline Matrix6 transform(const Pose<double>& X) {
  Matrix6 m;
  for (int c = 0; c < 6; ++c) {
    const Motion<double> x = to_child(X, unit_motion(c));
    for (int r = 0; r < 3; ++r) m(r, c) = x.w[r], m(3 + r, c) = x.v[r];
  }
  return m;
}

inline Matrix6 spatial_inertia(const Inertia<double>& I) {
  Matrix6 m;
  for (int c = 0; c < 6; ++c) {
    const Force<double> x = I * unit_motion(c);
    for (int r = 0; r < 3; ++r) m(r, c) = x.n[r], m(3 + r, c) = x.f[r];
  }
  return m;
}

inline Eigen::MatrixXd subspace(const BodyTerms& t) {
  Eigen::MatrixXd S(6, freedoms(t.joint.joint));
  for (int k = 0; k < S.cols(); ++k)
    for (int r = 0; r < 3; ++r) S(r, k) = t.subspace[k].w[r], S(3 + r, k) = t.subspace[k].v[r];
  return S;
}

inline void put(Triplets& triplets, int row, int column, const Eigen::MatrixXd& block) {
  for (int r = 0; r < block.rows(); ++r)
    for (int c = 0; c < block.cols(); ++c)
      if (block(r, c) != 0) triplets.emplace_back(row + r, column + c, block(r, c));
}

/// The identity, and blocks beside its diagonal (or, where `replaced`, in place of parts of it).
inline MatrixAba::Matrix unit_plus(int n, const Triplets& blocks, const std::vector<char>& replaced = {}) {
  Triplets all = blocks;
  for (int k = 0; k < n; ++k)
    if (replaced.empty() || !replaced[k]) all.emplace_back(k, k, 1.0);
  MatrixAba::Matrix m(n, n);
  m.setFromTriplets(all.begin(), all.end());
  return m;
}

inline MatrixAba::Matrix sparse(const Pattern& pattern, const std::vector<double>& values) {
  Triplets entries;
  for (int r = 0; r < pattern.rows; ++r)
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) entries.emplace_back(r, pattern.column[e], values[e]);
  MatrixAba::Matrix m(pattern.rows, pattern.columns);
  m.setFromTriplets(entries.begin(), entries.end());
  return m;
}

inline void append(Order& order, int row, int column, int count) {
  for (int k = 0; k < count; ++k) order.rows.push_back(row + k), order.columns.push_back(column + k);
}

/// What is given first, then the wrench rows from tips to base, then torque and kinematics rows from base to tips.
inline Order triangular_order(const System& system) {
  const Pattern& pattern = system.pattern();
  if (system.model().coordinate_map) throw std::invalid_argument("matrix_aba: a joint follows another (mimic)");
  Order order;
  for (int r = 0; r < pattern.rows; ++r) {
    if (system.equations()[r].kind != EquationKind::sensor) continue;
    const int e = pattern.row_start[r];
    const bool one = pattern.row_start[r + 1] - e == 1;
    const VariableKind kind = one ? system.unknowns()[pattern.column[e]].kind : VariableKind::acc;
    if (kind != VariableKind::tau && kind != VariableKind::fx)
      throw std::invalid_argument("matrix_aba: " + system.equation_names()[r] +
                                  " gives no joint torque and no external wrench");
    append(order, r, pattern.column[e], 1);
  }
  const std::vector<BodyTerms>& terms = system.terms();
  for (std::size_t i = terms.size(); i-- > 0;) append(order, terms[i].wrench, terms[i].f, 6);
  for (const BodyTerms& t : terms) {
    const int n = freedoms(t.joint.joint);
    if (n > 0) append(order, t.torque, system.ddq_column(t.joint.v), n);
    append(order, t.kinematics, t.acc, 6);
  }
  if (static_cast<int>(order.rows.size()) != pattern.rows || pattern.rows != pattern.columns)
    throw std::invalid_argument("matrix_aba: not every joint torque and external wrench is given");
  return order;
}

/// I^A of every body from tips to base, and the blocks of the five steps.
inline void fill_steps(const System& system, const std::vector<Pose<double>>& X, MatrixAba& aba) {
  const std::vector<BodyTerms>& terms = system.terms();
  const int n = static_cast<int>(system.unknowns().size());
  std::array<Triplets, 5> blocks;
  std::vector<char> scaled(n, 0);
  aba.inertia.clear(), aba.D.resize(terms.size());
  for (const BodyTerms& t : terms) aba.inertia.push_back(spatial_inertia(t.inertia));
  for (std::size_t i = terms.size(); i-- > 0;) {
    const BodyTerms& t = terms[i];
    const Matrix6& I = aba.inertia[i];
    const Eigen::MatrixXd S = subspace(t), U = I * S;
    aba.D[i] = S.transpose() * U;
    for (int k = 0; k < S.cols(); ++k) aba.D[i](k, k) += armature_of(system.model(), t.joint.v + k);
    const Eigen::MatrixXd inverse = aba.D[i].inverse();
    put(blocks[0], t.f, t.acc, I);
    put(blocks[1], t.torque, t.kinematics, U.transpose());
    put(blocks[2], t.torque, t.torque, inverse);
    for (int k = 0; k < S.cols(); ++k) scaled[t.torque + k] = 1;
    put(blocks[3], t.kinematics, t.torque, -S);
    if (t.parent < 0) continue;
    const Matrix6 down = transform(X[i]);
    put(blocks[4], terms[t.parent].wrench, t.kinematics, down.transpose() * I);
    aba.inertia[t.parent] += down.transpose() * (I - U * inverse * U.transpose()) * down;
  }
  for (int k = 0; k < 5; ++k) aba.step[k] = unit_plus(n, blocks[k], k == 2 ? scaled : std::vector<char>{});
}

}  // namespace matrix_aba_detail

inline MatrixAba::Matrix MatrixAba::after(int steps) const {
  Matrix result = system;
  for (int k = 0; k < steps; ++k) result = k == 0 ? Matrix(result * step[0]) : Matrix(step[k] * result);
  const double largest = result.nonZeros() > 0 ? result.coeffs().abs().maxCoeff() : 0.0;
  result.prune([&](const auto&, const auto&, double x) { return std::abs(x) > 1e-13 * largest; });
  return result;
}

inline Eigen::VectorXd MatrixAba::solve() const {
  const Eigen::SparseMatrix<double, Eigen::RowMajor> L = after(5);
  Eigen::VectorXd b = right_side, x = Eigen::VectorXd::Zero(b.size());
  for (int k = 1; k < 5; ++k) b = step[k] * b;
  for (std::size_t k = 0; k < order.rows.size(); ++k) {
    double sum = b[order.rows[k]], pivot = 0;
    for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator entry(L, order.rows[k]); entry; ++entry)
      if (entry.col() == order.columns[k])
        pivot = entry.value();
      else
        sum -= entry.value() * x[entry.col()];
    x[order.columns[k]] = sum / pivot;
  }
  return step[0] * x;
}

inline MatrixAba matrix_aba(const System& system, const double* q, const double* v, const double* y) {
  MatrixAba aba;
  aba.order = matrix_aba_detail::triangular_order(system);
  std::vector<double> values(system.pattern().entries());
  aba.right_side.resize(system.pattern().rows);
  SystemWorkspace<double> work(system);
  system.assemble(q, v, y, values.data(), aba.right_side.data(), work);
  aba.system = matrix_aba_detail::sparse(system.pattern(), values);
  matrix_aba_detail::fill_steps(system, work.X, aba);
  return aba;
}

}  // namespace sparsedyn
