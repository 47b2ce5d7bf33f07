#include "identification_log.hpp"

#include <cmath>
#include <numeric>

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
    if (!inputs_.stand_ins().empty()) note(common, log.path() + ": " + stand_ins_text(inputs_.stand_ins()));
    for (const std::string& name : inputs_.whole_motion_missing())
      if (name.compare(0, 3, "dq.") == 0) throw InputError(log.path(), 1, "header", "no column " + name, "the whole motion");
  }
  bool read() {
    if (!inputs_.read()) return false;
    accelerations_read_ = accelerations_.read();
    return accelerations_read_;
  }
  std::string why() const { return accelerations_read_ ? inputs_.why() : accelerations_.why(); }
  const double* q() const { return inputs_.values().data(); }
  const double* v() const { return q() + model_.nq; }
  const double* a() const { return accelerations_.values().data(); }
  const double* y() const { return v() + model_.nv; }

 private:
  const Model& model_;
  SystemInputs inputs_;
  LogColumns accelerations_;
  bool accelerations_read_ = true;
};

const ComputedAlgorithm torque_rows{"identify", "", {true, true, true, true}, nullptr, nullptr};

/// Either: motion with torques, or with readings.
class Samples {
 public:
  Samples(const Model& model, const System* system, CsvReader& log, const CommonOptions& common) {
    if (system)
      readings_.emplace(*system, log, common);
    else
      torques_.emplace(model, torque_rows, "", log, common);
  }
  bool read() { return torques_ ? torques_->read() : readings_->read(); }
  std::string why() const { return torques_ ? torques_->why() : readings_->why(); }
  const double* v() const { return torques_ ? torques_->state().v : readings_->v(); }
  void add(RowInformation& information) const {
    if (readings_)
      return static_cast<SensorInformation&>(information).add(readings_->q(), readings_->v(), readings_->a(), readings_->y());
    const State& s = torques_->state();
    static_cast<TorqueInformation&>(information).add(s.q, s.v, s.a, s.tau, s.fx);
  }
  void visit(RowInformation& information, const RowVisitor& visitor) const {
    if (readings_)
      return static_cast<SensorInformation&>(information)
          .visit(readings_->q(), readings_->v(), readings_->a(), readings_->y(), visitor);
    const State& s = torques_->state();
    static_cast<TorqueInformation&>(information).visit(s.q, s.v, s.a, s.tau, s.fx, visitor);
  }

 private:
  std::optional<AlgorithmInputs> torques_;
  std::optional<ReadingRows> readings_;
};

double product(const std::vector<double>& pi, const double* row) { return std::inner_product(pi.begin(), pi.end(), row, 0.0); }

}  // namespace

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
  Samples samples(model_, system_ ? &*system_ : nullptr, log, common);
  std::vector<std::string> known;
  if (system_)
    for (const Measurement& m : system_->measurements()) known.insert(known.end(), m.columns.begin(), m.columns.end());
  warn_of_unknown_columns(log, model_, known, common);
  FailedRows failed(log.path());
  Progress progress(common);
  Rows rows;
  for (; log.next(); ++rows.read, progress.row()) {
    if (samples.read()) {
      samples.add(information);
      continue;
    }
    ++rows.failed;
    if (!again) failed.add(log.line(), samples.why());
  }
  progress.clear();
  if (!again) failed.tell_rest();
  return rows;
}

void IdentificationLogs::compare(const std::vector<std::string>& paths, const CommonOptions& common,
                                 const std::vector<double>& before, const Identification& found,
                                 const std::function<void(const ComparedSample&)>& use) const {
  CommonOptions quiet = common;
  quiet.quiet = true;
  const auto robot = empty(), fit = empty();
  fit->restart({found.friction, {}, std::nullopt});
  for (std::size_t l = 0; l < paths.size(); ++l) {
    CsvReader log(paths[l]);
    const int time = log.ask("time");
    Samples samples(model_, system_ ? &*system_ : nullptr, log, quiet);
    for (long row = 0; log.next(); ++row) {
      if (!samples.read()) continue;  // it was named when it was read first
      const bool timed = time >= 0 && log.state(time) == CellState::number;
      ComparedSample sample{l, timed ? log.value(time) : static_cast<double>(row), samples.v(), {}};
      samples.visit(*robot, [&](int i, const double* Y, double measured) {
        sample.rows.push_back({i, measured, product(before, Y), 0});
      });
      std::size_t k = 0;
      samples.visit(*fit, [&](int, const double* Y, double) { sample.rows[k++].after = product(found.value, Y); });
      use(sample);
    }
  }
}

}  // namespace sparsedyn::cli
