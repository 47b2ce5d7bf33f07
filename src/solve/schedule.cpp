// The order of execution: steps of one shape side by side, as far as their inputs allow. The interpreter then decides once a
// run, the branch predictor has less to learn, and neighbours are independent of each other, so that they overlap.
#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "steps.hpp"

namespace sparsedyn {
namespace {

using ShapeKey = std::tuple<std::uint32_t, std::uint32_t, bool, Scaling, bool>;

ShapeKey key(const StepShape& shape) { return {shape.terms, shape.lanes, shape.source, shape.scaling, shape.reciprocal}; }

class Scheduler {
 public:
  Scheduler(const Steps& steps, int cells)
      : steps_(steps), written_by_(cells, -1), readers_(steps.list.size()), waiting_for_(steps.list.size(), 0) {
    for (int s = 0; s < size(); ++s)
      for (int lane = 0; lane < steps.list[s].lanes; ++lane) written_by_[steps.list[s].target + lane] = s;
    for (int s = 0; s < size(); ++s)
      for (int writer : inputs(s)) {
        readers_[writer].push_back(s);
        ++waiting_for_[s];
      }
  }

  std::vector<int> schedule() {
    std::vector<int> order;
    for (int s = 0; s < size(); ++s)
      if (waiting_for_[s] == 0) make_ready(s);
    while (!ready_.empty()) {
      auto run = std::max_element(ready_.begin(), ready_.end(),
                                  [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
      const ShapeKey shape = run->first;
      for (; run != ready_.end() && !run->second.empty(); run = ready_.find(shape)) {
        const int s = run->second.front();
        run->second.pop_front();
        order.push_back(s);
        for (int reader : readers_[s])
          if (--waiting_for_[reader] == 0) make_ready(reader);
      }
      ready_.erase(shape);
    }
    return order;
  }

 private:
  int size() const { return static_cast<int>(steps_.list.size()); }

  /// The steps that write what step s reads.
  std::vector<int> inputs(int s) const {
    const Step& step = steps_.list[s];
    std::vector<int> writers;
    const auto read = [&](int cell, int lanes) {
      for (int lane = 0; cell >= 0 && lane < lanes; ++lane)
        if (written_by_[cell + lane] >= 0) writers.push_back(written_by_[cell + lane]);
    };
    read(step.source, step.lanes), read(step.scale, 1);
    for (int t = step.first_term; t < step.end_term; ++t) read(steps_.terms[t].p, 1), read(steps_.terms[t].q, step.lanes);
    std::sort(writers.begin(), writers.end());
    writers.erase(std::unique(writers.begin(), writers.end()), writers.end());
    return writers;
  }

  void make_ready(int s) { ready_[key(steps_.list[s].shape())].push_back(s); }

  const Steps& steps_;
  std::vector<int> written_by_;            // the step that writes a cell, or -1
  std::vector<std::vector<int>> readers_;  // of each step
  std::vector<int> waiting_for_;           // steps that have to come first and have not yet
  std::map<ShapeKey, std::deque<int>> ready_;
};

}  // namespace

std::vector<int> schedule(const Steps& steps, int cells) { return Scheduler(steps, cells).schedule(); }

}  // namespace sparsedyn
