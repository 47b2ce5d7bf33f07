// sd.Solver: what a robot's sensors say, as a function of arrays.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "batch.hpp"
#include "model.hpp"
#include "sensors.hpp"
#include "sparsedyn/answers/sensor_solver.hpp"

namespace sparsedyn::python {

/// A SensorSolver on arrays, with one more for each thread.
class ArraySolver : public WorkerSource {
 public:
  ArraySolver(std::shared_ptr<const Model> model, Sensors sensors, SensorSolver first);
  ArraySolver(const ArraySolver&) = delete;
  ArraySolver& operator=(const ArraySolver&) = delete;

  const System& system() const { return first_->system(); }
  const Model& model() const { return *model_; }
  const std::vector<std::string>& columns() const { return first_->columns(); }
  const SensorSolver& solver() const { return *first_; }

  /// One that begins anew under the same plan. Warns as its making did. Cost: a solver's memory, no planning.
  std::shared_ptr<ArraySolver> anew() const;
  /// From now on one worker, the first, takes all calls, in the order of the log.
  void go_in_order();
  /// What sensors with offsets need to be told of a log before its rows are solved. rows: q, dq, y. Looks for Ctrl-C.
  void learn(const Rows& rows);
  /// Adds rows to what sensors with offsets need to be told; rows that cannot be read are passed over. Looks for Ctrl-C.
  void gather(const Rows& rows);
  /// What was gathered, as numbers that add up, and the end of learning with a sum of such numbers.
  std::vector<double> gathered() const { return first_->learnt(); }
  void settle(const std::vector<double>& gathered) { first_->settle(gathered); }
  /// What messages call the column of each input.
  void name_columns(const std::vector<std::string>& read_from) { first_->name_columns(read_from); }

  /// Whether rows were shared out, so that none of the workers can tell of all of them.
  bool is_shared_out() const { return idle_.size() > 1; }

  /// Of all rows so far, whichever worker solved them.
  ChiSquare chi_square() const;

  /// For a call, or for good (a bound call).
  std::unique_ptr<Worker> take() override;
  void give_back(std::unique_ptr<Worker> worker) override;

  /// By sensor; one number a component. Throws ValueError.
  std::vector<double> sigma(const std::string& sensor) const;
  void set_sigma(const std::string& sensor, const std::vector<double>& values);
  /// Rows of the system to their standard deviation, where it was set; changes are counted.
  const std::map<int, double>& set_sigmas() const { return sigmas_; }
  long changes() const { return changes_; }

  struct Status {
    double growth = 1, backward_error = 0, componentwise_error = 0;
  };
  Status status;                      // of the last sample that was solved alone
  const Worker* alone = nullptr;      // that solved it, where that was the last call; not to be followed
  std::string details;                // of the last log, JSON
  std::vector<std::string> warnings;  // of its making, said again by anew()

 private:
  std::vector<std::pair<int, double>> rows_of(const std::string& sensor) const;
  std::shared_ptr<const Model> model_;
  Sensors sensors_;
  std::shared_ptr<SensorSolver> first_;  // not run but in order: the others are made from it
  std::vector<std::unique_ptr<Worker>> idle_;
  std::map<int, double> sigmas_;
  long changes_ = 0;
};

void bind_solver(nb::module_& m);
void bind_sensitivities(nb::module_& m);

}  // namespace sparsedyn::python
