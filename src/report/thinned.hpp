// Rows of numbers over time in little memory, for a picture: of every stretch of rows the smallest and the largest value of
// each channel. A stretch is narrower than a pixel, so nothing that sticks out is lost, however long the log.
#pragma once

#include <cstddef>
#include <vector>

namespace sparsedyn::report {

class Thinned {
 public:
  /// `most`: stretches that are kept; when they are full, two become one. Memory: most · channels.
  explicit Thinned(std::size_t channels, std::size_t most = 500);

  /// A row: one number a channel; NaN is a gap. Times should not go back.
  void add(double time, const double* values);

  struct Extremes {
    double low, high;  // NaN: nothing but gaps
    bool gap;          // at least one
  };
  std::size_t stretches() const { return time_.size(); }
  std::size_t channels() const { return channels_; }
  double time(std::size_t stretch) const { return time_[stretch]; }  // of its first row
  const Extremes& at(std::size_t stretch, std::size_t channel) const { return extremes_[stretch * channels_ + channel]; }
  long rows() const { return rows_; }
  /// Rows a stretch.
  long stride() const { return stride_; }

  /// Of a whole channel.
  Extremes range(std::size_t channel) const;
  /// Of the rows with a number in the channel, how many are above one half: 0 to 1.
  double share_above_half(std::size_t channel) const;

 private:
  void halve();

  std::size_t channels_, most_;
  long rows_ = 0, stride_ = 1;
  std::vector<double> time_;
  std::vector<Extremes> extremes_;
  std::vector<long> there_, above_;  // rows, by channel
};

/// How many stretches of so many channels make about half a megabyte of a page that draws them all: 320 to 4000.
std::size_t stretches_of_page(std::size_t channels);

}  // namespace sparsedyn::report
