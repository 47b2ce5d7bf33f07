// Where orders of elimination come from: a stored plan, included plans and the recursive orders, or a search. This layer reads
// no files and does not search. The layer json reads stored plans (json/plans.hpp), the layer planning searches
// (planning/search.hpp); both are passed as values of PlanSource.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sparsedyn/runtime/estimator.hpp"
#include "sparsedyn/sparse/plan.hpp"
#include "sparsedyn/system/formulation.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// A stored plan. It is read when the system that it must fit is known.
class StoredPlan {
 public:
  virtual ~StoredPlan() = default;
  /// Its name in messages, for example the file.
  virtual std::string name() const = 0;
  /// The formulation of its system.
  virtual Formulation formulation() const = 0;
  /// The plan of a Solver. `system`: in formulation(). Throws PlanMismatch where it was made for another structure of robot or
  /// set, and what reading it throws.
  virtual Plan of_solver(const System& system) const = 0;
  /// The plan of an Estimator, as plan_estimator(System, Plan) takes it. `system`: newton-euler. None where it is a Solver's
  /// plan of this system and the set can be solved. Throws as of_solver does.
  virtual std::optional<Plan> of_estimator(const System& system) const = 0;
};

/// A search for orders. Offline: it may take seconds, and allocates.
class PlanSearch {
 public:
  virtual ~PlanSearch() = default;
  /// The best order of a square system whose rows determine all unknowns. Throws SingularSystem.
  virtual Plan of_solver(const System& system) const = 0;
  /// The plan of an Estimator for samples that lack the rows flagged (one flag a row of the system, or none: no row is
  /// missing). Throws RedundantExactRows, SingularSystem.
  virtual std::shared_ptr<const EstimatorPlan> of_estimator(const System& system, const std::vector<char>& missing) const = 0;
};

/// Stores searched plans for later programs.
class PlanMemory {
 public:
  virtual ~PlanMemory() = default;
  /// The stored plan for samples that lack the flagged rows (as in PlanSearch); null if there is none.
  virtual std::shared_ptr<const EstimatorPlan> find(const System& system, const std::vector<char>& missing) const = 0;
  /// Stores a plan. Failing to store it is not an error.
  virtual void keep(const System& system, const std::vector<char>& missing, const EstimatorPlan& plan) const = 0;
};

/// The plans of a SensorSolver (answers/sensor_solver.hpp). Copies share their pointers. All members can be used from several
/// threads.
struct PlanSource {
  /// Orders without a search: the included plan for this structure of robot and set, or else the recursive order. They suffice
  /// for sets that determine the dynamics exactly; other sets need a stored plan or a search.
  PlanSource() = default;
  /// A plan for this robot and set: of its System in the formulation that the plan names, or of the estimator of its set. No
  /// search follows, not even for gaps.
  PlanSource(Plan plan);

  std::shared_ptr<const StoredPlan> stored;  // this plan and no other; null: known orders, then the search
  std::shared_ptr<const PlanSearch> search;  // where no known order is healthy, and for gaps; null: none
  std::shared_ptr<const PlanMemory> memory;  // of what was searched; null: none
  bool remembers_gaps = true;                // plans for gaps are looked for in the memory and kept there, too
};

}  // namespace sparsedyn
