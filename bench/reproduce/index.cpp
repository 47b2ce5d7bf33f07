// The index of all reproductions, from the facts that each wrote.
//   reproduce_index INDEX.html MACHINE {TITLE PAGE SECONDS} …       PAGE beside INDEX, PAGE.facts beside it
#include <cstdio>
#include <exception>

#include "facts.hpp"
#include "io/output_file.hpp"
#include "sparsedyn/report/page.hpp"

using namespace sparsedyn;
using namespace sparsedyn::report;
using namespace sparsedyn::reproduce;

namespace {

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

std::string paper(const std::string& folder, const std::string& title, const std::string& page, const std::string& seconds) {
  std::vector<std::vector<std::string>> rows{{"figure", "quantity", "published", "ours", "what was miscounted, or differs"}};
  for (const Fact& f : read_facts(folder + page + ".facts"))
    rows.push_back({escaped(f.figure), escaped(f.quantity), escaped(f.published), escaped(f.ours), escaped(f.remark)});
  if (rows.size() == 1) rows = {};
  return section(title,
                 "<p><a href=\"" + escaped(page) + "\">All figures and tables</a>; took " + escaped(seconds) + " s.</p>\n" +
                     (rows.empty() ? "<p>None of its published figures stands beside ours: what they need was not to be had "
                                     "here.</p>\n"
                                   : "<div class=\"words\">" + table(rows) + "</div>\n"));
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 6 || argc % 3 != 0) {
    std::fprintf(stderr, "usage: reproduce_index INDEX.html MACHINE {TITLE PAGE SECONDS} ...\n");
    return 2;
  }
  std::string body;
  for (int k = 3; k + 2 < argc; k += 3) body += paper(folder_of(argv[1]), argv[k], argv[k + 1], argv[k + 2]);
  write_file(argv[1],
             page("Published figures, run again",
                  "Figures and tables of four papers, computed again by this library: published beside ours, and where the "
                  "published count or ours leaves something out.",
                  "<p>On " + escaped(argv[2]) + (short_run() ? ", <b>shortened: fewer sizes and measurements</b>" : "") +
                      ". Times are of other machines, years and compilers: compare ratios and slopes, not microseconds.</p>\n" +
                      body));
  std::printf("%s\n", argv[1]);
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 3;
}
