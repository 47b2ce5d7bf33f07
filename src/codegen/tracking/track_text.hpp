// The part of a generated step that is the same for all robots: C by hand, beside src/tracking's C++.
#pragma once

namespace sparsedyn {

/// Rotations, and places in the state by name (tables and lengths stand before it).
const char* track_algebra_text();
/// The filter's parts: joints, angular velocity, rows, carrying the covariance.
const char* track_filter_text();
/// Feet that roll; and, after the stage that places feet, the call of it.
const char* track_rolling_text();
const char* track_feet_text();
/// Rows of feet, and the start.
const char* track_start_text();
/// A step, and NAME itself.
const char* track_function_text();

}  // namespace sparsedyn
