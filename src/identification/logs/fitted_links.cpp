#include "fitted_links.hpp"

#include <algorithm>

#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/identification/identify.hpp"

namespace sparsedyn {
namespace {

bool can_exist(const Inertia<double>& x) { return x.m > 0 && consistency(detail::ten_numbers(x).data()) >= 0; }

}  // namespace

std::map<std::string, std::optional<Inertia<double>>> fitted_links(const Model& model, const std::vector<double>& value) {
  std::map<std::string, std::optional<Inertia<double>>> links;
  const std::vector<double> before = parameters(model);
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const double* const ten = &value[10 * j];
    if (std::equal(ten, ten + 10, &before[10 * j])) continue;
    const int leader = model.joints[j].child_link;
    const Link& lead = model.links[static_cast<std::size_t>(leader)];
    const Inertia<double> whole = detail::inertia_of(ten);
    Inertia<double> own = whole;
    std::vector<std::string> companions;
    for (std::size_t i = 0; i < model.links.size(); ++i) {
      const Link& link = model.links[i];
      if (link.body != lead.body || static_cast<int>(i) == leader) continue;
      const Inertia<double> x = to_parent(inverse(lead.pose) * link.pose, link.inertia);
      own = {
          own.m - x.m, own.h - x.h,
          own.moments + Sym3<double>{-x.moments.xx, -x.moments.xy, -x.moments.xz, -x.moments.yy, -x.moments.yz, -x.moments.zz}};
      companions.push_back(link.name);
    }
    links[lead.name] = can_exist(own) ? own : whole;
    if (!can_exist(own))
      for (const std::string& name : companions) links[name] = std::nullopt;
  }
  return links;
}

}  // namespace sparsedyn
