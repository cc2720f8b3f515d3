/// \file pgopt-opt: mlir-opt plus pgopt's passes and the pg dialect.
#include "bridge/bridge.h"

int main(int argc, char **argv) { return pgopt_opt_main(argc, argv); }
