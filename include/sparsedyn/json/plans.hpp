// Plan files and the user's cache of plans, as a SensorSolver (answers/sensor_solver.hpp) takes them: PlanSource::stored and
// PlanSource::memory.
#pragma once

#include <memory>
#include <string>

#include "sparsedyn/json/document.hpp"
#include "sparsedyn/runtime/plan_source.hpp"
#include "sparsedyn/sparse/order_memory.hpp"

namespace sparsedyn {

/// The plan in a document. Its order is checked when the system that it is for is known.
std::shared_ptr<const StoredPlan> plan_in_document(std::shared_ptr<const json::Document> document);

/// The same from the file at `path` (`-`: the standard input), which is read here. Throws InputError if it is not JSON.
std::shared_ptr<const StoredPlan> plan_in_file(const std::string& path);

/// The same from a text; messages call it `name`.
std::shared_ptr<const StoredPlan> plan_in_text(const std::string& text, const std::string& name);

/// Searched plans, stored in the user's cache ($XDG_CACHE_HOME/sparsedyn/plans, or $HOME/.cache/sparsedyn/plans); without a
/// cache folder, nothing is stored. Keys cover the version, the system's structure and numbers, standard deviations, priors and
/// the missing rows. Files are checked like plan files; a damaged file, or one for another system, is ignored. An order for
/// other numbers could do no harm either, because every estimate is tested by its backward error.
std::shared_ptr<const PlanMemory> plans_of_the_user();

/// Orders that searches found, stored beside them ($XDG_CACHE_HOME/sparsedyn/orders), as OptimiseOptions::memory takes them.
/// Keys cover the version and the structure, and the file says of which numbers and how orders fared with them: who takes an
/// order for a plan judges it anew. A damaged file is ignored. 200 files are kept.
std::shared_ptr<const OrderMemory> orders_of_the_user();

}  // namespace sparsedyn
