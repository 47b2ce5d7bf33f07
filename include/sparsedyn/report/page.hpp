// One self-contained page of HTML: style and script inside, nothing loaded from elsewhere.
#pragma once

#include <string>
#include <vector>

namespace sparsedyn::report {

/// &, <, > and quotes as HTML writes them.
std::string escaped(const std::string& text);

/// Rows of cells (HTML); the first row is the header, the first column is set to the left, all others to the right.
std::string table(const std::vector<std::vector<std::string>>& rows);

/// Figures beside each other where the window is wide enough.
std::string beside(const std::vector<std::string>& figures);

/// A heading and what follows it.
std::string section(const std::string& heading, const std::string& body);

/// The page. `title` is plain text, `body` HTML.
std::string page(const std::string& title, const std::string& body);

}  // namespace sparsedyn::report
