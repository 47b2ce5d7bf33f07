// The order of execution: steps of one shape side by side, as far as their inputs allow. The interpreter then decides once a
// run, the branch predictor has less to learn, and neighbours are independent of each other, so that they overlap.
#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "steps.hpp"

namespace sparsedyn {
namespace {

using ShapeKey = std::tuple<std::uint32_t, bool, bool, bool>;

ShapeKey key(const StepShape& shape) { return {shape.terms, shape.source, shape.scale, shape.reciprocal}; }

class Scheduler {
 public:
  Scheduler(const Steps& all, const std::vector<int>& chosen, int cells)
      : all_(all), chosen_(chosen), readers_(cells), waiting_for_(all.list.size(), 0) {
    std::vector<char> written_here(cells, 0);
    for (int s : chosen) written_here[all.list[s].target] = 1;
    for (int s : chosen)
      for_each_input(s, [&](int cell) {
        if (!written_here[cell]) return;
        readers_[cell].push_back(s);
        ++waiting_for_[s];
      });
  }

  std::vector<int> schedule() {
    std::vector<int> order;
    for (int s : chosen_)
      if (waiting_for_[s] == 0) make_ready(s);
    while (!ready_.empty()) {
      auto run = std::max_element(ready_.begin(), ready_.end(),
                                  [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
      const ShapeKey shape = run->first;
      for (; run != ready_.end() && !run->second.empty(); run = ready_.find(shape)) {
        const int s = run->second.front();
        run->second.pop_front();
        order.push_back(s);
        for (int reader : readers_[all_.list[s].target])
          if (--waiting_for_[reader] == 0) make_ready(reader);
      }
      ready_.erase(shape);
    }
    return order;
  }

 private:
  template <class Visit>
  void for_each_input(int s, Visit visit) const {
    const Step& step = all_.list[s];
    if (step.source != no_cell) visit(step.source);
    if (step.scale != no_cell) visit(step.scale);
    for (int t = step.first_term; t < step.end_term; ++t) visit(all_.terms[t].p), visit(all_.terms[t].q);
  }
  void make_ready(int s) { ready_[key(all_.list[s].shape())].push_back(s); }

  const Steps& all_;
  const std::vector<int>& chosen_;
  std::vector<std::vector<int>> readers_;  // of each cell
  std::vector<int> waiting_for_;           // inputs of each step that are not there yet
  std::map<ShapeKey, std::deque<int>> ready_;
};

}  // namespace

std::vector<int> scheduled(const Steps& all, const std::vector<int>& chosen, int cells) {
  return Scheduler(all, chosen, cells).schedule();
}

}  // namespace sparsedyn
