// What a robot measures or what is known about it, as the user states it. Plain structs: written in C++, or read from JSON
// (json/files.hpp).
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sparsedyn/constraints/constraint_set.hpp"
#include "sparsedyn/spatial/spatial.hpp"

namespace sparsedyn {

/// A name and the line it stands on (0: none), so that a robot that lacks it can be reported there.
struct NameAt {
  std::string name;       // as written
  long line = 0;          // from 1
  std::string file = {};  // where that is not the set's own
};

/// An offset that is unknown at the start and walks: standard deviations at the start, and per √s.
struct WalkingOffset {
  double sigma = 0, walk = 0;  // in the sensor's unit, and per √s; sigma 0: the type's own
  bool there = false;          // the sensor has one
};

/// A wrench that is unknown and walks: standard deviations at the start, and per √s, of its moments (N·m) and forces (N).
struct WalkingWrench {
  double moment_sigma = 10, force_sigma = 100;  // at the start
  double moment_walk = 10, force_walk = 100;    // per √s
  bool there = false;                           // the set states it
};

/// When a contact stands, and how firmly (type contact, estimates over time).
struct ContactOverTime {
  std::string flag;                       // the log's column; empty: y.NAME.on (of a list y.NAME.LINK.on)
  double above = 0, below = 0;            // N: the column is a force; the foot stands from `above` on until below `below`
  bool is_force = false;                  // above and below are stated
  double walk = 0.02;                     // m/√s of a foothold that stands
  double acceleration = 10;               // m/s² of a foot that stands
  double slip = 0.003;                    // m: a miss beyond it lets a foothold go by as much; 0: never
  double kinematics = 3e-4;               // m: of the point's place in the robot beside what the encoders explain
  double radius = 0;                      // m, of a sphere at each point
  std::vector<Vec3<double>> points = {};  // in the sensor's frame; none: its origin
};

/// What only an estimate over time uses of a sensor (tracking/tracker.hpp).
struct SensorOverTime {
  WalkingOffset offset;
  double delay = 0;         // s: the reading was taken so much earlier
  double share = 0;         // of torques: σ² = sigma² + (share · reading)²
  bool samples = false;     // "instant": it samples instead of averaging over the interval
  ContactOverTime contact;  // of contacts
  bool stated = false;      // some of it was
};

/// One sensor, or one kind of sensor on several joints or links. Every chosen component of every target gives one row.
struct Sensor {
  std::string name;                              // unique in the set; columns are called y.NAME, or y.NAME.TARGET (in_list)
  std::string type;                              // one of sensor_types()
  std::vector<NameAt> targets;                   // joints or links, as the type wants them; * and ? stand for letters
  bool all = false;                              // "*": every moving joint but the base, or every link
  bool listed = false;                           // the targets were given as a list, though it may hold one
  std::vector<NameAt> except;                    // with all or patterns: but not these
  bool optional = false;                         // targets that the robot lacks are passed over
  Pose<double> frame = identity_pose<double>();  // of the sensor, in the link's frame
  bool framed = false;                  // a frame was stated, so log columns in link coordinates do not stand in for it
  std::vector<std::string> components;  // empty: all of the type's
  std::vector<double> value;            // constant reading: none, one for all components, or one a component
  std::vector<double> fallback;         // reading where the log has no column: none, or one number
  std::vector<double> sigma;            // standard deviation: none (exact), one for all, or one a component; 0 is exact
  bool child_to_parent = false;         // force_torque: the child's wrench on the parent
  int dof = 3;                          // contact: 3 or 6
  std::vector<std::pair<NameAt, double>> coefficients;  // torque_combination: by joint
  Vec3<double> normal{{0, 0, 1}};                       // normal_force: in the world, of any length but 0
  bool bias = false;                                    // carries a constant unknown offset
  long line = 0;                                        // where it stands in the set's file, or …
  std::string file;                                     // … in this one
  SensorOverTime over_time = {};                        // for estimates over time alone

  /// Whether its columns name the target too, as they do where a target is a pattern.
  bool in_list() const { return all || listed || targets.size() > 1; }
};

/// What a measurement reads too much, exactly known.
struct KnownOffset {
  NameAt column;     // `y.SENSOR…`, or the column that may stand in for it
  double value = 0;  // in the unit of its row (the sensor's own; N·m for a centre_of_pressure)
};

/// Two outputs whose covariance is wanted, each by its column (`tau.knee`).
struct OutputPair {
  NameAt first, second;
};

/// All sensors of a robot, and what else is known of it.
struct SensorSet {
  std::string name;                     // as the user calls it
  std::string file;                     // for messages
  std::vector<Sensor> sensors;          // in the order of their rows
  std::vector<NameAt> unknown;          // lumped links ("fx.LINK") whose own wrench is unknown though no sensor names them
  std::vector<OutputPair> covariances;  // columns `cov.A|B` beside deviations
  std::vector<KnownOffset> offsets;     // taken off the readings; at most one a column, none of a sensor with `bias`
  // Standard deviations of positions (on the tangent of q) and velocities, in the order of the file: by joint, by an entry of
  // v (`elbow`, `base.wx`), or `*` for all; a later one wins. Others are exactly known.
  std::vector<std::pair<NameAt, double>> position_sigma, velocity_sigma;
  ConstraintSet constraints;            // of these the hard ones: rows, and unknown forces `lambda.NAME…`
  std::map<std::string, double> prior;  // standard deviation of a zero-mean prior, by kind: acc, f, tau, fx, ddq
  // Estimates over time: the wrench on the base that the model gets wrong (N and N m, and per √s), and the deviations of the
  // start: "q.base" (x, y, z in m, then rx, ry, rz in rad, world axes; or one number for all), "dq" (base: m/s and rad/s).
  WalkingOffset model_wrench = {};
  double acceleration_walk = 0;  // per √s, of ddq's prior: it walks from interval to interval; 0: it starts anew in each
  WalkingWrench external_wrench = {};  // components of fx that no sensor reads and no prior holds
  std::map<std::string, std::vector<double>> start = {};

  /// Where a sensor, or a name of `unknown`, stands.
  template <class Item>
  const std::string& file_of(const Item& item) const {
    return item.file.empty() ? file : item.file;
  }
};

}  // namespace sparsedyn
