#include "register_pressure.hpp"

#include <algorithm>
#include <iterator>
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
    std::vector<char> in_register(size_, 0), stored(size_, 0);
    long n = 0;
    const auto sooner = [&](int a, int b) { return uses[a].back() < uses[b].back(); };
    const auto keep = [&](int x) {
      registers.push_back(x), in_register[x] = 1;
      if (registers.size() <= kRegisters) return;
      const auto last = std::max_element(registers.begin(), registers.end(), sooner);
      n += !stored[*last];
      stored[*last] = 1, in_register[*last] = 0;
      registers.erase(last);
    };
    for (int x : order) {
      for (int o : operands_[x]) {
        if (!in_register[o]) ++n, keep(o);
      }
      for (int o : operands_[x]) {
        uses[o].pop_back();
        if (!uses[o].empty() || !in_register[o]) continue;
        registers.erase(std::find(registers.begin(), registers.end(), o));
        in_register[o] = 0;
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
      order = sorted(order, place);
      number(order, place);
      for (int i : order) moved |= move_early(i, place);
      order = sorted(order, place);
      if (!moved) break;
    }
    return order;
  }

  /// Depth first, goal by goal.
  Sequence depth_first(const Sequence& goals) {
    visits_.assign(size_, 0);
    Sequence order;
    for (int goal : goals) {
      const Sequence more = needed(goal, size_ + 1);
      mark_placed(more);
      order.insert(order.end(), more.begin(), more.end());
    }
    return order;
  }

  /// Each goal the one that needs the fewest further operations, of equals the first. A goal that needed n when p operations
  /// were placed needs at least n − (placed − p): where that decides, it is not counted again.
  Sequence cheapest_first(Sequence goals) {
    visits_.assign(size_, 0);
    std::vector<std::size_t> least(goals.size(), 0);  // n + p
    Sequence order;
    while (!goals.empty()) {
      auto best = static_cast<std::size_t>(std::min_element(least.begin(), least.end()) - least.begin());
      Sequence fewest = needed(goals[best], size_ + 1);
      least[best] = order.size() + fewest.size();
      for (std::size_t k = 0; k < goals.size(); ++k) {
        const std::size_t most = fewest.size() + (k < best);  // fewer of them would be better
        if (k == best || least[k] >= order.size() + most) continue;
        Sequence other = needed(goals[k], most);
        least[k] = order.size() + other.size();
        if (other.size() < most) fewest = std::move(other), best = k;
      }
      goals.erase(goals.begin() + static_cast<std::ptrdiff_t>(best));
      least.erase(least.begin() + static_cast<std::ptrdiff_t>(best));
      mark_placed(fewest);
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

  /// By place, but operands first. `order` is by the places before some of them were moved.
  Sequence sorted(const Sequence& order, const std::vector<double>& place) const {
    const auto sooner = [&](int a, int b) { return std::pair(place[a], a) < std::pair(place[b], b); };
    Sequence moved, stayed, found;
    for (std::size_t k = 0; k < order.size(); ++k)
      (place[order[k]] == static_cast<double>(k) ? stayed : moved).push_back(order[k]);
    std::sort(moved.begin(), moved.end(), sooner);
    found.reserve(order.size());
    std::merge(stayed.begin(), stayed.end(), moved.begin(), moved.end(), std::back_inserter(found), sooner);
    return has_operands_first(found) ? found : with_operands_first(place);
  }

  bool has_operands_first(const Sequence& order) const {
    std::vector<char> met(size_, 0);
    for (int x : order) {
      for (int o : operands_[x])
        if (!met[o]) return false;
      met[x] = 1;
    }
    return true;
  }

  /// Of what has its operands behind it the one whose place comes first (Kahn, 1962).
  Sequence with_operands_first(const std::vector<double>& place) const {
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

  void mark_placed(const Sequence& order) {
    for (int i : order) visits_[i] = kPlaced;
  }

  /// What `goal` needs beyond what is placed, operands first; of `most` or more, the first `most` that are found.
  Sequence needed(int goal, std::size_t most) {
    ++visit_;
    Sequence order;
    std::vector<std::pair<int, bool>> stack{{goal, false}};
    while (!stack.empty() && order.size() < most) {
      const auto [x, ready] = stack.back();
      stack.pop_back();
      if (ready) order.push_back(x);
      if (visits_[x] == kPlaced || visits_[x] == visit_) continue;
      visits_[x] = visit_;
      stack.push_back({x, true});
      for (int o : operands_[x]) stack.push_back({o, false});
    }
    return order;
  }

  static constexpr long kPlaced = -1;
  std::vector<long> visits_;  // of each expression: the last count that met it, or kPlaced
  long visit_ = 0;
  const std::vector<std::vector<int>>&operands_, &users_;
  std::size_t size_;
};

}  // namespace

Program with_low_register_pressure(const Program& program) {
  const Expressions expressions(program);
  Lives lives(expressions);
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
