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
      : steps_(steps),
        written_by_(cells, -1),
        reader_start_(steps.list.size() + 1, 0),
        waiting_for_(steps.list.size(), 0),
        read_by_(steps.list.size(), -1) {
    for (int s = 0; s < size(); ++s)
      for (int lane = 0; lane < steps.list[s].lanes; ++lane) written_by_[steps.list[s].target + lane] = s;
    for (int s = 0; s < size(); ++s) for_inputs(s, [&](int writer) { ++reader_start_[writer + 1], ++waiting_for_[s]; });
    for (int s = 0; s < size(); ++s) reader_start_[s + 1] += reader_start_[s];
    std::fill(read_by_.begin(), read_by_.end(), -1);
    reader_.resize(reader_start_.back());
    std::vector<int> next = reader_start_;
    for (int s = 0; s < size(); ++s) for_inputs(s, [&](int writer) { reader_[next[writer]++] = s; });
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
        for (int r = reader_start_[s]; r < reader_start_[s + 1]; ++r)
          if (--waiting_for_[reader_[r]] == 0) make_ready(reader_[r]);
      }
      ready_.erase(shape);
    }
    return order;
  }

 private:
  int size() const { return static_cast<int>(steps_.list.size()); }

  /// Calls `found` with each step that writes something that step s reads, once.
  template <class Found>
  void for_inputs(int s, Found found) {
    const Step& step = steps_.list[s];
    const auto read = [&](int cell, int lanes) {
      for (int lane = 0; cell >= 0 && lane < lanes; ++lane) {
        const int writer = written_by_[cell + lane];
        if (writer < 0 || read_by_[writer] == s) continue;
        read_by_[writer] = s;
        found(writer);
      }
    };
    read(step.source, step.lanes), read(step.scale, 1);
    for (int t = step.first_term; t < step.end_term; ++t) read(steps_.terms[t].p, 1), read(steps_.terms[t].q, step.lanes);
  }

  void make_ready(int s) { ready_[key(steps_.list[s].shape())].push_back(s); }

  const Steps& steps_;
  std::vector<int> written_by_;             // the step that writes a cell, or -1
  std::vector<int> reader_start_, reader_;  // of each step, ascending
  std::vector<int> waiting_for_;            // steps that have to come first and have not yet
  std::vector<int> read_by_;                // scratch: the last step that was seen to read what a step writes
  std::map<ShapeKey, std::deque<int>> ready_;
};

}  // namespace

std::vector<int> schedule(const Steps& steps, int cells) { return Scheduler(steps, cells).schedule(); }

}  // namespace sparsedyn
