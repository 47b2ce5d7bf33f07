// What answers the samples of a live run: a SensorSolver, sample by sample, or a Tracker, over time. Both read one row of
// readings, by name.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/answers/sensor_solver.hpp"
#include "sparsedyn/tracking/tracker.hpp"

namespace sparsedyn {

/// One number of a row of readings.
struct LiveReading {
  std::vector<std::string> columns;  // of a source that hold it, best first
  std::string sensor;                // of the set; empty: a coordinate or velocity of the state
  bool has_fallback = false;         // as long as no source names one of the columns, it reads
  double fallback = 0;               // this
  bool is_flag = false;              // of a contact, 0 to 1
  /// Whether a source has to name one of the columns.
  bool is_required() const { return !has_fallback && !is_flag; }
};

/// A rigid body that a link carries.
struct LivePayload {
  int link = -1;                           // of the robot; -1: none
  double mass = 0;                         // kg; 0: the link carries nothing
  Vec3<double> at{{0, 0, 0}};              // its centre of mass in the link's frame, m
  Sym3<double> inertia{0, 0, 0, 0, 0, 0};  // about that, in the link's axes, kg m²; 0: a point mass
};

/// What answers when the robot carries something else, made beforehand (LiveEstimate::prepare).
class LivePrepared {
 public:
  virtual ~LivePrepared() = default;
};

/// The answer to one sample.
struct LiveAnswer {
  bool ok = false;       // something was written; NaN for what the sample does not determine
  const char* why = "";  // not ok: a literal
  int reading = -1;      // not ok: which reading lacks, where it is one
};

/// One a thread.
class LiveEstimate {
 public:
  virtual ~LiveEstimate() = default;
  /// What answer() reads.
  const std::vector<LiveReading>& readings() const { return readings_; }
  /// Links that can carry a payload, as the robot has them.
  const std::vector<std::string>& links() const { return links_; }
  /// The first column of each reading: what findings call it.
  std::vector<std::string> names() const;
  /// What answer() writes.
  virtual const std::vector<std::string>& columns() const = 0;
  /// Whether samples belong together over time.
  virtual bool over_time() const = 0;

  /// A sample, dt seconds after the one before. readings: NaN where there is none. out: columns(). Of a Tracker no heap; of a
  /// SensorSolver as SensorSolver::solve.
  virtual LiveAnswer answer(const double* readings, double dt, double* out) noexcept = 0;
  /// How far the last sample's reading was from what the others predict, in standard deviations of that difference; NaN where
  /// that is not known.
  virtual double innovation(std::size_t reading) const noexcept = 0;
  /// Sets the standard deviation of a reading's noise; false where that cannot be.
  virtual bool set_sigma(std::size_t reading, double sigma) noexcept = 0;

  /// What answers for a robot whose links carry these. By any one thread beside that of answer(). Allocates; cost: as making
  /// the estimate. Throws std::invalid_argument where it cannot be, and what making the estimate throws.
  virtual std::unique_ptr<LivePrepared> prepare(const std::vector<LivePayload>& carried) const;
  /// Answers by it from now on: an estimate over time goes on from its state, and changed deviations of noise hold. `prepared`,
  /// of this estimate, then has what answered before. No heap.
  virtual void take(LivePrepared& prepared) noexcept;

 protected:
  std::vector<LiveReading> readings_;
  std::vector<std::string> links_;
};

/// Each sample by itself: its state q and v and what the sensors read. An estimate's readings are judged by what the others
/// predict, whether or not innovations are written. Throws as SensorSolver's constructor, and std::invalid_argument where a
/// sensor has an offset that would have to be learnt from the whole run (`"bias": true`).
std::unique_ptr<LiveEstimate> live_solver(std::shared_ptr<const System> system, SensorSolverOptions options = {});
/// The same of a solver that is there. innovations: whether columns chi2 and innovation.*, where it has them, are written.
std::unique_ptr<LiveEstimate> live_solver(SensorSolver solver, bool innovations);

/// The state over time. `system`: the tracker's.
std::unique_ptr<LiveEstimate> live_tracker(Tracker tracker, const System& system);

}  // namespace sparsedyn
