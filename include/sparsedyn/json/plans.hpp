// Plan files and the user's cache of plans, as a SensorSolver (answers/sensor_solver.hpp) takes them: PlanSource::stored and
// PlanSource::memory.
#pragma once

#include <memory>
#include <string>

#include "sparsedyn/json/detail/document.hpp"
#include "sparsedyn/runtime/plan_source.hpp"

namespace sparsedyn {

/// The plan in a document; its order is judged with the system that it is for.
std::shared_ptr<const StoredPlan> plan_in_document(std::shared_ptr<const json::Document> document);

/// The same of the file at `path` (`-`: the standard input), which is read here. Throws InputError where it is no JSON.
std::shared_ptr<const StoredPlan> plan_in_file(const std::string& path);

/// The same of a text; messages call it `name`.
std::shared_ptr<const StoredPlan> plan_in_text(const std::string& text, const std::string& name);

/// Plans that were searched, kept in the user's cache ($XDG_CACHE_HOME/sparsedyn/plans, or $HOME/.cache/sparsedyn/plans); where
/// there is none, nothing is kept. Keys cover the version, the system's structure and numbers, standard deviations, priors and
/// the rows that are missing. What is read is checked as a plan file is; a file that is broken, or not for this system, counts
/// as none. Orders of other numbers would do no harm either: every estimate is judged by its backward error.
std::shared_ptr<const PlanMemory> plans_of_the_user();

}  // namespace sparsedyn
