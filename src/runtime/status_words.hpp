// A status of Solver or Estimator in words, with the names of unknowns and equations.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "sparsedyn/sparse/zero_fill_lu.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// names[k], or `otherwise` where there is no such name.
inline std::string name_of(const std::vector<std::string>& names, int k, const char* otherwise) {
  return k >= 0 && k < static_cast<int>(names.size()) ? names[k] : otherwise;
}

/// The name of the unknown that a status tells of.
template <class Status>
std::string unknown_of(const System& system, const Status& status) {
  return name_of(system.unknown_names(), status.unknown, "an unknown");
}

/// undetermined: what a pivot of zero means here; unnamed_row: what follows "the equation" where it is none of the system's;
/// or_else: what inaccurate may mean besides.
template <class Status>
std::string status_words(const System& system, const Status& status, const std::string& undetermined, const char* unnamed_row,
                         const char* or_else) {
  switch (status.state) {
    case LUState::ok: return "solved";
    case LUState::zero_pivot: return undetermined;
    case LUState::not_finite_input:
      return "the equation " + name_of(system.equation_names(), status.equation, unnamed_row) +
             " holds a number that is not finite";
    case LUState::overflow: return unknown_of(system, status) + " overflows";
    case LUState::no_sample: return "no such sample was prepared";
    case LUState::inaccurate: break;
  }
  if (status.unknown >= 0)
    return "rounding leaves fewer than three digits of " + unknown_of(system, status) + " in this formulation";
  if (status.equation >= 0)
    return "rounding leaves fewer than three digits of what is left of the equation " +
           name_of(system.equation_names(), status.equation, unnamed_row);
  char text[120];
  std::snprintf(text, sizeof text, "backward error %.1e (componentwise %.1e) is above the tolerance%s", status.backward_error,
                status.componentwise_error, or_else);
  return text;
}

}  // namespace sparsedyn
