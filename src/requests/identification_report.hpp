// What identification found, as JSON.
#pragma once

#include <string>
#include <vector>

#include "identification/logs/cross_validation.hpp"
#include "identification/logs/log_fit.hpp"
#include "json/json_text.hpp"

namespace sparsedyn {

using json::Json;

/// {ROW: number}
template <class Number>
Json by_row(const std::vector<std::string>& rows, const std::vector<Number>& numbers) {
  Json json = Json::object();
  for (std::size_t i = 0; i < rows.size(); ++i) json[rows[i]] = numbers[i];
  return json;
}

/// `urdf`: π of the robot's file; `rows`: names of a sample's rows.
Json identification_json(const Model& model, const Identification& x, const std::vector<double>& urdf, const TorqueErrors& rms,
                         const std::vector<std::string>& rows);
/// The fitted joints as --joints reads them; `model`: with_friction.
Json fitted_joints_json(const Model& model, const std::vector<double>& value);

/// {"rms": {ROW: …}, "logs": [{"log": NAME, "rms": {ROW: …}}, …]}
Json cross_validation_json(const CrossValidation& x, const std::vector<std::string>& rows);

}  // namespace sparsedyn
