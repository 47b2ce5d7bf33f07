// A recorded computation: nodes for inputs, constants and operations, one node for each value up to its sign.
// Equality is decided by values, not by syntax. Every node stores its exact image at three random points, whose sines, cosines
// and unit quaternions lie on their manifolds (sparse/detail/modular_fingerprint.hpp). Thus zero, one, the symmetry of a
// factorisation and identities such as c² + s² = 1 are found wherever they arise.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "sparsedyn/sparse/detail/fingerprint_index.hpp"

namespace sparsedyn {

/// A node with a sign. The default is the constant zero.
struct Ref {
  std::int32_t node = 0;  // its place in the graph
  bool negative = false;  // the opposite is meant
  /// The opposite.
  Ref operator-() const { return {node, node != 0 && !negative}; }
  /// Whether they are one value.
  /// @{
  friend bool operator==(const Ref& a, const Ref& b) { return a.node == b.node && a.negative == b.negative; }
  friend bool operator!=(const Ref& a, const Ref& b) { return !(a == b); }
  /// @}
};

/// a + b with signs (at most one negative), a · b and a / b of unsigned operands, the root of a signed one, sin, cos and tanh
/// of an unsigned one; |a| and the smaller of a and b, of unsigned operands, which no graph records (pivot_health.hpp).
enum class Op : std::uint8_t { constant, input, add, mul, div, sqrt, sin, cos, tanh, abs, min };

/// A value.
struct Node {
  Op op;                      // what gives it
  Ref a, b;                   // operands; nodes with smaller indices
  double value = 0;           // of a constant, never negative
  int port = 0, element = 0;  // of an input
};

/// One vector of inputs or outputs, with the names of its elements.
struct Port {
  std::string name;                   // of the vector
  std::vector<std::string> elements;  // of each
};

/// Adds values, and finds those that it has.
class Graph {
 public:
  /// With zero alone.
  Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Constants that differ relatively by no more than this are one constant (9e-16 unless said).
  void tolerate(double rounding) { rounding_ = rounding; }

  /// A number.
  Ref constant(double x);
  /// Element of an input vector. Sines and cosines of inputs, and of their sums, are points of the circle.
  Ref input(int port, int element);
  /// An input of another graph, or a rounded sum or product (operands: of this graph, signs as in Node), with its value there.
  Ref input(const Node& node, const ModularFingerprint& image) { return stored(node, image); }
  /// Elements first … first + 3 of an input vector: a quaternion of unit norm.
  std::array<Ref, 4> unit_quaternion(int port, int first);
  /// a + b.
  Ref add(Ref a, Ref b);
  /// a b.
  Ref mul(Ref a, Ref b);
  /// a / b. Where b is zero at every state the quotient is recorded as zero and sound() throws: templates that are recorded may
  /// not.
  Ref div(Ref a, Ref b);
  /// a + b and a b as they are rounded: values of their own, which equal no others. So recorded, a residual b − A x is what
  /// rounding left of it, though its value is zero. Terms that are zero, and factors of ±1, leave the other operand.
  /// @{
  Ref rounded_sum(Ref a, Ref b);
  Ref rounded_product(Ref a, Ref b);
  /// @}
  /// Functions of one operand.
  /// @{
  Ref sqrt(Ref a);
  Ref sin(Ref a);
  Ref cos(Ref a);
  Ref tanh(Ref a);
  /// @}

  /// Itself; throws std::domain_error where something was divided by zero, so that no program comes of it.
  const Graph& sound() const;
  /// In an order in which operands come first.
  const std::vector<Node>& nodes() const { return nodes_; }
  /// Whether it is a number.
  bool is_constant(Ref a) const { return nodes_[a.node].op == Op::constant; }
  /// The signed value of a constant.
  double value(Ref a) const { return a.negative ? -nodes_[a.node].value : nodes_[a.node].value; }
  /// Whether some node has this value already, and which. A rewriting asks so what it gets for nothing.
  bool known(const ModularFingerprint& value, Ref& found) const;
  /// Its image at the random points.
  ModularFingerprint image(Ref a) const { return a.negative ? -images_[a.node] : images_[a.node]; }

 private:
  Ref stored(const Node& node, const ModularFingerprint& image);
  Ref folded(double x, const ModularFingerprint& image);
  Ref exact(double x, const ModularFingerprint& image);
  Ref sum(Ref a, Ref b, const ModularFingerprint& image);
  const CirclePoint& circle(int node);

  std::vector<Node> nodes_;
  std::vector<ModularFingerprint> images_;
  FingerprintIndex by_value_;  // nodes, by the positive one of a value and its opposite
  std::map<double, std::int32_t> constants_;
  std::unordered_map<std::int32_t, CirclePoint> circles_;
  std::uint64_t random_ = 0;
  double rounding_;
  bool divides_by_zero_ = false;
};

}  // namespace sparsedyn
