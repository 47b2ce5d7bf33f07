// Figures of contacts over time: which stand, how far their footholds creep while they do, and how the innovations lie beside
// the stated noise.
#pragma once

#include <string>
#include <vector>

#include "report/figure.hpp"

namespace sparsedyn::cli {

class StandingFeet {
 public:
  /// columns: of the results, of which contact.*, foot.* and nis are read. channels_beside: that the page draws over time
  /// beside these.
  explicit StandingFeet(const std::vector<std::string>& columns, std::size_t channels_beside = 0);
  static std::size_t channels_of(const std::vector<std::string>& columns);

  /// A row: its time (s), its results (null: none), and how many points of feet it released as slipping.
  void add(double time, const double* results, int slips);
  /// HTML; empty where nothing stands and nothing is counted.
  std::string html() const;

  /// What stands, by name.
  struct Foot {
    std::string name;
    int state;                      // place in the results
    std::vector<int> points;        // of each the first of three places in the results
    bool stands = false;            // in the last row
    double since = 0;               // s
    std::vector<double> landed;     // where its points were then, three numbers each
    long rows = 0, standing = 0;    // with results, and those in which it stood
    double farthest = 0, from = 0;  // m that a point was off from there at most, and when it had landed (s)
  };
  const std::vector<Foot>& feet() const { return feet_; }

 private:
  static double crept(Foot& foot, double time, const double* results);
  std::string timelines() const;
  std::string creeping() const;

  std::vector<Foot> feet_;
  int nis_ = -1;          // place in the results
  report::Thinned rows_;  // of each foot whether it stands, then how far it crept (mm); nis
  std::vector<double> row_, slips_;
};

}  // namespace sparsedyn::cli
