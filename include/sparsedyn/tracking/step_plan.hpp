// The step of a Tracker as a plan: in which order the rows of an interval are taken, found offline and counted.
//
// Rows move one Gaussian over state and interval, one after the other. Accelerations and forces that start anew in an interval
// are independent of all else until a row reads them, and cost nothing before. So a row costs by the square of how many errors
// have been read so far, and rows that read few new ones come first. Exact rows come after the noisy ones, since what stands
// for exactness is a share of what is open then; gyroscopes come last, since by how much their means are off depends on the
// accelerations found. Estimates are the same in each order but for rounding; `nis` counts a reading where those before it
// predict it, so that it may differ. Kinematic rows have nothing that starts anew: no order is cheaper than another.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/sparse/plan.hpp"
#include "sparsedyn/tracking/tracker.hpp"

namespace sparsedyn {

/// Made by search_step_order or read from a file, taken by a Tracker (TrackerOptions::plan); never changes, threads share it.
struct StepPlan {
  std::string fingerprint;  // step_fingerprint of what it was made for
  std::string strategy;     // who proposed the order
  std::vector<int> order;   // of the interval's rows; kinematic rows: none
};

/// Operations on the covariance in a step: carried over the interval, by the interval's rows, by those of its end (encoders,
/// feet, poses, and all feet in the air). What rows and their derivatives cost comes on top.
struct StepFlops {
  Flops carry, interval, end;
  Flops total() const { return carry + interval + end; }
};

/// An order and what it costs.
struct StepStrategy {
  std::string name;
  std::vector<int> order;
  Flops interval;  // of the interval's rows
};

struct StepSearch {
  StepPlan plan;                         // the cheapest
  std::vector<StepStrategy> strategies;  // cheapest first; of equal ones the simpler
  StepFlops flops;                       // of the plan
};

/// Names the robot's structure, its sensors, and which rows are taken; not their numbers.
std::string step_fingerprint(const System& system, const Tracker& tracker);

/// Compares orders: as the set states its sensors, reversed, fewest new unknowns first, and a local search from that.
/// Offline. Throws Untrackable.
StepSearch search_step_order(const std::shared_ptr<const System>& system, TrackRows rows = TrackRows::automatic);

/// What a step of the tracker costs with that order; an empty one: as the set states its sensors.
StepFlops step_flops(const std::shared_ptr<const System>& system, TrackRows rows, const std::vector<int>& order);

}  // namespace sparsedyn
