#include "identification_log.hpp"

#include <cmath>

#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/files.hpp"

namespace sparsedyn::cli {
namespace {

/// Motion and readings of a log's rows.
class ReadingRows {
 public:
  ReadingRows(const System& system, CsvReader& log, const CommonOptions& common)
      : model_(system.model()), inputs_(system, log, common), accelerations_(log) {
    for (const std::string& name : with_prefix("ddq", velocity_names(model_))) accelerations_.need(name);
    accelerations_.check(model_);
    for (const std::string& name : inputs_.whole_motion_missing())
      if (name.compare(0, 3, "dq.") == 0) throw InputError(log.path(), 1, "header", "no column " + name, "the whole motion");
  }
  bool read() {
    if (!inputs_.read()) return false;
    accelerations_read_ = accelerations_.read();
    return accelerations_read_;
  }
  std::string why() const { return accelerations_read_ ? inputs_.why() : accelerations_.why(); }
  void add(SensorInformation& information) const {
    const double* const q = inputs_.values().data();
    information.add(q, q + model_.nq, accelerations_.values().data(), q + model_.nq + model_.nv);
  }

 private:
  const Model& model_;
  SystemInputs inputs_;
  LogColumns accelerations_;
  bool accelerations_read_ = true;
};

}  // namespace

const Algorithm torque_rows{"identify", "", {true, true, true, true}, nullptr, nullptr};

IdentificationLogs::IdentificationLogs(const Model& model, const std::string& sensors) : model_(model) {
  if (!sensors.empty()) system_.emplace(model, load_sensor_set(sensors));
}

std::unique_ptr<RowInformation> IdentificationLogs::empty() const {
  if (system_) return std::make_unique<SensorInformation>(*system_);
  return std::make_unique<TorqueInformation>(model_);
}

IdentificationLogs::Rows IdentificationLogs::read(const std::vector<std::string>& paths, const CommonOptions& common,
                                                  RowInformation& information, bool again) const {
  CommonOptions told = common;
  told.quiet = common.quiet || again;
  Rows all;
  for (const std::string& path : paths) {
    const Rows rows = read_log(path, told, information, again);
    all.read += rows.read, all.failed += rows.failed;
  }
  return all;
}

IdentificationLogs::Rows IdentificationLogs::read_log(const std::string& path, const CommonOptions& common,
                                                      RowInformation& information, bool again) const {
  CsvReader log(path);
  std::optional<AlgorithmInputs> torques;
  std::optional<ReadingRows> readings;
  std::vector<std::string> known;
  if (system_) {
    readings.emplace(*system_, log, common);
    for (const Measurement& m : system_->measurements()) known.insert(known.end(), m.columns.begin(), m.columns.end());
  } else {
    torques.emplace(model_, torque_rows, "", log, common);
  }
  warn_of_unknown_columns(log, model_, known, common);
  FailedRows failed(log.path());
  Progress progress(common);
  Rows rows;
  for (; log.next(); ++rows.read, progress.row()) {
    if (torques ? !torques->read() : !readings->read()) {
      ++rows.failed;
      if (!again) failed.add(log.line(), torques ? torques->why() : readings->why());
    } else if (torques) {
      const State& s = torques->state();
      static_cast<TorqueInformation&>(information).add(s.q, s.v, s.a, s.tau, s.fx);
    } else {
      readings->add(static_cast<SensorInformation&>(information));
    }
  }
  progress.clear();
  if (!again) failed.tell_rest();
  return rows;
}

std::vector<int> computed_base_rows(RowInformation& information, const std::vector<double>& pi) {
  if (!information.model().floating()) return {};
  std::vector<int> base;
  bool joints_measured = false;
  for (std::size_t i = 0; i < information.factors().size(); ++i) {
    const RowInformation::Factor& factor = information.factors()[i];
    if (factor.rows == 0 || factor.freedom < 0) continue;
    double squares = 0;
    for (int r = 0; r <= factor.order(); ++r) squares += factor.entry(r, factor.order()) * factor.entry(r, factor.order());
    const double share = squares > 0 ? std::sqrt(information.squares(static_cast<int>(i), pi) / squares) : 1;
    if (factor.freedom >= 6)
      joints_measured = joints_measured || share > 1e-6;
    else if (share < 1e-9)
      base.push_back(static_cast<int>(i));
  }
  return joints_measured ? base : std::vector<int>();
}

}  // namespace sparsedyn::cli
