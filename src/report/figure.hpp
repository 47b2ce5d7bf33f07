// Figures for a page of HTML: curves, series over time, bars, clouds of points, and matrices in shades. Names may hold any
// text; they are escaped here. A name has one colour, one dash and one mark in all figures, so that print without colour tells
// them too.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gaps.hpp"
#include "sparsedyn/report/page.hpp"
#include "thinned.hpp"

namespace sparsedyn::report {

struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;
  bool published = false;  // drawn thin, with hollow marks; its name in italics
  int slot = -1;  // colour, dash and mark, 0 to 7, of a curve that several figures of a page draw; −1: slot_of its name
};

/// `x` and `y` are the axes' titles, with their units.
struct Axes {
  std::string title, x, y;
  bool log_x = true, log_y = true;  // points that are not positive are left out of a logarithmic axis
  bool one_scale = false;           // of two linear axes: a metre is as long along both
};

/// Curves, their names at their ends; the pointer tells their numbers. Points that are not finite are left out; curves that
/// coincide share a dashed line in turns and say so.
std::string line_plot(const Axes& axes, const std::vector<Curve>& curves);

/// A channel of rows over time. `slot`: colour and dash, 0 to 7 (slot_of): 0 what is found, 1 what is known, 3 what was before.
struct TimeLine {
  std::string name;
  int channel = 0, slot = 0;
};

/// Series over time: lines, a band between two channels, level lines, and marks above the axis. −1: no band.
struct TimePlot {
  std::string title, x, y;  // y: the unit
  const Thinned& rows;
  std::vector<TimeLine> lines;  // the first is drawn on top
  int band_low = -1, band_high = -1;
  std::vector<double> levels;
  std::vector<double> outliers;  // times
  std::vector<Gap> gaps;
  bool legend = false;  // a key of its own lines, above the figure
  // Each line is a state that holds where its channel is above one half: a bar there, the first line on top, its name above
  // it. No band and no levels.
  bool spans = false;
};

std::string time_plot(const TimePlot& plot);

/// What lines, band and marks mean, in one line above several plots. The names of a band, of outliers and of gaps may be empty.
std::string time_key(const std::vector<TimeLine>& lines, const std::string& band, const std::string& outliers = "",
                     const std::string& gaps = "");

/// A strip for each line (its channel; slots do not matter) over the whole time, in the shade of the last of `levels`
/// (ascending) that |value| exceeds anywhere in each of at most 240 cells; nothing is drawn within the first.
struct StripChart {
  std::string title, x, unit;
  const Thinned& rows;
  std::vector<TimeLine> strips;
  std::vector<double> levels;  // at most three
};
std::string strip_chart(const StripChart& chart);

/// One horizontal bar of parts, one after the other, in each account; an account without parts leaves its place empty.
struct Bar {
  std::string name;
  std::vector<std::vector<double>> accounts;
  bool marked = false;  // its name is set in bold
};

/// Bars of a kind; they are drawn from the smallest first account to the largest.
struct BarGroup {
  std::string name;
  std::vector<Bar> bars;
};

/// Bars from zero, all to one scale, their sums beside them. `parts`: what the parts of a bar are.
std::string bar_chart(const std::string& title, const std::vector<std::string>& accounts, const std::vector<std::string>& parts,
                      std::vector<BarGroup> groups);

/// A value with its deviation: a dot and a bar of ± 2σ around it, zero marked; all to one scale. Said to two digits of 2σ.
struct Interval {
  std::string name;
  double value = 0, deviation = 0;
};
std::string interval_chart(const std::string& title, const std::string& unit, const std::vector<Interval>& intervals);

/// A dot for each finite pair, at most 4000 of them; axes through the range of both.
std::string scatter_plot(const Axes& axes, const std::vector<std::pair<double, double>>& points);

/// Errors in deviations: counts in equal bins from −reach to reach, what lies outside in the outer ones, beside a normal
/// distribution of as many.
std::string histogram(const Axes& axes, double reach, const std::vector<long>& counts);

/// |A| (rows × rows, row-major) by shades of its decimal logarithm between `low` and `high`; exact zeros stay empty.
std::string matrix_picture(const std::string& title, int rows, const std::vector<double>& A, double low, double high);

/// Colour, dash and mark of a name, the same on every page: known names have a place of their own, others one by their letters.
int slot_of(const std::string& name);

/// Three significant digits.
std::string short_number(double x);

/// "−0.5 to 2".
std::string range_text(double low, double high);

/// All digits, in groups of three: 12 345.
std::string grouped(long x);

}  // namespace sparsedyn::report
