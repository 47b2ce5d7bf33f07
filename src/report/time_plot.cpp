// Series over time: of every stretch of rows the smallest and the largest value, so that thinning hides nothing.
#include <cmath>

#include "report/figure.hpp"
#include "report/scale.hpp"
#include "svg.hpp"

namespace sparsedyn::report {
namespace {

// Drawn at twice its size, so that whole numbers are half pixels and the page stays small.
constexpr double fine = 2, time_width = 420, time_height = 200;
constexpr Frame time_frame{64, 414, 22, 162};

/// Whole half-pixels, each point from the one before it.
class Pen {
 public:
  void move(double x, double y) { path_ += svg::format("M%ld %ld", x_ = place(x), y_ = place(y)); }
  void draw(double x, double y) {
    const long dx = place(x) - x_, dy = place(y) - y_;
    x_ += dx, y_ += dy;
    if (dx == 0)
      path_ += svg::format("v%ld", dy);
    else
      path_ += svg::format(dy < 0 ? "l%ld%ld" : "l%ld %ld", dx, dy);
  }
  void close() { path_ += "z"; }
  const std::string& path() const { return path_; }

 private:
  static long place(double v) { return std::lround(fine * v); }
  std::string path_;
  long x_ = 0, y_ = 0;
};

/// Up and down in each stretch, beginning with the end that lies nearer to the last point; a gap breaks the line.
std::string line_path(const Thinned& rows, int channel, const Scale& x, const Scale& y) {
  Pen pen;
  bool drawing = false;
  double last = 0;
  for (std::size_t k = 0; k < rows.stretches(); ++k) {
    const Thinned::Extremes& e = rows.at(k, static_cast<std::size_t>(channel));
    if (std::isfinite(e.low)) {
      const bool low_first = !drawing || std::abs(e.low - last) < std::abs(e.high - last);
      const double at = x.at(rows.time(k)), first = low_first ? e.low : e.high, second = low_first ? e.high : e.low;
      drawing ? pen.draw(at, y.at(first)) : pen.move(at, y.at(first));
      if (second != first || !drawing) pen.draw(at, y.at(second));  // of one row: a dot
      last = second;
    }
    drawing = std::isfinite(e.low) && !e.gap;
  }
  return pen.path();
}

/// One closed outline for each run of stretches without a gap.
std::string band_path(const Thinned& rows, int low, int high, const Scale& x, const Scale& y) {
  Pen pen;
  const auto there = [&](std::size_t k) {
    return std::isfinite(rows.at(k, static_cast<std::size_t>(low)).low) &&
           std::isfinite(rows.at(k, static_cast<std::size_t>(high)).high);
  };
  for (std::size_t first = 0, k; first < rows.stretches(); first = k + 1) {
    for (k = first; k < rows.stretches() && there(k); ++k) {
      const double at = x.at(rows.time(k)), up = y.at(rows.at(k, static_cast<std::size_t>(high)).high);
      k == first ? pen.move(at, up) : pen.draw(at, up);
    }
    for (std::size_t back = k; back > first; --back)
      pen.draw(x.at(rows.time(back - 1)), y.at(rows.at(back - 1, static_cast<std::size_t>(low)).low));
    if (k > first) pen.close();
  }
  return pen.path();
}

/// One mark a pixel is enough.
std::string marks_path(const std::vector<double>& times, const Scale& x, double from, double to) {
  std::string path;
  long last = -1;
  for (double t : times) {
    const long at = std::lround(x.at(t));
    if (at == last) continue;
    last = at;
    path += svg::format("M%ld %.0fV%.0f", std::lround(fine * x.at(t)), fine * from, fine * to);
  }
  return path;
}

std::string fine_path(const char* classes, const std::string& path) {
  return path.empty() ? "" : std::string("<path class=\"") + classes + "\" d=\"" + path + "\"/>\n";
}

}  // namespace

std::string time_plot(const TimePlot& plot) {
  Scale x(false, false), y(false, false);
  for (std::size_t k = 0; k < plot.rows.stretches(); ++k) x.take(plot.rows.time(k));
  const auto take = [&](int channel) {
    if (channel < 0) return;
    const Thinned::Extremes all = plot.rows.range(static_cast<std::size_t>(channel));
    y.take(all.low), y.take(all.high);
  };
  for (const TimeLine& line : plot.lines) take(line.channel);
  take(plot.band_low), take(plot.band_high);
  for (double level : plot.levels) y.take(level);
  x.fit(time_frame.left, time_frame.right, false, 5), y.fit(time_frame.bottom, time_frame.top, true, 4);
  std::string out = "<figure><figcaption>" + escaped(plot.title) + "</figcaption>\n" +
                    svg::open(time_width, time_height, plot.title) + grid(time_frame, x, y, plot.x, plot.y) +
                    "<g transform=\"scale(.5)\">\n";
  out += fine_path("gaps", marks_path(plot.gaps, x, time_frame.top, time_frame.bottom));
  if (plot.band_low >= 0) out += fine_path("band", band_path(plot.rows, plot.band_low, plot.band_high, x, y));
  for (double level : plot.levels)
    out += svg::format("<path class=\"level\" d=\"M%.0f %.0fH%.0f\"/>\n", fine * time_frame.left, fine * y.at(level),
                       fine * time_frame.right);
  for (std::size_t k = plot.lines.size(); k-- > 0;) {
    const TimeLine& line = plot.lines[k];
    out += fine_path(svg::format("line fine c%d", line.slot).c_str(), line_path(plot.rows, line.channel, x, y));
  }
  out += fine_path("outliers", marks_path(plot.outliers, x, time_frame.top - 7, time_frame.top - 1));
  return out + "</g></svg></figure>\n";
}

std::string time_key(const std::vector<TimeLine>& lines, const std::string& band, const std::string& outliers,
                     const std::string& gaps) {
  std::string out = "<p class=\"key\">";
  for (const TimeLine& line : lines)
    out += svg::format(
               "<span><svg viewBox=\"0 0 34 12\" class=\"sample\" aria-hidden=\"true\"><path class=\"line fine c%d\" d=\"M1 "
               "6H33\"/></svg>",
               line.slot) +
           escaped(line.name) + "</span> ";
  if (!band.empty()) out += "<span><i class=\"band-key\"></i>" + escaped(band) + "</span> ";
  if (!outliers.empty()) out += "<span><i class=\"outlier-key\"></i>" + escaped(outliers) + "</span> ";
  if (!gaps.empty()) out += "<span><i class=\"gap-key\"></i>" + escaped(gaps) + "</span> ";
  return out + "</p>\n";
}

}  // namespace sparsedyn::report
