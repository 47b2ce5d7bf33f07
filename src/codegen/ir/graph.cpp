#include "sparsedyn/codegen/graph.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "rounded_nodes.hpp"

namespace sparsedyn {
namespace {

/// Of constants that differ by the rounding of a few operations.
constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
/// Of the seeds of rounded operations, apart from those of inputs.
constexpr std::uint64_t of_rounded = std::uint64_t{1} << 63;

}  // namespace

Graph::Graph() : rounding_(kRounding) {
  nodes_.push_back({Op::constant, {}, {}, 0.0, 0, 0});
  images_.push_back(ModularFingerprint());
  for (double x : {1.0, 2.0, 0.5}) constant(x);
}

bool Graph::known(const ModularFingerprint& value, Ref& found) const {
  if (value.zero()) return found = Ref{}, true;
  const std::int32_t node =
      by_value_.find(unsigned_value(value), [this](std::int32_t other) { return unsigned_value(images_[other]); });
  if (node == FingerprintIndex::none) return false;
  found = {node, value.positive() != images_[node].positive()};
  return true;
}

/// A node that no other equals: `image` is the value of the node itself.
Ref Graph::stored(const Node& node, const ModularFingerprint& image) {
  const Ref made{static_cast<std::int32_t>(nodes_.size()), false};
  nodes_.push_back(node);
  images_.push_back(image);
  by_value_.insert(unsigned_value(image), made.node);
  return made;
}

/// The constant x whose exact value is `image`: one known up to rounding, or a new one.
Ref Graph::folded(double x, const ModularFingerprint& image) {
  Ref found;
  if (x == 0.0 || image.zero()) return {};
  if (known(image, found)) return found;
  const double size = std::fabs(x);
  const auto near = constants_.lower_bound(size * (1 - rounding_));
  if (near != constants_.end() && near->first <= size * (1 + rounding_)) return {near->second, x < 0};
  return exact(x, image);
}

/// The same, but never one of another value: where other ways lead to the same product, it must be found equal to theirs.
Ref Graph::exact(double x, const ModularFingerprint& image) {
  Ref found;
  if (known(image, found)) return found;
  const double size = std::fabs(x);
  const Ref made = stored({Op::constant, {}, {}, size, 0, 0}, x < 0 ? -image : image);
  constants_.emplace(size, made.node);
  return x < 0 ? -made : made;
}

Ref Graph::constant(double x) {
  const auto same = std::isfinite(x) ? constants_.find(std::fabs(x)) : constants_.end();
  return same != constants_.end() ? Ref{same->second, x < 0} : folded(x, ModularFingerprint::of(x));
}

Ref Graph::input(int port, int element) {
  return stored({Op::input, {}, {}, 0.0, port, element}, ModularFingerprint::random(++random_));
}

std::array<Ref, 4> Graph::unit_quaternion(int port, int first) {
  const std::array<ModularFingerprint, 4> u = random_unit_quaternion(++random_ << 20);
  std::array<Ref, 4> refs;
  for (std::size_t k = 0; k < 4; ++k) refs[k] = stored({Op::input, {}, {}, 0.0, port, first + static_cast<int>(k)}, u[k]);
  return refs;
}

Ref Graph::add(Ref a, Ref b) {
  const ModularFingerprint image = this->image(a) + this->image(b);
  if (is_constant(a) && is_constant(b)) {
    const double x = value(a) + value(b);
    if (std::fabs(x) <= kRounding * std::fabs(value(a))) return {};
    return folded(x, image);
  }
  Ref found;
  return known(image, found) ? found : sum(a, b, image);
}

/// The node of a + b.
Ref Graph::sum(Ref a, Ref b, const ModularFingerprint& image) {
  if (a.negative && !b.negative) std::swap(a, b);
  if (a.negative) return -stored({Op::add, -a, -b, 0.0, 0, 0}, -image);
  return stored({Op::add, a, b, 0.0, 0, 0}, image);
}

Ref Graph::rounded_sum(Ref a, Ref b) {
  if (a == Ref{}) return b;
  if (b == Ref{}) return a;
  if (a == -b) return {};
  if (is_constant(a) && is_constant(b)) return add(a, b);
  return sum(a, b, ModularFingerprint::random(++random_ | of_rounded));
}

Ref Graph::rounded_product(Ref a, Ref b) {
  if (a == Ref{} || b == Ref{}) return {};
  for (const auto& [factor, other] : {std::pair(a, b), {b, a}})
    if (is_constant(factor) && std::fabs(value(factor)) == 1) return value(factor) < 0 ? -other : other;
  if (is_constant(a) && is_constant(b)) return mul(a, b);
  const bool negative = a.negative != b.negative;
  a.negative = b.negative = false;
  const Ref made = stored({Op::mul, a, b, 0.0, 0, 0}, ModularFingerprint::random(++random_ | of_rounded));
  return negative ? -made : made;
}

Ref Graph::mul(Ref a, Ref b) {
  const ModularFingerprint image = this->image(a) * this->image(b);
  if (is_constant(a) && is_constant(b)) return folded(value(a) * value(b), image);
  Ref found;
  if (known(image, found)) return found;
  if (is_constant(b)) std::swap(a, b);
  const bool negative = a.negative != b.negative;
  a.negative = b.negative = false;
  const bool opens = is_constant(a) && !is_rounded(*this, b.node);
  // c (d x) = (c d) x
  if (opens && nodes_[b.node].op == Op::mul && is_constant(nodes_[b.node].a)) {
    const Node inner = nodes_[b.node];  // a copy: the nodes move where one is added
    const double x = value(a) * value(inner.a);
    const bool one = std::fabs(x - 1) <= kRounding;
    const Ref product = one ? inner.b : mul(exact(x, this->image(a) * this->image(inner.a)), inner.b);
    return negative ? -product : product;
  }
  // c (x + x) = 2 c x
  if (opens && nodes_[b.node].op == Op::add && nodes_[b.node].a == nodes_[b.node].b) {
    const Ref x = nodes_[b.node].a;
    const Ref product = mul(exact(2 * value(a), this->image(a) + this->image(a)), x);
    return negative ? -product : product;
  }
  const Ref made = stored({Op::mul, a, b, 0.0, 0, 0}, negative ? -image : image);
  return negative ? -made : made;
}

Ref Graph::div(Ref a, Ref b) {
  if (!image(b).invertible()) return divides_by_zero_ = true, Ref{};
  const ModularFingerprint reciprocal = inverse(image(b)), quotient = image(a) * reciprocal;
  if (is_constant(b)) return mul(folded(1.0 / value(b), reciprocal), a);
  Ref found;
  if (known(quotient, found)) return found;
  const bool negative = a.negative != b.negative;
  a.negative = b.negative = false;
  const Ref made = stored({Op::div, a, b, 0.0, 0, 0}, negative ? -quotient : quotient);
  return negative ? -made : made;
}

const Graph& Graph::sound() const {
  if (divides_by_zero_) throw std::domain_error("a program divides by an expression that is zero everywhere");
  return *this;
}

/// A root is a value of its own (no identity is looked for), but there is one root of a value.
Ref Graph::sqrt(Ref a) {
  if (is_constant(a)) return constant(std::sqrt(value(a)));
  const ModularFingerprint root = ModularFingerprint::random(image(a).hash());
  Ref found;
  return known(root, found) ? found : stored({Op::sqrt, a, {}, 0.0, 0, 0}, root);
}

/// The point of the circle that stands for an angle: that of a sum is the product of the points.
const CirclePoint& Graph::circle(int node) {
  const auto it = circles_.find(node);
  if (it != circles_.end()) return it->second;
  const Node n = nodes_[node];
  CirclePoint point;
  if (n.op == Op::add && !is_rounded(*this, node)) {
    const CirclePoint a = circle(n.a.node), b = circle(n.b.node);
    point = (n.a.negative ? conjugate(a) : a) * (n.b.negative ? conjugate(b) : b);
  } else {
    point = random_circle_point(images_[node].hash());  // of the value: the same in every graph that has it
  }
  return circles_.emplace(node, point).first->second;
}

Ref Graph::sin(Ref a) {
  if (is_constant(a)) return constant(std::sin(value(a)));
  const ModularFingerprint image = circle(a.node).s;
  Ref found;
  if (!known(image, found)) found = stored({Op::sin, {a.node, false}, {}, 0.0, 0, 0}, image);
  return a.negative ? -found : found;
}

Ref Graph::cos(Ref a) {
  if (is_constant(a)) return constant(std::cos(value(a)));
  const ModularFingerprint image = circle(a.node).c;
  Ref found;
  return known(image, found) ? found : stored({Op::cos, {a.node, false}, {}, 0.0, 0, 0}, image);
}

/// A value of its own, as a root is; odd in its operand.
Ref Graph::tanh(Ref a) {
  if (is_constant(a)) return constant(std::tanh(value(a)));
  const ModularFingerprint image = ModularFingerprint::random(~images_[a.node].hash());
  Ref found;
  if (!known(image, found)) found = stored({Op::tanh, {a.node, false}, {}, 0.0, 0, 0}, image);
  return a.negative ? -found : found;
}

}  // namespace sparsedyn
