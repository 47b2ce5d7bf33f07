#include "sparse/inverse/cheapest_sweep.hpp"

namespace sparsedyn {
namespace {

/// Entries, each with how many others and groups follow from it.
class Readers {
 public:
  Readers(const Plan& plan, const std::vector<EntryGroup>& groups) {
    std::vector<InverseEntry> wanted;
    for (const EntryGroup& group : groups) wanted.insert(wanted.end(), group.begin(), group.end());
    entries_ = selected_entries(plan.pattern, plan.order, plan.elimination, plan.program.factors.divides_upper, wanted);
    readers_.resize(entries_.list.size(), 0);
    for (const SelectedEntries::Term& term : entries_.terms) ++readers_[term.entry];
    for (int entry : entries_.at)
      if (entry >= 0) ++readers_[entry];
    operations_ = 2 * static_cast<long>(entries_.terms.size());
  }

  long operations() const { return operations_; }

  /// Operations that nobody else asks for are taken away. first, end: of the group's entries among all.
  long remove(std::size_t first, std::size_t end) {
    left_.clear();
    long saved = 0;
    for (std::size_t k = first; k < end; ++k) release(entries_.at[k]);
    for (std::size_t k = 0; k < left_.size(); ++k) {
      const SelectedEntry& entry = entries_.list[left_[k]];
      saved += 2 * (entry.end_term - entry.first_term);
      for (int t = entry.first_term; t < entry.end_term; ++t) release(entries_.terms[t].entry);
    }
    operations_ -= saved;
    return saved;
  }
  /// Takes the last remove() back.
  void put_back(std::size_t first, std::size_t end, long saved) {
    for (std::size_t k = first; k < end; ++k) hold(entries_.at[k]);
    for (int number : left_) {
      const SelectedEntry& entry = entries_.list[number];
      for (int t = entry.first_term; t < entry.end_term; ++t) hold(entries_.terms[t].entry);
    }
    operations_ += saved;
  }

 private:
  void release(int entry) {
    if (entry >= 0 && --readers_[entry] == 0) left_.push_back(entry);
  }
  void hold(int entry) {
    if (entry >= 0) ++readers_[entry];
  }

  SelectedEntries entries_;
  std::vector<int> readers_, left_;  // left_: those that the last remove() left without readers
  long operations_;
};

}  // namespace

std::vector<char> worth_sweeping(const Plan& plan, const std::vector<EntryGroup>& groups) {
  const long solve = plan.solve_flops().total();
  Readers readers(plan, groups);
  std::vector<char> swept(groups.size(), 1);
  long solves = 0;
  std::size_t first = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::size_t end = first + groups[g].size();
    if (const long saved = readers.remove(first, end); saved > solve)
      swept[g] = 0;
    else
      readers.put_back(first, end, saved), solves += solve;
    first = end;
  }
  if (readers.operations() > solves) swept.assign(groups.size(), 0);
  return swept;
}

}  // namespace sparsedyn
