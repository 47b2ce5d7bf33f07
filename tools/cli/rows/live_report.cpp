#include "live_report.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <utility>

#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "io/number.hpp"

namespace sparsedyn::cli {
namespace {

constexpr long most_in_words = 100;     // findings that a terminal is told
constexpr double between_failures = 1;  // s, before the same reason is told again

void add_number(std::string& text, double value) {
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  if (error == std::errc()) text.append(digits, end);
}

std::string one_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string cell(const std::string& name) {
  if (name.find_first_of(",\"\n\r") == std::string::npos) return name;
  std::string quoted = "\"";
  for (char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

}  // namespace

LiveReport::LiveReport(const LiveEstimate& estimate, std::vector<std::string> sources, LiveLines& samples, LiveLines* findings,
                       const CommonOptions& common)
    : estimate_(estimate),
      names_(estimate.names()),
      sources_(std::move(sources)),
      lines_(samples),
      findings_(findings),
      common_(common) {
  std::string header = "time";
  for (const std::string& column : estimate.columns()) header += "," + cell(column);
  lines_.header(header + "\n");
}

void LiveReport::sample(double time, const LiveAnswer& answer, const double* out) {
  time_ = time;
  if (samples_ == 0 && findings_) findings_->begin();
  ++samples_, answered_ += answer.ok;
  text_.clear();
  add_number(text_, time);
  for (std::size_t k = 0; k < estimate_.columns().size(); ++k) {
    text_ += ',';
    if (answer.ok && std::isfinite(out[k])) add_number(text_, out[k]);
  }
  text_ += '\n';
  lines_.line(text_);
  const bool same = answer.why == why_ && answer.reading == reading_ && time >= failed_told_ &&
                    time - failed_told_ < between_failures;  // before it: the clock began anew
  why_ = answer.why, reading_ = answer.reading;
  if (answer.ok || same) return;
  failed_told_ = time;
  const std::string why = (answer.reading < 0 ? "" : names_[static_cast<std::size_t>(answer.reading)] + ": ") + answer.why;
  tell({{"kind", "failed"}, {"time", time}, {"why", why}}, "at " + number_text(time) + " s no answer: " + why);
}

std::string LiveReport::name_of(const LiveFinding& found) const {
  return found.reading >= 0  ? names_[static_cast<std::size_t>(found.reading)]
         : found.source >= 0 ? sources_[static_cast<std::size_t>(found.source)]
         : found.link >= 0   ? "payload " + estimate_.links()[static_cast<std::size_t>(found.link)]
                             : "";
}

void LiveReport::finding(const LiveFinding& found) {
  const std::string kind = live_fault_name(found.kind), name = name_of(found);
  Json json{{"kind", kind}, {"time", found.at}, {"since", found.since}};
  const bool lasts = found.kind == LiveFault::missing || found.kind == LiveFault::stuck || found.kind == LiveFault::drift ||
                     found.kind == LiveFault::silent || found.kind == LiveFault::clock;
  if (lasts) json["over"] = found.over;
  if (found.reading >= 0) {
    json["reading"] = name;
    const std::string& sensor = estimate_.readings()[static_cast<std::size_t>(found.reading)].sensor;
    if (!sensor.empty()) json["sensor"] = sensor;
  }
  if (found.source >= 0) json["input"] = name;
  if (found.link >= 0) json["link"] = estimate_.links()[static_cast<std::size_t>(found.link)];
  std::string words = name + " " + (lasts && found.over ? "is no longer " : "") + kind + " at " + number_text(found.at) + " s";
  if (lasts && !found.over) words += ", since " + number_text(found.since) + " s";
  if (found.amount != 0 && std::isfinite(found.amount)) {
    json["amount"] = found.amount;
    words += " (" + number_text(found.amount) + ")";
  }
  if (!lasts || !found.over) kinds_[kind] = kinds_.value(kind, 0L) + 1;
  tell(json, words);
}

void LiveReport::say(Json json, const std::string& words) {
  json["time"] = time_;
  tell(json, words);
}

void LiveReport::counters(Json json) {
  if (!findings_) return;
  json["kind"] = "counters", json["time"] = time_, json["samples"] = samples_, json["answered"] = answered_;
  findings_->line(one_line(json));
}

void LiveReport::tell(const Json& json, const std::string& words) {
  if (findings_) return findings_->line(one_line(json));
  if (told_++ < most_in_words)
    note(common_, words);
  else if (told_ == most_in_words + 1)
    note(common_, "further findings are counted; --diagnostics writes all");
}

}  // namespace sparsedyn::cli
