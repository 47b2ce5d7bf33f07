// Logs: all columns of any bytes, in each dialect.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>

#include "io/csv_reader.hpp"
#include "reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sparsedyn;
  if (size == 0) return 0;
  const CsvDialect dialects[] = {{',', false}, {';', true}, {'\t', false}, {' ', false}};
  CsvReader::set_dialect(dialects[data[0] % 4]);
  const int file = memfd_create("log", 0);
  if (file < 0 || write(file, data + 1, size - 1) != static_cast<ssize_t>(size - 1)) std::abort();
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  const int done = fuzz::attempt("log.csv", [&] {
    CsvReader log(path, "log.csv");
    const std::vector<std::string> columns = log.columns();
    std::vector<int> slots;
    for (std::size_t k = 0; k < columns.size(); k += 2) slots.push_back(log.ask(columns[k]));
    if (columns.size() > 1) log.keep(columns[1]);
    while (log.next())
      for (int slot : slots)
        if (log.state(slot) == CellState::number && !std::isfinite(log.value(slot))) fuzz::fault("a number that is not finite");
  });
  close(file);
  return done;
}
