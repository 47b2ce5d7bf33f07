// f(g)'' = f' g'' + f'' g' g'ᵀ;  (a b)'' = a b'' + b a'' + a' b'ᵀ + b' a'ᵀ.
#include "local_jet.hpp"

#include <algorithm>

namespace sparsedyn {
namespace {

Expr product(const Expr& a, const Expr& b) { return is_zero(a) || is_zero(b) ? Expr() : a * b; }

}  // namespace

void LocalJet::resize(std::size_t count, bool curved) {
  slopes_.resize(count);
  if (curved) curvatures_.resize(count * (count + 1) / 2);
}

LocalJet LocalJet::variable(const Expr& x, std::size_t k, std::size_t count, bool curved) {
  LocalJet made(x);
  made.resize(count, curved);
  made.slopes_[k] = Expr(1.0);
  return made;
}

Expr LocalJet::curvature(std::size_t i, std::size_t k) const { return curved() ? curvatures_[place(i, k)] : Expr(); }

LocalJet LocalJet::composed(const LocalJet& inner, const Expr& f, const Expr& slope, const Expr& curvature) {
  LocalJet made(f);
  made.resize(inner.slopes_.size(), inner.curved());
  for (std::size_t i = 0; i < inner.slopes_.size(); ++i) {
    made.slopes_[i] = product(slope, inner.slopes_[i]);
    const Expr bent = product(curvature, inner.slopes_[i]);
    for (std::size_t k = 0; k <= i && made.curved(); ++k)
      made.curvatures_[place(i, k)] = product(slope, inner.curvatures_[place(i, k)]) + product(bent, inner.slopes_[k]);
  }
  return made;
}

LocalJet operator+(const LocalJet& a, const LocalJet& b) {
  LocalJet sum(a.x_ + b.x_);
  sum.resize(std::max(a.slopes_.size(), b.slopes_.size()), a.curved() || b.curved());
  for (const LocalJet* x : {&a, &b}) {
    for (std::size_t k = 0; k < x->slopes_.size(); ++k) sum.slopes_[k] += x->slopes_[k];
    for (std::size_t k = 0; k < x->curvatures_.size(); ++k) sum.curvatures_[k] += x->curvatures_[k];
  }
  return sum;
}

LocalJet operator*(const LocalJet& a, const LocalJet& b) {
  LocalJet made(product(a.x_, b.x_));
  made.resize(std::max(a.slopes_.size(), b.slopes_.size()), a.curved() || b.curved());
  for (std::size_t i = 0; i < made.slopes_.size(); ++i) {
    made.slopes_[i] = product(a.x_, b.slope(i)) + product(b.x_, a.slope(i));
    for (std::size_t k = 0; k <= i && made.curved(); ++k)
      made.curvatures_[LocalJet::place(i, k)] = product(a.x_, b.curvature(i, k)) + product(b.x_, a.curvature(i, k)) +
                                                product(a.slope(i), b.slope(k)) + product(b.slope(i), a.slope(k));
  }
  return made;
}

JetVector operator+(const JetVector& a, const JetVector& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
JetVector operator-(const JetVector& a, const JetVector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
JetVector operator*(const LocalJet& a, const JetVector& b) { return {a * b[0], a * b[1], a * b[2]}; }
JetVector cross(const JetVector& a, const JetVector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
LocalJet dot(const JetVector& a, const JetVector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
JetVector values(const JetVector& a) { return {a[0].value(), a[1].value(), a[2].value()}; }

}  // namespace sparsedyn
