// A recorded number with its first and second derivatives by a few variables: those of one joint in one step. Zeros cost
// nothing.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "codegen/programs/expr_vector.hpp"

namespace sparsedyn {

class LocalJet {
 public:
  LocalJet() = default;  // zero
  /// A constant.
  LocalJet(const Expr& x) : x_(x) {}
  /// Variable `k` of `count`, with this value; `curved`: what is made of it has second derivatives, too.
  static LocalJet variable(const Expr& x, std::size_t k, std::size_t count, bool curved = true);
  /// f(inner), where f and its first and second derivatives have these values at that of `inner`.
  static LocalJet composed(const LocalJet& inner, const Expr& f, const Expr& slope, const Expr& curvature);

  const Expr& value() const { return x_; }
  /// The derivative by variable k.
  Expr slope(std::size_t k) const { return slopes_.empty() ? Expr() : slopes_[k]; }
  /// Whether it has second derivatives.
  bool curved() const { return !curvatures_.empty(); }
  /// The derivative by variables i and k.
  Expr curvature(std::size_t i, std::size_t k) const;

  LocalJet operator-() const { return *this * LocalJet(Expr(-1.0)); }
  friend LocalJet operator+(const LocalJet& a, const LocalJet& b);
  friend LocalJet operator-(const LocalJet& a, const LocalJet& b) { return a + -b; }
  friend LocalJet operator*(const LocalJet& a, const LocalJet& b);

 private:
  static std::size_t place(std::size_t i, std::size_t k) { return i < k ? place(k, i) : i * (i + 1) / 2 + k; }
  void resize(std::size_t count, bool curved);

  Expr x_;
  std::vector<Expr> slopes_;      // empty: a constant
  std::vector<Expr> curvatures_;  // the lower triangle, row by row; empty: none are wanted
};

using JetVector = std::array<LocalJet, 3>;

JetVector operator+(const JetVector& a, const JetVector& b);
JetVector operator-(const JetVector& a, const JetVector& b);
JetVector operator*(const LocalJet& a, const JetVector& b);
JetVector cross(const JetVector& a, const JetVector& b);
LocalJet dot(const JetVector& a, const JetVector& b);
/// The values alone.
JetVector values(const JetVector& a);

}  // namespace sparsedyn
