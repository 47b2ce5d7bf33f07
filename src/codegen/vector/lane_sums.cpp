#include "lane_sums.hpp"

#include <algorithm>
#include <bitset>
#include <numeric>

namespace sparsedyn {
namespace {

constexpr int kLanes = RowProgram::lanes;

std::size_t members(unsigned set) { return std::bitset<kLanes>(set).count(); }

/// Lanes in the order in which their sets grow, each with a way for every lane before it.
class Search {
 public:
  Search(const LaneSets& sets, std::size_t steps) : sets_(sets), steps_(steps, LaneStep{}), has_(steps + 1) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](auto a, auto b) { return members(sets[a]) < members(sets[b]); });
  }
  bool found() { return lane(0); }
  const std::vector<LaneStep>& steps() const { return steps_; }

 private:
  bool lane(std::size_t at) {
    if (at == order_.size()) return true;
    has_[0][order_[at]] = 1u << order_[at];
    return step(at, 0);
  }
  /// What the lane adds in step s and later.
  bool step(std::size_t at, std::size_t s) {
    const std::size_t l = order_[at];
    const unsigned wanted = sets_[l], has = has_[s][l];
    if (s == steps_.size()) return has == wanted && lane(at + 1);
    if (members(has) << (steps_.size() - s) < members(wanted)) return false;
    for (std::size_t m = kLanes; m-- > 0;) {
      const bool inside = m != l && ((wanted & ~has) >> m & 1u) != 0;
      if (inside && (has_[s][m] & (has | ~wanted)) == 0 && adds(at, s, has_[s][m], static_cast<int>(m))) return true;
    }
    return adds(at, s, 0, -1);
  }
  bool adds(std::size_t at, std::size_t s, unsigned more, int from) {
    const std::size_t l = order_[at];
    has_[s + 1][l] = has_[s][l] | more, steps_[s][l] = from;
    return step(at, s + 1);
  }

  const LaneSets& sets_;
  std::vector<LaneStep> steps_;
  std::vector<LaneSets> has_;  // after each number of steps
  std::array<std::size_t, kLanes> order_;
};

}  // namespace

std::vector<LaneStep> lane_sums(const LaneSets& sets) {
  for (std::size_t n = 0;; ++n) {
    Search search(sets, n);
    if (search.found()) return search.steps();
  }
}

}  // namespace sparsedyn
