#include "register_pressure.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <utility>

#include "codegen/ir/expressions.hpp"

namespace sparsedyn {
namespace {

constexpr int kPasses = 30;
constexpr std::size_t kRegisters = 32;
constexpr double kStep = 1e-4;  // between expressions that are moved to one place

using Sequence = std::vector<int>;  // of expressions

class Lives {
 public:
  explicit Lives(const Expressions& expressions)
      : operands_(expressions.operands), users_(expressions.users), size_(expressions.members.size()) {}

  /// Values written to memory and read back where the one needed last gives way (Belady, 1966).
  long spills(const Sequence& order) const {
    std::vector<int> place(size_);
    for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = static_cast<int>(k);
    std::vector<std::vector<int>> uses(size_);  // places, the next one last
    for (std::size_t x = 0; x < size_; ++x) {
      for (int u : users_[x]) uses[x].push_back(place[u]);
      std::sort(uses[x].rbegin(), uses[x].rend());
    }
    std::vector<int> registers;
    std::vector<bool> stored(size_, false);
    long n = 0;
    const auto sooner = [&](int a, int b) { return uses[a].back() < uses[b].back(); };
    const auto keep = [&](int x) {
      registers.push_back(x);
      if (registers.size() <= kRegisters) return;
      const auto last = std::max_element(registers.begin(), registers.end(), sooner);
      n += !stored[*last];
      stored[*last] = true;
      registers.erase(last);
    };
    for (int x : order) {
      for (int o : operands_[x]) {
        if (std::find(registers.begin(), registers.end(), o) == registers.end()) ++n, keep(o);
      }
      for (int o : operands_[x]) {
        uses[o].pop_back();
        if (!uses[o].empty()) continue;
        const auto at = std::find(registers.begin(), registers.end(), o);
        if (at != registers.end()) registers.erase(at);
      }
      if (!uses[x].empty()) keep(x);
    }
    return n;
  }

  /// Expressions that begin more lives than they end move to their first use, those that end more to their last operand,
  /// as long as this changes anything.
  Sequence shortened(Sequence order) const {
    std::vector<double> place(size_);
    for (int pass = 0; pass < kPasses; ++pass) {
      number(order, place);
      bool moved = false;
      for (std::size_t k = order.size(); k-- > 0;) moved |= move_late(order[k], place);
      order = sorted(place);
      number(order, place);
      for (int i : order) moved |= move_early(i, place);
      order = sorted(place);
      if (!moved) break;
    }
    return order;
  }

  /// Depth first, goal by goal.
  Sequence depth_first(const Sequence& goals) const {
    std::vector<bool> placed(size_, false);
    Sequence order;
    for (int goal : goals) {
      Sequence more = needed(goal, placed);
      for (int i : more) placed[i] = true;
      order.insert(order.end(), more.begin(), more.end());
    }
    return order;
  }

  /// Each goal the one that needs the fewest further operations.
  Sequence cheapest_first(Sequence goals) const {
    std::vector<bool> placed(size_, false);
    Sequence order;
    while (!goals.empty()) {
      std::size_t best = 0;
      Sequence fewest = needed(goals[0], placed);
      for (std::size_t k = 1; k < goals.size() && !fewest.empty(); ++k) {
        Sequence other = needed(goals[k], placed);
        if (other.size() < fewest.size()) fewest = std::move(other), best = k;
      }
      goals.erase(goals.begin() + static_cast<std::ptrdiff_t>(best));
      for (int i : fewest) placed[i] = true;
      order.insert(order.end(), fewest.begin(), fewest.end());
    }
    return order;
  }

 private:
  static void number(const Sequence& order, std::vector<double>& place) {
    for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = static_cast<double>(k);
  }

  double first_use(int i, const std::vector<double>& place) const {
    double first = place[users_[i][0]];
    for (int u : users_[i]) first = std::min(first, place[u]);
    return first;
  }

  int lives_ended(int i, const std::vector<double>& place) const {
    int n = 0;
    for (int o : operands_[i])
      n += std::all_of(users_[o].begin(), users_[o].end(), [&](int u) { return place[u] <= place[i]; });
    return n;
  }

  bool move_late(int i, std::vector<double>& place) const {
    if (users_[i].empty() || lives_ended(i, place) > 0) return false;
    const double first = first_use(i, place);
    if (first - place[i] <= 1) return false;
    place[i] = first - kStep;
    return true;
  }

  bool move_early(int i, std::vector<double>& place) const {
    if (lives_ended(i, place) <= (users_[i].empty() ? 0 : 1)) return false;
    double last = 0;
    for (int o : operands_[i]) last = std::max(last, place[o]);
    if (place[i] - last <= 1) return false;
    place[i] = last + kStep;
    return true;
  }

  /// By place, but operands first.
  Sequence sorted(const std::vector<double>& place) const {
    using Entry = std::pair<double, int>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> ready;
    std::vector<std::size_t> missing(size_);
    for (std::size_t x = 0; x < size_; ++x)
      if ((missing[x] = operands_[x].size()) == 0) ready.push({place[x], static_cast<int>(x)});
    Sequence order;
    while (!ready.empty()) {
      const int x = ready.top().second;
      ready.pop();
      order.push_back(x);
      for (int u : users_[x])
        if (--missing[u] == 0) ready.push({place[u], u});
    }
    return order;
  }

  /// What `goal` needs beyond what is placed, operands first.
  Sequence needed(int goal, const std::vector<bool>& placed) const {
    Sequence order;
    std::vector<bool> seen = placed;
    std::vector<std::pair<int, bool>> stack{{goal, false}};
    while (!stack.empty()) {
      const auto [x, ready] = stack.back();
      stack.pop_back();
      if (ready) order.push_back(x);
      if (seen[x]) continue;
      seen[x] = true;
      stack.push_back({x, true});
      for (int o : operands_[x]) stack.push_back({o, false});
    }
    return order;
  }

  const std::vector<std::vector<int>>&operands_, &users_;
  std::size_t size_;
};

}  // namespace

Program with_low_register_pressure(const Program& program) {
  const Expressions expressions(program);
  const Lives lives(expressions);
  Sequence recorded(expressions.members.size()), goals;
  std::iota(recorded.begin(), recorded.end(), 0);
  for (const auto& result : program.results())
    for (Ref r : result)
      if (r.node >= program.body()) goals.push_back(expressions.of[r.node]);
  std::size_t inputs = 0;
  for (const Port& port : program.inputs()) inputs += port.elements.size();
  std::vector<Sequence> starts{recorded};
  if (goals.size() <= inputs) {
    starts.push_back(lives.cheapest_first(goals));
    std::reverse(goals.begin(), goals.end());
    starts.push_back(lives.depth_first(goals));
  }
  Sequence best = recorded;
  for (const Sequence& start : starts) {
    const Sequence other = lives.shortened(start);
    if (lives.spills(other) < lives.spills(best)) best = other;
  }
  return reordered(program, expressions, best);
}

}  // namespace sparsedyn
