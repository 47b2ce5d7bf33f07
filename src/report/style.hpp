// The one style of all pages.
#pragma once

namespace sparsedyn::report {

extern const char* const page_style;

}  // namespace sparsedyn::report
