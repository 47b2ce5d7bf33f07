#include "sparsedyn/dynamics/detail/force_column_plan.hpp"

#include <algorithm>

namespace sparsedyn {
namespace {

struct Sender {
  int freedom, body;
};

/// The last `count` that wait.
ForceColumnGroup take_group(std::vector<Sender>& waiting, std::size_t count, int junction) {
  ForceColumnGroup group{junction, static_cast<int>(count), {}, {}};
  const std::size_t first = waiting.size() - count;
  for (std::size_t l = 0; l < 4; ++l) {
    const Sender& sender = waiting[first + std::min(l, count - 1)];
    group.freedom[l] = sender.freedom, group.body[l] = sender.body;
  }
  waiting.resize(first);
  return group;
}

std::vector<ForceColumnGroup> force_column_groups(const Model& model) {
  std::vector<ForceColumnGroup> groups;
  std::vector<std::vector<Sender>> waiting(model.bodies.size());  // below each body
  for (int b = static_cast<int>(model.bodies.size()) - 1; b >= 0; --b) {
    const Body& body = model.bodies[b];
    std::vector<Sender>& below = waiting[b];
    std::sort(below.begin(), below.end(), [](const Sender& x, const Sender& y) { return x.freedom < y.freedom; });
    while (below.size() >= 4) groups.push_back(take_group(below, 4, b));
    if (body.parent < 0) {
      if (below.size() == 3) groups.push_back(take_group(below, 3, b));
      while (!below.empty()) groups.push_back(take_group(below, 1, -1));
    } else {
      for (int c = 0; c < freedoms(body.joint); ++c) below.push_back({body.v + c, b});
      waiting[body.parent].insert(waiting[body.parent].end(), below.begin(), below.end());
    }
  }
  return groups;
}

std::vector<std::array<int, 4>> revolute_fours(const Model& model) {
  std::vector<std::array<int, 4>> fours;
  int count = 0;
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    if (model.bodies[b].joint != BodyJoint::revolute) continue;
    if (count % 4 == 0) fours.emplace_back();
    for (int l = count++ % 4; l < 4; ++l) fours.back()[l] = b;
  }
  return fours;
}

}  // namespace

ForceColumnPlan force_column_plan(const Model& model) { return {revolute_fours(model), force_column_groups(model)}; }

}  // namespace sparsedyn
