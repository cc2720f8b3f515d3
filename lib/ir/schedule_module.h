/// \file What every schedule pass does around its policy.
#ifndef PGOPT_IR_SCHEDULE_MODULE_H
#define PGOPT_IR_SCHEDULE_MODULE_H

#include "bridge/bridge.h"
#include "ir/read_calls.h"
#include "ir/timings.h"
#include "schedule/plan.h"

/// A member of a schedule pass's options struct.
typedef struct pgopt_schedule_options {
  const char *entry;     ///< "" for the default
  const char *resources; ///< "" when not given
  const char *count;     ///< "auto" when not given
  const char *distance;  ///< between cores: "far" or "near"
  bool outline;          ///< make one function a core
  bool check;            ///< prove the orders from the written IR
  pgopt_store_options store;
} pgopt_schedule_options;

/// Lines of the option table of a pass that makes schedules; `type` is its
/// options struct, `member` the pgopt_schedule_options in it.
#define PGOPT_SCHEDULING_OPTIONS(type, member)                                 \
  {"entry", PGOPT_OPTION_TEXT, offsetof(type, member.entry), "",               \
   "the network's function; empty: the only public one with tensors or "       \
   "memrefs"},                                                                 \
      {"resources", PGOPT_OPTION_TEXT, offsetof(type, member.resources), "",   \
       "cores, threads or pes; empty: what pg.resources says, else cores"},    \
      {"count", PGOPT_OPTION_TEXT, offsetof(type, member.count), "auto",       \
       "how many resources, 1 to 4096; auto: what pg.resources says, else "    \
       "the physical cores (threads: logical CPUs) that this process may "     \
       "use, but no more than kernels can run at once"},                       \
      {"distance", PGOPT_OPTION_TEXT, offsetof(type, member.distance), "far",  \
       "what a signal between cores takes: far, the longest that was ever "    \
       "seen on the machine, or near, the shortest; schedule-auto has both: "  \
       "a schedule for near cores and the sequential program in one entry, "   \
       "which measures the distance and chooses when it is called"},           \
      PGOPT_STORE_OPTIONS(type, member.store)

/// The same for a pass that applies a schedule.
#define PGOPT_SCHEDULE_OPTIONS(type, member)                                   \
  PGOPT_SCHEDULING_OPTIONS(type, member),                                      \
      {"outline", PGOPT_OPTION_BOOL, offsetof(type, member.outline), "true",   \
       "make one function a core; false: only pg.core and pg.slot"},           \
  {                                                                            \
    "check", PGOPT_OPTION_BOOL, offsetof(type, member.check), "false",         \
        "prove from the written IR that every order is kept; debug builds "    \
        "always do"                                                            \
  }

/// What was done, in the order of a schedule pass's statistics table.
typedef enum pgopt_schedule_count {
  PGOPT_SCHEDULED_KERNELS,
  PGOPT_SCHEDULED_COPIES,   ///< of these, computed once more
  PGOPT_SCHEDULED_BARRIERS, ///< between kernels
  PGOPT_SCHEDULED_CORES,    ///< with something to do
  PGOPT_SCHEDULED_WAITS,
  PGOPT_SCHEDULED_SIGNALS,
  PGOPT_SCHEDULED_EDGES_ACROSS, ///< dependencies between cores
  PGOPT_SCHEDULED_BYTES_ACROSS, ///< read on another core than wrote them
  PGOPT_SCHEDULE_STATISTICS,
} pgopt_schedule_count;

/// Statistics that all schedule passes have.
extern const pgopt_statistic
    pgopt_schedule_statistic_table[PGOPT_SCHEDULE_STATISTICS];

/// A network that is to be scheduled.
typedef struct pgopt_scheduling {
  MlirOperation module;
  pgopt_call_program program;
  pgopt_schedule_request request;
  pgopt_resource_model model; ///< of `request`, when resources are not alike
  pgopt_node_costs costs;
  size_t kernels, barriers; ///< that are scheduled
} pgopt_scheduling;

/// Reads the network of a module, on tensors by way of form-kernels, and writes
/// `pg.resources`. \param[out] scheduling to be closed, also after a failure.
/// \returns failure after one error.
MlirLogicalResult pgopt_scheduling_open(pgopt_pass *pass, MlirOperation module,
                                        const pgopt_schedule_options *options,
                                        pgopt_scheduling *scheduling);
void pgopt_scheduling_close(pgopt_scheduling *scheduling);

/// Writes `pg.core` and `pg.slot`, makes the functions of the cores, reports
/// the prediction in a remark at the entry, and warns when it is not below the
/// sequential time and when it rests on estimates. A network without kernels
/// stays as it is. \param scheduling its program gets the plan's copies.
/// \param plan of the scheduling's graph.
/// \param pass its first statistics are those above.
/// \returns failure after one error.
MlirLogicalResult pgopt_scheduling_apply(pgopt_pass *pass,
                                         pgopt_scheduling *scheduling,
                                         const pgopt_schedule_plan *plan,
                                         const pgopt_schedule_options *options);

/// Reads the calls of a copy of the scheduling's module, and makes the plan's
/// copies of kernels. \param[out] program freed with pgopt_call_program_free;
///   empty on failure. \returns failure after one error.
MlirLogicalResult pgopt_scheduling_read(MlirOperation copy,
                                        const pgopt_scheduling *scheduling,
                                        const pgopt_schedule_plan *plan,
                                        pgopt_call_program *program);

/// Writes a plan into a copy of the scheduling's module, for a trial run, and
/// tells nothing. \param copy a clone of the module; its entry has the same
///   name. \returns failure after one error.
MlirLogicalResult pgopt_scheduling_apply_to(MlirOperation copy,
                                            const pgopt_scheduling *scheduling,
                                            const pgopt_schedule_plan *plan);

/// Schedules the network of a module by `policy`: opens, plans and applies.
/// \returns failure after one error.
MlirLogicalResult pgopt_schedule_module(pgopt_pass *pass, MlirOperation module,
                                        const pgopt_schedule_policy *policy,
                                        const pgopt_schedule_options *options);

/// Makes the module of a network on tensors one of kernel calls, by a nested
/// form-kernels with its defaults; looks Timing up for kernel calls that have
/// none; leaves later stages alone, but that of an entry with two schedules,
/// which keeps the one for `distance`.
/// \param distance of form-kernels: "far" or "near".
/// \param[in,out] entry found again.
/// \returns failure after one error; so for a lowered module.
MlirLogicalResult pgopt_reach_calls(pgopt_pass *pass, MlirOperation module,
                                    const char *entry_name,
                                    const char *distance,
                                    const pgopt_store_options *store,
                                    MlirOperation *entry);

#endif // PGOPT_IR_SCHEDULE_MODULE_H
