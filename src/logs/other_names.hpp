// Readings that a log holds under another sensor's name, or another word for a component.
#pragma once

#include <string>
#include <vector>

namespace sparsedyn {

/// Of readings that are missing (y.SENSOR.COMPONENT): "; has y.ft.nx, …, which may be y.wrist.*", or nothing. `unused`: the
/// log's columns that nothing reads. Two names fit where what follows them is the same; that which fits most readings is told,
/// and others that fit as many.
std::string other_names_text(const std::vector<std::string>& readings, const std::vector<std::string>& unused);

}  // namespace sparsedyn
