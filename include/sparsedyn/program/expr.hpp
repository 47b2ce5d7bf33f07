// Expr: the scalar that records. Any template of the library, run once on it, leaves its expression graph behind.
#pragma once

#include "sparsedyn/program/graph.hpp"

namespace sparsedyn {

/// While it lives, the thread's Exprs are recorded in `graph`. Recordings nest.
class Recording {
 public:
  explicit Recording(Graph& graph);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  /// The graph now recorded into; throws std::logic_error where there is none.
  static Graph& graph();

 private:
  Graph* before_;
};

class Expr {
 public:
  Expr() = default;  // zero
  Expr(double x) : ref_(Recording::graph().constant(x)) {}
  explicit Expr(Ref ref) : ref_(ref) {}
  Ref ref() const { return ref_; }

  Expr operator-() const { return Expr(-ref_); }
  Expr operator+() const { return *this; }
  Expr& operator+=(const Expr& b) { return *this = *this + b; }
  Expr& operator-=(const Expr& b) { return *this = *this - b; }
  Expr& operator*=(const Expr& b) { return *this = *this * b; }
  Expr& operator/=(const Expr& b) { return *this = *this / b; }
  friend Expr operator+(const Expr& a, const Expr& b) { return Expr(Recording::graph().add(a.ref_, b.ref_)); }
  friend Expr operator-(const Expr& a, const Expr& b) { return Expr(Recording::graph().add(a.ref_, -b.ref_)); }
  friend Expr operator*(const Expr& a, const Expr& b) { return Expr(Recording::graph().mul(a.ref_, b.ref_)); }
  friend Expr operator/(const Expr& a, const Expr& b) { return Expr(Recording::graph().div(a.ref_, b.ref_)); }
  friend Expr sqrt(const Expr& a) { return Expr(Recording::graph().sqrt(a.ref_)); }
  friend Expr sin(const Expr& a) { return Expr(Recording::graph().sin(a.ref_)); }
  friend Expr cos(const Expr& a) { return Expr(Recording::graph().cos(a.ref_)); }

 private:
  Ref ref_;
};

}  // namespace sparsedyn
