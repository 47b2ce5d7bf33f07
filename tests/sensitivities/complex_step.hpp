// How a system's solution moves, by complex steps through its assembly and dense algebra: no factor of a plan, no dual number.
#pragma once

#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <complex>
#include <random>
#include <utility>
#include <vector>

#include "runtime/write_outputs.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/runtime/outputs.hpp"
#include "system/assemble.hpp"

namespace sparsedyn::test {

using Complex = std::complex<double>;
constexpr double complex_step = 1e-30;

/// A x = b in complex numbers, at a state that may have been stepped.
struct ComplexSystem {
  ComplexSystem(const System& s, const std::vector<double>& q0, const std::vector<double>& v0, const std::vector<double>& y0)
      : system(s), q(q0.begin(), q0.end()), v(v0.begin(), v0.end()), y(y0.begin(), y0.end()), work(s) {}

  void step_q(int k) {
    std::vector<Complex> delta(v.size(), Complex(0)), from = q;
    delta[static_cast<std::size_t>(k)] = Complex(0, complex_step);
    integrate(system.model(), from.data(), delta.data(), q.data());
  }
  void step_v(int k) { v[static_cast<std::size_t>(k)] += Complex(0, complex_step); }
  void step_y(int k) { y[static_cast<std::size_t>(k)] += Complex(0, complex_step); }

  void assemble() {
    A.resize(system.pattern().entries()), b.resize(system.pattern().rows);
    system.assemble(q.data(), v.data(), y.data(), A.data(), b.data(), work);
  }

  const System& system;
  std::vector<Complex> q, v, y;
  SystemWorkspace<Complex> work;
  Eigen::VectorXcd A, b;  // of A its entries
};

/// The square system K z = r that a solution x is the first part of: A x = b of a Solver; of an estimate with weights w and
/// precisions p, (w A, N; −p, (w A)ᵀ) (x; μ) = (w b; 0), where N has a one for each row that is not exact.
class Equations {
 public:
  explicit Equations(const Pattern& pattern) : pattern_(pattern) {}
  /// Rows of weight −1 are exact, of weight 0 missing.
  Equations(const Pattern& pattern, Eigen::VectorXd weight, Eigen::VectorXd precision)
      : pattern_(pattern), weight_(std::move(weight)), precision_(std::move(precision)) {}

  /// K, from the entries of A.
  Eigen::MatrixXd matrix(const Eigen::VectorXd& entries) const {
    const Eigen::Index m = pattern_.rows, n = pattern_.columns, size = estimate() ? m + n : n;
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(size, size);
    each_entry(pattern_, entries, [&](Eigen::Index r, Eigen::Index c, double a) {
      K(r, c) = a;
      if (estimate()) K(m + c, n + r) = a;
    });
    for (Eigen::Index r = 0; r < weight_.size(); ++r)
      if (weight_[r] >= 0) K(r, n + r) = 1;
    for (Eigen::Index j = 0; j < precision_.size(); ++j) K(m + j, j) = -precision_[j];
    return K;
  }
  Eigen::VectorXd right_side(const Eigen::VectorXd& b) const {
    if (!estimate()) return b;
    Eigen::VectorXd r = Eigen::VectorXd::Zero(pattern_.rows + pattern_.columns);
    for (Eigen::Index k = 0; k < b.size(); ++k) r[k] = weight_of(k) * b[k];
    return r;
  }
  /// dK z, from the derivatives of A's entries, in a pattern of the same rows and columns: the rest of K is constant.
  Eigen::VectorXd moved(const Pattern& pattern, const Eigen::VectorXd& entries, const Eigen::VectorXd& z) const {
    Eigen::VectorXd product = Eigen::VectorXd::Zero(z.size());
    each_entry(pattern, entries, [&](Eigen::Index r, Eigen::Index c, double a) {
      product[r] += a * z[c];
      if (estimate()) product[pattern_.rows + c] += a * z[pattern_.columns + r];
    });
    return product;
  }

 private:
  bool estimate() const { return weight_.size() > 0; }
  double weight_of(Eigen::Index r) const { return !estimate() || weight_[r] < 0 ? 1 : weight_[r]; }
  template <class Visit>
  void each_entry(const Pattern& pattern, const Eigen::VectorXd& entries, Visit&& visit) const {
    for (int r = 0; r < pattern.rows; ++r)
      for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e)
        visit(r, pattern.column[e], weight_of(r) * entries[e]);
  }

  const Pattern& pattern_;
  Eigen::VectorXd weight_, precision_;
};

/// Derivatives of outputs at one state: dz = K⁻¹ (dr − dK z), with dK and dr by complex steps, K by a dense LU.
class ComplexStep {
 public:
  ComplexStep(const System& system, const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& y,
              Equations equations)
      : system_(system), q_(q), v_(v), y_(y), equations_(std::move(equations)) {
    ComplexSystem here(system, q, v, y);
    here.assemble();
    const Eigen::MatrixXd K = equations_.matrix(here.A.real());
    K_.compute(K);
    const Eigen::VectorXd r = equations_.right_side(here.b.real());
    z_ = K_.solve(r);
    for (int k = 0; k < 3; ++k) z_ += K_.solve(r - K * z_);
  }

  /// By entry of q's tangent, v or y: a column an entry.
  Eigen::MatrixXd of_q(const Outputs& outputs) { return columns(outputs, q_columns(), &ComplexSystem::step_q); }
  Eigen::MatrixXd of_v(const Outputs& outputs) { return columns(outputs, q_columns(), &ComplexSystem::step_v); }
  Eigen::MatrixXd of_y(const Outputs& outputs) { return columns(outputs, static_cast<int>(y_.size()), &ComplexSystem::step_y); }
  /// With derivatives of A's entries and of b.
  Eigen::VectorXd solution_moved(const Pattern& pattern, const Eigen::VectorXd& dA, const Eigen::VectorXd& db) const {
    return K_.solve(equations_.right_side(db) - equations_.moved(pattern, dA, z_));
  }
  const Eigen::VectorXd& solution() const { return z_; }

 private:
  int q_columns() const { return system_.model().nv; }

  Eigen::MatrixXd columns(const Outputs& outputs, int count, void (ComplexSystem::*step)(int)) {
    const auto size = static_cast<Eigen::Index>(outputs.columns().size());
    Eigen::MatrixXd found(size, count);
    for (int k = 0; k < count; ++k) {
      ComplexSystem moved(system_, q_, v_, y_);
      (moved.*step)(k);
      moved.assemble();
      const Eigen::VectorXd dz =
          solution_moved(system_.pattern(), moved.A.imag() / complex_step, moved.b.imag() / complex_step);
      std::vector<Complex> x(static_cast<std::size_t>(system_.pattern().columns)), out(outputs.columns().size());
      for (std::size_t j = 0; j < x.size(); ++j)
        x[j] = Complex(z_[static_cast<Eigen::Index>(j)], complex_step * dz[static_cast<Eigen::Index>(j)]);
      system_.unshift(x.data(), moved.work);
      outputs.write(x.data(), moved.y.data(), moved.work, out.data());
      for (Eigen::Index c = 0; c < size; ++c) found(c, k) = out[static_cast<std::size_t>(c)].imag() / complex_step;
    }
    return found;
  }

  const System& system_;
  std::vector<double> q_, v_, y_;
  Equations equations_;
  Eigen::PartialPivLU<Eigen::MatrixXd> K_;
  Eigen::VectorXd z_;
};

/// What derivatives() writes, as matrices.
struct FoundDerivatives {
  FoundDerivatives(const System& system, std::size_t outputs, int parameters)
      : rows(static_cast<Eigen::Index>(outputs)),
        q(rows, system.model().nv),
        v(rows, system.model().nv),
        y(rows, static_cast<Eigen::Index>(system.inputs().size())),
        p(rows, parameters) {}
  DerivativeArrays arrays() { return {q.data(), v.data(), y.data(), p.data()}; }
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Index rows;
  Matrix q, v, y, p;
};

/// |x − r| ≤ tolerance · max(1, |r|) in every entry; the worst ratio.
inline double worst_entry(const Eigen::MatrixXd& x, const Eigen::MatrixXd& r) {
  REQUIRE(x.rows() == r.rows());
  REQUIRE(x.cols() == r.cols());
  double worst = 0;
  for (Eigen::Index i = 0; i < x.rows(); ++i)
    for (Eigen::Index k = 0; k < x.cols(); ++k) {
      const double error = std::abs(x(i, k) - r(i, k)) / std::max(1.0, std::abs(r(i, k)));
      if (!(error <= worst)) worst = error;
    }
  return worst;
}

}  // namespace sparsedyn::test
