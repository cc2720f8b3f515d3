# What every lit test may rely on: the tools by name, %pgopt_plugin,
# %pgopt_runtime, %mlir_runner_utils, %networks, and a quiet, reproducible
# environment.

import glob
import os
import platform
import re

import lit.formats

config.name = "pgopt"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.build_dir, "test", "lit")

path = [os.path.join(config.build_dir, "bin"), config.llvm_bin_dir]

environment = config.environment
if "address" in config.sanitize:
    # `not` takes an ordinary exit code of a sanitizer for an expected failure.
    environment["ASAN_OPTIONS"] = (
        "abort_on_error=1:detect_leaks=1:quarantine_size_mb=16"
    )
    environment["UBSAN_OPTIONS"] = "print_stacktrace=1:abort_on_error=1"
    config.available_features.add("asan")
    # Stock tools load our libraries: the sanitizer's runtime must come first.
    path.insert(0, os.path.join(config.build_dir, "test", "preloaded"))
if "thread" in config.sanitize:
    config.available_features.add("tsan")

for name in ("PGOPT_STORE", "PGOPT_RUNNER", "OPENBLAS_NUM_THREADS"):
    environment.pop(name, None)
environment["PGOPT_CACHE"] = os.path.join(config.test_exec_root, "object_cache")
environment["PATH"] = os.pathsep.join(path + [environment["PATH"]])

config.substitutions.append(
    ("%pgopt_plugin", os.path.join(config.build_dir, "lib", "libpgopt.so"))
)
config.substitutions.append(
    (
        "%pgopt_runtime",
        os.path.join(config.build_dir, "lib", "libpgopt_runtime.so"),
    )
)
config.substitutions.append(
    (
        "%mlir_runner_utils",
        os.path.join(
            config.llvm_bin_dir, "..", "lib", "libmlir_c_runner_utils.so"
        ),
    )
)
config.substitutions.append(
    ("%networks", os.path.join(config.source_dir, "test", "networks"))
)

config.available_features.add(platform.machine())

# A `mlir-opt` of another version than ours, to see the plugin refuse it (not
# under a sanitizer, whose runtime such a tool does not have).
for tool in [] if config.sanitize else sorted(glob.glob("/usr/bin/mlir-opt-*")):
    version = re.fullmatch(r"mlir-opt-(\d+)", os.path.basename(tool))
    if version and version[1] != config.mlir_version.split(".")[0]:
        config.available_features.add("other-mlir")
        config.substitutions.append(("%other_mlir_opt", tool))
        break
