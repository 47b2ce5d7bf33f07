// Expr: the scalar that records. Any template of the library, run once on it, leaves its expression graph behind.
#pragma once

#include <unordered_map>
#include <vector>

#include "sparsedyn/codegen/detail/for_each_lane.hpp"
#include "sparsedyn/codegen/graph.hpp"
#include "sparsedyn/model/detail/robot_numbers.hpp"
#include "sparsedyn/scalar/autodiff.hpp"

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

/// Numbers of a robot that are values of the recording: a robot that is recorded has numbers that occur nowhere else, and each
/// of these stands for a value.
using VaryingNumbers = std::unordered_map<double, Ref>;

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
  /// From now on robots have these numbers as values; with nullptr all are constants. It must outlive the recording.
  static void vary(VaryingNumbers* numbers);
  /// Adds a number that stands for a value to those of vary(); a value that is constant is none. Throws std::logic_error where
  /// nothing varies, and for a zero that stands for more.
  static void stands_for(double number, Ref value);
  /// What a number of a robot stands for, or nullptr where it is a constant.
  static const Ref* varying(double number);
  /// All of them, or nullptr where none vary.
  static const VaryingNumbers* varying_numbers();
  /// Whether robots have such numbers.
  static bool varies();
  /// The node of `a op b` in the graph. Functions of one operand take no b.
  static Ref call(Op op, Ref a, Ref b = {});

 private:
  Graph* before_;
  Calls* calls_before_;
  VaryingNumbers* numbers_before_;
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
  /// As Graph's; calls that are kept do not have them.
  /// @{
  friend Expr rounded_sum(const Expr& a, const Expr& b) { return Expr(Recording::graph().rounded_sum(a.ref_, b.ref_)); }
  friend Expr rounded_product(const Expr& a, const Expr& b) { return Expr(Recording::graph().rounded_product(a.ref_, b.ref_)); }
  /// @}

 private:
  Ref ref_;
};

/// A sum of a robot's numbers: constants are added up as numbers, and enter the recording where the sum does.
class RecordedSum {
 public:
  /// Adds a number of the robot, `x`, which stands for `value`.
  void add(double x, bool varies, const Expr& value) {
    if (varies)
      varying_ = varies_ ? varying_ + value : value, varies_ = true;
    else
      constant_ += x;
  }
  /// Adds another sum.
  RecordedSum& operator+=(const RecordedSum& b) {
    constant_ += b.constant_;
    if (b.varies_) varying_ = varies_ ? varying_ + b.varying_ : b.varying_, varies_ = true;
    return *this;
  }
  /// Times a constant.
  friend RecordedSum operator*(RecordedSum a, double b) {
    a.constant_ *= b;
    if (a.varies_) a.varying_ = a.varying_ * Expr(b);
    return a;
  }
  /// Whether it is no constant.
  bool varies() const { return varies_; }
  /// The sum as a value.
  operator Expr() const { return !varies_ ? Expr(constant_) : constant_ == 0 ? varying_ : varying_ + Expr(constant_); }

 private:
  double constant_ = 0;
  Expr varying_;
  bool varies_ = false;
};

/// Those of Recording::vary are values, the others constants.
template <>
struct RobotNumbers<Expr> {
  using Number = Expr;                                                       // a number of the robot
  using Sum = RecordedSum;                                                   // a sum of such numbers
  static constexpr bool may_vary = true;                                     // some may stand for values
  static bool varies(double x) { return Recording::varying(x) != nullptr; }  // whether this one does
  static Expr of(double x) {                                                 // what it stands for, or itself
    const Ref* const value = Recording::varying(x);
    return value ? Expr(*value) : Expr(x);
  }
};

/// The same of numbers that are differentiated by something else: a robot's own derivatives are zero.
template <int N>
struct RobotNumbers<Dual<Expr, N>> {
  using Number = Dual<Expr, N>;  // a number of the robot
  struct Sum {                   // a sum of such numbers
    RecordedSum recorded;
    void add(double x, bool varies, const Number& value) { recorded.add(x, varies, value.x); }
    Sum& operator+=(const Sum& b) { return recorded += b.recorded, *this; }
    friend Sum operator*(const Sum& a, double b) { return {a.recorded * b}; }
    operator Number() const { return of_value(recorded); }
  };
  static constexpr bool may_vary = true;                                      // some may stand for values
  static bool varies(double x) { return RobotNumbers<Expr>::varies(x); }      // whether this one does
  static Number of(double x) { return of_value(RobotNumbers<Expr>::of(x)); }  // what it stands for, or itself

 private:
  static Number of_value(const Expr& x) {
    Number number(0.0);
    number.x = x;
    return number;
  }
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
