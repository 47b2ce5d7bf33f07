#include "inexact_columns.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <type_traits>
#include <utility>

#include "evaluated_columns.hpp"
#include "io/text/begins.hpp"
#include "model/samples.hpp"
#include "runtime/system_samples.hpp"
#include "sparsedyn/sparse/batch.hpp"
#include "true_columns.hpp"

namespace sparsedyn {
namespace {

constexpr double tells =
    10;  // a number is off only where it is farther from the truth than this many times the truth's own move
const std::string of_deviation = "sd.", of_innovation = "innovation.";

/// sd.tau.knee: sd.tau.
std::string kind_of(const std::string& column) {
  return column.substr(0, column.find('.', begins(column, of_deviation) ? of_deviation.size() : 0));
}

/// What rounding is allowed to do.
struct Allowed {
  double most_off;
  double of_zero;   // beside the largest deviation of its kind: a smaller one need not have its digits
  double rounding;  // of an input
};
template <class S>
Allowed allowed() {
  constexpr double eps = std::numeric_limits<S>::epsilon();
  if (std::is_same_v<S, float>) return {1e-3, 1e-4, 4 * eps};
  return {1e-6, 1e-8, 4 * eps};
}

/// Each coordinate, and each reading that the program reads, moved by a few roundings.
ColumnInputs next_to(ColumnInputs s, const ReadInputs& read, double rounding) {
  double sign = 1;
  const auto move = [&](double& x) { x += sign * rounding * std::max(1.0, std::abs(x)), sign = -sign; };
  std::for_each(s.q.begin(), s.q.end(), move);
  for (std::size_t k = 0; k < s.y.size(); ++k)
    if (read[k]) move(s.y[k]);
  return s;
}

template <class S>
class Comparison {
 public:
  Comparison(const SensorSolver& solver, const AnswerPlan& from, const Program& program, const ReadInputs& read,
             const ColumnComparison& how)
      : model_(solver.system().model()),
        read_(read),
        program_(solver.system(), program, read, how.pi),
        truth_(TrueAnswers::of(from)),
        least_health_(how.least_health),
        share_(how.share),
        lost_(truth_->columns().size()) {}

  void at(std::vector<ColumnInputs> samples) {
    for (ColumnInputs& sample : samples)
      for (std::vector<double>* part : {&sample.q, &sample.v, &sample.y})
        for (double& x : *part) x = static_cast<double>(static_cast<S>(x));
    const std::vector<TrueColumns> truths = truth_->at(samples);
    for (std::size_t k = 0; k < samples.size(); ++k)
      if (truths[k].known && program_.evaluate(samples[k]) && program_.health() > least_health_) compare(samples[k], truths[k]);
  }

  std::vector<InexactColumn> lost() const {
    std::vector<InexactColumn> found;
    std::copy_if(lost_.begin(), lost_.end(), std::back_inserter(found), [](const InexactColumn& each) { return each.off > 0; });
    std::stable_sort(found.begin(), found.end(), [](const InexactColumn& a, const InexactColumn& b) { return a.off > b.off; });
    return found;
  }

 private:
  struct Suspect {
    std::size_t column;
    double off, beside;
  };

  void compare(const ColumnInputs& sample, const TrueColumns& truth) {
    const std::vector<Suspect> suspects = suspects_of(truth);
    if (suspects.empty()) return;
    const TrueColumns moved = truth_->at({next_to(sample, read_, allowed_.rounding)}).front();
    if (!moved.known) return;
    for (const Suspect& each : suspects)
      if (each.off > tells * std::abs(moved.value[each.column] - truth.value[each.column]) / each.beside) note(each, sample);
  }

  /// What is farther from the truth than it may be.
  std::vector<Suspect> suspects_of(const TrueColumns& truth) const {
    std::vector<Suspect> found;
    const std::map<std::string, double> largest = largest_of_kinds(truth);
    for (std::size_t c = 0; c < truth.value.size(); ++c) {
      const S* const value = program_.find(truth_->columns()[c]);
      const double expected = truth.value[c];
      if (!value || !std::isfinite(expected) || static_cast<double>(*value) == expected) continue;
      const double beside = judged_beside(c, expected, largest),
                   off = std::abs(static_cast<double>(*value) - expected) / beside;
      if (!(off <= share_ * allowed_.most_off)) found.push_back({c, off, beside});
    }
    return found;
  }

  double judged_beside(std::size_t c, double expected, const std::map<std::string, double>& largest) const {
    const std::string& column = truth_->columns()[c];
    if (begins(column, of_innovation) || column == "chi2") return std::max(1.0, std::abs(expected));
    const bool deviation = begins(column, of_deviation);
    const double of_kind = largest.at(kind_of(column)), of_all = largest.at(deviation ? of_deviation : ""),
                 size = of_kind > 0  ? of_kind
                        : of_all > 0 ? of_all
                                     : 1;
    return deviation ? expected + allowed_.of_zero * size : size;
  }

  /// The largest number of each kind; as "sd." of all deviations, and without a name of all outputs.
  std::map<std::string, double> largest_of_kinds(const TrueColumns& truth) const {
    std::map<std::string, double> largest{{"", 0.0}, {of_deviation, 0.0}};
    for (std::size_t c = 0; c < truth.value.size(); ++c) {
      const std::string &column = truth_->columns()[c], kind = kind_of(column);
      double& most = largest[kind];
      if (!std::isfinite(truth.value[c])) continue;
      most = std::max(most, std::abs(truth.value[c]));
      if (begins(column, of_innovation) || column == "chi2") continue;
      double& of_all = largest[begins(column, of_deviation) ? of_deviation : ""];
      of_all = std::max(of_all, most);
    }
    return largest;
  }

  void note(const Suspect& suspect, const ColumnInputs& sample) {
    InexactColumn& worst = lost_[suspect.column];
    ++worst.postures;
    if (suspect.off <= worst.off) return;
    worst = {truth_->columns()[suspect.column],     suspect.off,      suspect.off / allowed_.most_off, worst.postures,
             posture_name(model_, sample.q.data()), program_.health()};
  }

  const Allowed allowed_ = allowed<S>();
  const Model& model_;
  const ReadInputs& read_;
  EvaluatedColumns<S> program_;
  std::unique_ptr<TrueAnswers> truth_;
  double least_health_, share_;
  std::vector<InexactColumn> lost_;  // by column
};

/// Samples at some of the states, spread over random and special ones.
class DrawnSamples {
 public:
  DrawnSamples(const System& system, const ReadInputs& read, int count)
      : system_(system), read_(read), states_(samples_of(system, random)), count_(std::min(count, states_.count)) {}

  int count() const { return count_; }
  ColumnInputs sample(int k) {
    std::mt19937 rng(static_cast<unsigned>(k) + 1);
    std::normal_distribution<double> normal;
    ColumnInputs s;
    s.q = states_.state(static_cast<int>(static_cast<long>(k) * states_.count / count_));
    for (int i = 0; i < system_.model().nv; ++i) s.v.push_back(normal(rng));
    for (std::size_t i = 0; i < read_.size(); ++i) s.y.push_back(read_[i] ? normal(rng) : system_.inputs()[i].fallback);
    return s;
  }

 private:
  static constexpr int random = 64;  // and 204 special ones, of most robots
  const System& system_;
  const ReadInputs& read_;
  Samples states_;
  int count_;
};

template <class S>
std::vector<InexactColumn> compared(const SensorSolver& solver, const AnswerPlan& from, const Program& program,
                                    const ReadInputs& read, const ColumnComparison& how) {
  constexpr long operations = 20'000'000;  // of all evaluations
  constexpr int fewest = 40;
  const long most = std::max<long>(fewest, operations / std::max<long>(1, program.counts().flops()));
  DrawnSamples drawn(solver.system(), read, static_cast<int>(std::min<long>(most, std::numeric_limits<int>::max())));
  Comparison<S> comparison(solver, from, program, read, how);
  for (int k = 0; k < drawn.count();) {
    std::vector<ColumnInputs> samples;
    for (; k < drawn.count() && samples.size() < static_cast<std::size_t>(Batch::lanes); ++k)
      samples.push_back(drawn.sample(k));
    comparison.at(std::move(samples));
  }
  return comparison.lost();
}

}  // namespace

std::vector<InexactColumn> inexact_columns(const SensorSolver& solver, const Program& program, const ReadInputs& read,
                                           const ColumnComparison& how) {
  const std::optional<AnswerPlan> from = solver.plan();
  if (!from) return {};
  return how.single ? compared<float>(solver, *from, program, read, how) : compared<double>(solver, *from, program, read, how);
}

std::string in_words(const std::vector<InexactColumn>& lost) {
  if (lost.empty()) return "";
  const InexactColumn& worst = lost.front();
  const std::string name = begins(worst.column, of_deviation) ? "the deviation of " + worst.column.substr(of_deviation.size())
                           : begins(worst.column, of_innovation)
                               ? "the innovation of " + worst.column.substr(of_innovation.size())
                               : worst.column;
  char numbers[80];
  std::snprintf(numbers, sizeof numbers, " (off by %.0e, health %.0e)", worst.off, worst.health);
  const std::size_t others = lost.size() - 1;
  return name + " loses digits at " + worst.posture + numbers +
         (others == 0   ? ""
          : others == 1 ? ", and so does one other"
                        : ", and so do " + std::to_string(others) + " others");
}

}  // namespace sparsedyn
