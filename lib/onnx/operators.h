/// \file The functions of the table of operators, `onnx/operators.def`.
#ifndef PGOPT_ONNX_OPERATORS_H
#define PGOPT_ONNX_OPERATORS_H

#include "onnx/op.h"

#define PGOPT_ONNX_OPERATOR(name, domain, first, last, function, detail, note) \
  pgopt_onnx_lower pgopt_onnx_lower_##function;
#include "onnx/operators.def"
#undef PGOPT_ONNX_OPERATOR

#endif // PGOPT_ONNX_OPERATORS_H
