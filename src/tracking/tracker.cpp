#include "sparsedyn/tracking/tracker.hpp"

#include <cmath>
#include <utility>

#include "io/suggestions.hpp"
#include "runtime/arguments.hpp"
#include "sparsedyn/tracking/step_plan.hpp"
#include "tracking/engines/engine.hpp"
#include "tracking/whole/whole_layout.hpp"

namespace sparsedyn {
namespace {

std::unique_ptr<tracking::Engine> engine_for(std::shared_ptr<const System> system, TrackerOptions options) {
  const bool whole =
      options.rows == TrackRows::automatic ? tracking::has_interval_readings(*system) : options.rows == TrackRows::whole_body;
  return whole ? tracking::whole_body_engine(std::move(system), std::move(options))
               : tracking::kinematic_engine(std::move(system), std::move(options));
}

}  // namespace

UnknownTrackOutput::UnknownTrackOutput(const std::string& asked, std::vector<std::string> all)
    : UnknownTrackOutput(asked, std::move(all), "kinematic rows have q, dq, bias, foot, contact, nis") {}

UnknownTrackOutput::UnknownTrackOutput(const std::string& asked, std::vector<std::string> all, const std::string& what)
    : std::runtime_error("no output " + asked + suggestions_text(asked, all) + "; " + what),
      name(asked),
      columns(std::move(all)) {}

Tracker::Tracker(std::shared_ptr<const System> system, TrackerOptions options)
    : system_(of_robot(std::move(system))), options_(std::move(options)), engine_(engine_for(system_, options_)) {
  if (!options_.plan) return;
  if (options_.plan->fingerprint != step_fingerprint(*system_, *this) ||
      (rows() == TrackRows::kinematic && !options_.plan->order.empty()))
    throw PlanMismatch("the plan was made for a step of another robot, other sensors or other rows");
}
Tracker::~Tracker() = default;
Tracker::Tracker(Tracker&&) noexcept = default;
Tracker& Tracker::operator=(Tracker&&) noexcept = default;

const std::vector<TrackerInput>& Tracker::inputs() const { return engine_->inputs(); }
const std::vector<std::string>& Tracker::columns() const { return engine_->columns(); }
std::vector<std::string> Tracker::state_columns() const { return engine_->state_columns(); }
const std::vector<std::string>& Tracker::notes() const { return engine_->notes(); }
const std::vector<std::string>& Tracker::unobservable() const { return engine_->unobservable(); }
TrackRows Tracker::rows() const { return engine_->rows(); }
int Tracker::states() const { return engine_->states(); }

void Tracker::start(const double* q, const double* v) noexcept { engine_->start(q, v); }
TrackerStep Tracker::step(const double* y, double dt, double* out) noexcept { return engine_->step(y, dt, out); }
bool Tracker::set_sigma(std::size_t input, double sigma) noexcept {
  return sigma > 0 && std::isfinite(sigma) && engine_->set_sigma(input, sigma);
}
bool Tracker::go_on_from(const Tracker& other) noexcept { return engine_->go_on_from(*other.engine_); }
bool Tracker::delayed(int back, double* out) const noexcept { return engine_->delayed(back, out); }
double Tracker::nees(const double* q, const double* v) const noexcept { return engine_->nees(q, v); }
std::vector<std::pair<std::string, double>> Tracker::biases() const { return engine_->biases(); }
std::vector<std::string> Tracker::at_prior() const { return engine_->at_prior(); }

std::vector<TrackerStep> smooth(const Tracker& tracker, const std::vector<double>& y, const std::vector<double>& dt,
                                int iterations, double* out, std::vector<std::string>* at_prior) {
  return tracker.engine_->smooth(y, dt, iterations, out, at_prior);
}

}  // namespace sparsedyn
