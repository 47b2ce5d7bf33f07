// sd.Model: a robot, how it was loaded, and the workspaces that its calls share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "numpy.hpp"
#include "sparsedyn/urdf/load.hpp"

namespace sparsedyn::python {

class Works;

/// What a robot was made from: enough to make it again elsewhere.
struct RobotSource {
  std::string text, file;                // of the URDF, or of the robot file
  std::string joints_text, joints_file;  // of the joints' physics; no text: none
  LoadOptions options;
  bool gravity_given = false;  // else a robot file's, or that of options
  bool snap_given = false;     // else options.snap is what suits the purpose: 0, or snap_of_code
};

/// A robot as Python holds it.
class RobotModel {
 public:
  RobotModel(Model model, LoadReport report, RobotSource source);
  ~RobotModel();
  RobotModel(const RobotModel&) = delete;
  RobotModel& operator=(const RobotModel&) = delete;

  const Model& model() const { return *model_; }
  const std::shared_ptr<const Model>& shared() const { return model_; }
  const LoadReport& report() const { return report_; }
  const RobotSource& source() const { return source_; }
  /// Numbers that describe its bodies and joints, as the regressor counts them.
  int parameter_count() const { return parameter_count_; }

  /// The index of a link; throws ValueError with near names.
  int link(const std::string& name) const;

  /// The robot read with another `snap`; none where it was read with that, or its user chose one.
  std::unique_ptr<RobotModel> snapped(double tolerance) const;

  /// Workspaces that are not in use; taken and given back under the interpreter's lock.
  std::unique_ptr<Works> take() const;
  void give_back(std::unique_ptr<Works> works) const;

 private:
  std::shared_ptr<const Model> model_;
  LoadReport report_;
  RobotSource source_;
  int parameter_count_;
  mutable std::vector<std::unique_ptr<Works>> idle_;
};

void bind_model(nb::module_& m);

}  // namespace sparsedyn::python
