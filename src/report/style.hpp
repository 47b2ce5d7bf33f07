// The one style of all pages, and what answers the pointer on them.
#pragma once

namespace sparsedyn::report {

extern const char* const page_style;
/// Names and zoom of matrices, the slider of their elimination, numbers of curves.
extern const char* const page_script;

}  // namespace sparsedyn::report
