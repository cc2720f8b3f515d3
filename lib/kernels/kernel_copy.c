#include "kernels/kernel_copy.h"

#include "ir/ir.h"

MlirLogicalResult pgopt_kernel_copy_open(pgopt_pass *pass, MlirOperation module,
                                         MlirOperation entry,
                                         pgopt_kernel_copy *copy) {
  copy->module = pgopt_nest_copy(module);
  copy->constants = pgopt_preparation_begin(
      copy->module,
      pgopt_module_lookup(copy->module, pgopt_symbol_name(entry)));
  return pgopt_prepare_kernels(pass, copy->module);
}

void pgopt_kernel_copy_close(pgopt_kernel_copy *copy) {
  int64_t bytes;
  pgopt_preparation_end(copy->constants, false, &bytes);
  mlirOperationDestroy(copy->module);
}

MlirOperation pgopt_kernel_copy_find(const pgopt_kernel_copy *copy,
                                     MlirStringRef name) {
  return pgopt_module_lookup(copy->module, name);
}
