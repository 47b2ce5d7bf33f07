// Fits that read the logs again: Huber's weights, and what friction's shape depends on.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "friction_start.hpp"
#include "noise.hpp"
#include "overrun_prior.hpp"
#include "sparsedyn/identification/identify.hpp"

namespace sparsedyn {
namespace {

/// A number of a friction's shape that is fitted: a velocity by its logarithm, a share as it is.
struct ShapeUnknown {
  std::size_t v;  // the freedom
  FrictionNumber of;
  int at;                       // beyond π, in the passes that linearise
  double found = 0, moved = 0;  // the last steps: found by a pass, and taken

  double& number(FrictionShape& shape) const {
    return of == FrictionNumber::smoothing  ? shape.smoothing
           : of == FrictionNumber::stribeck ? shape.stribeck
                                            : shape.stribeck_velocity;
  }
  bool logarithmic() const { return of != FrictionNumber::stribeck; }
  double coordinate(FrictionShape shape) const { return logarithmic() ? std::log(number(shape)) : number(shape); }
  /// A number's deviation from its coordinate's.
  double scale(FrictionShape shape) const { return logarithmic() ? number(shape) : 1; }

  /// The step that is left within the bounds and a factor of e.
  double within(const FrictionShape& shape, double step) const {
    if (logarithmic()) return std::clamp(step, -1.0, 1.0);
    const double now = coordinate(shape);
    return std::clamp(now + step, 0.0, 1.0) - now;
  }

  /// Moves to where a pass would find no step: by the secant through this pass's step and the last one's. Gauss-Newton alone
  /// may go to and fro, and with Huber's weights each pass takes the same share of what is left, a tenth where most rows that
  /// show the number are beyond the threshold.
  void secant_step(double by_pass, FrictionShape& shape) {
    const double now = within(shape, by_pass), fell = found - now;
    const double share = moved * fell > 0 ? std::clamp(moved / fell, 1.0 / 32, 10.0) : 1.0;
    found = now;
    move(within(shape, share * now), shape);
  }
  void move(double step, FrictionShape& shape) {
    moved = step;
    number(shape) = logarithmic() ? number(shape) * std::exp(moved) : number(shape) + moved;
  }
};

/// Where a freedom's friction has several numbers to find, a step of all of them is taken in shares: what a full one promises
/// is far from true where they stand in for each other, as a Stribeck velocity and a smoothing velocity do.
class SharedStep {
 public:
  /// `cost`: of the shapes as they are; each unknown's `found`: the step from there; sd: of the unknowns. Goes back and takes a
  /// quarter of the last step where the cost has risen.
  void step(double cost, const std::vector<double>& sd, std::vector<ShapeUnknown>& unknowns,
            std::vector<FrictionShape>& shapes) {
    if (cost > cost_ + tolerance && refused_ < most_refused) {
      ++refused_, share_ *= 0.25;
    } else {
      share_ = next_share(sd, unknowns);
      cost_ = cost, best_ = shapes, refused_ = 0, direction_.clear();
      for (const ShapeUnknown& x : unknowns) direction_.push_back(x.found);
    }
    shapes = best_;
    for (std::size_t k = 0; k < unknowns.size(); ++k) {
      FrictionShape& g = shapes[unknowns[k].v];
      unknowns[k].move(unknowns[k].within(g, share_ * direction_[k]), g);
    }
  }

 private:
  static constexpr int most_refused = 6;
  static constexpr double tolerance = 1e-6;  // rounding of the cost

  /// The share of the next step, by the secant rule. The share a of the last step was taken, and the new step holds r times the
  /// last one along the last one's direction. Steps that fall linearly with the share vanish at a / (1 − r).
  double next_share(const std::vector<double>& sd, const std::vector<ShapeUnknown>& unknowns) const {
    double along = 0, square = 0, longest = 1;
    for (std::size_t k = 0; k < unknowns.size(); ++k) {
      if (unknowns[k].logarithmic()) longest = std::max(longest, std::fabs(unknowns[k].found));
      if (direction_.empty()) continue;
      along += direction_[k] * unknowns[k].found / (sd[k] * sd[k]), square += direction_[k] * direction_[k] / (sd[k] * sd[k]);
    }
    const double left = square > 0 ? along / square : 0;
    const double secant = left < 1 ? share_ / (1 - left) : most_share;
    return std::min(std::clamp(secant, 1.0 / 32, std::min(4 * share_, most_share)), 1 / longest);
  }

  static constexpr double most_share = 8;  // with Huber's weights a pass may take as little of what is left
  double cost_ = std::numeric_limits<double>::infinity(), share_ = 1;
  std::vector<FrictionShape> best_;  // where the last step began
  std::vector<double> direction_;    // that step, whole
  int refused_ = 0;
};

/// Of the freedoms asked for, those whose torque is measured by itself: elsewhere the shape is taken as it is.
std::vector<char> seen(RowInformation& information, const std::vector<char>& asked) {
  std::vector<char> own(static_cast<std::size_t>(information.model().nv), 0);
  for (const RowInformation::Factor& factor : information.factors())
    if (factor.freedom >= 0 && factor.rows > 0 && !asked.empty())
      own[static_cast<std::size_t>(factor.freedom)] = asked[static_cast<std::size_t>(factor.freedom)];
  return own;
}

/// What one pass needs of the one before it.
class Passes {
 public:
  Passes(RowInformation& information, const PassOptions& options, const std::function<void()>& read)
      : information_(information),
        options_(options),
        read_(read),
        index_(information.model()),
        least_(least_deviations(information)) {
    const std::vector<char> smoothing = seen(information, options.smoothing), stribeck = seen(information, options.stribeck);
    for (std::size_t v = 0; v < smoothing.size(); ++v) {
      const auto add = [&](FrictionNumber of) {
        unknowns_.push_back({v, of, index_.count + static_cast<int>(unknowns_.size())});
      };
      if (smoothing[v]) add(FrictionNumber::smoothing);
      if (stribeck[v]) add(FrictionNumber::stribeck), add(FrictionNumber::stribeck_velocity);
    }
    for (int v = 0; v < information.model().nv; ++v) prior_.push_back(physics_of(information.model(), v));
    several_ = std::count(stribeck.begin(), stribeck.end(), 1) > 0;
  }

  Identification run() {
    Identification found = identify(information_, options_.fit);
    if (unknowns_.empty() && !options_.huber) {
      tell_overruled(options_.fit, found);
      return found;
    }
    shape_ = prior_;
    int passes = 1;
    passes += find_start(FrictionNumber::smoothing, tried_smoothing, start_smoothing, found);
    passes += find_start(FrictionNumber::stribeck, tried_stribeck, start_stribeck, found);
    bool settled = false;
    for (; !settled && passes < options_.most_passes; ++passes) {
      const Identification before = found;
      found = next(before);
      settled = change(before, found) < options_.settled_share;
    }
    for (const RowInformation::Factor& factor : information_.factors())
      found.outliers.push_back(static_cast<long>(factor.outside));
    tell_overruled(last_fit_, found);
    if (!unknowns_.empty()) tell_shapes(found);
    RowPass last;
    if (!unknowns_.empty()) last.friction = shape_;
    information_.restart(last);
    read_();
    found.passes = passes + 1, found.settled = settled;
    return found;
  }

 private:
  HuberWeights weights_of(const Identification& found) const {
    return {found.value, found.sigma, HuberWeights().threshold, least_};
  }

  /// The first shapes, by what a pass with the columns `tried` says; whether that was needed.
  template <class Columns, class Start>
  bool find_start(FrictionNumber of, const Columns& columns, const Start& start, Identification& found) {
    RowPass pass;
    pass.friction = shape_, pass.extra.resize(prior_.size());
    bool needed = false;
    for (const ShapeUnknown& x : unknowns_)
      if (x.of == of) pass.extra[x.v] = columns(shape_[x.v]), needed = true;
    if (!needed) return false;
    if (options_.huber) pass.huber = weights_of(found);
    information_.restart(pass);
    read_();
    start(information_, prior_, shape_, found.value);
    return true;
  }

  /// One pass, linearised and weighted about `before`.
  Identification next(const Identification& before) {
    RowPass pass;
    IdentifyOptions fit = options_.fit;
    if (!unknowns_.empty()) {
      pass.friction = shape_, pass.extra.resize(prior_.size());
      if (fit.start.empty()) fit.start = parameters(information_.model());
      for (const ShapeUnknown& x : unknowns_) {
        const auto friction = static_cast<std::size_t>(friction_at(information_.model(), index_, x.v));
        pass.extra[x.v].push_back({shape_[x.v], x.of, before.value[friction]});
        fit.start.push_back(x.coordinate(prior_[x.v]) - x.coordinate(shape_[x.v]));
      }
      if (!fit.fitted.empty()) fit.fitted.resize(fit.start.size(), 1);
    }
    if (options_.huber) pass.huber = weights_of(before);
    information_.restart(pass);
    read_();
    Identification found = identify(information_, fit);
    last_fit_ = fit;
    if (several_) {
      for (ShapeUnknown& x : unknowns_) x.found = found.value[static_cast<std::size_t>(x.at)];
      std::vector<double> sd;
      for (const ShapeUnknown& x : unknowns_) sd.push_back(found.sd[static_cast<std::size_t>(x.at)]);
      step_.step(options_.huber ? 0 : cost_of_shapes(fit), sd, unknowns_,
                 shape_);  // Huber's weights change, and the cost with them
    } else {
      for (ShapeUnknown& x : unknowns_) x.secant_step(found.value[static_cast<std::size_t>(x.at)], shape_[x.v]);
    }
    return found;
  }

  /// Of the shapes as they are, with the best parameters beside them. `fit`: of the pass.
  double cost_of_shapes(IdentifyOptions fit) {
    if (fit.fitted.empty()) fit.fitted.assign(fit.start.size(), 1);
    double cost = 0;
    for (const ShapeUnknown& x : unknowns_) {
      const auto at = static_cast<std::size_t>(x.at);
      const double off = (x.coordinate(prior_[x.v]) - x.coordinate(shape_[x.v])) / shape_prior(x.of);
      fit.fitted[at] = 0, fit.start[at] = 0, cost += off * off;
    }
    FitProblem problem(information_, fit);
    const std::vector<double> known = known_sigma(information_, fit);
    return cost + cost_of(problem, known, reweighted(problem, known));
  }

  /// The largest step of a parameter or a noise, in deviations; a noise's deviation is 1 / √(2 rows) of it. Of a shape's number
  /// the larger of the step found and the one taken, which is how far the end seems to be.
  double change(const Identification& before, const Identification& after) {
    double most = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(index_.count); ++k)
      if (after.sd[k] > 0) most = std::max(most, std::fabs(after.value[k] - before.value[k]) / after.sd[k]);
    for (const ShapeUnknown& x : unknowns_)
      most = std::max(most, std::max(std::fabs(x.found), std::fabs(x.moved)) / after.sd[static_cast<std::size_t>(x.at)]);
    for (std::size_t i = 0; options_.huber && i < after.sigma.size(); ++i)
      most = std::max(most, 0.1 * std::fabs(after.sigma[i] / before.sigma[i] - 1) *
                                std::sqrt(2.0 * static_cast<double>(information_.factors()[i].rows)));
    return most;
  }

  /// `fit`: of the pass whose rows are there.
  void tell_overruled(const IdentifyOptions& fit, Identification& found) {
    if (!found.rejected.empty()) {
      OverruledRows by_prior = overruled_rows(information_, fit, {found.beside_least_squares, found.rejected});
      found.overruled = std::move(by_prior.rows), found.sufficient_prior = by_prior.sufficient_prior;
    }
    OverrunPrior overrun = overrun_prior(information_, fit, found.value, found.sufficient_prior);
    found.overrun = std::move(overrun.parameters), found.overrun_deviations = std::move(overrun.deviation);
    found.prior_not_overrun = overrun.sufficient_prior;
    for (std::size_t k = 0; k < found.overrun.size(); ++k) {
      const auto of = static_cast<std::size_t>(found.overrun[k]);  // sd / s, and s = |π − π₀| / z
      const double moved = std::fabs(found.value[of] - start_of(fit)[of]), z = found.overrun_deviations[k];
      found.overrun_pull.push_back(z * z * found.sd[of] / moved);
    }
  }
  std::vector<double> start_of(const IdentifyOptions& fit) const {
    return fit.start.empty() ? parameters(information_.model()) : fit.start;
  }

  void tell_shapes(Identification& found) {
    found.friction = shape_;
    found.friction_sd.assign(shape_.size(), {0, 0, 0}), found.friction_determined.assign(shape_.size(), {0, 0, 0});
    for (const ShapeUnknown& x : unknowns_) {
      const auto at = static_cast<std::size_t>(x.at);
      x.number(found.friction_sd[x.v]) = x.scale(shape_[x.v]) * found.sd[at];
      found.friction_determined[x.v][static_cast<std::size_t>(x.of)] = found.determined[at];
      // the base parameters' value of it is its last step: what is told is the number itself
      for (std::size_t k = 0; k < found.base.independent.size(); ++k)
        if (found.base.independent[k] == x.at)
          found.base_value[k] = x.number(shape_[x.v]), found.base_sd[k] *= x.scale(shape_[x.v]);
    }
    const auto count = static_cast<std::size_t>(index_.count);
    found.value.resize(count), found.sd.resize(count), found.determined.resize(count);
  }

  RowInformation& information_;
  const PassOptions& options_;
  const std::function<void()>& read_;
  ParameterIndex index_;
  std::vector<double> least_;                 // by row, of what was measured before it was weighted
  std::vector<ShapeUnknown> unknowns_;        // by freedom, in the order of their columns
  std::vector<FrictionShape> prior_, shape_;  // by freedom
  IdentifyOptions last_fit_;                  // of the last pass
  bool several_ = false;                      // whether a freedom has more than one unknown
  SharedStep step_;
};

}  // namespace

Identification identify_by_passes(RowInformation& information, const PassOptions& options, const std::function<void()>& read) {
  const auto nv = static_cast<std::size_t>(information.model().nv);
  for (const std::vector<char>* fitted : {&options.smoothing, &options.stribeck})
    if (!fitted->empty() && fitted->size() != nv)
      throw std::invalid_argument("identify_by_passes: `smoothing` and `stribeck` need an entry for each of " +
                                  std::to_string(nv) + " freedoms");
  return Passes(information, options, read).run();
}

}  // namespace sparsedyn
