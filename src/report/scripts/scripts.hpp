// What answers on pages: scripts without tags, each for what it finds on the page.
#pragma once

namespace sparsedyn::report {

/// Names and zoom of matrices, the slider of their elimination, numbers of curves.
extern const char* const pointer_script;
/// Charts over time: a cursor over all of them, zoom, series on and off, their numbers as CSV.
extern const char* const charts_script;

}  // namespace sparsedyn::report
