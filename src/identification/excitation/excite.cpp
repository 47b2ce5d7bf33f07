#include "sparsedyn/identification/excite.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>

#include "dense/symmetric.hpp"
#include "motion_range.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/identification/identify.hpp"

namespace sparsedyn {
namespace {

constexpr double two_pi = 6.28318530717958647692;
// Instants of a period at which limits are looked at, by harmonic: between them a wave rises by 1e-3 of its size at most. Of
// them, one in so many gives rows of the regressor.
constexpr int instants_by_harmonic = 72, instants_a_row = 6;

/// Random numbers that are the same with every standard library.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : engine_(seed) {}
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }
  /// Box & Muller (1958).
  double normal() {
    const double size = std::sqrt(-2 * std::log(uniform()));
    return size * std::cos(two_pi * uniform());
  }

 private:
  std::mt19937_64 engine_;
};

/// What the search varies of one freedom: the shape of its series, how much of its room it takes, and where in the rest it
/// lies.
struct Gene {
  std::vector<double> sine, cosine;
  double share = 1, place = 0.5;
};
using Genes = std::vector<Gene>;

class Search {
 public:
  Search(const Model& model, const ExcitationOptions& options);
  Excitation run();

 private:
  Gene random_gene();
  Genes changed(const Genes& genes, double size);
  void settle_at_rest(Gene& gene) const;
  FourierMotion motion(const Genes& genes) const;
  void place(const Gene& gene, std::size_t freedom, FourierMotion& motion) const;
  bool within_effort(const FourierMotion& motion, int stride);
  bool allowed(const FourierMotion& motion);
  Eigen::MatrixXd information(const FourierMotion& motion);
  double cost(const FourierMotion& motion);
  static double condition(const Eigen::MatrixXd& information);
  double instant(int k) const { return options_.period * k / instants_; }
  void at(const FourierMotion& motion, int k);
  bool first(Genes& genes, double& least, Excitation& result);

  const Model& model_;
  ExcitationOptions options_;
  MotionRange range_;
  std::vector<int> independent_;  // parameters
  Draws draws_;
  int instants_;
  std::vector<double> wave_sine_, wave_cosine_;  // by instant, then harmonic
  RegressorWorkspace<double> work_;
  std::vector<double> q_, v_, a_, tau_, Y_;
};

/// Which parameters of `candidates` torques tell apart while the freedoms that have no room stand still: columns of the
/// regressor at random states that do not follow from those before them.
std::vector<int> determined_while_held(const Model& model, const MotionRange& range, const std::vector<int>& candidates) {
  constexpr double rounding = 1e-9, rounding_of_all = 1e-12;  // beside the column itself, beside the largest of them
  const auto n = static_cast<std::size_t>(model.nv);
  RegressorWorkspace<double> work(model);
  const auto count = static_cast<std::size_t>(work.index.count);
  std::vector<double> q(n), v(n), a(n), Y(n * count);
  const auto states = static_cast<Eigen::Index>(2 * candidates.size() + 8);
  Eigen::MatrixXd columns(states * static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(candidates.size()));
  Draws draws(1);
  for (Eigen::Index s = 0; s < states; ++s) {
    for (std::size_t i = 0; i < n; ++i) {
      q[i] = range.lower[i] + draws.uniform() * (range.upper[i] - range.lower[i]);
      v[i] = range.held(i) ? 0 : draws.normal(), a[i] = range.held(i) ? 0 : draws.normal();
    }
    regressor<double>(model, work, q.data(), v.data(), a.data(), Y.data());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t c = 0; c < candidates.size(); ++c)
        columns(s * static_cast<Eigen::Index>(n) + static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(c)) =
            range.held(i) ? 0 : Y[i * count + static_cast<std::size_t>(candidates[c])];
  }
  std::vector<int> told;
  const double largest = columns.cols() > 0 ? columns.colwise().norm().maxCoeff() : 0;
  Eigen::MatrixXd basis(columns.rows(), columns.cols());
  for (Eigen::Index c = 0; c < columns.cols(); ++c) {
    const double size = columns.col(c).norm();
    if (size == 0) continue;
    Eigen::VectorXd rest = columns.col(c) / size;
    const auto known = basis.leftCols(static_cast<Eigen::Index>(told.size()));
    for (int twice = 0; twice < 2; ++twice) rest -= known * (known.transpose() * rest);
    if (rest.norm() < rounding || size * rest.norm() < rounding_of_all * largest) continue;
    basis.col(static_cast<Eigen::Index>(told.size())) = rest.normalized();
    told.push_back(candidates[static_cast<std::size_t>(c)]);
  }
  return told;
}

std::vector<int> independent_parameters(const Model& model, const MotionRange& range, const std::vector<int>& candidates) {
  const auto n = static_cast<std::size_t>(model.nv);
  std::size_t held = 0;
  for (std::size_t i = 0; i < n; ++i) held += range.held(i);
  if (held == n) throw std::invalid_argument("excite: limits hold every joint: lower = upper");
  return held ? determined_while_held(model, range, candidates) : base_parameters(model, candidates).independent;
}

std::vector<int> chosen(const Model& model, const std::vector<char>& fitted) {
  const auto count = static_cast<std::size_t>(ParameterIndex(model).count);
  if (!fitted.empty() && fitted.size() != count)
    throw std::invalid_argument("excite: `fitted` needs a number for each of " + std::to_string(count) + " parameters");
  std::vector<int> which;
  for (std::size_t k = 0; k < count; ++k)
    if (fitted.empty() || fitted[k]) which.push_back(static_cast<int>(k));
  return which;
}

const ExcitationOptions& checked(const ExcitationOptions& options) {
  if (!(options.period > 0) || !std::isfinite(options.period))
    throw std::invalid_argument("excite: period: expected a positive number");
  if (options.harmonics < 3 || options.harmonics > 100) throw std::invalid_argument("excite: harmonics: expected 3 to 100");
  if (options.budget < 1 || options.budget > 100000000) throw std::invalid_argument("excite: budget: expected 1 to 1e8");
  if (!(options.margin >= 0 && options.margin < 1)) throw std::invalid_argument("excite: margin: expected 0 to 1");
  return options;
}

Search::Search(const Model& model, const ExcitationOptions& options)
    : model_(model),
      options_(checked(options)),
      range_(model, options.margin),
      independent_(independent_parameters(model, range_, chosen(model, options.fitted))),
      draws_(options.seed),
      instants_(instants_by_harmonic * options.harmonics),
      work_(model),
      q_(static_cast<std::size_t>(model.nv)),
      v_(q_),
      a_(q_),
      tau_(q_),
      Y_(q_.size() * static_cast<std::size_t>(work_.index.count)) {
  for (int k = 0; k < instants_; ++k)
    for (int h = 1; h <= options.harmonics; ++h) {
      wave_sine_.push_back(std::sin(two_pi * h * k / instants_));
      wave_cosine_.push_back(std::cos(two_pi * h * k / instants_));
    }
}

/// Of zero velocity and acceleration at t = 0: Σ k sine_k = 0, Σ k² cosine_k = 0.
void Search::settle_at_rest(Gene& gene) const {
  double along_sine = 0, along_cosine = 0, sines = 0, cosines = 0;
  for (std::size_t h = 0; h < gene.sine.size(); ++h) {
    const double k = static_cast<double>(h + 1);
    along_sine += k * gene.sine[h], sines += k * k;
    along_cosine += k * k * gene.cosine[h], cosines += k * k * k * k;
  }
  for (std::size_t h = 0; h < gene.sine.size(); ++h) {
    const double k = static_cast<double>(h + 1);
    gene.sine[h] -= along_sine / sines * k;
    gene.cosine[h] -= along_cosine / cosines * k * k;
  }
}

Gene Search::random_gene() {
  Gene gene;
  for (int h = 1; h <= options_.harmonics; ++h) {  // velocities of like size
    gene.sine.push_back(draws_.normal() / h), gene.cosine.push_back(draws_.normal() / h);
  }
  gene.share = 0.5 + 0.5 * draws_.uniform(), gene.place = draws_.uniform();
  settle_at_rest(gene);
  return gene;
}

/// One freedom's gene in most cases, all of them now and then.
Genes Search::changed(const Genes& genes, double size) {
  Genes next = genes;
  const bool all = draws_.uniform() < 0.2;
  const auto one = static_cast<std::size_t>(draws_.uniform() * static_cast<double>(genes.size()));
  for (std::size_t i = 0; i < next.size(); ++i) {
    if (!all && i != one) continue;
    Gene& gene = next[i];
    double squares = 0;
    for (std::size_t h = 0; h < gene.sine.size(); ++h) squares += gene.sine[h] * gene.sine[h] + gene.cosine[h] * gene.cosine[h];
    const double scale = size * std::sqrt(squares);
    for (std::size_t h = 0; h < gene.sine.size(); ++h) {
      gene.sine[h] += scale * draws_.normal() / static_cast<double>(h + 1);
      gene.cosine[h] += scale * draws_.normal() / static_cast<double>(h + 1);
    }
    gene.share = std::clamp(gene.share + 0.5 * size * draws_.normal(), 0.05, 1.0);
    gene.place = std::clamp(gene.place + size * draws_.normal(), 0.0, 1.0);
    settle_at_rest(gene);
  }
  return next;
}

/// The gene's shape as large as its share of what range and velocity leave, and at its place.
void Search::place(const Gene& gene, std::size_t freedom, FourierMotion& motion) const {
  const auto harmonics = static_cast<std::size_t>(options_.harmonics);
  const double rate = two_pi / options_.period;
  double least = std::numeric_limits<double>::infinity(), greatest = -least, fastest = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(instants_); ++k) {
    const double *s = &wave_sine_[k * harmonics], *c = &wave_cosine_[k * harmonics];
    double x = 0, dx = 0;
    for (std::size_t h = 0; h < harmonics; ++h) {
      x += gene.sine[h] * s[h] + gene.cosine[h] * c[h];
      dx += static_cast<double>(h + 1) * rate * (gene.sine[h] * c[h] - gene.cosine[h] * s[h]);
    }
    least = std::min(least, x), greatest = std::max(greatest, x), fastest = std::max(fastest, std::fabs(dx));
  }
  const double low = range_.lower[freedom], high = range_.upper[freedom];
  double scale = 0;
  if (greatest > least && fastest > 0)
    scale = gene.share * std::min((high - low) / (greatest - least), range_.velocity[freedom] / fastest);
  const double from = low - scale * least, to = high - scale * greatest;
  motion.offset[freedom] = from + gene.place * (to - from);
  for (std::size_t h = 0; h < harmonics; ++h) {
    motion.sine[freedom * harmonics + h] = scale * gene.sine[h];
    motion.cosine[freedom * harmonics + h] = scale * gene.cosine[h];
  }
}

FourierMotion Search::motion(const Genes& genes) const {
  const std::size_t numbers = genes.size() * static_cast<std::size_t>(options_.harmonics);
  FourierMotion motion{options_.period, options_.harmonics, std::vector<double>(genes.size()), std::vector<double>(numbers),
                       std::vector<double>(numbers)};
  for (std::size_t i = 0; i < genes.size(); ++i) place(genes[i], i, motion);
  return motion;
}

void Search::at(const FourierMotion& motion, int k) { motion.evaluate(instant(k), q_.data(), v_.data(), a_.data()); }

bool Search::within_effort(const FourierMotion& motion, int stride) {
  for (int k = 0; k < instants_; k += stride) {
    at(motion, k);
    rnea<double>(model_, work_.dynamics, q_.data(), v_.data(), a_.data(), nullptr, tau_.data());
    for (std::size_t i = 0; i < tau_.size(); ++i)
      if (!range_.held(i) && !(std::fabs(tau_[i]) <= range_.effort[i])) return false;
  }
  return true;
}

bool Search::allowed(const FourierMotion& motion) {
  for (int k = 0; options_.allowed && k < instants_; ++k) {
    at(motion, k);
    if (!options_.allowed(q_.data())) return false;
  }
  return true;
}

/// Σ Yᵀ Y over a period, torques in shares of their limits, columns of the base parameters.
Eigen::MatrixXd Search::information(const FourierMotion& motion) {
  const auto columns = static_cast<Eigen::Index>(independent_.size());
  const auto n = static_cast<Eigen::Index>(q_.size());
  Eigen::MatrixXd rows((instants_ / instants_a_row) * n, columns);
  Eigen::Index r = 0;
  for (int k = 0; k < instants_; k += instants_a_row) {
    at(motion, k);
    regressor<double>(model_, work_, q_.data(), v_.data(), a_.data(), Y_.data());
    for (Eigen::Index i = 0; i < n; ++i, ++r) {
      const double effort = range_.effort[static_cast<std::size_t>(i)],
                   weight = std::isfinite(effort) && effort > 0 ? 1 / effort : 1;
      for (Eigen::Index c = 0; c < columns; ++c)
        rows(r, c) =
            range_.held(static_cast<std::size_t>(i))
                ? 0
                : weight * Y_[static_cast<std::size_t>(i * work_.index.count + independent_[static_cast<std::size_t>(c)])];
    }
  }
  return rows.transpose() * rows;
}

/// Of the rows whose information this is, columns of unit length.
double Search::condition(const Eigen::MatrixXd& information) {
  const Eigen::VectorXd unit = information.diagonal().cwiseSqrt().cwiseInverse();
  if (!unit.allFinite()) return std::numeric_limits<double>::infinity();
  const Eigen::VectorXd values = dense_algebra::symmetric_eigenvalues(unit.asDiagonal() * information * unit.asDiagonal());
  return values[0] > 0 ? std::sqrt(values[values.size() - 1] / values[0]) : std::numeric_limits<double>::infinity();
}

double Search::cost(const FourierMotion& motion) {
  const Eigen::MatrixXd whole = information(motion);
  if (options_.criterion == ExcitationCriterion::condition) return std::log(condition(whole));
  const std::optional<Eigen::MatrixXd> factor = dense_algebra::cholesky(whole);
  if (!factor) return std::numeric_limits<double>::infinity();
  return -2 * factor->diagonal().array().log().sum();
}

/// A random motion, smaller and smaller until the torques are within their limits.
bool Search::first(Genes& genes, double& least, Excitation& result) {
  constexpr int sizes = 12;
  genes.clear();
  for (std::size_t i = 0; i < q_.size(); ++i) genes.push_back(random_gene());
  for (int k = 0; k < sizes; ++k) {
    const FourierMotion tried = motion(genes);
    if (within_effort(tried, 1) && allowed(tried)) {
      least = cost(tried);
      ++result.motions;
      return std::isfinite(least);
    }
    for (Gene& gene : genes) gene.share *= 0.75;
  }
  ++result.motions;
  return false;
}

/// The best of some random motions, then changes of it that are kept where they are better; a fifth of them should be
/// (Rechenberg 1973).
Excitation Search::run() {
  Excitation result;
  result.base_parameters = static_cast<int>(independent_.size());
  const int starts = std::max(1, options_.budget / 10);
  Genes best, tried;
  double least = std::numeric_limits<double>::infinity(), cost_of = 0, size = 0.3;
  while (result.motions < options_.budget && (result.motions < starts || best.empty())) {
    if (options_.progress) options_.progress(static_cast<double>(result.motions) / options_.budget);
    if (!first(tried, cost_of, result)) continue;
    if (best.empty()) result.random_condition = condition(information(motion(tried)));
    if (cost_of < least) least = cost_of, best = tried;
  }
  if (best.empty()) return result;
  for (; result.motions < options_.budget; ++result.motions) {
    if (options_.progress) options_.progress(static_cast<double>(result.motions) / options_.budget);
    tried = changed(best, size);
    const FourierMotion next = motion(tried);
    const bool better =
        within_effort(next, instants_a_row) && (cost_of = cost(next)) < least && within_effort(next, 1) && allowed(next);
    if (better) least = cost_of, best = tried;
    size = std::clamp(size * (better ? 1.5 : 0.9), 1e-3, 1.0);
  }
  result.found = true;
  result.motion = motion(best);
  result.condition = condition(information(result.motion));
  return result;
}

}  // namespace

std::optional<ExcitationCriterion> criterion_named(const std::string& name) {
  if (name == "determinant") return ExcitationCriterion::determinant;
  if (name == "condition") return ExcitationCriterion::condition;
  return std::nullopt;
}

std::optional<long> rows_of_log(double seconds, double rate) {
  const double rows = std::round(seconds * rate);
  if (!(seconds > 0) || !(rate > 0) || !(rows >= 1 && rows <= 1e9)) return std::nullopt;
  return static_cast<long>(rows);
}

double repeated_period(double seconds) {
  constexpr double longest = 10;
  return seconds / std::ceil(seconds / longest);
}

void FourierMotion::evaluate(double t, double* q, double* v, double* a) const noexcept {
  const double rate = two_pi / period;
  for (std::size_t i = 0; i < offset.size(); ++i) q[i] = offset[i], v[i] = 0, a[i] = 0;
  for (int h = 1; h <= harmonics; ++h) {
    const double w = rate * h, s = std::sin(w * t), c = std::cos(w * t);
    for (std::size_t i = 0; i < offset.size(); ++i) {
      const auto k = i * static_cast<std::size_t>(harmonics) + static_cast<std::size_t>(h - 1);
      const double x = sine[k] * s + cosine[k] * c;
      q[i] += x, v[i] += w * (sine[k] * c - cosine[k] * s), a[i] -= w * w * x;
    }
  }
}

Excitation excite(const Model& model, const ExcitationOptions& options) {
  if (model.nv == 0) throw std::invalid_argument("excite: no joint moves");
  return Search(model, options).run();
}

}  // namespace sparsedyn
