#include "statement_order.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace sparsedyn {
namespace {

constexpr int kUnits = 2;  // operations begun in each cycle
/// Values alive at once from which on moving them to memory and back costs more than waiting: two or three for a register.
constexpr int kMostAlive = 80;

class Work {
 public:
  explicit Work(const std::vector<TextStatement>& statements)
      : all_(statements), users_(all_.size()), missing_(all_.size()), to_end_(all_.size()), known_(all_.size()) {
    for (std::size_t i = 0; i < all_.size(); ++i)
      for (int o : all_[i].needs) users_[o].push_back(static_cast<int>(i));
    for (std::size_t i = all_.size(); i-- > 0;) {
      for (int o : all_[i].needs) missing_[i] += !only_reads(o);
      for (int u : users_[i]) to_end_[i] = std::max(to_end_[i], to_end_[u]);
      if (all_[i].operations > 0) to_end_[i] += all_[i].cycles;
    }
  }

  /// Each statement's place; what only reads memory is in front of its first user.
  std::vector<int> order() {
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (missing_[i] == 0 && !only_reads(static_cast<int>(i))) waiting_.push({0, static_cast<int>(i)});
    for (int cycle = 0, begun = 0; !waiting_.empty() || !ready_.empty(); ++cycle, begun = std::max(0, begun - kUnits)) {
      for (; !waiting_.empty() && waiting_.top().first <= cycle; waiting_.pop())
        ready_.push({to_end_[waiting_.top().second], -waiting_.top().second});
      for (; begun < kUnits && !ready_.empty(); begun += all_[order_.back()].operations) begin_next(cycle);
    }
    return order_;
  }

  int most_alive() const {
    std::vector<std::size_t> left(all_.size());
    for (std::size_t i = 0; i < all_.size(); ++i) left[i] = users_[i].size();
    int alive = 0, most = 0;
    for (int i : order_) {
      most = std::max(most, alive += !users_[i].empty());
      for (int o : all_[i].needs) alive -= --left[o] == 0;
    }
    return most;
  }

 private:
  bool only_reads(int i) const { return all_[i].operations == 0 && all_[i].needs.empty() && !users_[i].empty(); }

  void begin_next(int cycle) {
    const int i = -ready_.top().second;
    ready_.pop();
    for (int o : all_[i].needs)
      if (only_reads(o) && !std::exchange(known_[o], 1)) order_.push_back(o);
    order_.push_back(i);
    for (int u : users_[i]) {
      known_[u] = std::max(known_[u], cycle + (all_[i].operations > 0 ? all_[i].cycles : 0));
      if (--missing_[u] == 0) waiting_.push({known_[u], u});
    }
  }

  using Entry = std::pair<int, int>;
  const std::vector<TextStatement>& all_;
  std::vector<std::vector<int>> users_;
  std::vector<int> missing_, to_end_, known_;  // operands to come; cycles from its start to an end; when all operands are known
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> waiting_;  // by when their operands are known
  std::priority_queue<Entry> ready_;                                             // farthest from an end, then first, on top
  std::vector<int> order_;
};

}  // namespace

std::string in_order_of_work(const std::vector<TextStatement>& statements) {
  Work work(statements);
  std::vector<int> order = work.order();
  if (work.most_alive() > kMostAlive) std::iota(order.begin(), order.end(), 0);
  std::string text;
  for (int i : order) text += statements[i].text;
  return text;
}

}  // namespace sparsedyn
