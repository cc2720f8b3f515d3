// RUN: pgopt-runner --help | FileCheck %s --check-prefix=HELP
// HELP: usage: pgopt-runner FILE
// HELP: exit codes: 0
// RUN: pgopt-runner --version | FileCheck %s --check-prefix=VERSION
// VERSION: pgopt-runner {{[0-9.]+}}, MLIR 22.1
// RUN: pgopt-runner --document-attributes | FileCheck %s --check-prefix=ATTRIBUTES
// ATTRIBUTES: # Attributes of the `pg` dialect
// ATTRIBUTES: | `pg.lflops` | i64 >= 0 |
// RUN: pgopt-runner --document-passes | FileCheck %s --check-prefix=PASSES
// PASSES: ## `--pgopt-lower`
// RUN: not sh -c 'pgopt-runner --document-passes > /dev/full'
