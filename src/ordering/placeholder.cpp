#include "sparsedyn/io/input_error.hpp"
