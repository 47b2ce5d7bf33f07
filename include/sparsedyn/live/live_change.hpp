// Changes to a live run while it goes, each a line of text:
//
//   sigma NAME VALUE      the standard deviation of a sensor's noise
//   tare NAME             what it reads over the next fifth of a second, on average, is taken off from then on
//   offset NAME VALUE     this is taken off its readings
//   flag NAME 0|1|read    a contact's flag is this, or what is read again
//
// NAME: a sensor of the set, or one column. Components of an orientation have neither tare nor offset; the sigma of its x, y
// and z is that of turns about these axes (rad), its w has none. A tare of an angle is taken without whole turns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sparsedyn/live/live_estimate.hpp"

namespace sparsedyn {

/// One change of one reading.
struct LiveChange {
  enum class Kind : char { sigma, tare, offset, flag };
  Kind kind = Kind::sigma;
  int reading = -1;
  double value = 0;  // flag: NaN: as it is read
};

/// The changes that a line asks for, one a reading. On a wrong line none, and `why` says what is wrong: FOUND; expected
/// EXPECTED.
std::vector<LiveChange> read_live_changes(std::string_view line, const std::vector<LiveReading>& readings, std::string& why);

/// The change as a line that reads back as it.
std::string live_change_text(const LiveChange& change, const std::vector<LiveReading>& readings);

}  // namespace sparsedyn
