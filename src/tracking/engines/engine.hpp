// What a Tracker stands on: one kind of rows.
#pragma once

#include "sparsedyn/tracking/tracker.hpp"

namespace sparsedyn::tracking {

/// The members of Tracker that depend on its rows, under their names.
class Engine {
 public:
  virtual ~Engine() = default;
  const std::vector<TrackerInput>& inputs() const { return inputs_; }
  const std::vector<std::string>& unobservable() const { return unobservable_; }
  virtual TrackRows rows() const = 0;
  virtual const std::vector<std::string>& columns() const = 0;
  virtual std::vector<std::string> state_columns() const = 0;
  virtual const std::vector<std::string>& notes() const = 0;
  virtual int states() const = 0;
  virtual void start(const double* q, const double* v) noexcept = 0;
  virtual TrackerStep step(const double* y, double dt, double* out) noexcept = 0;
  virtual bool set_sigma(std::size_t input, double sigma) noexcept = 0;
  virtual bool go_on_from(const Engine& other) noexcept = 0;
  virtual bool delayed(int back, double* out) noexcept = 0;
  virtual double nees(const double* q, const double* v) const noexcept = 0;
  virtual std::vector<std::pair<std::string, double>> biases() const = 0;
  virtual std::vector<std::string> at_prior() const = 0;
  virtual std::vector<TrackerStep> smooth(const std::vector<double>& y, const std::vector<double>& dt, int iterations,
                                          double* out, std::vector<std::string>* at_prior) const = 0;

 protected:
  std::vector<TrackerInput> inputs_;
  std::vector<std::string> unobservable_;
};

std::unique_ptr<Engine> kinematic_engine(std::shared_ptr<const System> system, TrackerOptions options);
std::unique_ptr<Engine> whole_body_engine(std::shared_ptr<const System> system, TrackerOptions options);

}  // namespace sparsedyn::tracking
