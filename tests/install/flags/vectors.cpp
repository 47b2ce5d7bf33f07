// Includes a header of the library and calls nothing in it: with another std::vector than the library's it must not link.
#include "sparsedyn/model/model.hpp"

int main() { return static_cast<int>(sparsedyn::Model{}.bodies.size()); }
