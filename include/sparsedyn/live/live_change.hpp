// Changes to a live run while it goes, each a line of text:
//
//   sigma NAME VALUE      the standard deviation of a sensor's noise
//   tare NAME             what it reads over the next fifth of a second, on average, is taken off from then on
//   offset NAME VALUE     this is taken off its readings
//   flag NAME 0|1|read    a contact's flag is this, or what is read again
//   payload LINK MASS [X Y Z [IXX IXY IXZ IYY IYZ IZZ]]
//                         the link carries a body of this mass (kg) in place of what it carried; 0: nothing. X Y Z: its centre
//                         of mass in the link's frame (m; else the frame's origin); IXX …: its inertia about that, in the
//                         link's axes (kg m², as in a URDF; else a point mass)
//
// A name with blanks stands in double quotes: payload "left hand" 2; there \ stands before " and \ .
// NAME: a sensor of the set, or one column. Components of an orientation have neither tare nor offset; the sigma of its x, y
// and z is that of turns about these axes (rad), its w has none. A tare of an angle is taken without whole turns.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sparsedyn/live/live_estimate.hpp"

namespace sparsedyn {

/// One change, of one reading or of what one link carries.
struct LiveChange {
  enum class Kind : char { sigma, tare, offset, flag, payload };
  Kind kind = Kind::sigma;
  int reading = -1;          // payload: none
  double value = 0;          // flag: NaN: as it is read
  LivePayload payload = {};  // of a payload
};

/// The changes that a line asks for, one a reading, or one of a link. On a wrong line none, and `why` says what is wrong:
/// FOUND; expected EXPECTED.
std::vector<LiveChange> read_live_changes(std::string_view line, const LiveEstimate& estimate, std::string& why);

/// The change as a line that reads back as it.
std::string live_change_text(const LiveChange& change, const LiveEstimate& estimate);

/// What the links of an estimate's robot carry, change by change.
class PayloadChanges {
 public:
  /// The estimate must outlive it.
  explicit PayloadChanges(const LiveEstimate& estimate) : estimate_(&estimate) {}
  /// What answers once this link carries this, and the others what they carry. Null, nothing is changed and `why` says so where
  /// that cannot be. As LiveEstimate::prepare.
  std::unique_ptr<LivePrepared> prepare(const LivePayload& payload, std::string& why);

 private:
  const LiveEstimate* estimate_;
  std::vector<LivePayload> carried_;  // one a link
};

}  // namespace sparsedyn
