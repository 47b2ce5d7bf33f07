#include "sparsedyn/live/live_change.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include "io/number.hpp"
#include "io/printable.hpp"
#include "io/suggestions.hpp"
#include "logs/between.hpp"
#include "payload_line.hpp"
#include "quoted_words.hpp"

namespace sparsedyn {
namespace {

constexpr double as_read = std::numeric_limits<double>::quiet_NaN();
const std::vector<std::string> kinds{"sigma", "tare", "offset", "flag", "payload"};

/// The reading of that name, those of a sensor, or the one that a column names.
std::vector<int> readings_of(const std::string& name, const std::vector<LiveReading>& readings) {
  std::vector<int> found;
  for (std::size_t k = 0; k < readings.size(); ++k)
    if (readings[k].columns.front() == name) return {static_cast<int>(k)};
  for (std::size_t k = 0; k < readings.size(); ++k)
    if (!readings[k].sensor.empty() && readings[k].sensor == name) found.push_back(static_cast<int>(k));
  if (!found.empty()) return found;
  for (std::size_t k = 0; k < readings.size(); ++k)
    for (const std::string& column : readings[k].columns)
      if (column == name && found.empty()) found.push_back(static_cast<int>(k));
  return found;
}

std::vector<std::string> names_of(const std::vector<LiveReading>& readings) {
  std::vector<std::string> names;
  for (const LiveReading& reading : readings) {
    if (!reading.sensor.empty()) names.push_back(reading.sensor);
    names.push_back(reading.columns.front());
  }
  return names;
}

/// Of these readings the first one that is a component of an orientation; empty: none is.
std::string orientation_among(const std::vector<int>& found, const std::vector<LiveReading>& readings) {
  std::vector<std::string> names;
  for (const LiveReading& reading : readings) names.push_back(reading.columns.front());
  for (const auto& four : orientations(names))
    for (int k : found)
      if (std::find(four.begin(), four.end(), static_cast<std::size_t>(k)) != four.end())
        return names[static_cast<std::size_t>(k)];
  return "";
}

/// Whether a reading is the w of an orientation: x, y and z stand for turns about three axes, so that w has no noise of its
/// own.
bool is_w_of_orientation(int reading, const std::vector<LiveReading>& readings) {
  std::vector<std::string> names;
  for (const LiveReading& other : readings) names.push_back(other.columns.front());
  for (const auto& four : orientations(names))
    if (four[3] == static_cast<std::size_t>(reading)) return true;
  return false;
}

/// False where the word is none that this kind takes.
bool read_value(LiveChange::Kind kind, const std::string& word, double& value) {
  if (kind == LiveChange::Kind::flag && word == "read") {
    value = as_read;
    return true;
  }
  if (read_number(word, value) != NumberText::number || !std::isfinite(value)) return false;
  if (kind == LiveChange::Kind::sigma) return value >= 1e-100 && value <= 1e100;
  return kind != LiveChange::Kind::flag || value == 0 || value == 1;
}

const char* expected_value(LiveChange::Kind kind) {
  if (kind == LiveChange::Kind::sigma) return "a number above 0";
  return kind == LiveChange::Kind::flag ? "0, 1 or read" : "a number";
}

}  // namespace

std::vector<LiveChange> read_live_changes(std::string_view line, const LiveEstimate& estimate, std::string& why) {
  const std::vector<LiveReading>& readings = estimate.readings();
  const auto refuse = [&](const std::string& what) {
    why = printable(with_short_names(what));
    return std::vector<LiveChange>();
  };
  std::vector<std::string> words;
  if (!read_words(line.substr(0, 4096), words))
    return refuse((words.empty() ? "a line" : words[0]) + " with an open quote; expected \"NAME\" and a blank behind it");
  std::size_t kind = 0;
  while (!words.empty() && kind < kinds.size() && words[0] != kinds[kind]) ++kind;
  if (words.empty() || kind == kinds.size())
    return refuse((words.empty() ? "nothing" : words[0]) + "; expected sigma, tare, offset, flag or payload");
  const auto which = static_cast<LiveChange::Kind>(kind);
  if (which == LiveChange::Kind::payload) {
    std::string wrong;
    const LiveChange change = read_payload(words, estimate.links(), wrong);
    return wrong.empty() ? std::vector<LiveChange>{change} : refuse(wrong);
  }
  const std::size_t due = which == LiveChange::Kind::tare ? 2 : 3;
  if (words.size() != due)
    return refuse(words[0] + " with " + std::to_string(words.size() - 1) + " words; expected " + std::to_string(due - 1));
  const std::vector<int> found = readings_of(words[1], readings);
  if (found.empty())
    return refuse("no sensor or column " + words[1] + suggestions_text(words[1], names_of(readings)) +
                  "; expected one that is read");
  double value = 0;
  if (due == 3 && !read_value(which, words[2], value))
    return refuse(words[0] + " " + words[2] + "; expected " + expected_value(which));
  if (which == LiveChange::Kind::tare || which == LiveChange::Kind::offset)
    if (const std::string name = orientation_among(found, readings); !name.empty())
      return refuse(words[0] + " of " + name + ", a component of an orientation; expected a reading that is no part of one");
  std::vector<LiveChange> changes;
  for (int reading : found) {
    if (which == LiveChange::Kind::sigma && is_w_of_orientation(reading, readings)) continue;
    if (which == LiveChange::Kind::flag && !readings[static_cast<std::size_t>(reading)].is_flag) continue;
    changes.push_back({which, reading, value});
  }
  if (changes.empty() && which == LiveChange::Kind::sigma)
    return refuse("sigma of " + words[1] +
                  ", the w of an orientation; expected its sensor, or its x, y or z: turns about these axes");
  if (changes.empty()) return refuse(words[1] + " is no contact's flag; expected one");
  return changes;
}

std::unique_ptr<LivePrepared> PayloadChanges::prepare(const LivePayload& payload, std::string& why) {
  try {
    std::vector<LivePayload> carried;
    for (const LivePayload& each : carried_)
      if (each.link != payload.link) carried.push_back(each);
    if (payload.mass > 0) carried.push_back(payload);
    std::unique_ptr<LivePrepared> made = estimate_->prepare(carried);
    carried_ = std::move(carried);
    return made;
  } catch (const std::exception& wrong) {
    why = printable(wrong.what());
    return nullptr;
  }
}

std::string live_change_text(const LiveChange& change, const LiveEstimate& estimate) {
  if (change.kind == LiveChange::Kind::payload) return payload_text(change.payload, estimate.links());
  const std::vector<LiveReading>& readings = estimate.readings();
  std::string text = kinds[static_cast<std::size_t>(change.kind)] + " " +
                     word_text(readings[static_cast<std::size_t>(change.reading)].columns.front());
  if (change.kind == LiveChange::Kind::tare) return text;
  return text + " " + (std::isfinite(change.value) ? number_text(change.value) : "read");
}

}  // namespace sparsedyn
