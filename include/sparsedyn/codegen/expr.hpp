// Expr: the scalar that records. Any template of the library, run once on it, leaves its expression graph behind.
#pragma once

#include <vector>

#include "sparsedyn/codegen/detail/for_each_lane.hpp"
#include "sparsedyn/codegen/graph.hpp"

namespace sparsedyn {

/// An operation as it was asked for, before anything was folded, and what it gave.
struct Call {
  Op op;             // asked for
  Ref a, b, result;  // its operands, and what it gave
};

/// Several stretches of calls, one behind the other and equally long. Each does the same operations on other numbers.
struct Lockstep {
  std::size_t begin, length;  // of the first one, in calls
  int stretches;              // how many
};

/// All operations that a recording was asked for, and the places where it said that it repeats itself.
struct Calls {
  std::vector<Call> all;                // in their order
  std::vector<Lockstep> for_each_lane;  // no two overlap
  int width = 1;                        // stretches that one Lockstep should have

  /// Adds a Lockstep whose stretches begin at these calls; the last one ends with the newest call. Adds nothing where the
  /// stretches differ in more than their numbers.
  void add_lane_loop(const std::vector<std::size_t>& begins);
};

/// While it lives, the thread's Exprs are recorded in `graph`. Recordings nest.
class Recording {
 public:
  /// The graph must outlive it.
  explicit Recording(Graph& graph);
  ~Recording();  // the recording before it goes on
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

/// A recorded number.
class Expr {
 public:
  Expr() = default;  // zero
  /// A constant. Throws std::logic_error where nothing is recorded.
  Expr(double x) : ref_(Recording::graph().constant(x)) {}
  /// A node of the graph that is recorded.
  explicit Expr(Ref ref) : ref_(ref) {}
  /// Its node.
  Ref ref() const { return ref_; }

  /// Operations, as calls in the graph.
  /// @{
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
  /// @}

 private:
  Ref ref_;
};

/// Of kept calls.
template <>
class LaneLoop<Expr> {
 public:
  /// Lanes that are kept together.
  static int width() { return Recording::kept_calls() ? Recording::kept_calls()->width : 1; }
  /// The next lane begins.
  void next() {
    if (const Calls* calls = Recording::kept_calls()) begins_.push_back(calls->all.size());
  }
  /// The last one ends.
  void end() {
    if (Calls* calls = Recording::kept_calls()) calls->add_lane_loop(begins_);
  }

 private:
  std::vector<std::size_t> begins_;
};

}  // namespace sparsedyn
