// The order of execution: steps of one shape side by side, as far as their inputs allow. The interpreter then decides once a
// run, the branch predictor has less to learn, and neighbours are independent of each other, so that they overlap. Next comes
// the shape of whose remaining steps the largest part is ready: it has the least to gain from waiting.
#include <algorithm>
#include <array>

#include "sparse/steps/steps.hpp"

namespace sparsedyn {
namespace {

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

  std::vector<int> order() {
    std::vector<int> order;
    for (int s = 0; s < size(); ++s) {
      ++left_[kind(s)];
      if (waiting_for_[s] == 0) ready_[kind(s)].push_back(s);
    }
    for (std::size_t k = next_kind(); !ready_[k].empty(); k = next_kind()) {
      std::vector<int>& run = ready_[k];
      const auto shorter = [this](int a, int b) { return steps_.list[a].terms() < steps_.list[b].terms(); };
      std::stable_sort(run.begin(), run.end(), shorter);
      for (std::size_t i = 0; i < run.size(); ++i) {
        const int s = run[i];
        order.push_back(s);
        for (int r = reader_start_[s]; r < reader_start_[s + 1]; ++r)
          if (--waiting_for_[reader_[r]] == 0) ready_[kind(reader_[r])].push_back(reader_[r]);
      }
      left_[k] -= run.size();
      run.clear();
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

  std::size_t kind(int s) const { return interpreter::kernel_of(steps_.list[s].shape()); }

  std::size_t next_kind() const {
    std::size_t best = 0;
    for (std::size_t k = 1; k < ready_.size(); ++k) {
      const std::size_t part = ready_[k].size() * left_[best], most = ready_[best].size() * left_[k];
      if (ready_[best].empty() || part > most || (part == most && ready_[k].size() > ready_[best].size())) best = k;
    }
    return best;
  }

  const Steps& steps_;
  std::vector<int> written_by_;             // the step that writes a cell, or -1
  std::vector<int> reader_start_, reader_;  // of each step, ascending
  std::vector<int> waiting_for_;            // steps that have to come first and have not yet
  std::vector<int> read_by_;                // scratch: the last step that was seen to read what a step writes
  std::array<std::vector<int>, interpreter::number_of_kernels> ready_;
  std::array<std::size_t, interpreter::number_of_kernels> left_{};  // steps not yet scheduled
};

}  // namespace

std::vector<int> order_of_steps(const Steps& steps, int cells) { return Scheduler(steps, cells).order(); }

}  // namespace sparsedyn
