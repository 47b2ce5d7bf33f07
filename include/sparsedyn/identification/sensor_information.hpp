// Identification from the readings of any sensors, with known q, v and a.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/identification/identify.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// The measurements that depend on the parameters: joint torques, their combinations, and the wrenches that joints pass
/// (force_torque; through a fixed joint, of a root fixed to the world alone). Each is a row of a regressor: with the screw e of
/// the freedom, or of a sensor's axis, moved to the bodies b and links l beyond it,
///   y = Σ_b e_b · (ten numbers of b as a wrench) − Σ_l e_l · fx_l  [+ what the joint takes]
/// Exactly known external wrenches are moved to the left-hand side. Wrenches that are unknown, or known with a deviation, are
/// projected out of the rows of each sample, which are first divided by their deviations; an exact row counts as having a
/// millionth of the smallest deviation. If no row states a deviation, all rows have the same weight, and their deviation is
/// estimated.
class SensorInformation : public RowInformation {
 public:
  /// Throws InputError, with the set's file and line, for readings that are not functions of body parameters (of a part of a
  /// body, the rate of momentum, a centre of pressure, unknown offsets), for hard constraints and coupled joints, and if no row
  /// depends on parameters. The system must outlive it.
  explicit SensorInformation(const System& system);

  /// One sample: q (nq), v, a (nv), y (system.inputs()). No heap.
  void add(const double* q, const double* v, const double* a, const double* y) noexcept;
  /// The rows that add() makes of a sample, several of gathered() among them; nothing is added.
  void visit(const double* q, const double* v, const double* a, const double* y, const RowVisitor& visitor);

  /// The row for all that is left of a sample's rows beside unknown wrenches, over their deviations; -1: there is none.
  int gathered() const { return projected_; }

  /// Sensors that read only the motion, which does not depend on the parameters.
  const std::vector<std::string>& silent() const { return silent_; }

 private:
  template <class Visit>
  void make_rows(const double* q, const double* v, const double* a, const double* y, Visit&& visit);
  struct Row {  // y = sign (Y π − Σ e fx) + constant
    int measurement, component;
    int body = -1;                                           // where the screw begins; -1: the world
    Motion<double> screw{zero3<double>(), zero3<double>()};  // in the body's frame
    std::vector<int> freedoms = {};                          // or: of these torques
    std::vector<double> coefficients = {};                   // so much each
    double sign = 1, constant = 0;
    std::vector<int> roots = {};  // body -1: the bodies on which it acts
    std::vector<int> links = {};  // body -1: fixed links behind the sensor
    int channel = -1;             // of RowInformation, -1: among those projected
  };
  struct Wrench {  // reads a link's wrench that is not known exactly
    int measurement, component, block;
    Force<double> along;  // what a unit of each of the wrench's six adds, in the link's frame
    double offset;        // what is known to be read too much
  };
  void add_measurement(int m);
  void add_torque_rows(int m);
  void add_wrench_rows(int m);
  void find_wrenches();
  void choose_channels();
  void spread(const Row& row) noexcept;
  bool acts_on(const Row& row, int link, Motion<double>& screw) const noexcept;
  void write_row(const Row& row, const double* q, const double* v, const double* a) noexcept;
  double reading(const Row& row, const double* y) const noexcept;
  double weight_of(int measurement, int component) const noexcept;
  void move(const double* q, const double* v, const double* a) noexcept;
  int stack(const double* q, const double* v, const double* a, const double* y) noexcept;
  int eliminate(int columns) noexcept;
  double& at(int r, int c) noexcept {
    return stack_[static_cast<std::size_t>(c) * static_cast<std::size_t>(height_) + static_cast<std::size_t>(r)];
  }

  const System* system_;
  RegressorWorkspace<double> work_;
  std::vector<Row> rows_;
  std::vector<Wrench> wrenches_;
  std::vector<std::pair<int, int>> exact_;  // link, measurement that reads its whole wrench
  std::vector<int> blocks_of_;              // by link: which six unknowns its wrench is, -1: known or zero
  int blocks_ = 0, projected_ = -1;         // the projected rows' channel
  double exact_sigma_ = 1;
  std::vector<double> prior_;  // deviations of the unknown wrenches, empty: none
  std::vector<std::string> silent_;
  std::vector<Motion<double>> screws_;  // by body, of one row
  std::vector<char> moved_;             // whether it acts there
  std::vector<double> Y_, stack_;       // a row; the projected ones, [U Y y] by columns
  int height_ = 0;                      // rows of the stack
};

}  // namespace sparsedyn
