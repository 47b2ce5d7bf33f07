// What a live run finds out about its sensors and its sources, as it happens.
//
//   missing    a reading has not come for so long, or its cells are empty
//   stuck      a reading repeats itself, which its history makes unlikely, and had moved by many of its steps just before;
//   where
//              other readings predict it, they must also contradict it
//   spike      a single reading is far from the one before and the one behind
//   drift      a reading has been off what the others predict by more than a standard deviation, for long
//   silent     a source has sent nothing for so long
//   clock      a source's stamps are ahead of, or behind, the first source's
//   restarted  a source's stamps began anew
//   changed    a change was made that was asked for, or (refused) was not
#pragma once

#include <cstdint>

namespace sparsedyn {

/// What was found.
enum class LiveFault : std::uint8_t { missing, stuck, spike, drift, silent, clock, restarted, changed, refused };
/// "missing", …
const char* live_fault_name(LiveFault kind);

/// One of them. Times are those of the samples (s).
struct LiveFinding {
  LiveFault kind = LiveFault::missing;
  bool over = false;  // it has ended: the sensor is back
  int reading = -1;   // which it is, or −1
  int source = -1;    // likewise
  int link = -1;      // likewise, whose payload was changed
  double since = 0;   // when it began
  double at = 0;      // when it was found
  double amount = 0;  // spike: how far off; drift: in deviations; clock: s ahead; changed: the new value
};

}  // namespace sparsedyn
