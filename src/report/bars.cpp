#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/figure.hpp"
#include "svg.hpp"

namespace sparsedyn::report {
namespace {

double sum_of(const Bar& bar, std::size_t account) {
  if (account >= bar.accounts.size()) return 0;
  return std::accumulate(bar.accounts[account].begin(), bar.accounts[account].end(), 0.0);
}

/// Bars that a first account lacks come last.
double rank_of(const Bar& bar) {
  const double first = sum_of(bar, 0);
  return first > 0 ? first : 1e300 + sum_of(bar, 1);
}

/// The parts of a bar as shares of the largest, its sum, and for narrow windows the account's name.
std::string track(const Bar& bar, std::size_t account, const std::vector<std::string>& accounts,
                  const std::vector<std::string>& parts, double largest) {
  std::string out =
      "<span class=\"track\"" + (accounts.size() > 1 ? " data-account=\"" + escaped(accounts[account]) + "\">" : ">");
  const double sum = sum_of(bar, account);
  if (account < bar.accounts.size())
    for (std::size_t k = 0; k < bar.accounts[account].size(); ++k) {
      const double part = bar.accounts[account][k];
      if (part <= 0) continue;
      out += svg::format("<i class=\"p%d\" style=\"width:%.2f%%\" title=\"", static_cast<int>(k % 4), 76 * part / largest) +
             escaped(bar.name + (parts.size() > 1 ? ", " + parts[k] : "") + ": " + grouped(std::lround(part))) + "\"></i>";
    }
  return out + (sum > 0 ? "<b>" + grouped(std::lround(sum)) + "</b>" : "") + "</span>";
}

/// Without digits that the reach does not let one know: two of it are kept.
double rounded_beside(double value, double reach) {
  if (!(reach > 0) || !std::isfinite(reach)) return value;
  const double step = std::pow(10, std::floor(std::log10(reach)) - 1);
  return std::abs(value) < 1e12 * step ? std::round(value / step) * step : value;
}

}  // namespace

std::string bar_chart(const std::string& title, const std::vector<std::string>& accounts, const std::vector<std::string>& parts,
                      std::vector<BarGroup> groups) {
  double largest = 1;
  for (const BarGroup& group : groups)
    for (const Bar& bar : group.bars)
      for (std::size_t a = 0; a < accounts.size(); ++a) largest = std::max(largest, sum_of(bar, a));
  std::string out = "<figure class=\"bars\"><figcaption>" + escaped(title) + "</figcaption>\n";
  if (parts.size() > 1) {
    out += "<p class=\"key\">";
    for (std::size_t k = 0; k < parts.size(); ++k)
      out += svg::format("<span><i class=\"p%d\"></i>", static_cast<int>(k % 4)) + escaped(parts[k]) + "</span> ";
    out += "</p>\n";
  }
  out += svg::format("<div style=\"--accounts:%d\">\n", static_cast<int>(accounts.size()));
  if (accounts.size() > 1) {
    out += "<p class=\"bar head\"><span></span>";
    for (const std::string& account : accounts) out += "<span>" + escaped(account) + "</span>";
    out += "</p>\n";
  }
  for (BarGroup& group : groups) {
    if (group.bars.empty()) continue;
    std::stable_sort(group.bars.begin(), group.bars.end(), [](const Bar& a, const Bar& b) { return rank_of(a) < rank_of(b); });
    if (!group.name.empty()) out += "<h3>" + escaped(group.name) + "</h3>\n";
    for (const Bar& bar : group.bars) {
      out += "<p class=\"bar" + std::string(bar.marked ? " marked" : "") + "\"><span>" + escaped(bar.name) + "</span>";
      for (std::size_t a = 0; a < accounts.size(); ++a) out += track(bar, a, accounts, parts, largest);
      out += "</p>\n";
    }
  }
  return out + "</div></figure>\n";
}

std::string interval_chart(const std::string& title, const std::string& unit, const std::vector<Interval>& intervals) {
  double low = 0, high = 0;
  for (const Interval& i : intervals)
    low = std::min(low, i.value - 2 * i.deviation), high = std::max(high, i.value + 2 * i.deviation);
  if (!(high > low)) high = low + 1;
  const auto at = [&](double v) { return 100 * (v - low) / (high - low); };
  std::string out = "<figure class=\"bars intervals\"><figcaption>" + escaped(title) +
                    (unit.empty() ? "" : " (" + escaped(unit) + ")") + "</figcaption>\n<div style=\"--accounts:2\">\n";
  for (const Interval& i : intervals)
    out +=
        "<p class=\"bar\"><span>" + escaped(i.name) + "</span><span class=\"interval\">" +
        svg::format(
            "<s style=\"left:%.2f%%\"></s><u style=\"left:%.2f%%;width:%.2f%%\"></u><i style=\"left:%.2f%%\"></i></span>",
            at(0), at(i.value - 2 * i.deviation), at(i.value + 2 * i.deviation) - at(i.value - 2 * i.deviation), at(i.value)) +
        "<span class=\"said\">" + with_minus(number(rounded_beside(i.value, 2 * i.deviation))) + " ± " +
        number(2 * i.deviation, 2) + "</span></p>\n";
  return out + "</div><p class=\"small\">A dot is the value, its bar ± 2σ, the line is zero.</p></figure>\n";
}

}  // namespace sparsedyn::report
