// Fits that read the logs again: Huber's weights, and friction's smoothing velocities.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "dense/orthogonal.hpp"
#include "sparsedyn/identification/identify.hpp"
#include "sparsedyn/model/detail/coordinate_map.hpp"

namespace sparsedyn {
namespace {

const double decade = std::log(10.0);  // the prior's deviation of ln s

/// Velocities that are tried first: 0.001 to 2 rad/s or m/s.
std::vector<FrictionColumn> tried_velocities() {
  std::vector<FrictionColumn> columns;
  for (int k = 0; k < 12; ++k) columns.push_back({std::ldexp(1e-3, k)});
  return columns;
}

/// π's entry of a freedom's friction, or -1.
int friction_at(const Model& model, const ParameterIndex& index, std::size_t v) {
  for (std::size_t j = 0; j < index.of_joints.size(); ++j)
    if (index.of_joints[j] >= 0 && moves_alone(model, model.joints[j]) && static_cast<std::size_t>(model.joints[j].v) == v)
      return index.of_joints[j] + 2;
  return -1;
}

/// What a row's own least squares leave, ρ², and the friction that they find, with friction's column taken from another.
struct Tried {
  double left, friction;
};
/// `friction`: its column in the row's triangle, `instead`: the one taken, `columns`: those before what was tried.
Tried try_column(const RowInformation::Factor& factor, int columns, int friction, int instead) {
  const int all = factor.order();
  std::vector<int> order;
  for (int c = 0; c < columns; ++c)
    if (c != friction) order.push_back(c);
  order.push_back(instead), order.push_back(all);
  Eigen::MatrixXd chosen = Eigen::MatrixXd::Zero(all + 1, columns + 1);
  for (int c = 0; c <= columns; ++c)
    for (int r = 0; r <= order[static_cast<std::size_t>(c)]; ++r)
      chosen(r, c) = factor.entry(r, order[static_cast<std::size_t>(c)]);
  const Eigen::MatrixXd R = dense_algebra::triangle(chosen);
  const double pivot = R(columns - 1, columns - 1);
  return {R(columns, columns) * R(columns, columns), pivot == 0 ? 0.0 : R(columns - 1, columns) / pivot};
}

/// Of the velocities tried, the likeliest by each torque's own rows and the prior, and the friction with it, into π.
std::vector<double> best_tried(RowInformation& information, const std::vector<double>& prior, std::vector<double>& pi) {
  const ParameterIndex index(information.model());
  std::vector<double> best = prior;
  for (const RowInformation::Factor& factor : information.factors()) {
    if (factor.freedom < 0 || factor.rows == 0) continue;
    const auto v = static_cast<std::size_t>(factor.freedom);
    const std::vector<FrictionColumn>& tried = information.pass().extra[v];
    const std::vector<int>& own = factor.base.independent;
    const int columns = factor.order() - static_cast<int>(tried.size()), at = friction_at(information.model(), index, v);
    const int friction = static_cast<int>(std::find(own.begin(), own.end(), at) - own.begin());
    if (tried.empty() || friction >= columns) continue;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < tried.size(); ++k) {
      const double off = std::log(tried[k].smoothing / prior[v]) / decade;
      const Tried found = try_column(factor, columns, friction, columns + static_cast<int>(k));
      const double cost = static_cast<double>(factor.rows) * std::log(std::max(found.left, 1e-300)) + off * off;
      if (!(cost < least)) continue;
      least = cost, best[v] = tried[k].smoothing;
      pi[static_cast<std::size_t>(at)] = std::max(found.friction, 0.0);
    }
  }
  return best;
}

/// Of the freedoms asked for, those whose torque is measured by itself: elsewhere s is taken as it is.
std::vector<char> seen(RowInformation& information, const std::vector<char>& asked) {
  std::vector<char> own(asked.size(), 0);
  for (const RowInformation::Factor& factor : information.factors())
    if (factor.freedom >= 0 && factor.rows > 0 && !asked.empty())
      own[static_cast<std::size_t>(factor.freedom)] = asked[static_cast<std::size_t>(factor.freedom)];
  return own;
}

/// Where each freedom's ln s stands beyond π, in the passes that linearise; -1: it is not fitted.
struct Beyond {
  Beyond(const Model& model, const std::vector<char>& fitted)
      : at(static_cast<std::size_t>(model.nv), -1), count(ParameterIndex(model).count) {
    for (std::size_t v = 0; v < fitted.size(); ++v)
      if (fitted[v]) at[v] = count++;
  }
  std::vector<int> at;  // by freedom
  int count;            // of π and them
};

/// What one pass needs of the one before it.
class Passes {
 public:
  Passes(RowInformation& information, const PassOptions& options, const std::function<void()>& read)
      : information_(information),
        options_(options),
        read_(read),
        index_(information.model()),
        beyond_(information.model(), seen(information, options.smoothing)),
        fits_smoothing_(beyond_.count > index_.count) {
    if (!fits_smoothing_) return;
    for (int v = 0; v < information.model().nv; ++v) prior_.push_back(smoothing_of(information.model(), v));
    found_.assign(prior_.size(), 0.0), moved_ = found_;
  }

  Identification run() {
    Identification found = identify(information_, options_.fit);
    if (!fits_smoothing_ && !options_.huber) return found;
    smoothing_ = prior_;
    int passes = 1;
    if (fits_smoothing_) find_start(found), ++passes;
    bool settled = false;
    for (; !settled && passes < options_.most_passes; ++passes) {
      const Identification before = found;
      found = next(before);
      settled = change(before, found) < options_.settled_share;
    }
    for (const RowInformation::Factor& factor : information_.factors())
      found.outliers.push_back(static_cast<long>(factor.outside));
    if (fits_smoothing_) tell_smoothing(found);
    information_.restart({smoothing_, {}, std::nullopt});
    read_();
    found.passes = passes + 1, found.settled = settled;
    return found;
  }

 private:
  /// The first velocities, and a fit at them.
  void find_start(Identification& found) {
    RowPass pass;
    pass.extra.resize(prior_.size());
    for (std::size_t v = 0; v < prior_.size(); ++v)
      if (beyond_.at[v] >= 0) pass.extra[v] = tried_velocities();
    if (options_.huber) pass.huber = HuberWeights{found.value, found.sigma};
    information_.restart(pass);
    read_();
    smoothing_ = best_tried(information_, prior_, found.value);
  }

  /// One pass, linearised and weighted about `before`.
  Identification next(const Identification& before) {
    RowPass pass;
    IdentifyOptions fit = options_.fit;
    if (fits_smoothing_) {
      pass.smoothing = smoothing_;
      pass.extra.resize(prior_.size());
      if (fit.start.empty()) fit.start = parameters(information_.model());
      fit.start.resize(static_cast<std::size_t>(beyond_.count), 0.0);
      if (!fit.fitted.empty()) fit.fitted.resize(static_cast<std::size_t>(beyond_.count), 1);
      for (std::size_t v = 0; v < prior_.size(); ++v) {
        if (beyond_.at[v] < 0) continue;
        const auto friction = static_cast<std::size_t>(friction_at(information_.model(), index_, v));
        pass.extra[v] = {{smoothing_[v], true, before.value[friction]}};
        fit.start[static_cast<std::size_t>(beyond_.at[v])] = std::log(prior_[v] / smoothing_[v]);
      }
    }
    if (options_.huber) pass.huber = HuberWeights{before.value, before.sigma};
    information_.restart(pass);
    read_();
    Identification found = identify(information_, fit);
    if (fits_smoothing_)
      for (std::size_t v = 0; v < prior_.size(); ++v)
        if (beyond_.at[v] >= 0) step(v, found.value[static_cast<std::size_t>(beyond_.at[v])]);
    return found;
  }

  /// ln s moves to where a pass would find no step: by the secant through this pass's step and the last one's. Gauss-Newton
  /// alone may go to and fro, and with Huber's weights each pass takes the same share of what is left, a tenth where most
  /// rows that show s are beyond the threshold.
  void step(std::size_t v, double found) {
    const double now = std::clamp(found, -1.0, 1.0), fell = found_[v] - now;
    const double share = moved_[v] * fell > 0 ? std::clamp(moved_[v] / fell, 1.0 / 32, 10.0) : 1.0;
    found_[v] = now, moved_[v] = std::clamp(share * now, -1.0, 1.0);
    smoothing_[v] *= std::exp(moved_[v]);
  }

  /// The largest step of a parameter or a noise, in deviations; a noise's deviation is 1 / √(2 rows) of it. Of a smoothing
  /// velocity the larger of the step found and the one taken, which is how far the end seems to be.
  double change(const Identification& before, const Identification& after) {
    double most = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(index_.count); ++k)
      if (after.sd[k] > 0) most = std::max(most, std::fabs(after.value[k] - before.value[k]) / after.sd[k]);
    for (std::size_t v = 0; v < prior_.size(); ++v)
      if (beyond_.at[v] >= 0)
        most = std::max(
            most, std::max(std::fabs(found_[v]), std::fabs(moved_[v])) / after.sd[static_cast<std::size_t>(beyond_.at[v])]);
    for (std::size_t i = 0; options_.huber && i < after.sigma.size(); ++i)
      most = std::max(most, 0.1 * std::fabs(after.sigma[i] / before.sigma[i] - 1) *
                                std::sqrt(2.0 * static_cast<double>(information_.factors()[i].rows)));
    return most;
  }

  void tell_smoothing(Identification& found) {
    found.smoothing = smoothing_;
    for (std::size_t v = 0; v < prior_.size(); ++v) {
      const auto at = static_cast<std::size_t>(std::max(beyond_.at[v], 0));
      found.smoothing_sd.push_back(beyond_.at[v] < 0 ? 0.0 : smoothing_[v] * found.sd[at]);
      found.smoothing_determined.push_back(beyond_.at[v] < 0 ? 0 : found.determined[at]);
    }
    // the base parameters' value of ln s is its last step: what is told is s
    for (std::size_t k = 0; k < found.base.independent.size(); ++k)
      for (std::size_t v = 0; v < prior_.size(); ++v)
        if (beyond_.at[v] >= 0 && found.base.independent[k] == beyond_.at[v])
          found.base_value[k] = smoothing_[v], found.base_sd[k] *= smoothing_[v];
    const auto count = static_cast<std::size_t>(index_.count);
    found.value.resize(count), found.sd.resize(count), found.determined.resize(count);
  }

  RowInformation& information_;
  const PassOptions& options_;
  const std::function<void()>& read_;
  ParameterIndex index_;
  Beyond beyond_;
  bool fits_smoothing_;
  std::vector<double> prior_, smoothing_;  // by freedom
  std::vector<double> found_, moved_;      // the last steps of ln s: found by a pass, and taken
};

}  // namespace

Identification identify_by_passes(RowInformation& information, const PassOptions& options, const std::function<void()>& read) {
  const auto nv = static_cast<std::size_t>(information.model().nv);
  if (!options.smoothing.empty() && options.smoothing.size() != nv)
    throw std::invalid_argument("identify_by_passes: `smoothing` needs an entry for each of " + std::to_string(nv) +
                                " freedoms");
  return Passes(information, options, read).run();
}

}  // namespace sparsedyn
