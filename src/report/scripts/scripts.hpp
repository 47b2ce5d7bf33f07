// What answers on pages: scripts without tags, each for what it finds on the page.
#pragma once

namespace sparsedyn::report {

/// Names and zoom of matrices, the slider of their elimination, numbers of curves.
extern const char* const pointer_script;
/// Charts over time: a cursor over all of them, zoom, series on and off, their numbers as CSV.
extern const char* const charts_script;
/// Solids, matrices and what draws them; the animation that is drawn by them, and its controls.
extern const char* const shapes_script;
extern const char* const stage_script;

}  // namespace sparsedyn::report
