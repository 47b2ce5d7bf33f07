#include "cli/commands/program.hpp"

int main(int argc, char** argv) { return sparsedyn::cli::run(argc, argv); }
