/// \file What pgopt-translate does, one function a direction. Each prints its
/// own messages and returns the exit code.
#ifndef PGOPT_TRANSLATE_TRANSLATE_H
#define PGOPT_TRANSLATE_TRANSLATE_H

#include "import/import_files.h"
#include "tools/pgopt-translate/options.h"

int import_einsum(const translate_options *options);
int import_onnx(const translate_options *options);
int export_onnx(const translate_options *options);
int list_operators(void);

/// Where an import goes.
pgopt_import_files output_files(const translate_options *options);

#endif // PGOPT_TRANSLATE_TRANSLATE_H
