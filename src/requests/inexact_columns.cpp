#include "inexact_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <utility>

#include "model/samples.hpp"
#include "runtime/system_samples.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "sparsedyn/sparse/batch.hpp"

namespace sparsedyn {
namespace {

constexpr double most_off = 1e-6;
constexpr double rounding_of_zero = 1e-8;  // beside the largest deviation of its kind: a smaller one need not have six digits
constexpr double tells =
    10;  // a number is off only where it is farther from the truth than this many times the truth's own move
const char* const prefix_of_deviations = "sd.";

/// The inputs of an estimate.
struct Sample {
  std::vector<double> q, v, y;
};

/// What the Estimator gives, in the order of its columns.
struct Truth {
  bool known = false;
  std::vector<double> estimate, deviation;
};

std::string kind_of(const std::string& column) { return column.substr(0, column.find('.')); }

/// A program's numbers at a sample, by column.
class EvaluatedProgram {
 public:
  EvaluatedProgram(const SensorSolver& solver, const Program& program, const ReadInputs& read, const std::vector<double>& pi)
      : program_(program), read_(read), workspace_(program.nodes().size()) {
    for (const Port& port : program.outputs()) out_.emplace_back(port.elements.size());
    for (std::size_t k = 0; k < out_.size(); ++k)
      for (std::size_t e = 0; e < out_[k].size(); ++e) at_[program.outputs()[k].elements[e]] = &out_[k][e];
    for (std::vector<double>& x : out_) res_.push_back(x.data());
    for (const Port& port : program.inputs()) in_.push_back(constants_of(port, solver.system(), pi));
  }
  bool evaluate(const Sample& s) {
    in_[0] = s.q, in_[1] = s.v, in_[2].clear();
    for (std::size_t k = 0; k < read_.size(); ++k)
      if (read_[k]) in_[2].push_back(s.y[k]);
    std::vector<const double*> arg;
    for (const std::vector<double>& x : in_) arg.push_back(x.data());
    return program_.evaluate(arg.data(), res_.data(), workspace_.data());
  }
  /// Or null, for a column that it does not have.
  const double* find(const std::string& column) const {
    const auto found = at_.find(column);
    return found == at_.end() ? nullptr : found->second;
  }
  double health() const { return out_.back().front(); }

 private:
  /// Weights as the set states them, parameters as given, multipliers zero.
  static std::vector<double> constants_of(const Port& port, const System& system, const std::vector<double>& pi) {
    if (port.name == "pi") return pi;
    std::vector<double> x(port.elements.size(), 0.0);
    if (port.name != "weight") return x;
    std::map<std::string, double> weight;
    for (std::size_t r = 0; r < system.equation_names().size(); ++r)
      weight["weight." + system.equation_names()[r]] = 1 / system.sigma_of(static_cast<int>(r));
    for (std::size_t e = 0; e < x.size(); ++e) x[e] = weight.at(port.elements[e]);
    return x;
  }

  const Program& program_;
  const ReadInputs& read_;
  std::vector<double> workspace_;
  std::vector<std::vector<double>> in_, out_;
  std::vector<double*> res_;
  std::map<std::string, const double*> at_;
};

/// Estimates in the plan's order, refined, of as many samples as there are lanes.
class RefinedEstimates {
 public:
  explicit RefinedEstimates(const AnswerPlan& from) : estimator_(estimator_of(from)), deviates_(from.deviations) {}

  std::vector<Truth> at(const std::vector<Sample>& samples) {
    std::vector<Estimator::Inputs> inputs;
    for (const Sample& s : samples) inputs.push_back({s.q.data(), s.v.data(), s.y.data()});
    estimator_.prepare(inputs.data(), static_cast<int>(inputs.size()));
    std::vector<Truth> truths(samples.size());
    for (std::size_t k = 0; k < samples.size(); ++k) {
      truths[k].estimate.resize(columns().size());
      truths[k].known = estimator_.take(static_cast<int>(k), truths[k].estimate.data()).ok();
      if (deviates_) truths[k].deviation = estimator_.standard_deviations();
    }
    return truths;
  }
  const std::vector<std::string>& columns() const { return estimator_.output_columns(); }

 private:
  static Estimator estimator_of(const AnswerPlan& from) {
    EstimatorOptions options;
    options.outputs = from.outputs, options.standard_deviations = from.deviations, options.in_batches = true;
    const std::shared_ptr<void> kept;  // by the solver
    return {std::shared_ptr<const System>(kept, &from.system), std::shared_ptr<const EstimatorPlan>(kept, from.estimator_plan),
            options};
  }

  Estimator estimator_;
  bool deviates_;
};

/// Each coordinate moved by a few roundings.
Sample next_to(Sample s) {
  constexpr double by = 4 * std::numeric_limits<double>::epsilon();
  double sign = 1;
  for (double& x : s.q) x += sign * by * std::max(1.0, std::abs(x)), sign = -sign;
  return s;
}

class Comparison {
 public:
  Comparison(const SensorSolver& solver, const AnswerPlan& from, const Program& program, const ReadInputs& read,
             const std::vector<double>& pi, double least_health)
      : model_(solver.system().model()),
        program_(solver, program, read, pi),
        truth_(from),
        least_health_(least_health),
        lost_(truth_.columns().size() * 2) {}

  /// As many samples as there are lanes.
  void at(const std::vector<Sample>& samples) {
    const std::vector<Truth> truths = truth_.at(samples);
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
    bool deviation;
    double off, beside;
  };

  void compare(const Sample& sample, const Truth& truth) {
    const std::vector<Suspect> suspects = suspects_of(truth);
    if (suspects.empty()) return;
    const Truth moved = truth_.at({next_to(sample)}).front();
    if (!moved.known) return;
    for (const Suspect& each : suspects) {
      const std::vector<double>&is = each.deviation ? truth.deviation : truth.estimate,
            &was = each.deviation ? moved.deviation : moved.estimate;
      if (each.off > tells * std::abs(was[each.column] - is[each.column]) / each.beside) note(each, sample);
    }
  }

  /// What is farther from the truth than it may be.
  std::vector<Suspect> suspects_of(const Truth& truth) const {
    std::vector<Suspect> found;
    const std::vector<double> size = sizes(truth.estimate), deviation_size = sizes(truth.deviation);
    const auto look = [&](std::size_t c, bool deviation, const double* value, double expected, double beside) {
      if (!value || !std::isfinite(expected) || *value == expected) return;
      const double off = std::abs(*value - expected) / beside;
      if (!(off <= most_off)) found.push_back({c, deviation, off, beside});
    };
    for (std::size_t c = 0; c < truth.estimate.size(); ++c) {
      const std::string& column = truth_.columns()[c];
      look(c, false, program_.find(column), truth.estimate[c], size[c]);
      if (!truth.deviation.empty())
        look(c, true, program_.find(std::string(prefix_of_deviations) + column), truth.deviation[c],
             truth.deviation[c] + rounding_of_zero * deviation_size[c]);
    }
    return found;
  }

  /// For each column the largest number of its kind; of all kinds where all of its kind are zero.
  std::vector<double> sizes(const std::vector<double>& numbers) const {
    std::map<std::string, double> largest;
    double of_all = 0;
    for (std::size_t c = 0; c < numbers.size(); ++c) {
      if (!std::isfinite(numbers[c])) continue;
      double& most = largest[kind_of(truth_.columns()[c])];
      most = std::max(most, std::abs(numbers[c])), of_all = std::max(of_all, most);
    }
    std::vector<double> size;
    for (const std::string& column : truth_.columns()) {
      const double most = largest[kind_of(column)];
      size.push_back(most > 0 ? most : of_all > 0 ? of_all : 1);
    }
    return size;
  }

  void note(const Suspect& suspect, const Sample& sample) {
    InexactColumn& worst = lost_[2 * suspect.column + suspect.deviation];
    if (suspect.off <= worst.off) return;
    worst.column = (suspect.deviation ? prefix_of_deviations : "") + truth_.columns()[suspect.column];
    worst.off = suspect.off, worst.posture = posture_name(model_, sample.q.data()), worst.health = program_.health();
  }

  const Model& model_;
  EvaluatedProgram program_;
  RefinedEstimates truth_;
  double least_health_;
  std::vector<InexactColumn> lost_;  // of each column its estimate, then its deviation
};

/// Samples at some of the states, spread over random and special ones.
class DrawnSamples {
 public:
  DrawnSamples(const System& system, const ReadInputs& read, int count)
      : system_(system), read_(read), states_(samples_of(system, random)), count_(std::min(count, states_.count)) {}

  int count() const { return count_; }
  Sample sample(int k) {
    std::mt19937 rng(static_cast<unsigned>(k) + 1);
    std::normal_distribution<double> normal;
    Sample s;
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

}  // namespace

std::vector<InexactColumn> inexact_columns(const SensorSolver& solver, const Program& program, const ReadInputs& read,
                                           const std::vector<double>& pi, double least_health) {
  constexpr long operations = 20'000'000;  // of all evaluations
  constexpr int fewest = 40;
  const std::optional<AnswerPlan> from = solver.plan();
  if (!from || !from->estimator_plan) return {};
  const long most = std::max<long>(fewest, operations / std::max<long>(1, program.counts().flops()));
  DrawnSamples drawn(solver.system(), read, static_cast<int>(std::min<long>(most, std::numeric_limits<int>::max())));
  Comparison comparison(solver, *from, program, read, pi, least_health);
  for (int k = 0; k < drawn.count();) {
    std::vector<Sample> samples;
    for (; k < drawn.count() && samples.size() < static_cast<std::size_t>(Batch::lanes); ++k)
      samples.push_back(drawn.sample(k));
    comparison.at(samples);
  }
  return comparison.lost();
}

std::string in_words(const std::vector<InexactColumn>& lost) {
  if (lost.empty()) return "";
  const InexactColumn& worst = lost.front();
  const bool deviation = worst.column.rfind(prefix_of_deviations, 0) == 0;
  const std::string name = deviation ? "the deviation of " + worst.column.substr(3) : worst.column;
  char numbers[80];
  std::snprintf(numbers, sizeof numbers, " (off by %.0e, health %.0e)", worst.off, worst.health);
  const std::size_t others = lost.size() - 1;
  return name + " loses digits at " + worst.posture + numbers +
         (others == 0   ? ""
          : others == 1 ? ", and so does one other"
                        : ", and so do " + std::to_string(others) + " others");
}

}  // namespace sparsedyn
