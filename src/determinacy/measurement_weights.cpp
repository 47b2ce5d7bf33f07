#include "measurement_weights.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <utility>

#include "determinacy/rank_revealing.hpp"
#include "determinacy/reduced_rows.hpp"
#include "sparsedyn/determinacy/determinacy.hpp"
#include "sparsedyn/system/detail/natural_scale.hpp"
#include "system/names.hpp"

namespace sparsedyn {
namespace {

/// Names the first dozen.
std::string redundancy_message(const System& system, const std::vector<int>& rows) {
  constexpr std::size_t most = 12;
  std::string text = "exact rows follow from each other:";
  for (std::size_t i = 0; i < rows.size() && i < most; ++i) text += " " + system.equation_names()[rows[i]];
  if (rows.size() > most) text += " and " + std::to_string(rows.size() - most) + " more";
  return text + "; a sigma on such sensors weighs them against each other";
}

int count(const std::vector<char>& flags) { return static_cast<int>(std::count(flags.begin(), flags.end(), char(1))); }

/// Some rows of a matrix.
Eigen::MatrixXd chosen_rows(const Eigen::MatrixXd& A, const std::vector<int>& which) {
  Eigen::MatrixXd out(static_cast<Eigen::Index>(which.size()), A.cols());
  for (std::size_t i = 0; i < which.size(); ++i) out.row(static_cast<Eigen::Index>(i)) = A.row(which[i]);
  return out;
}

/// Directions of all unknowns (columns) that neither rows nor priors see.
Eigen::MatrixXd open_directions(const ReducedRows& reduced, const MeasurementWeights& stated) {
  std::vector<int> kept, with_prior;
  for (std::size_t i = 0; i < reduced.sensor_rows().size(); ++i)
    if (!stated.left_out[reduced.sensor_rows()[i]]) kept.push_back(static_cast<int>(i));
  for (std::size_t j = 0; j < stated.prior.size(); ++j)
    if (stated.prior[j]) with_prior.push_back(static_cast<int>(j));
  const Eigen::Index free = reduced.rows().cols();
  Eigen::MatrixXd seen(static_cast<Eigen::Index>(kept.size() + with_prior.size()), free);
  seen.topRows(static_cast<Eigen::Index>(kept.size())) = chosen_rows(reduced.rows(), kept);
  if (!with_prior.empty())
    seen.bottomRows(static_cast<Eigen::Index>(with_prior.size())) =
        chosen_rows(reduced.expand(Eigen::MatrixXd::Identity(free, free)), with_prior);
  return reduced.expand(null_space(seen).basis);
}

/// The rows of an orthonormal basis that make it regular: as many as it has columns, the most independent first. Lengths of
/// what is left of the rows do not depend on which basis of the space it is, so that rounding, which turns the basis, decides
/// nothing: of rows that are equally long, as those of a left and a right leg, the first is taken.
std::vector<int> independent_rows(Eigen::MatrixXd basis) {
  constexpr double as_long = 1 - 1e-6;
  std::vector<int> chosen;
  while (static_cast<Eigen::Index>(chosen.size()) < basis.cols()) {
    const Eigen::VectorXd squares = basis.rowwise().squaredNorm();
    const double most = squares.maxCoeff();
    const auto first =
        std::find_if(squares.data(), squares.data() + squares.size(), [&](double s) { return s >= as_long * most; });
    chosen.push_back(static_cast<int>(first - squares.data()));
    const Eigen::RowVectorXd along = basis.row(chosen.back()).normalized();
    basis -= (basis * along.transpose()).eval() * along;
  }
  return chosen;
}

}  // namespace

RedundantExactRows::RedundantExactRows(const System& system, std::vector<int> r)
    : std::domain_error(redundancy_message(system, r)), rows(std::move(r)) {}

MeasurementWeights measurement_weights(const System& system, const std::vector<char>& left_out) {
  const int m = system.pattern().rows, n = system.pattern().columns;
  MeasurementWeights stated{left_out,
                            std::vector<char>(m, 0),
                            std::vector<double>(m, 0.0),
                            std::vector<char>(n, 0),
                            {std::vector<double>(n, 0.0), {}}};
  stated.left_out.resize(m, 0);
  for (int r = 0; r < m; ++r) {
    if (stated.left_out[r]) continue;
    const double sigma = system.sigma_of(r);
    stated.exact[r] = sigma == 0;
    if (sigma > 0) stated.weight[r] = 1 / sigma;
  }
  for (int j = 0; j < n; ++j) {
    const auto found = system.sensors().prior.find(kind_name(system.unknowns()[j].kind));
    if (found == system.sensors().prior.end()) continue;
    stated.prior[j] = 1, stated.regularisation.precision[j] = 1 / (found->second * found->second);
  }
  return stated;
}

RowsAtState::RowsAtState(const System& system, const Samples& samples) : system_(system), reduced_(system) {
  std::vector<double> values(system.pattern().entries()), right_side(system.pattern().rows);
  samples.fill(0, values.data(), right_side.data());
  reduced_.reduce(values.data());
}

void RowsAtState::refuse_redundant_exact_rows(const MeasurementWeights& stated) const {
  std::vector<int> exact, named;  // rows of R, equations
  for (std::size_t i = 0; i < reduced_.sensor_rows().size(); ++i)
    if (stated.exact[reduced_.sensor_rows()[i]]) exact.push_back(static_cast<int>(i));
  const Eigen::MatrixXd dependencies = null_space(chosen_rows(reduced_.rows(), exact).transpose()).basis;
  if (dependencies.cols() == 0) return;
  for (std::size_t i = 0; i < exact.size(); ++i)
    if (dependencies.row(static_cast<Eigen::Index>(i)).cwiseAbs().maxCoeff() > 0)
      named.push_back(reduced_.sensor_rows()[exact[i]]);
  throw RedundantExactRows(system_, named);
}

void RowsAtState::close(MeasurementWeights& stated, Closers closers) const {
  const Pattern& pattern = system_.pattern();
  stated.regularisation.undetermined.assign(pattern.columns, 0);
  const int facts = pattern.rows - count(stated.left_out) + count(stated.prior);
  const Eigen::MatrixXd open = open_directions(reduced_, stated);
  if (open.cols() > 0) {
    for (int j = 0; j < pattern.columns; ++j) stated.regularisation.undetermined[j] = open.row(j).cwiseAbs().maxCoeff() > 0;
    std::vector<int> all;
    for (int j = 0; j < pattern.columns; ++j) all.push_back(j);
    const std::vector<int>& among = closers == Closers::all_unknowns ? all : reduced_.free_unknowns();
    const std::vector<double> unit = natural_scale(system_);
    Eigen::MatrixXd basis = chosen_rows(open, among);
    for (std::size_t k = 0; k < among.size(); ++k) basis.row(static_cast<Eigen::Index>(k)) /= unit[among[k]];
    for (int k : independent_rows(std::move(basis))) {
      const int j = among[k];
      stated.prior[j] = 1, stated.regularisation.precision[j] = 1 / (unit[j] * unit[j]);
    }
  }
  stated.regularisation.redundancy = facts + static_cast<int>(open.cols()) - pattern.columns;
}

std::vector<char> may_be_open(const System& system) {
  const Pattern& pattern = system.pattern();
  const MeasurementWeights stated = measurement_weights(system, {});
  std::vector<char> open(pattern.columns, 0);
  const ReducedRows reduced(system);
  for (int j : reduced.free_unknowns()) open[j] = 1;
  for (int r = 0; r < pattern.rows; ++r)
    if (stated.exact[r] && pattern.row_start[r + 1] == pattern.row_start[r] + 1) open[pattern.column[pattern.row_start[r]]] = 0;
  return open;
}

MeasurementWeights closed_measurement_weights(const System& system, const std::vector<char>& left_out, const Samples& samples) {
  MeasurementWeights stated = measurement_weights(system, left_out);
  const RowsAtState rows(system, samples);
  rows.refuse_redundant_exact_rows(stated);
  rows.close(stated, Closers::all_unknowns);
  return stated;
}

}  // namespace sparsedyn
