// Expr: the scalar that records. Any template of the library, run once on it, leaves its expression graph behind.
#pragma once

#include <vector>

#include "sparsedyn/codegen/detail/for_each_lane.hpp"
#include "sparsedyn/codegen/detail/graph.hpp"

namespace sparsedyn {

/// An operation as it was asked for, before anything was folded, and what it gave.
struct Call {
  Op op;
  Ref a, b, result;
};

/// Several stretches of calls, one behind the other and equally long. Each does the same operations on other numbers.
struct Lockstep {
  std::size_t begin, length;
  int stretches;
};

/// All operations that a recording was asked for, and the places where it said that it repeats itself.
struct Calls {
  std::vector<Call> all;
  std::vector<Lockstep> for_each_lane;  // no two overlap
  int width = 1;                        // stretches that one Lockstep should have

  /// Adds a Lockstep whose stretches begin at these calls; the last one ends with the newest call. Adds nothing where the
  /// stretches differ in more than their numbers.
  void add_lane_loop(const std::vector<std::size_t>& begins);
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
  /// From now on the calls of this thread's recording are added to `calls`; with nullptr they are not kept.
  static void keep_calls(Calls* calls);
  /// Where calls are added now, or nullptr.
  static Calls* kept_calls();
  /// The node of `a op b` in the graph. Functions of one operand take no b.
  static Ref call(Op op, Ref a, Ref b = {});

 private:
  Graph* before_;
  Calls* calls_before_;
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
  friend Expr tanh(const Expr& a) { return Expr(Recording::call(Op::tanh, a.ref_)); }

 private:
  Ref ref_;
};

/// Of kept calls.
template <>
class LaneLoop<Expr> {
 public:
  static int width() { return Recording::kept_calls() ? Recording::kept_calls()->width : 1; }
  void next() {
    if (const Calls* calls = Recording::kept_calls()) begins_.push_back(calls->all.size());
  }
  void end() {
    if (Calls* calls = Recording::kept_calls()) calls->add_lane_loop(begins_);
  }

 private:
  std::vector<std::size_t> begins_;
};

}  // namespace sparsedyn
