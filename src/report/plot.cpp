// Curves on linear or logarithmic axes, their names beside their ends.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "report/figure.hpp"
#include "report/scale.hpp"
#include "svg.hpp"

namespace sparsedyn::report {
namespace {

constexpr double plot_width = 440, plot_height = 300;
constexpr Frame plot_frame{60, 434, 24, 258};
constexpr std::size_t letters_a_line = 30;  // of a name beside the plot; longer ones take more lines

/// A curve as it is drawn: pixels of its points, and the curves that lie on it.
struct Drawn {
  const Curve* curve;
  int slot;
  std::vector<std::pair<double, double>> at;
  std::size_t group = 0;  // the first curve on the same pixels
};

/// Within half a pixel of each other wherever both are.
bool coincide(const Drawn& a, const Drawn& b) {
  if (a.at.size() != b.at.size() || a.at.size() < 2) return false;
  for (std::size_t k = 0; k < a.at.size(); ++k)
    if (std::abs(a.at[k].first - b.at[k].first) > 0.5 || std::abs(a.at[k].second - b.at[k].second) > 0.5) return false;
  return true;
}

/// Its own, or each its own colour among the figure's curves, or among its published ones: that of its name, or the next free
/// one.
std::vector<int> slots_of(const std::vector<Curve>& curves) {
  std::vector<int> out, taken[2];
  for (const Curve& curve : curves) {
    std::vector<int>& like = taken[curve.published];
    int slot = curve.slot < 0 ? slot_of(curve.name) : curve.slot;
    if (curve.slot < 0 && like.size() < static_cast<std::size_t>(svg::slots))
      while (std::count(like.begin(), like.end(), slot)) slot = (slot + 1) % svg::slots;
    like.push_back(slot), out.push_back(slot);
  }
  return out;
}

/// `share`: of so many curves that coincide this is the `turn`-th, so that each shows a dash of its own.
std::string path_of(const Drawn& d, int share, int turn) {
  std::string path, marks;
  std::pair<double, double> marked;  // the last point with a mark
  for (std::size_t k = 0; k < d.at.size(); ++k) {
    const auto [px, py] = d.at[k];
    path += svg::format("%s%.1f %.1f", k ? "L" : "M", px, py);
    const bool room = k == 0 || k + 1 == d.at.size() || std::hypot(px - marked.first, py - marked.second) > 11;
    if (d.at.size() <= 40 && room) marked = d.at[k], marks += svg::format("M%.1f %.1f", px, py) + svg::mark(d.slot);
  }
  const char* more = d.curve->published ? " published" : "";
  std::string numbers;
  for (const auto& [x, y] : d.curve->points)
    if (std::isfinite(x) && std::isfinite(y)) numbers += svg::format(numbers.empty() ? "%.4g,%.5g" : " %.4g,%.5g", x, y);
  const std::string dash =
      share < 2 ? "" : svg::format(" style=\"stroke-dasharray:9 %d;stroke-dashoffset:%d\"", 9 * (share - 1), -9 * turn);
  return svg::format("<path class=\"line c%d%s\"", d.slot, more) + dash + " data-name=\"" + escaped(d.curve->name) +
         "\" data-of=\"" + numbers + "\" d=\"" + path + "\"/>\n" +
         (marks.empty() ? "" : svg::format("<path class=\"mark c%d%s\" d=\"", d.slot, more) + marks + "\"/>\n");
}

struct Label {
  double y;       // pixels of its middle, pushed apart
  double height;  // of its lines
  std::size_t curve;
};

/// No label over another, moved as little as that needs.
void push_apart(std::vector<Label>& labels, double top, double bottom) {
  std::stable_sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.y < b.y; });
  double least = top;
  for (Label& label : labels) label.y = std::max(label.y, least + label.height / 2), least = label.y + label.height / 2;
  double most = bottom;
  for (auto label = labels.rbegin(); label != labels.rend(); ++label)
    label->y = std::min(label->y, most - label->height / 2), most = label->y - label->height / 2;
}

/// A list that stands beside the figure where there is room, each name at its curve's end, or one under the other where they
/// are too many for that, and else below it.
std::string names_of(const std::vector<Drawn>& drawn) {
  std::vector<Label> labels;
  for (std::size_t k = 0; k < drawn.size(); ++k)
    labels.push_back(
        {drawn[k].at.back().second, 17.0 + 13.0 * static_cast<double>(drawn[k].curve->name.size() / letters_a_line), k});
  double tall = 0;
  for (const Label& label : labels) tall += label.height;
  const bool fits = tall <= plot_height - plot_frame.top + 12;
  push_apart(labels, plot_frame.top - 12, plot_height);
  std::string out = fits ? "<ul class=\"ends\">\n" : "<ul class=\"ends many\">\n";
  for (const Label& label : labels) {
    const Drawn& d = drawn[label.curve];
    const bool shared = std::any_of(drawn.begin(), drawn.end(), [&](const Drawn& o) { return &o != &d && o.group == d.group; });
    const std::string name = escaped(d.curve->name);
    out += svg::format("<li style=\"top:%.1f%%\" title=\"", 100 * label.y / plot_height) + name +
           (shared ? " (coincides)" : "") + "\">" + svg::sample(d.slot, d.curve->published) +
           (d.curve->published ? "<em>" + name + "</em>" : name) + (shared ? " ≡" : "") + "</li>\n";
  }
  return out + "</ul>\n";
}

/// For those who hear the figure: what each curve reaches.
std::string reaches(const std::vector<Drawn>& drawn, const Axes& axes) {
  std::string said;
  for (const Drawn& d : drawn) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const auto& [x, y] : d.curve->points)
      if (std::isfinite(y)) low = std::min(low, y), high = std::max(high, y);
    said += (said.empty() ? ": " : "; ") + d.curve->name + " from " + range_text(low, high);
  }
  return said.empty() ? said : said + " " + axes.y;
}

/// Of linear axes: as many pixels to one along both, by room on either side of the shorter range.
void take_one_scale(Scale& x, Scale& y) {
  const double wide = x.high() - x.low(), tall = y.high() - y.low();
  if (!(wide >= 0 && tall >= 0)) return;
  const double across = plot_frame.right - plot_frame.left, up = plot_frame.bottom - plot_frame.top;
  const double each = std::max({wide / across, tall / up, 1e-6});
  const auto widen = [each](Scale& axis, double pixels) {
    const double middle = 0.5 * (axis.low() + axis.high()), reach = 0.5 * each * pixels;
    axis.take(middle - reach), axis.take(middle + reach);
  };
  widen(x, across), widen(y, up);
}

}  // namespace

int slot_of(const std::string& name) {
  // What many pages draw. Longer names first: "LU, executed" is not "LU, raw".
  constexpr std::pair<const char*, int> known[] = {{"estimate", 0},
                                                   {"after the fit", 0},
                                                   {"measured", 1},
                                                   {"rnea+crba+cholesky", 6},
                                                   {"LU, canonical+joint-space", 7},
                                                   {"LU, umfpack", 4},
                                                   {"Brandl", 3},
                                                   {"Khalil", 2},
                                                   {"the log", 1},
                                                   {"before the fit", 3},
                                                   {"LU, joint-space", 4},
                                                   {"LU, canonical", 5},
                                                   {"LU, executed", 0},
                                                   {"LU, raw", 0},
                                                   {"LU, folded", 5},
                                                   {"LU, recursive", 0},
                                                   {"LU, greedy", 6},
                                                   {"LU,", 0},
                                                   {"program", 2},
                                                   {"generated program", 2},
                                                   {"rnea", 1},
                                                   {"RNEA", 1},
                                                   {"aba", 3},
                                                   {"ABA", 3},
                                                   {"crba", 4},
                                                   {"McMillan", 7},
                                                   {"Balafoutis", 6},
                                                   {"Featherstone", 5}};
  for (const auto& [begins, slot] : known)
    if (name.rfind(begins, 0) == 0) return slot;
  unsigned hash = 2166136261u;
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return static_cast<int>(hash % static_cast<unsigned>(svg::slots));
}

std::string short_number(double x) { return number(x, 3); }

std::string range_text(double low, double high) {
  return with_minus(short_number(low)) + " to " + with_minus(short_number(high));
}

std::string grouped(long x) {
  std::string digits = std::to_string(std::labs(x));
  for (int k = static_cast<int>(digits.size()) - 3; k > 0; k -= 3) digits.insert(static_cast<std::size_t>(k), "\u202f");
  return (x < 0 ? "−" : "") + digits;
}

std::string line_plot(const Axes& axes, const std::vector<Curve>& curves) {
  Scale x(axes.log_x, !axes.one_scale), y(axes.log_y, !axes.one_scale);
  for (const Curve& curve : curves)
    for (const auto& [px, py] : curve.points)
      if (x.has(px) && y.has(py)) x.take(px), y.take(py);
  if (axes.one_scale) take_one_scale(x, y);
  x.fit(plot_frame.left, plot_frame.right, false), y.fit(plot_frame.bottom, plot_frame.top, !axes.one_scale);
  const std::vector<int> slots = slots_of(curves);
  std::vector<Drawn> drawn;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    Drawn d{&curves[c], slots[c], {}};
    for (const auto& [px, py] : curves[c].points)
      if (x.has(px) && y.has(py)) d.at.emplace_back(x.at(px), y.at(py));
    if (d.at.empty()) continue;
    d.group = drawn.size();
    for (const Drawn& before : drawn)
      if (coincide(before, d)) {
        d.group = before.group;
        break;
      }
    drawn.push_back(std::move(d));
  }
  std::string out = "<figure class=\"curves\"><figcaption>" + escaped(axes.title) + "</figcaption>\n" +
                    svg::open(plot_width, plot_height, axes.title + reaches(drawn, axes), "plot hover") +
                    grid(plot_frame, x, y, axes.x, axes.y);
  for (std::size_t k = 0; k < drawn.size(); ++k) {
    const auto together = [&](std::size_t to) {
      return static_cast<int>(std::count_if(drawn.begin(), drawn.begin() + static_cast<std::ptrdiff_t>(to),
                                            [&](const Drawn& d) { return d.group == drawn[k].group; }));
    };
    out += path_of(drawn[k], together(drawn.size()), together(k));
  }
  return out + "</svg>\n" + (drawn.empty() ? "<p class=\"small\">Nothing to draw.</p>\n" : names_of(drawn)) + "</figure>\n";
}

}  // namespace sparsedyn::report
