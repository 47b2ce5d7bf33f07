#include "vector_outputs.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

namespace sparsedyn {
namespace {

/// Elements of one output that have no column yet, by their values.
class Rest {
 public:
  explicit Rest(const std::vector<Ref>& results) {
    for (std::size_t e = results.size(); e-- > 0;)
      elements_[{results[e].node, results[e].negative}].push_back(static_cast<int>(e));
  }

  /// One element for each lane that has one; nothing where these are fewer than `least`.
  WantedColumn take(const VectorRefs& x, bool negative, std::size_t least) {
    WantedColumn column{0, x, negative, {}, {}, 0};
    for (std::size_t l = 0; l < x.size() && used(x[l]); ++l) {
      const auto found = elements_.find({x[l].node, x[l].negative != negative});
      if (found == elements_.end() || found->second.empty()) continue;
      column.elements.push_back(found->second.back());
      column.lanes.push_back(static_cast<int>(l));
      found->second.pop_back();
    }
    if (column.elements.size() >= least) return column;
    for (std::size_t k = column.elements.size(); k-- > 0;) {
      const Ref r = x[static_cast<std::size_t>(column.lanes[k])];
      elements_[{r.node, r.negative != negative}].push_back(column.elements[k]);
    }
    column.elements.clear();
    return column;
  }

 private:
  std::map<std::pair<int, bool>, std::vector<int>> elements_;  // the first last
};

}  // namespace

std::vector<WantedColumn> wanted_columns(const IsomorphicOperations& calls, const std::vector<std::vector<Ref>>& results,
                                         const std::vector<bool>& any_order) {
  std::vector<WantedColumn> columns;
  std::vector<Rest> rest(results.begin(), results.end());
  std::set<int> wanted;
  for (std::size_t k = 0; k < results.size(); ++k)
    for (Ref r : results[k])
      if (any_order[k]) wanted.insert(r.node);
  const auto is_wanted = [&](Ref r) { return wanted.count(r.node) > 0; };
  const auto take_from = [&](const IsomorphicOperation& call, std::size_t least) {
    for (std::size_t k = 0; k < results.size(); ++k)
      for (const bool negative : {false, true}) {
        while (any_order[k]) {
          WantedColumn column = rest[k].take(call.result, negative, least);
          if (column.elements.empty()) break;
          column.port = static_cast<int>(k), column.time = call.time;
          columns.push_back(std::move(column));
        }
      }
  };
  // Whole vectors first, or all but a lane of them; then parts of others.
  for (const bool whole : {true, false})
    calls.for_each([&](const IsomorphicOperation& call) {
      const VectorRefs& x = call.result;
      const std::ptrdiff_t lanes = std::count_if(x.begin(), x.end(), used);
      const std::ptrdiff_t least = whole ? std::max<std::ptrdiff_t>(2, lanes - lanes / 3) : 2;
      if (std::count_if(x.begin(), x.end(), is_wanted) >= least && !uniform(x))
        take_from(call, static_cast<std::size_t>(least));
    });
  std::stable_sort(columns.begin(), columns.end(),
                   [](const WantedColumn& a, const WantedColumn& b) { return a.time < b.time; });
  return columns;
}

}  // namespace sparsedyn
