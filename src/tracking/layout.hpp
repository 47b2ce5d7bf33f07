// What a robot and its sensors make of a state over time: which sensors are read where, and where each part of the state
// stands.
//
// The tracked frame is that of the accelerometer (else of the gyroscope, else of the root link); R, p, v are its rotation,
// place and velocity in the world. Its errors, and those of the footholds d, are one common action from the left,
//   R = exp(θ) R̂,   p = exp(θ) p̂ + V δp,   v = exp(θ) v̂ + V δv,   d = exp(θ) d̂ + V δd,   V = V(θ) (rotation_vector.hpp),
// so that turning and shifting the world (yaw, x, y, z) is one constant direction of (θ, δp, δv, δd), whatever the estimate:
// rows that do not see it never come to see it. Order of the errors: θ δp δv, offsets of gyroscope and accelerometer, δd by
// point.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/system/system.hpp"
#include "tracking/rotation_vector.hpp"
#include "tracking/shared/contacts.hpp"
#include "tracking/shared/tracked_pose.hpp"

namespace sparsedyn::tracking {

/// One number of a row of readings: the log's columns that may hold it, best first.
struct TrackInput {
  std::vector<std::string> columns;
  bool required;
};

/// A sensor of three components in a frame fixed to the tracked one.
struct Triad {
  int first_input = -1;      // -1: there is none
  Matrix3 R;                 // its axes in the tracked frame
  Vector3 sigma{{0, 0, 0}};  // of a reading
  int bias = -1;             // first of its offset in the errors
  WalkingOffset offset;      // where it has one
  std::string name;          // SENSOR or SENSOR.LINK
  std::vector<std::string> bias_columns;
  bool there() const { return first_input >= 0; }
};

/// Points whose places in the robot depend on common encoders: their rows are correlated.
struct PointGroup {
  std::vector<int> points;
  std::vector<int> joints;  // entries of v of the joints between them and the tracked frame
};

/// A joint of one freedom: what is read of it.
struct TrackedJoint {
  std::string name;
  int q, v;
  struct Source {
    int input;
    double sigma;
  };
  std::vector<Source> positions, velocities;
};

/// Fixed once built; the system must outlive it.
struct Layout {
  /// Throws Untrackable.
  explicit Layout(std::shared_ptr<const System> system);

  std::shared_ptr<const System> system;
  const Model& model;
  bool floating;
  std::vector<TrackInput> inputs;
  std::vector<std::string> notes;  // sensors that are not used, and why
  int link = 0;                    // that carries the tracked frame
  Pose<double> frame;              // of it, in that link
  Triad gyroscope, accelerometer;
  std::vector<TrackedContact> contacts;
  std::vector<ContactPoint> points;
  std::vector<PointGroup> groups;
  std::vector<TrackedJoint> joints;
  std::vector<TrackedPose> poses;
  Vector3 vertical{{0, 0, 1}};  // of a floating robot, in the world (rolling.hpp)
  int size = 0;                 // of the base's errors: 9, offsets, 3 a point; 0 on a fixed base

  /// Sensors of all joints.
  std::size_t joint_readings() const {
    std::size_t count = 0;
    for (const TrackedJoint& joint : joints) count += joint.positions.size() + joint.velocities.size();
    return count;
  }

  static constexpr int turn = 0, place = 3, velocity = 6, first_bias = 9;
};

}  // namespace sparsedyn::tracking
