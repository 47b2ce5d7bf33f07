#include "fitted_links.hpp"

#include <algorithm>
#include <array>

#include "identification/bodies/shared_out.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/identification/identify.hpp"

namespace sparsedyn {
namespace {

bool can_exist(const Inertia<double>& x) { return x.m > 0 && consistency(detail::ten_numbers(x).data()) >= 0; }

/// Of a body: its links but the leading one, each with its inertia in the leading link's frame.
struct Companion {
  const Link* link;
  Pose<double> placement;  // in the leading link
  Inertia<double> inertia;
};
std::vector<Companion> companions_of(const Model& model, int leader) {
  const Link& lead = model.links[static_cast<std::size_t>(leader)];
  std::vector<Companion> companions;
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    const Link& link = model.links[i];
    if (link.body != lead.body || static_cast<int>(i) == leader) continue;
    const Pose<double> placement = inverse(lead.pose) * link.pose;
    companions.push_back({&link, placement, to_parent(placement, link.inertia)});
  }
  return companions;
}

void share_out(const Link& lead, const std::vector<Companion>& companions, const double* before, const double* whole,
               std::map<std::string, std::optional<Inertia<double>>>& links) {
  std::vector<std::array<double, 10>> parts;
  for (const Companion& c : companions) parts.push_back(detail::ten_numbers(c.inertia));
  const SharedOut shared = shared_out(before, parts, whole);
  links[lead.name] = detail::inertia_of(shared.leading.data());
  for (std::size_t k = 0; k < companions.size(); ++k) {
    const Inertia<double>& x = companions[k].link->inertia;
    if (x.m == 0 && x.moments.xx + x.moments.yy + x.moments.zz == 0) continue;  // it had none and has none
    links[companions[k].link->name] = to_parent(inverse(companions[k].placement), detail::inertia_of(shared.parts[k].data()));
  }
}

}  // namespace

std::map<std::string, std::optional<Inertia<double>>> fitted_links(const Model& model, const std::vector<double>& value,
                                                                   const std::vector<std::string>& locked) {
  std::map<std::string, std::optional<Inertia<double>>> links;
  const std::vector<double> before = parameters(model);
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const double* const ten = &value[10 * j];
    if (std::equal(ten, ten + 10, &before[10 * j])) continue;
    const int leader = model.joints[j].child_link;
    const Link& lead = model.links[static_cast<std::size_t>(leader)];
    const std::vector<Companion> companions = companions_of(model, leader);
    const auto moves_elsewhere = [&](const Companion& c) {
      return std::find(locked.begin(), locked.end(), c.link->joint) != locked.end();
    };
    if (std::any_of(companions.begin(), companions.end(), moves_elsewhere)) {
      share_out(lead, companions, &before[10 * j], ten, links);
      continue;
    }
    const Inertia<double> whole = detail::inertia_of(ten);
    Inertia<double> own = whole;
    for (const Companion& c : companions) {
      const Sym3<double>& s = c.inertia.moments;
      own = {own.m - c.inertia.m, own.h - c.inertia.h, own.moments + Sym3<double>{-s.xx, -s.xy, -s.xz, -s.yy, -s.yz, -s.zz}};
    }
    links[lead.name] = can_exist(own) ? own : whole;
    if (!can_exist(own))
      for (const Companion& c : companions) links[c.link->name] = std::nullopt;
  }
  return links;
}

}  // namespace sparsedyn
