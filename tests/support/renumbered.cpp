#include "renumbered.hpp"

#include <algorithm>
#include <cstddef>

#include "robots.hpp"

namespace sparsedyn::test {
namespace {

/// What ModelBuilder::link takes.
struct LinkCall {
  int parent;  // call, or −1: the root
  Inertia<double> inertia;
  JointSpec joint;
  Pose<double> placement;
};

LinkCall random_call(std::mt19937& rng, int parent, const std::vector<JointKind>& kinds) {
  LinkCall call{parent, random_inertia(rng), {}, {}};
  call.joint = random_joint(rng, kinds[rng() % kinds.size()]);
  call.placement = random_pose(rng);
  return call;
}

/// Each link on one of the three before it, or on the root.
std::vector<LinkCall> random_calls(int n, std::mt19937& rng, const std::vector<JointKind>& kinds) {
  std::vector<LinkCall> calls;
  for (int i = 0; i < n; ++i) {
    const int parent = std::max(-1, i - 1 - static_cast<int>(rng() % 4));
    calls.push_back(random_call(rng, parent, kinds));
  }
  return calls;
}

std::vector<LinkCall> calls_of_legs(int n, const RenumberOptions& options, unsigned seed) {
  std::mt19937 rng(seed);
  std::vector<LinkCall> calls;
  for (int i = 0; i < n; ++i) {
    std::mt19937 of_depth(seed + 100 * static_cast<unsigned>(i / options.legs));
    calls.push_back(random_call(of_depth, std::max(-1, i - options.legs), options.kinds));
    if (i < options.legs) calls.back().placement = random_pose(rng);
  }
  return calls;
}

/// Calls, the one to come being any whose parent is there: the newest, the oldest, or any.
enum class Next { newest, oldest, any };
std::vector<int> order_of(const std::vector<LinkCall>& calls, Next next, std::mt19937& rng) {
  std::vector<int> order, ready;
  const auto carried_by = [&](int parent) {
    for (int i = static_cast<int>(calls.size()) - 1; i >= 0; --i)
      if (calls[i].parent == parent) ready.push_back(i);
  };
  carried_by(-1);
  if (next == Next::oldest) std::reverse(ready.begin(), ready.end());
  while (!ready.empty()) {
    const std::size_t at = next == Next::newest ? ready.size() - 1 : next == Next::oldest ? 0 : rng() % ready.size();
    order.push_back(ready[at]);
    ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(at));
    carried_by(order.back());
  }
  return order;
}

Model built(const std::vector<LinkCall>& calls, const std::vector<int>& order, bool floating, const Inertia<double>& root) {
  ModelBuilder builder("robot");
  builder.root("root", root, floating);
  const auto name = [](int call) { return call < 0 ? std::string("root") : "link" + std::to_string(call); };
  for (int i : order)
    builder.link(name(i), calls[i].inertia, name(calls[i].parent), "joint" + std::to_string(i), calls[i].joint,
                 calls[i].placement);
  return builder.build();
}

void match(Renumbered& r) {
  r.q.resize(r.depth_first.nq), r.v.resize(r.depth_first.nv), r.body.resize(r.depth_first.bodies.size());
  for (const Joint& from : r.depth_first.joints) {
    const Joint& to = r.other.joints[r.other.find_joint(from.name)];
    for (int k = 0; k < from.nq; ++k) r.q[from.q + k] = to.q + k;
    for (int k = 0; k < from.nv; ++k) r.v[from.v + k] = to.v + k;
    for (int k = 0; k < from.bodies; ++k) r.body[from.first_body + k] = to.first_body + k;
  }
  for (const Link& link : r.depth_first.links) r.link.push_back(r.other.find_link(link.name));
}

template <class T>
std::vector<T> placed(const std::vector<T>& x, const std::vector<int>& place) {
  std::vector<T> y(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) y[place[k]] = x[k];
  return y;
}

}  // namespace

Renumbered renumbered(int n, unsigned seed, const RenumberOptions& options) {
  std::mt19937 rng(seed);
  const Inertia<double> root = random_inertia(rng);
  const std::vector<LinkCall> calls = options.legs > 0 ? calls_of_legs(n, options, seed) : random_calls(n, rng, options.kinds);
  const Next next = options.order == LinkOrder::any ? Next::any : Next::oldest;
  Renumbered r{built(calls, order_of(calls, Next::newest, rng), options.floating, root),
               built(calls, order_of(calls, next, rng), options.floating, root),
               {},
               {},
               {},
               {}};
  match(r);
  return r;
}

State of_other(const Renumbered& robot, const State& s) {
  return {placed(s.q, robot.q), placed(s.v, robot.v), placed(s.a, robot.v), placed(s.tau, robot.v), placed(s.fx, robot.body)};
}

Indexed in_numbers_of_other(const Renumbered& robot, const Indexed& x) {
  Indexed y{x.axes, std::vector<double>(x.values.size())};
  for (std::size_t k = 0; k < x.values.size(); ++k) {
    std::size_t rest = k, place = 0, step = 1;  // the last axis is the fastest
    for (std::size_t a = x.axes.size(); a-- > 0;) {
      const std::size_t length = x.axes[a] == 'v' ? robot.v.size() : 6, i = rest % length;
      place += step * (x.axes[a] == 'v' ? static_cast<std::size_t>(robot.v[i]) : i);
      rest /= length, step *= length;
    }
    y.values[place] = x.values[k];
  }
  return y;
}

}  // namespace sparsedyn::test
