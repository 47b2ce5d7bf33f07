#include "sparsedyn/runtime/gap_closer.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "determinacy/measurement_weights.hpp"
#include "runtime/arguments.hpp"
#include "runtime/system_samples.hpp"

namespace sparsedyn {

struct GapCloser::Decided {
  explicit Decided(std::shared_ptr<const System> s)
      : system(there(std::move(s), "system")),
        stated(measurement_weights(*system, {})),
        rows(*system, samples_of(*system, 1)) {}
  std::shared_ptr<const System> system;
  MeasurementWeights stated;
  RowsAtState rows;
};

GapCloser::GapCloser(std::shared_ptr<const System> system) : decided_(std::make_unique<Decided>(std::move(system))) {}
GapCloser::~GapCloser() = default;
GapCloser::GapCloser(GapCloser&&) noexcept = default;
GapCloser& GapCloser::operator=(GapCloser&&) noexcept = default;

Regularisation GapCloser::close(const std::vector<char>& missing) const {
  if (missing.size() != decided_->stated.exact.size())
    throw std::invalid_argument("gaps: one flag a row of the system is expected");
  for (std::size_t r = 0; r < missing.size(); ++r)
    if (missing[r] && decided_->stated.exact[r]) throw std::invalid_argument("gaps: exact rows are expected to have none");
  MeasurementWeights left = decided_->stated;
  left.left_out = missing;
  decided_->rows.close(left, Closers::free_unknowns);
  const auto gaps = static_cast<int>(std::count(missing.begin(), missing.end(), char(1)));
  left.regularisation.redundancy += gaps;
  return std::move(left.regularisation);
}

}  // namespace sparsedyn
