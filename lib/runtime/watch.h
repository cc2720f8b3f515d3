/// \file What the marks of instrumented programs tell a watch.
#ifndef PGOPT_RUNTIME_WATCH_H
#define PGOPT_RUNTIME_WATCH_H

#include <stdint.h>

/// Tells the watch, if there is one, that a run begins.
void pgopt_watch_begin(void);

/// Tells it that `kernel` took `sample_ns` and ended at `now_ns`.
/// \returns when the next kernel begins: `now_ns`, or later when telling took
///   long enough to matter.
int64_t pgopt_watch_kernel(int64_t kernel, int64_t sample_ns, int64_t now_ns);

/// Leaves why the process is about to end.
void pgopt_watch_last_words(const char *text);

#endif // PGOPT_RUNTIME_WATCH_H
