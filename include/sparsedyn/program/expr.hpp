// Expr: the scalar that records. Any template of the library, run once on it, leaves its expression graph behind.
#pragma once

#include <vector>

#include "sparsedyn/program/graph.hpp"

namespace sparsedyn {

/// An operation as it was asked for, before anything was folded, and what it gave.
struct Call {
  Op op;
  Ref a, b, result;
};

/// While it lives, the thread's Exprs are recorded in `graph`. Recordings nest.
class Recording {
 public:
  explicit Recording(Graph& graph);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  /// The graph now recorded into; throws std::logic_error where there is none.
  static Graph& graph();
  /// Calls of this thread's recording are added to these from now on; nullptr: to none.
  static void keep_calls(std::vector<Call>* calls);
  /// What a op b is in the graph (b: nothing for functions of one operand).
  static Ref call(Op op, Ref a, Ref b = {});

 private:
  Graph* before_;
  std::vector<Call>* calls_before_;
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
  friend Expr operator+(const Expr& a, const Expr& b) { return Expr(Recording::call(Op::add, a.ref_, b.ref_)); }
  friend Expr operator-(const Expr& a, const Expr& b) { return Expr(Recording::call(Op::add, a.ref_, -b.ref_)); }
  friend Expr operator*(const Expr& a, const Expr& b) { return Expr(Recording::call(Op::mul, a.ref_, b.ref_)); }
  friend Expr operator/(const Expr& a, const Expr& b) { return Expr(Recording::call(Op::div, a.ref_, b.ref_)); }
  friend Expr sqrt(const Expr& a) { return Expr(Recording::call(Op::sqrt, a.ref_)); }
  friend Expr sin(const Expr& a) { return Expr(Recording::call(Op::sin, a.ref_)); }
  friend Expr cos(const Expr& a) { return Expr(Recording::call(Op::cos, a.ref_)); }

 private:
  Ref ref_;
};

}  // namespace sparsedyn
