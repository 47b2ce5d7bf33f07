#include "minimal_formulation.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "lost_digits.hpp"
#include "model/base_parameters.hpp"
#include "model/canonical_frames.hpp"

namespace sparsedyn {
namespace {

constexpr std::size_t kLongest = 20;  // limbs of more bodies are not tried without elimination: that is O(n³)
constexpr std::size_t kFew = 13;      // bodies up to which each is tried by itself
constexpr long kSmall = 1500;         // operations up to which sums are factored before counting
constexpr double kExact = 1e-13;      // rounding that no choice has to answer for
constexpr double kMore = 30;          // times as much rounding as the templates': too much
constexpr long kNear = 6;             // operations: factoring seldom saves more than that
constexpr long kLarge = 10000;        // operations up to which they are where units of length are compared

class Search {
 public:
  Search(const Model& robot, const Choices& choices, const RecordMinimal& record)
      : robot_(robot), model_(robot.tree()), record_(record) {
    best_.tree.axes_at_rest = choices.axes_at_rest;
    best_.eliminate.assign(model_.bodies.size(), true);
    if (is_minimal(model_, best_)) choose_exact();
    cost_ = cost(best_);
    exact_ = cost_ < kSmall;
    if (exact_) cost_ = cost(best_);
  }

  const MinimalFormulation& best() const { return best_; }
  bool minimal() const { return is_minimal(model_, best_); }
  /// Of the best one, before its sums are factored and after.
  long plain_operations() const { return plain_cost(best_); }
  long operations() const {
    Recorder recorder;
    record_(recorder, robot_, best_);
    return recorder.factored_flops();
  }

  /// Near the base columns have few bodies to pass, so that none may be eliminated at a limb's first bodies; or all at its
  /// first.
  void choose_elimination() {
    for (const std::vector<int>& limb : limbs()) {
      const std::size_t n = limb.size();
      for (std::size_t k : {n, std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{4}}) {
        if (k > std::min(n, kLongest)) continue;
        MinimalFormulation later = best_, once = best_;
        for (std::size_t i = 0; i < k; ++i) later.eliminate[limb[i]] = once.eliminate[limb[i]] = false;
        once.eliminate[limb.front()] = true;
        consider(later);
        if (k == n) consider(once);
      }
    }
    for (std::size_t i = 0; model_.bodies.size() <= kFew && i < model_.bodies.size(); ++i) {
      MinimalFormulation f = best_;
      f.eliminate[i] = !f.eliminate[i];
      consider(f);
    }
  }

  void choose_axes() {
    const MinimalTree tree = minimal_tree(model_);
    for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
      if (!parallel_to_parent(tree, tree.bodies[i])) continue;
      MinimalFormulation f = best_;
      f.tree.apart.push_back(static_cast<int>(i));
      consider(f);
    }
  }

  /// Where inertias are inputs it takes operations to bring them to other frames, and shared parameters to the parents.
  /// `tensors`: each of these also with composite inertias of the other form, since an input that is used as it is costs least.
  void choose_frames(bool tensors) {
    const MinimalFormulation before = best_;
    for (const bool other : {false, true})
      for (const auto& [canonical, base] : {std::pair(true, true), {true, false}, {false, true}, {false, false}}) {
        if (other && !tensors) continue;
        MinimalFormulation f = before;
        f.tree.canonical_frames = f.tree.canonical_frames && canonical;
        f.tree.base_parameters = f.tree.base_parameters && base;
        f.tensors = f.tensors != other;
        keep_if_cheaper(f);
      }
  }

  /// Body by body, as long as that helps: whether its frame is turned or shifted from the Model's, and which of the numbers
  /// that it shares with its parent it keeps. Says whether there is any gain.
  bool choose_frame_of_each() {
    if (!best_.tree.canonical_frames) {
      best_.tree.canonical_frames = true;
      for (int i = 0; i < static_cast<int>(model_.bodies.size()); ++i)
        best_.tree.unturned.push_back(i), best_.tree.unshifted.push_back(i);
    }
    const long first = cost_;
    long plain = plain_cost(best_);
    std::vector<int> due;
    for (int i = static_cast<int>(model_.bodies.size()); i-- > 0;) due.push_back(i);
    while (!due.empty()) {
      std::vector<bool> again(model_.bodies.size(), false);
      for (int i : due)
        for (const MinimalOptions& options : framed_otherwise(best_.tree, i)) {
          MinimalFormulation f = best_;
          f.tree = options;
          if (keep_if_cheaper(f, plain)) mark_near(i, again);
        }
      due.clear();
      for (int i = static_cast<int>(model_.bodies.size()); i-- > 0;)
        if (again[i]) due.push_back(i);
    }
    return cost_ < first;
  }

  void choose_tensors() {
    MinimalFormulation f = best_;
    f.tensors = !f.tensors;
    keep_if_cheaper(f);
  }

  /// How columns of M pass from body to body, by the count after factoring.
  void choose_columns() {
    if (cost_ >= kLarge) return;
    exact_ = true, cost_ = cost(best_);
    for (const auto& [unit_forces, joined_turns] : {std::pair(true, false), {true, true}, {false, true}}) {
      MinimalFormulation f = best_;
      f.columns.unit_forces = unit_forces, f.columns.joined_turns = joined_turns;
      keep_if_cheaper(f);
    }
    const MinimalTree tree = minimal_tree(model_, best_.tree);
    for (std::size_t i = tree.bodies.size(); i-- > 0;) {
      if (tree.bodies[i].parent < 0 || tree.bodies[i].shift[2] == 0) continue;
      MinimalFormulation f = best_;
      f.columns.along_first.push_back(static_cast<int>(i));
      keep_if_cheaper(f);
    }
  }

  void choose_balance() {
    MinimalFormulation f = best_;
    f.tree.balanced = false;
    consider(f);
  }

  void choose_unit() {
    MinimalFormulation best = best_;
    long least = std::numeric_limits<long>::max();
    for (double unit : length_units(model_)) {
      MinimalFormulation f = best_;
      f.tree.unit = unit;
      Recorder recorder;
      record_(recorder, robot_, f);
      const long flops = cost_ < kLarge ? recorder.factored_flops() : recorder.flops();
      if (flops < least && keeps_digits(recorder)) best = f, least = flops;
    }
    best_ = best;
  }

  /// Body by body, as long as that helps, the share of what lies on its axis and the way to take the shift along it that cost
  /// least by Recorder::factored_cost.
  void choose_shares() {
    if (!exact_) return;
    auto [plain, least] = shared_costs(best_, std::numeric_limits<long>::max());
    for (bool better = true; better;) {
      better = false;
      for (std::size_t i = model_.bodies.size(); i-- > 0;) {
        const MinimalFormulation before = best_;
        for (const MinimalOptions& options : shared_otherwise(before.tree, static_cast<int>(i))) {
          MinimalFormulation f = before;
          f.tree = options;
          const auto [flops, cost] = shared_costs(f, plain + kNear);
          if (cost < least) best_ = f, plain = flops, least = cost, better = true;
        }
      }
    }
  }

 private:
  /// Bodies from one branching to the next, base first.
  std::vector<std::vector<int>> limbs() const {
    const int n = static_cast<int>(model_.bodies.size());
    std::vector<int> children(model_.bodies.size(), 0), limb(model_.bodies.size(), -1);
    for (const Body& b : model_.bodies)
      if (b.parent >= 0) ++children[b.parent];
    std::vector<std::vector<int>> found;
    for (int i = 0; i < n; ++i) {
      const Body& b = model_.bodies[i];
      if (b.joint == BodyJoint::floating) continue;
      const bool starts = b.parent < 0 || children[b.parent] > 1 || model_.bodies[b.parent].joint == BodyJoint::floating;
      if (starts) found.emplace_back();
      limb[i] = starts ? static_cast<int>(found.size()) - 1 : limb[b.parent];
      found[limb[i]].push_back(i);
    }
    return found;
  }

  long cost(const MinimalFormulation& f) const {
    Recorder recorder;
    record_(recorder, robot_, f);
    return cost(recorder);
  }
  long cost(const Recorder& recorder) const { return exact_ ? recorder.factored_flops() : recorder.flops(); }

  /// The minimal tree if it keeps digits, in the Model's frames if that does, the templates otherwise.
  void choose_exact() {
    MinimalFormulation templates = best_, own_frames = best_;
    templates.minimal = own_frames.tree.canonical_frames = own_frames.tree.base_parameters = false;
    Recorder recorder;
    record_(recorder, robot_, templates);
    judge_.emplace(recorder.graph().nodes(), recorder.results(), recorder.nominal());
    lost_ = judge_->of(recorder.graph().nodes(), recorder.results());
    for (const MinimalFormulation& f : {best_, own_frames, templates}) {
      best_ = f;
      if (keeps_digits(best_)) return;
    }
  }
  bool keeps_digits(const MinimalFormulation& f) const {
    Recorder recorder;
    record_(recorder, robot_, f);
    return keeps_digits(recorder);
  }
  /// Whether a formulation is about as exact as the templates.
  bool keeps_digits(const Recorder& recorder) const {
    if (!judge_) return true;
    const std::vector<double> lost = judge_->of(recorder.graph().nodes(), recorder.results());
    for (std::size_t k = 0; k < lost.size(); ++k)
      if (lost[k] > std::max(kExact, kMore * lost_[k])) return false;
    return true;
  }

  /// Operations as recorded and Recorder::factored_cost, which takes long: only of what has at most `limit` operations.
  std::pair<long, long> shared_costs(const MinimalFormulation& f, long limit) const {
    Recorder recorder;
    record_(recorder, robot_, f);
    const long flops = recorder.flops();
    const bool worth = flops <= limit && keeps_digits(recorder);
    return {flops, worth ? recorder.factored_cost() : std::numeric_limits<long>::max()};
  }

  long plain_cost(const MinimalFormulation& f) const {
    Recorder recorder;
    record_(recorder, robot_, f);
    return recorder.flops();
  }

  /// The bodies to which a body's frame matters: itself, its parent and its children.
  void mark_near(int body, std::vector<bool>& near) const {
    near[body] = true;
    if (model_.bodies[body].parent >= 0) near[model_.bodies[body].parent] = true;
    for (std::size_t k = 0; k < near.size(); ++k)
      if (model_.bodies[k].parent == body) near[k] = true;
  }

  /// Whether the body's canonical frame is turned from the Model's, and whether it is shifted, be it used or not.
  std::pair<bool, bool> moved_by_canonical_frame(const MinimalOptions& options, int body) const {
    FrameExceptions others{{}, options.unturned, options.unshifted};
    for (std::vector<int>* list : {&others.unturned, &others.unshifted})
      list->erase(std::remove(list->begin(), list->end(), body), list->end());
    const Pose<long double> p = canonical_frames(model_, others)[static_cast<std::size_t>(body)];
    return {p.R(0, 0) != 1, p.d[0] != 0 || p.d[1] != 0 || p.d[2] != 0};
  }

  /// What choose_frame_of_each tries at one body.
  std::vector<MinimalOptions> framed_otherwise(const MinimalOptions& options, int body) const {
    const auto flip = [](auto& list, const auto& x) {
      const auto at = std::find(list.begin(), list.end(), x);
      if (at == list.end())
        list.push_back(x);
      else
        list.erase(at);
    };
    std::vector<MinimalOptions> found;
    const BodyJoint joint = model_.bodies[body].joint;
    if (joint == BodyJoint::floating) return found;
    const auto [turns, shifts] = moved_by_canonical_frame(options, body);
    for (const auto& [turn, shift] : {std::pair(true, false), {false, true}, {true, true}}) {
      if ((turn && !turns) || (shift && !shifts)) continue;
      found.push_back(options);
      if (turn) flip(found.back().unturned, body);
      if (shift) flip(found.back().unshifted, body);
    }
    if (options.base_parameters && model_.bodies[body].parent >= 0)
      for (const SharedNumber number : {SharedNumber::mass, SharedNumber::first, SharedNumber::moments}) {
        if (joint == BodyJoint::prismatic && number != SharedNumber::moments) continue;
        found.push_back(options);
        flip(found.back().kept, std::pair(body, number));
      }
    return found;
  }

  /// What choose_shares tries at one body.
  std::vector<MinimalOptions> shared_otherwise(const MinimalOptions& options, int body) const {
    std::vector<MinimalOptions> found;
    if (model_.bodies[body].parent < 0) return found;
    MinimalOptions other = options;
    if (std::vector<int>& list = other.other_shift; std::count(list.begin(), list.end(), body) > 0)
      list.erase(std::find(list.begin(), list.end(), body));
    else
      list.push_back(body);
    found.push_back(other);
    for (const AxisShare& share : shares_worth_trying(minimal_tree(model_, options), body, below_parent(options, body))) {
      found.push_back(options);
      found.back().shares.push_back(share);
    }
    return found;
  }

  /// Mass and size of what hangs below the joint of a body's parent, in the options' unit.
  Weight below_parent(MinimalOptions options, int body) const {
    options.base_parameters = options.balanced = false;
    const MinimalTree tree = minimal_tree(model_, options);
    std::vector<Inertia<double>> own;
    for (const MinimalBody& b : tree.bodies) own.push_back(b.inertia);
    return weights(tree, std::move(own))[static_cast<std::size_t>(tree.bodies[body].parent)];
  }

  void consider(const MinimalFormulation& f) {
    if (f.eliminate == best_.eliminate && f.tree.apart == best_.tree.apart && f.tree.balanced == best_.tree.balanced) return;
    keep_if_cheaper(f);
  }
  /// The same where only what has about `plain` operations before factoring, the best one's, is factored at all.
  bool keep_if_cheaper(const MinimalFormulation& f, long& plain) {
    Recorder recorder;
    record_(recorder, robot_, f);
    const long flops = recorder.flops();
    if (flops >= (exact_ ? plain + kNear : plain)) return false;
    const long least = cost(recorder);
    if (least >= cost_ || !keeps_digits(recorder)) return false;
    best_ = f, cost_ = least, plain = flops;
    return true;
  }
  void keep_if_cheaper(const MinimalFormulation& f) {
    Recorder recorder;
    record_(recorder, robot_, f);
    const long flops = cost(recorder);
    if (flops < cost_ && keeps_digits(recorder)) best_ = f, cost_ = flops;
  }

  const Model& robot_;  // of which programs are recorded
  const Model& model_;  // with every joint on its own
  const RecordMinimal& record_;
  MinimalFormulation best_;
  bool exact_ = false;
  std::optional<LostDigits> judge_;
  std::vector<double> lost_;  // by the templates, in double
  long cost_;
};

void choose_first(Search& search, const Choices& choices) {
  if (choices.varying)
    search.choose_frames(choices.tensors);
  else if (choices.tensors)
    search.choose_tensors();
}

void choose_the_rest(Search& search, const Choices& choices) {
  if (choices.elimination) search.choose_elimination();
  search.choose_axes(), search.choose_balance();
  if (choices.unit) search.choose_unit();
  if (choices.unit && !choices.varying) search.choose_shares();
  if (choices.tensors) search.choose_columns();
}

}  // namespace

bool is_minimal(const Model& model, const MinimalFormulation& f) { return f.minimal && has_minimal_tree(model.tree()); }

MinimalFormulation cheapest_formulation(const Model& model, const Choices& choices, const RecordMinimal& record) {
  Search alike(model, choices, record);
  if (!alike.minimal()) return alike.best();
  choose_first(alike, choices);
  Search each = alike;
  choose_the_rest(alike, choices);
  if (!choices.varying || alike.plain_operations() >= kLarge || !each.choose_frame_of_each()) return alike.best();
  choose_the_rest(each, choices);
  return each.operations() < alike.operations() ? each.best() : alike.best();
}

Program program_in(const Model& model, const MinimalFormulation& f, const RecordMinimal& record) {
  Recorder recorder;
  record(recorder, model, f);
  return recorder.program();
}

}  // namespace sparsedyn
