// Contacts between links whose points a Python function finds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "numpy.hpp"
#include "sparsedyn/constraints/constraint_set.hpp"

namespace sparsedyn::python {

/// Called under the interpreter's lock, from whatever thread asks.
class PythonFinder {
 public:
  PythonFinder(std::string name, nb::object find, int most_points);
  ~PythonFinder();
  PythonFinder(const PythonFinder&) = delete;
  PythonFinder& operator=(const PythonFinder&) = delete;

  /// As a ContactFinder. Where the function raises, or returns what is no contact point, a point that is none, so that the call
  /// fails; the error is kept.
  void operator()(int nq, const double* q, const Pose<double>& first, const Pose<double>& second,
                  ContactPoint* points) noexcept;
  /// Throws what the function raised since, if anything.
  void rethrow();

  const std::string& name() const { return name_; }
  const nb::object& function() const { return find_; }
  /// What it holds of Python's, for the garbage collector: the function, and the exception.
  template <class Visit>
  int visit(Visit&& visit) const {
    for (const nb::object* held : {&find_, &error_})
      if (held->is_valid())
        if (const int found = visit(held->ptr())) return found;
    return 0;
  }
  void clear() { find_ = nb::none(), error_.reset(); }

 private:
  void ask(int nq, const double* q, const Pose<double>& first, const Pose<double>& second, ContactPoint* points);
  std::string name_;
  nb::object find_;
  int most_points_;
  nb::object error_;  // the exception, or invalid
};

/// A constraint of a dict that has a finder.
struct FoundContact {
  std::size_t place;  // among the constraints
  std::vector<std::string> links;
  int most_points;
  std::shared_ptr<PythonFinder> finder;
};

/// Takes the constraints with a finder out of a dict as JSON files hold it: in what is returned, a contact stands in place of
/// each, with what files can say of it. Throws ValueError, naming the constraint.
nb::object without_finders(const nb::dict& source, std::vector<FoundContact>& found);
/// Makes that contact what the dict said. The constraint does not keep the finder: who evaluates it does.
void put_finder(const FoundContact& found, int nq, Constraint& constraint);

}  // namespace sparsedyn::python
