// solve --report --beside: another file's columns beside the estimate's and the log's, the worst first.
#include <catch2/catch.hpp>
#include <cmath>
#include <sstream>

#include "io/csv_reader.hpp"
#include "pendulum.hpp"
#include "program.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;

namespace {

constexpr int log_rows = 41;

/// Accelerations that grow by 2 rad/s² a row of 1/64 s, so that torques are linear in time.
std::string growing_log(bool timed) {
  std::ostringstream text;
  text << (timed ? "time," : "") << "q.hinge,dq.hinge,ddq.hinge\n";
  for (int k = 0; k < log_rows; ++k) {
    if (timed) text << k / 64.0 << ",";
    text << "0,0," << 2 * k << "\n";
  }
  return text.str();
}

struct Solved {
  explicit Solved(bool timed) {
    urdf = folder.file("pendulum.urdf", pendulum), log = folder.file("log.csv", growing_log(timed));
    line = "solve " + urdf + " --sensors inverse-dynamics --log " + log + " -o " + (folder / "out.csv");
    REQUIRE(run_program(line).code == 0);
    CsvReader out(folder / "out.csv");
    const int slot = out.ask("tau.hinge");
    while (out.next()) torque.push_back(out.value(slot));
    REQUIRE(torque.size() == log_rows);
  }
  /// The page beside that file.
  std::string page(const std::string& other) {
    const Run run = run_program(line + " --report " + (folder / "page.html") + " --beside " + folder.file("other.csv", other));
    INFO(run.err);
    REQUIRE(run.code == 0);
    return text_of(folder / "page.html");
  }
  TemporaryFolder folder;
  std::string urdf, log, line;
  std::vector<double> torque;
};

std::string lead_of_page(const std::string& html) {
  const std::size_t from = html.find("<p class=\"lead\">");
  return html.substr(from, html.find("</p>", from) - from);
}

/// The row of the table that begins with the column's name.
std::string row_of(const std::string& html, const std::string& column) {
  const std::size_t from = html.find("<tr><td>" + column + "</td>");
  REQUIRE(from != std::string::npos);
  return html.substr(from, html.find("</tr>", from) - from);
}

}  // namespace

TEST_CASE("beside a file of half the rate that ends earlier: differences on the line between its rows, the worst first") {
  Solved solved(true);
  std::ostringstream other;
  other.precision(17);
  other << "time,ddq.hinge,tau.hinge,elsewhere,q.hinge\n";
  for (int k = 0; k <= 30; k += 2)
    other << k / 64.0 << "," << 2 * k << "," << solved.torque[static_cast<std::size_t>(k)] + 0.5 << ",7," << 0.25 << "\n";
  const std::string html = solved.page(other.str());
  // torques: ½ N·m off in rows 0 to 30; the other file's reach as far as the estimate's own, over 40 rows
  const double span = solved.torque.back() - solved.torque.front();
  CHECK_THAT(row_of(html, "tau.hinge"), Contains("<td>31</td><td>0.5</td>") && Contains("<td>N m</td><td>the estimate</td>"));
  std::ostringstream share;
  share.precision(3);
  share << 100 * 0.5 / span;
  CHECK_THAT(row_of(html, "tau.hinge"), Contains("<td>" + share.str() + "\u202f%</td>"));
  CHECK_THAT(row_of(html, "q.hinge"), Contains("<td>31</td><td>0.25</td><td>100\u202f%</td>") && Contains("<td>the log</td>"));
  CHECK(html.find("<tr><td>q.hinge") < html.find("<tr><td>tau.hinge"));
  CHECK_THAT(html, Contains("1 column is the same in every row") && Contains("<tr><td>ddq.hinge</td>"));
  CHECK_THAT(html, Contains("neither the log nor the estimate has: elsewhere"));
  CHECK_THAT(lead_of_page(html),
             Contains("beside what the column spans are of q.hinge (0.25 rad rms, 100\u202f%), tau.hinge (0.5 N m rms"));
  CHECK_THAT(html, Contains("<figcaption>tau.hinge</figcaption>") && Contains("the other from "));
}

TEST_CASE("beside a file without times, row by row, and beside itself") {
  Solved solved(false);
  CHECK_THAT(solved.page("ddq.hinge\n1\n3\n4\n"),
             Contains("Row by row") && Contains("<td>3</td><td>0.8165</td>"));  // 1, 1 and 0 off
  CHECK_THAT(lead_of_page(solved.page(growing_log(false))), Contains("all columns are the same."));
  CHECK_THAT(lead_of_page(solved.page("elsewhere\n1\n")), Contains("no column has a row in common."));
  // a gap is no difference
  CHECK_THAT(solved.page("ddq.hinge\n1\n\nnan\n7\n"), Contains("<td>2</td><td>2.236</td>"));
}

TEST_CASE("beside: rows without a time or out of turn are passed over, words that nobody compares are not read") {
  Solved solved(true);
  std::ostringstream other;
  other.precision(17);
  other << "time,ddq.hinge,comment\n,900,no time\n";
  for (int k = 0; k <= 40; ++k) {
    other << (k == 20 ? 1e6 : k / 64.0) << "," << 2 * k << ",word\n";
    if (k == 30) other << 0.1 << "," << 900 << ",back\n";
  }
  const std::string html = solved.page(other.str());
  CHECK_THAT(html, Contains("Of the other file 3 rows are passed over"));
  CHECK_THAT(row_of(html, "ddq.hinge"), Contains("<td>41</td><td>0</td>"));  // on the line between rows 19 and 21 too
  CHECK_THAT(lead_of_page(html), Contains("all columns are the same."));
}

TEST_CASE("beside: a row of the log without a time has nothing beside it, those after it do") {
  Solved solved(true);
  const std::string whole = growing_log(true);
  for (const char* cell : {"", "word"}) {
    std::string gap = whole;
    gap.replace(gap.find("0.078125,"), 8, cell);  // row 5
    solved.folder.file("log.csv", gap);
    const std::string html = solved.page(whole);
    CHECK_THAT(row_of(html, "ddq.hinge"), Contains("<td>40</td><td>0</td>"));
    CHECK_THAT(lead_of_page(html), Contains("1 of 41 rows of the log have no row of it beside them."));
  }
}

TEST_CASE("beside: q and -q are the same orientation, and the line between them stays one") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum);
  std::ostringstream log, other;
  log.precision(17), other.precision(17);
  for (std::ostringstream* text : {&log, &other}) *text << "time,q.hinge,dq.hinge,ddq.hinge,p.qx,p.qy,p.qz,p.qw\n";
  for (int k = 0; k < log_rows; ++k) {
    const double x = std::sin(0.01 * k), w = std::cos(0.01 * k), sign = k % 4 == 0 ? -1 : 1;
    log << k / 64.0 << ",0,0,0," << x << ",0,0," << w << "\n";
    if (k % 2 == 0) other << k / 64.0 << ",0,0,0," << sign * x << ",0,0," << sign * w << "\n";
  }
  const Run run = run_program("solve " + urdf + " --sensors inverse-dynamics --log " + folder.file("log.csv", log.str()) +
                              " -o " + (folder / "out.csv") + " --report " + (folder / "page.html") + " --beside " +
                              folder.file("other.csv", other.str()));
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK_THAT(lead_of_page(text_of(folder / "page.html")), Contains("all columns are the same."));
}

TEST_CASE("beside: names in the page are text, whatever they hold") {
  Solved solved(true);
  const std::string other = solved.folder.file("<i>&.csv", "time,tau.hinge,<u>&\n0,1,2\n0.5,1,2\n");
  const Run run = run_program(solved.line + " --report " + (solved.folder / "page.html") + " --beside '" + other + "'");
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK_THAT(text_of(solved.folder / "page.html"),
             !Contains("<i>&") && !Contains("<u>&") && Contains("&lt;i&gt;&amp;.csv") && Contains("&lt;u&gt;&amp;"));
}

TEST_CASE("beside: wants a page and a file") {
  Solved solved(true);
  const Run alone = run_program(solved.line + " --beside " + solved.log);
  CHECK(alone.code == 2);
  CHECK_THAT(alone.err, Contains("--beside: expected --report beside it"));
  const std::string report = " --report " + (solved.folder / "page.html") + " --beside ";
  CHECK(run_program(solved.line + report + "-").code == 2);
  CHECK(run_program(solved.line + report + (solved.folder / "none.csv")).code == 3);
  const Run ragged = run_program(solved.line + report + solved.folder.file("ragged.csv", "time,tau.hinge\n0,1\n0.1\n"));
  CHECK(ragged.code == 3);
  CHECK_THAT(ragged.err, Contains("ragged.csv:3"));
}
