#include "sparse/steps/shared_values.hpp"

#include <algorithm>

#include "sparsedyn/sparse/detail/fingerprint_index.hpp"

namespace sparsedyn {
namespace {

constexpr int whole = -1;  // a step that is not parted

class Sharing {
 public:
  Sharing(const Steps& steps, int cells, const std::vector<ModularFingerprint>& inputs)
      : steps_(steps), value_(inputs), same_(cells), part_of_(cells, -1), fate_(steps.list.size()), pending_(cells, 0) {
    known_.reserve(inputs.size() + steps.list.size() + steps.terms.size());
    for (int cell = 0; cell < cells; ++cell) same_[cell] = cell;
    for (std::size_t cell = 0; cell < inputs.size(); ++cell)
      if (Known& known = known_[number_of(inputs[cell])]; known.home == no_cell) known.home = static_cast<int>(cell);
    value_.resize(cells);
    result_.cells = cells;
  }

  SharedValues share(int end_of_factor) {
    for (int s = 0; s < size(); ++s) decide(s);
    for (int s = 0; s < size(); ++s) {
      if (s == end_of_factor) flush(), result_.end_of_factor = written();
      rewrite(s);
    }
    flush();
    if (end_of_factor == size()) result_.end_of_factor = written();
    for (std::size_t cell = 0; cell < value_.size(); ++cell) result_.same.push_back(place(static_cast<int>(cell)));
    return std::move(result_);
  }

 private:
  struct Fate {
    bool dropped = false;
    int source = no_cell, first_term = 0;     // where the sum starts from
    int parted = whole, part_cell = no_cell;  // the first term behind the partial sum that others want, and its cell
  };
  /// A value that is computed somewhere: held by a cell, or only passed through by the sum of a step.
  struct Known {
    ModularFingerprint value;
    int home = no_cell;           // the cell
    int step = -1, end_term = 0;  // the first step that passes it, and the first term behind it there
  };

  int size() const { return static_cast<int>(steps_.list.size()); }
  int written() const { return static_cast<int>(result_.steps.list.size()); }

  void decide(int s) {
    const Step& step = steps_.list[s];
    Fate& fate = fate_[s];
    fate.source = step.source, fate.first_term = step.first_term;
    sums_.assign(1, step.source == no_cell ? ModularFingerprint() : value_[step.source]);
    for (int t = step.first_term; t < step.end_term; ++t) {
      sums_.push_back(sums_.back() - value_[steps_.terms[t].p] * value_[steps_.terms[t].q]);
      index_.prefetch(sums_.back());
    }
    value_[step.target] = finished(step, sums_.back());
    const int value = number_of(value_[step.target]);
    if (const int home = held(value, s); home != no_cell) {
      fate.dropped = true, same_[step.target] = home;
      return;
    }
    known_[value].home = step.target;
    if (step.reciprocal) return;
    const int last = step.scale == no_cell ? step.end_term - 1 : step.end_term;  // else all of it is in `target`
    for (int t = last; t > step.first_term; --t) {
      const int sum = number_of(sums_[t - step.first_term]);
      if (const int home = held(sum, s); home != no_cell && home != step.target) {
        fate.source = home, fate.first_term = t;
        return;
      }
      if (known_[sum].step < 0 || known_[sum].step == s) known_[sum].step = s, known_[sum].end_term = t;
    }
  }

  ModularFingerprint finished(const Step& step, const ModularFingerprint& sum) {
    if (step.reciprocal) return sum.invertible() ? inverse(sum) : ModularFingerprint::random(vanished_--);
    return step.scale == no_cell ? sum : step.scale == minus_one ? -sum : sum * value_[step.scale];
  }

  int number_of(const ModularFingerprint& value) {
    const int known = index_.find(value, [this](int number) { return known_[number].value; });
    if (known != FingerprintIndex::none) return known;
    const int number = static_cast<int>(known_.size());
    index_.insert(value, number);
    known_.emplace_back().value = value;
    return number;
  }

  /// The cell of a value, if need be by parting the step before s of which it is a partial sum; no_cell where it is new.
  int held(int number, int s) {
    Known& known = known_[number];
    if (known.home != no_cell) return known.home;
    if (known.step < 0 || known.step == s || fate_[known.step].parted != whole) return no_cell;
    fate_[known.step].parted = known.end_term;
    known.home = static_cast<int>(same_.size());
    same_.push_back(known.home), part_of_.push_back(known.step), pending_.push_back(0);
    return known.home;
  }

  int place(int cell) const {
    if (cell < 0) return cell;
    const int home = same_[cell];
    return part_of_[home] < 0 ? home : fate_[part_of_[home]].part_cell;
  }

  void rewrite(int s) {
    const Step& step = steps_.list[s];
    Fate& fate = fate_[s];
    if (fate.dropped) return;
    if (fate.parted == whole || reads_pending(s)) flush();
    if (fate.parted == whole) {
      result_.steps.list.push_back(moved(step.target, fate.source, step.scale, fate.first_term, step.end_term));
      result_.steps.list.back().reciprocal = step.reciprocal;
      return;
    }
    fate.part_cell = result_.cells++;
    result_.steps.list.push_back(moved(fate.part_cell, fate.source, no_cell, fate.first_term, fate.parted));
    later_.push_back(moved(step.target, no_cell, step.scale, fate.parted, step.end_term));
    later_.back().source = fate.part_cell;
    pending_[step.target] = 1;
  }

  /// A step with cells and terms in their new places.
  Step moved(int target, int source, int scale, int first_term, int end_term) {
    std::vector<Steps::Term>& terms = result_.steps.terms;
    Step step{target, place(source), place(scale), false, static_cast<int>(terms.size()), 0};
    for (int t = first_term; t < end_term; ++t) terms.push_back({place(steps_.terms[t].p), place(steps_.terms[t].q)});
    step.end_term = static_cast<int>(terms.size());
    return step;
  }

  bool reads_pending(int s) const {
    const Step& step = steps_.list[s];
    const auto waits = [this](int cell) { return cell >= 0 && pending_[same_[cell]]; };
    bool found = waits(fate_[s].source) || waits(step.scale);
    for (int t = step.first_term; t < step.end_term; ++t) found = found || waits(steps_.terms[t].p) || waits(steps_.terms[t].q);
    return found;
  }

  /// What follows the partial sums of neighbouring steps comes behind all of them, so that both can become lanes.
  void flush() {
    for (const Step& step : later_) result_.steps.list.push_back(step), pending_[step.target] = 0;
    later_.clear();
  }

  const Steps& steps_;
  std::vector<ModularFingerprint> value_;
  std::vector<int> same_;     // the first cell of the same value; behind the cells given, partial sums
  std::vector<int> part_of_;  // the step whose partial sum a cell is, or -1
  std::vector<Fate> fate_;
  std::vector<char> pending_;
  std::vector<Step> later_;
  std::vector<Known> known_;
  FingerprintIndex index_;                          // of known_
  std::vector<ModularFingerprint> sums_;            // scratch: before and after each term of a step
  std::uint64_t vanished_ = ~std::uint64_t{0} / 4;  // names of pivots that are zero at every state
  SharedValues result_;
};

}  // namespace

SharedValues share_values(const Steps& steps, int cells, int end_of_factor, const std::vector<ModularFingerprint>& inputs) {
  return Sharing(steps, cells, inputs).share(end_of_factor);
}

std::vector<ModularFingerprint> symmetric_inputs(const Pattern& pattern, const UnitEntries& unit) {
  std::vector<int> index(pattern.columns);
  for (int r = 0; r < pattern.rows; ++r) index[pattern.partner[r]] = r;
  std::vector<ModularFingerprint> inputs;
  for (int r = 0; r < pattern.rows; ++r)
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) {
      const int across = index[pattern.column[e]];
      const auto begin = pattern.column.begin() + pattern.row_start[across],
                 end = pattern.column.begin() + pattern.row_start[across + 1];
      const int twin = static_cast<int>(std::lower_bound(begin, end, pattern.partner[r]) - pattern.column.begin());
      const bool known = !unit.empty() && unit[e] != 0;
      inputs.push_back(known ? ModularFingerprint::of(unit[e])
                             : ModularFingerprint::random(static_cast<std::uint64_t>(std::min(e, twin))));
    }
  for (int r = 0; r < pattern.rows; ++r)
    inputs.push_back(ModularFingerprint::random(static_cast<std::uint64_t>(pattern.entries() + r)));
  return inputs;
}

}  // namespace sparsedyn
