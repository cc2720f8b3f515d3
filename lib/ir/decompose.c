/// \file Ops on tensors that no bufferization exists for, taken apart.
#include "ir/decompose.h"

#include "ir/script.h"

static const char decompose[] =
    "  %softmax = transform.structured.match ops{[\"linalg.softmax\"]} in %root"
    " : (!transform.any_op) -> !transform.any_op\n"
    "  transform.structured.decompose_interface %softmax"
    " : (!transform.any_op) -> !transform.any_op\n"
    "  %pack = transform.structured.match ops{[\"linalg.pack\"]} in %root"
    " : (!transform.any_op) -> !transform.op<\"linalg.pack\">\n"
    "  transform.structured.lower_pack %pack"
    " : (!transform.op<\"linalg.pack\">) -> (!transform.op<\"tensor.pad\">,"
    " !transform.op<\"tensor.expand_shape\">,"
    " !transform.op<\"linalg.transpose\">)\n"
    "  %unpack = transform.structured.match ops{[\"linalg.unpack\"]} in %root"
    " : (!transform.any_op) -> !transform.op<\"linalg.unpack\">\n"
    "  transform.structured.lower_unpack %unpack"
    " : (!transform.op<\"linalg.unpack\">) -> (!transform.op<\"tensor.empty\">,"
    " !transform.op<\"linalg.transpose\">,"
    " !transform.op<\"tensor.collapse_shape\">,"
    " !transform.op<\"tensor.extract_slice\">)\n"
    "  %functions = transform.structured.match ops{[\"func.func\"]} in %root"
    " : (!transform.any_op) -> !transform.any_op\n"
    "  transform.apply_patterns to %functions {\n"
    "    transform.apply_patterns.tensor.decompose_concat\n"
    "  } : !transform.any_op\n";

MlirLogicalResult pgopt_decompose(MlirOperation root) {
  return pgopt_apply_script(root, decompose);
}
