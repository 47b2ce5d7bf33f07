#include "isomorphic_operations.hpp"

#include <algorithm>
#include <tuple>

namespace sparsedyn {

bool less(const VectorRefs& a, const VectorRefs& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [](Ref x, Ref y) { return std::tie(x.node, x.negative) < std::tie(y.node, y.negative); });
}

bool make_positive(VectorRefs& x) {
  const auto first = std::find_if(x.begin(), x.end(), [](Ref r) { return r.node > 0; });
  if (first == x.end() || !first->negative) return false;
  for (Ref& r : x)
    if (used(r)) r = -r;
  return true;
}

bool uniform(const VectorRefs& x) {
  return std::all_of(x.begin(), x.end(), [&](Ref r) { return r == x.front() || !used(r); });
}

IsomorphicOperation IsomorphicOperations::call(const Lockstep& s, std::size_t c) const {
  const VectorRefs none(lanes_, unused_lane);
  IsomorphicOperation x{calls_.all[s.begin + c].op, none, none, none, s.begin + c};
  for (std::size_t l = 0; l < static_cast<std::size_t>(s.stretches); ++l) {
    const Call& one = calls_.all[s.begin + l * s.length + c];
    x.a[l] = one.a, x.b[l] = one.b, x.result[l] = one.result;
  }
  return x;
}

IsomorphicOperation IsomorphicOperations::at(std::size_t time) const {
  const auto after = std::upper_bound(calls_.for_each_lane.begin(), calls_.for_each_lane.end(), time,
                                      [](std::size_t t, const Lockstep& s) { return t < s.begin; });
  const Lockstep& s = *(after - 1);
  return call(s, time - s.begin);
}

std::vector<IsomorphicOperations::First> IsomorphicOperations::first_results(std::size_t nodes) const {
  std::vector<First> first(nodes, {calls_.all.size(), nullptr});
  auto s = calls_.for_each_lane.begin();
  for (std::size_t k = 0; k < calls_.all.size(); ++k) {
    while (s != calls_.for_each_lane.end() && k >= s->begin + s->length * static_cast<std::size_t>(s->stretches)) ++s;
    const bool inside = s != calls_.for_each_lane.end() && k >= s->begin;
    const std::size_t time = inside ? s->begin + (k - s->begin) % s->length : k;
    First& f = first[calls_.all[k].result.node];
    if (time < f.time) f = {time, &calls_.all[k]};
  }
  return first;
}

}  // namespace sparsedyn
