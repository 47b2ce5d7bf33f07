// sd.Constraints, sd.contact_dynamics, sd.contact_inverse_dynamics, and forward simulation.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "finders.hpp"
#include "model.hpp"
#include "sparsedyn/constraints/constraint_set.hpp"

namespace sparsedyn::python {

/// A set of constraints as text. What it means is found with a robot, and kept for the last one.
class Constraints {
 public:
  /// Throws InputError where the text is no such file; names are judged with the robot. A contact stands in the text for each
  /// of `found`.
  Constraints(std::string text, std::string file, std::vector<FoundContact> found = {});

  /// The set, and the columns of its forces and distances.
  struct Fitted {
    std::shared_ptr<const Model> model;
    std::shared_ptr<const ConstraintSet> set;
    std::vector<std::string> forces, gaps;
    std::vector<FoundContact> found;
    /// Throws what a finder has raised.
    void rethrow() const {
      for (const FoundContact& contact : found) contact.finder->rethrow();
    }
  };
  /// Throws InputError where it does not suit the robot.
  Fitted on(const RobotModel& robot) const;

  const std::string& text() const { return text_; }
  const std::string& file() const { return file_; }
  int size() const { return size_; }
  const std::vector<FoundContact>& found() const { return found_; }

  /// The same with finders of its own.
  Constraints copy() const;
  /// For the garbage collector: what the finders hold that nobody else keeps, and to let go of it.
  /// @{
  int visit(int (*of)(PyObject*, void*), void* argument) const;
  void clear();
  /// @}

 private:
  std::string text_, file_;
  std::vector<FoundContact> found_;
  int size_ = 0;
  mutable Fitted last_;
};

/// As users give them: Constraints, a path, or a dict.
Constraints constraints_of(nb::handle source);

void bind_constraints(nb::module_& m);

}  // namespace sparsedyn::python
