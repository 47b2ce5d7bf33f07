#include "tracking/whole/smooth_motion.hpp"

#include <cmath>

namespace sparsedyn::tracking {
namespace {

constexpr std::size_t most_samples = 5000, stretches = 5;
constexpr int least_decade = -1, most_decade = 4;  // of walks, rad/s²/√s

/// −2 log likelihood of stretches spread over the log.
class Surprise {
 public:
  Surprise(const WholeLayout& layout, IntervalRows& rows, const WholeStart& start, const std::vector<double>& y,
           const std::vector<double>& dt)
      : layout_(layout), rows_(rows), start_(start), y_(y), dt_(dt) {}

  double of(double walk) {
    layout_.let_accelerations_walk(walk);
    WholeForward filter(layout_, rows_);
    filter.judge();
    const std::size_t parts = dt_.size() > most_samples ? stretches : 1, length = std::min(dt_.size(), most_samples) / parts;
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t first = parts > 1 ? part * (dt_.size() - length) / (parts - 1) : 0;
      filter.start(start_);
      for (std::size_t k = first; k < first + length; ++k)
        filter.step(y_.data() + k * layout_.inputs.size(), dt_[k], nullptr, nullptr);
    }
    return filter.surprise();
  }

 private:
  WholeLayout layout_;
  IntervalRows& rows_;
  const WholeStart& start_;
  const std::vector<double>&y_, &dt_;
};

}  // namespace

double likeliest_walk(const WholeLayout& layout, IntervalRows& rows, const WholeStart& start, const std::vector<double>& y,
                      const std::vector<double>& dt) {
  Surprise surprise(layout, rows, start, y, dt);
  double best = 0, least = surprise.of(0);
  const auto consider = [&](double walk) {
    const double found = surprise.of(walk);
    if (found < least) least = found, best = walk;
  };
  for (int decade = least_decade; decade <= most_decade; ++decade) consider(std::pow(10.0, decade));
  if (best == 0) return 0;
  const double middle = best;
  for (const double factor : {0.316, 3.16}) consider(factor * middle);
  return best;
}

}  // namespace sparsedyn::tracking
