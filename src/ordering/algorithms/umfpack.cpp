#include "umfpack.hpp"

#ifdef SPARSEDYN_SUITESPARSE
#include <umfpack.h>

#include "columns.hpp"

namespace sparsedyn {
namespace {

struct Symbolic {
  void* handle = nullptr;
  ~Symbolic() { umfpack_di_free_symbolic(&handle); }
};
struct Numeric {
  void* handle = nullptr;
  ~Numeric() { umfpack_di_free_numeric(&handle); }
};

}  // namespace

bool has_umfpack() noexcept { return true; }

std::optional<Order> umfpack_order(const Pattern& pattern, const double* values) {
  const Columns A = untied_columns(pattern, values);
  const int n = pattern.rows;
  double control[UMFPACK_CONTROL];
  umfpack_di_defaults(control);
  control[UMFPACK_PRL] = 0;
  Symbolic symbolic;
  if (umfpack_di_symbolic(n, n, A.start.data(), A.row.data(), A.value.data(), &symbolic.handle, control, nullptr) != UMFPACK_OK)
    return {};
  Numeric numeric;
  if (umfpack_di_numeric(A.start.data(), A.row.data(), A.value.data(), symbolic.handle, &numeric.handle, control, nullptr) !=
      UMFPACK_OK)
    return {};
  Order order;
  order.rows.resize(n), order.columns.resize(n);
  if (umfpack_di_get_numeric(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, order.rows.data(), order.columns.data(),
                             nullptr, nullptr, nullptr, numeric.handle) != UMFPACK_OK)
    return {};
  return order;
}

}  // namespace sparsedyn

#else

namespace sparsedyn {

bool has_umfpack() noexcept { return false; }
std::optional<Order> umfpack_order(const Pattern&, const double*) { return {}; }

}  // namespace sparsedyn

#endif
