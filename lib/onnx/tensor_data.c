/// \file The data of ONNX tensors: raw bytes, typed lists or a file.
#include "base/checked_math.h"
#include "onnx/model.h"

#include <string.h>

/// Elements in the typed list that the format uses for that type.
static size_t typed_count(const Pgopt__Onnx__Tensor *t, pgopt_number type) {
  switch (type) {
  case PGOPT_F32:
    return t->n_float_data;
  case PGOPT_F64:
    return t->n_double_data;
  case PGOPT_I64:
    return t->n_int64_data;
  case PGOPT_U32:
  case PGOPT_U64:
    return t->n_uint64_data;
  default:
    return t->n_int32_data;
  }
}

/// Typed lists hold small integers as int32, and f16 as the bits in an int32.
static void copy_typed(const Pgopt__Onnx__Tensor *t, pgopt_number type,
                       int64_t count, void *data) {
  for (int64_t i = 0; i < count; ++i) {
    pgopt_scalar_value value = {0};
    switch (type) {
    case PGOPT_F32:
      ((float *)data)[i] = t->float_data[i];
      continue;
    case PGOPT_F64:
      ((double *)data)[i] = t->double_data[i];
      continue;
    case PGOPT_F16:
    case PGOPT_BF16:
      ((uint16_t *)data)[i] = (uint16_t)t->int32_data[i];
      continue;
    case PGOPT_I64:
      value.i = t->int64_data[i];
      break;
    case PGOPT_U32:
    case PGOPT_U64:
      value.i = (int64_t)t->uint64_data[i];
      break;
    default:
      value.i = t->int32_data[i];
      break;
    }
    pgopt_number_write(type, data, i, value);
  }
}

static const void *raw_data(pgopt_onnx_model *model,
                            const Pgopt__Onnx__Tensor *t, pgopt_number type,
                            int64_t bytes, pgopt_error *error) {
  const void *data = t->raw_data.data;
  if (t->data_location == 1)
    data = pgopt_onnx_map_external(model, t, bytes, error);
  // Bytes other than 0 and 1 are no booleans; odd addresses are copied.
  bool is_aligned = (uintptr_t)data % (uintptr_t)pgopt_element_bytes(
                                          pgopt_number_element(type)) ==
                    0;
  if (!data || (is_aligned && type != PGOPT_BOOL))
    return data;
  char *copy = pgopt_arena_copy(&model->arena, data, (size_t)bytes);
  for (int64_t i = 0; i < bytes && type == PGOPT_BOOL; ++i)
    copy[i] = copy[i] != 0;
  return copy;
}

pgopt_status pgopt_onnx_read_tensor(pgopt_onnx_model *model,
                                    const Pgopt__Onnx__Tensor *t,
                                    pgopt_onnx_data *data, pgopt_error *error) {
  const char *name = t->name ? t->name : "";
  *data = (pgopt_onnx_data){.shape = t->dims, .rank = (int)t->n_dims};
  if (!pgopt_onnx_number(t->data_type, &data->type))
    return pgopt_fail(error, PGOPT_UNSUPPORTED,
                      "tensor '%.100s' has elements of type %s (%d), which is "
                      "not supported",
                      name, pgopt_onnx_type_name(t->data_type), t->data_type);
  int64_t bytes;
  if (t->n_dims > 64 ||
      !pgopt_element_total_bytes(pgopt_number_element(data->type), t->dims,
                                 t->n_dims, &bytes))
    return pgopt_fail(error, PGOPT_OUT_OF_RANGE,
                      "tensor '%.100s' has a negative dimension, too many, or "
                      "more elements than fit",
                      name);
  data->count = bytes / pgopt_element_bytes(pgopt_number_element(data->type));
  static const int64_t nothing;
  data->data = &nothing;
  if (!data->count)
    return PGOPT_OK;
  bool is_raw = t->has_raw_data || t->data_location == 1;
  if (is_raw && t->data_location != 1 && (uint64_t)bytes != t->raw_data.len)
    return pgopt_fail(error, PGOPT_INVALID,
                      "tensor '%.100s' has %zu bytes of data, its shape needs "
                      "%lld",
                      name, t->raw_data.len, (long long)bytes);
  if (is_raw) {
    data->data = raw_data(model, t, data->type, bytes, error);
    return data->data ? PGOPT_OK : error->status;
  }
  size_t found = typed_count(t, data->type);
  if ((uint64_t)data->count != found)
    return pgopt_fail(error, PGOPT_INVALID,
                      "tensor '%.100s' has %zu elements of data, its shape "
                      "needs %lld",
                      name, found, (long long)data->count);
  void *copy = pgopt_arena_allocate(&model->arena, (size_t)bytes, 1);
  copy_typed(t, data->type, data->count, copy);
  data->data = copy;
  return PGOPT_OK;
}
