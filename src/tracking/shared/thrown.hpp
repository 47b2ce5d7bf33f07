// Whether an estimate has been thrown: for longer than anything that happens to a robot lasts, nothing that is read fits it.
//
// Readings that are wrong all at once may be taken for the truth; what they leave behind (an offset of radians a second, whose
// deviation is small) goes away by its own deviations, which takes as long as they say. Readings that have fitted before tell
// such an estimate from deviations that are stated too small, under which no row ever fits.
#pragma once

namespace sparsedyn::tracking {

constexpr double fits = 3, far_off = 10;      // of a row's innovations, the mean square in deviations
constexpr double believed_after = 0.1;        // s for which readings have fitted
constexpr double longest_disturbance = 0.25;  // s
constexpr int fewest_rows = 10;               // of a disturbance, where intervals are long
constexpr double judged_for = 2;              // s after which what does not fit is no throw

class Thrown {
 public:
  /// Of a row: the sum of the squares of `count` innovations, over an interval of dt (s). A row without readings says nothing.
  /// True: the estimate has been thrown.
  bool see(double squares, int count, double dt) noexcept {
    if (count == 0) return false;
    const double mean = squares / count;
    const bool far = mean > far_off;
    if (mean < fits) fitted_for_ += dt;
    far_for_ = far ? far_for_ + dt : 0, far_rows_ = far ? far_rows_ + 1 : 0;
    return fitted_for_ > believed_after && far_for_ > longest_disturbance && far_for_ < judged_for && far_rows_ >= fewest_rows;
  }
  /// The last row did not fit.
  bool is_far() const noexcept { return far_rows_ > 0; }

 private:
  double fitted_for_ = 0, far_for_ = 0;
  int far_rows_ = 0;
};

}  // namespace sparsedyn::tracking
