/// \file Layout changes of a network, counted by what operations do, not by
/// their names.
#ifndef PGOPT_LAYOUT_CHANGES_H
#define PGOPT_LAYOUT_CHANGES_H

#include "layout/order.h"

typedef enum pgopt_change_kind {
  PGOPT_CHANGE_PERMUTE, ///< the result is the operand, in another order
  PGOPT_CHANGE_OPERAND, ///< an elementwise op reads an operand in another order
                        ///< than it writes
  PGOPT_CHANGE_REBLOCK, ///< linalg.pack, linalg.unpack
  PGOPT_CHANGE_PACK,    ///< a kernel has to copy an operand into another order:
                        ///< no layout change, but bytes packed
} pgopt_change_kind;

/// "permutes", "reads in another order" ...
const char *pgopt_change_kind_text(pgopt_change_kind kind);

typedef struct pgopt_layout_change {
  pgopt_change_kind kind;
  int op;
  int value;         ///< what is moved
  int64_t bytes;     ///< of it; 0 when unknown
  bool on_parameter; ///< depends on constants and parameters alone
} pgopt_layout_change;

typedef struct pgopt_layout_counts {
  pgopt_layout_change *changes; ///< in program order
  size_t count;
  int64_t changes_left, bytes_moved;          ///< layout changes of data
  int64_t parameter_changes, parameter_bytes; ///< of constants and parameters
  int64_t packed_bytes;           ///< data that kernels copy into another order
  int64_t parameter_packed_bytes; ///< the same of constants and parameters
  int64_t renamings; ///< transposes that only move dimensions of extent 1
} pgopt_layout_counts;

/// Counts the layout changes of the network, in linalg or TOSA.
///
/// A change is an operation whose result is a permutation or re-blocking of an
/// operand, or an operand of an elementwise operation whose dimensions stand in
/// another order than the result's; dimensions of extent 1 do not count. Bytes
/// are those of the value that is moved. Packed bytes are those of operands
/// that a matrix product, a reduction or a convolution has to copy, or gather
/// in another order than they are stored in.
/// \param[out] report freed with `pgopt_layout_counts_free`.
void pgopt_layout_count(const pgopt_network *network,
                        pgopt_layout_counts *report);

void pgopt_layout_counts_free(pgopt_layout_counts *report);

/// Which values depend on constants and parameters alone, one a value; freed
/// with `free`. Storage without values (tensor.empty) counts as such.
bool *pgopt_constant_values(const pgopt_network *network);

/// The roles of a two-operand contraction's loops; false when the op is none.
/// \param[out] roles one a loop, PGOPT_LOOP_OTHER included.
bool pgopt_contraction_roles(const pgopt_op *op, pgopt_loop_role *roles);

#endif // PGOPT_LAYOUT_CHANGES_H
