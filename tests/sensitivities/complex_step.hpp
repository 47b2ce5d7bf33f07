// How a system's solution moves, by complex steps through its assembly and dense algebra: no factor of a plan, no dual number.
#pragma once

#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <complex>
#include <functional>
#include <random>
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
    const Pattern& p = system.pattern();
    std::vector<Complex> values(static_cast<std::size_t>(p.entries()));
    A = Eigen::MatrixXcd::Zero(p.rows, p.columns), b.resize(p.rows);
    system.assemble(q.data(), v.data(), y.data(), values.data(), b.data(), work);
    for (int r = 0; r < p.rows; ++r)
      for (int e = p.row_start[r]; e < p.row_start[r + 1]; ++e) A(r, p.column[e]) = values[e];
  }

  const System& system;
  std::vector<Complex> q, v, y;
  SystemWorkspace<Complex> work;
  Eigen::MatrixXcd A;
  Eigen::VectorXcd b;
};

/// The square system K z = r that a solution is the first part of.
struct ComplexEquations {
  Eigen::MatrixXcd K;
  Eigen::VectorXcd r;
};
using Equations = std::function<ComplexEquations(const ComplexSystem&)>;

/// That of a Solver.
inline ComplexEquations solved(const ComplexSystem& s) { return {s.A, s.b}; }
/// That of an estimate: rows of weight −1 are exact, of weight 0 missing.
inline Equations estimated(const Eigen::VectorXd& weight, const Eigen::VectorXd& precision) {
  return [=](const ComplexSystem& s) {
    const Eigen::Index m = s.A.rows(), n = s.A.cols();
    ComplexEquations e{Eigen::MatrixXcd::Zero(m + n, m + n), Eigen::VectorXcd::Zero(m + n)};
    for (Eigen::Index r = 0; r < m; ++r) {
      const bool exact = weight[r] < 0;
      const double w = exact ? 1 : weight[r];
      e.K.row(r).head(n) = w * s.A.row(r);
      e.K.col(n + r).tail(n) = w * s.A.row(r).transpose();
      e.r[r] = w * s.b[r];
      if (!exact) e.K(r, n + r) = 1;
    }
    for (Eigen::Index j = 0; j < n; ++j) e.K(m + j, j) = -precision[j];
    return e;
  };
}

/// Derivatives of outputs at one state: dz = K⁻¹ (dr − dK z), with dK and dr by complex steps, K by a dense LU.
class ComplexStep {
 public:
  ComplexStep(const System& system, const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& y,
              Equations equations)
      : system_(system), q_(q), v_(v), y_(y), equations_(std::move(equations)) {
    ComplexSystem here(system, q, v, y);
    here.assemble();
    const ComplexEquations e = equations_(here);
    K_.compute(e.K.real());
    const Eigen::VectorXd r = e.r.real();
    z_ = K_.solve(r);
    for (int k = 0; k < 3; ++k) z_ += K_.solve(r - e.K.real() * z_);
  }

  /// By entry of q's tangent, v or y: a column an entry.
  Eigen::MatrixXd of_q(const Outputs& outputs) { return columns(outputs, q_columns(), &ComplexSystem::step_q); }
  Eigen::MatrixXd of_v(const Outputs& outputs) { return columns(outputs, q_columns(), &ComplexSystem::step_v); }
  Eigen::MatrixXd of_y(const Outputs& outputs) { return columns(outputs, static_cast<int>(y_.size()), &ComplexSystem::step_y); }
  /// Of a step from these equations to others.
  Eigen::VectorXd solution_moved(const Eigen::MatrixXd& dK, const Eigen::VectorXd& dr) const { return solve(dr - dK * z_); }
  const Eigen::VectorXd& solution() const { return z_; }

 private:
  int q_columns() const { return system_.model().nv; }
  Eigen::VectorXd solve(const Eigen::VectorXd& r) const { return K_.solve(r); }

  Eigen::MatrixXd columns(const Outputs& outputs, int count, void (ComplexSystem::*step)(int)) {
    const auto size = static_cast<Eigen::Index>(outputs.columns().size());
    Eigen::MatrixXd found(size, count);
    for (int k = 0; k < count; ++k) {
      ComplexSystem moved(system_, q_, v_, y_);
      (moved.*step)(k);
      moved.assemble();
      const ComplexEquations e = equations_(moved);
      const Eigen::VectorXd dz = solve(e.r.imag() / complex_step - e.K.imag() / complex_step * z_);
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
