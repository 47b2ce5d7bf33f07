// Series over time: of every stretch of rows all between the smallest and the largest value, so that thinning hides nothing.
// What is drawn here stands still, for paper and where no script runs; from the numbers beside it the page's script draws it
// finely, and what is looked at closely.
#include <algorithm>
#include <cmath>
#include <limits>

#include "report/chart_numbers.hpp"
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

/// A path that the page's keys find by its name.
std::string named_path(const std::string& key, const std::string& classes, const std::string& path) {
  return path.empty() ? "" : "<path data-key=\"" + key + "\" class=\"" + classes + "\" d=\"" + path + "\"/>\n";
}

/// A channel's stretches, several joined to one.
struct Joined {
  std::vector<double> time;
  std::vector<Thinned::Extremes> extremes;
};

constexpr std::size_t most_points = 360, most_joined = 120;  // single rows; extremes of several, three pixels wide

std::size_t joined_to_one(const Thinned& rows) {
  const bool apart = rows.stride() == 1 && rows.stretches() <= most_points;
  return apart ? 1 : (rows.stretches() + most_joined - 1) / most_joined;
}

Joined joined(const Thinned& rows, int channel) {
  Joined out;
  const std::size_t stride = joined_to_one(rows);
  for (std::size_t k = 0; k < rows.stretches(); ++k) {
    const Thinned::Extremes& e = rows.at(k, static_cast<std::size_t>(channel));
    if (k % stride == 0) {
      out.time.push_back(rows.time(k)), out.extremes.push_back(e);
    } else {
      Thinned::Extremes& last = out.extremes.back();
      last = {std::fmin(last.low, e.low), std::fmax(last.high, e.high), last.gap || e.gap};
    }
  }
  return out;
}

/// A point a row; a gap breaks the line.
std::string line_path(const Joined& line, const Scale& x, const Scale& y) {
  Pen pen;
  bool drawing = false;
  for (std::size_t k = 0; k < line.time.size(); ++k) {
    const Thinned::Extremes& e = line.extremes[k];
    if (std::isfinite(e.low)) {
      const double at = x.at(line.time[k]), up = y.at(e.low);
      if (!drawing) pen.move(at, up);
      pen.draw(at, up);  // of one row: a dot
    }
    drawing = std::isfinite(e.low) && !e.gap;
  }
  return pen.path();
}

/// One closed outline from `low` to `high` for each run of stretches that hold a number.
std::string band_path(const Joined& low, const Joined& high, const Scale& x, const Scale& y) {
  Pen pen;
  const std::size_t n = low.time.size();
  const auto there = [&](std::size_t k) { return std::isfinite(low.extremes[k].low) && std::isfinite(high.extremes[k].high); };
  for (std::size_t first = 0, k; first < n; first = k + 1) {
    for (k = first; k < n && there(k); ++k) {
      const double at = x.at(low.time[k]), up = y.at(high.extremes[k].high);
      k == first ? pen.move(at, up) : pen.draw(at, up);
    }
    for (std::size_t back = k; back > first; --back) pen.draw(x.at(low.time[back - 1]), y.at(low.extremes[back - 1].low));
    if (k > first) pen.close();
  }
  return pen.path();
}

/// A line where each row is a point, else all that lies between the extremes.
std::string channel_path(const Thinned& rows, const TimeLine& line, const Scale& x, const Scale& y) {
  const Joined drawn = joined(rows, line.channel);
  const bool rows_apart = rows.stride() == 1 && joined_to_one(rows) == 1;
  return named_path(svg::format("c%d", line.slot), svg::format(rows_apart ? "line fine c%d" : "envelope c%d", line.slot),
                    rows_apart ? line_path(drawn, x, y) : band_path(drawn, drawn, x, y));
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

/// A stroke's width is what one row has.
std::string gaps_path(const std::vector<Gap>& gaps, const Scale& x) {
  std::string path;
  for (const Gap& gap : gaps)
    path += svg::format("M%ld %.0fV%.0fH%ldV%.0fz", std::lround(fine * x.at(gap.from)), fine * time_frame.top,
                        fine * time_frame.bottom, std::lround(fine * x.at(gap.to)), fine * time_frame.top);
  return path;
}

/// Whether lines stay between the outermost levels, and whether there are outliers and gaps.
std::string verdict(const TimePlot& plot) {
  std::string said;
  if (plot.levels.size() > 1) {
    const auto [low, high] = std::minmax_element(plot.levels.begin(), plot.levels.end());
    bool inside = true;
    for (const TimeLine& line : plot.lines) {
      const Thinned::Extremes all = plot.rows.range(static_cast<std::size_t>(line.channel));
      inside = inside && !(all.low < *low) && !(all.high > *high);
    }
    said += (inside ? "; within " : "; leaves ") + range_text(*low, *high);
  }
  return said + (plot.outliers.empty() ? "" : "; with outliers") + (plot.gaps.empty() ? "" : "; with gaps");
}

/// For those who hear the figure: what each line reaches, and whether that is as it should be.
std::string ranges(const TimePlot& plot) {
  std::string said;
  for (const TimeLine& line : plot.lines) {
    const Thinned::Extremes all = plot.rows.range(static_cast<std::size_t>(line.channel));
    if (std::isfinite(all.low)) said += (said.empty() ? ": " : "; ") + line.name + " from " + range_text(all.low, all.high);
  }
  return said.empty() ? said : said + (plot.y.empty() ? "" : " " + plot.y) + verdict(plot);
}

Frame span_frame(std::size_t lines) { return {time_frame.left, time_frame.right, 10, 10 + 34.0 * static_cast<double>(lines)}; }

/// What of a line's stretches is on, as a channel of that height.
Joined joined_spans(const Thinned& rows, int channel, double height) {
  Joined out = joined(rows, channel);
  for (Thinned::Extremes& e : out.extremes) {
    const double at = e.high > 0.5 ? height : std::numeric_limits<double>::quiet_NaN();
    e = {at, at, false};
  }
  return out;
}

/// Bars of states, and their names; a grid without numbers up.
std::string time_spans(const TimePlot& plot) {
  const Frame frame = span_frame(plot.lines.size());
  Scale x(false, false), y(false, false), none(false, false);
  for (std::size_t k = 0; k < plot.rows.stretches(); ++k) x.take(plot.rows.time(k));
  y.take(0), y.take(static_cast<double>(std::max<std::size_t>(plot.lines.size(), 1)));
  x.fit(frame.left, frame.right, false, 5), y.fit(frame.bottom, frame.top, false, 4);
  std::string bars, names, said;
  for (std::size_t k = 0; k < plot.lines.size(); ++k) {
    const double foot = span_foot(plot, k);
    const Joined on = joined_spans(plot.rows, plot.lines[k].channel, foot),
                 top = joined_spans(plot.rows, plot.lines[k].channel, foot + span_height);
    bars += named_path(svg::format("c%d", plot.lines[k].slot), svg::format("envelope c%d", plot.lines[k].slot),
                       band_path(on, top, x, y));
    names += svg::text(frame.left + 4, y.at(foot + span_height) - 4, "start", plot.lines[k].name);
    said += (k ? "; " : ": ") + plot.lines[k].name + " " +
            number(100 * plot.rows.share_above_half(static_cast<std::size_t>(plot.lines[k].channel)), 3) + " % of the time";
  }
  return "<figure><figcaption>" + escaped(plot.title) + "</figcaption>\n" +
         svg::open(time_width, frame.bottom + 38, plot.title + said, "plot", chart_numbers(plot, frame, x, y)) +
         "<g class=\"still\">" + grid(frame, x, none, plot.x, "") + "<g transform=\"scale(.5)\">\n" + bars + "</g>" + names +
         "</g></svg></figure>\n";
}

}  // namespace

std::string time_plot(const TimePlot& plot) {
  if (plot.spans) return time_spans(plot);
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
  std::string out =
      "<figure><figcaption>" + escaped(plot.title) + "</figcaption>\n" +
      (plot.legend ? time_key(plot.lines, plot.band_low < 0 ? "" : "± 2σ") : "") +
      svg::open(time_width, time_height, plot.title + ranges(plot), "plot", chart_numbers(plot, time_frame, x, y)) +
      "<g class=\"still\">" + grid(time_frame, x, y, plot.x, plot.y) + "<g transform=\"scale(.5)\">\n";
  out += named_path("gaps", "gaps", gaps_path(plot.gaps, x));
  if (plot.band_low >= 0)
    out += named_path("band", "band", band_path(joined(plot.rows, plot.band_low), joined(plot.rows, plot.band_high), x, y));
  for (double level : plot.levels)
    out += svg::format("<path class=\"level\" d=\"M%.0f %.0fH%.0f\"/>\n", fine * time_frame.left, fine * y.at(level),
                       fine * time_frame.right);
  for (std::size_t k = plot.lines.size(); k-- > 0;) out += channel_path(plot.rows, plot.lines[k], x, y);
  out += named_path("outliers", "outliers", marks_path(plot.outliers, x, time_frame.top - 7, time_frame.top - 1));
  return out + "</g></g></svg></figure>\n";
}

std::string time_key(const std::vector<TimeLine>& lines, const std::string& band, const std::string& outliers,
                     const std::string& gaps) {
  std::string out = "<p class=\"key\">";
  const auto entry = [&](const std::string& key, const std::string& sample, const std::string& name) {
    if (!name.empty()) out += "<span data-key=\"" + key + "\">" + sample + escaped(name) + "</span> ";
  };
  for (const TimeLine& line : lines)
    entry(svg::format("c%d", line.slot),
          svg::format("<svg viewBox=\"0 0 34 12\" class=\"sample\" aria-hidden=\"true\"><path class=\"line fine c%d\" d=\"M1 "
                      "6H33\"/></svg>",
                      line.slot),
          line.name);
  entry("band", "<i class=\"band-key\"></i>", band);
  entry("outliers", "<i class=\"outlier-key\"></i>", outliers);
  entry("gaps", "<i class=\"gap-key\"></i>", gaps);
  return out + "</p>\n";
}

}  // namespace sparsedyn::report
