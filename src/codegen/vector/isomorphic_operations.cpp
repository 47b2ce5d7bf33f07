#include "isomorphic_operations.hpp"

#include <algorithm>
#include <tuple>

namespace sparsedyn {

bool less(const LaneRefs& a, const LaneRefs& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [](Ref x, Ref y) { return std::tie(x.node, x.negative) < std::tie(y.node, y.negative); });
}

bool make_positive(LaneRefs& x) {
  const auto first = std::find_if(x.begin(), x.end(), [](Ref r) { return r.node > 0; });
  if (first == x.end() || !first->negative) return false;
  for (Ref& r : x)
    if (used(r)) r = -r;
  return true;
}

bool uniform(const LaneRefs& x) {
  return std::all_of(x.begin(), x.end(), [&](Ref r) { return r == x.front() || !used(r); });
}

LaneCall LaneCalls::call(const Lockstep& s, std::size_t c) const {
  const LaneRefs none(lanes_, unused_lane);
  LaneCall x{calls_.all[s.begin + c].op, none, none, none, s.begin + c};
  for (std::size_t l = 0; l < static_cast<std::size_t>(s.stretches); ++l) {
    const Call& one = calls_.all[s.begin + l * s.length + c];
    x.a[l] = one.a, x.b[l] = one.b, x.result[l] = one.result;
  }
  return x;
}

LaneCall LaneCalls::at(std::size_t time) const {
  const auto after = std::upper_bound(calls_.abreast.begin(), calls_.abreast.end(), time,
                                      [](std::size_t t, const Lockstep& s) { return t < s.begin; });
  const Lockstep& s = *(after - 1);
  return call(s, time - s.begin);
}

std::vector<LaneCalls::First> LaneCalls::first_results(std::size_t nodes) const {
  std::vector<First> first(nodes, {calls_.all.size(), nullptr});
  auto s = calls_.abreast.begin();
  for (std::size_t k = 0; k < calls_.all.size(); ++k) {
    while (s != calls_.abreast.end() && k >= s->begin + s->length * static_cast<std::size_t>(s->stretches)) ++s;
    const bool inside = s != calls_.abreast.end() && k >= s->begin;
    const std::size_t time = inside ? s->begin + (k - s->begin) % s->length : k;
    First& f = first[calls_.all[k].result.node];
    if (time < f.time) f = {time, &calls_.all[k]};
  }
  return first;
}

}  // namespace sparsedyn
