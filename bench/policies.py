#!/usr/bin/env python3
"""Times networks under every policy; prints a markdown table.

usage: bench/policies.py [options] [NETWORK.mlir]...

For each network: the kernels of `pgopt-opt --profile`, cut into ranges for
`--cores`, their Timing, and a schedule by each policy, `auto` the one that its
gate keeps. Each is simulated (`pgopt-runner --simulate`) and run in turn with
the network lowered in sequence. The bound is the larger of half of that
one's time (on two cores) and of the kernels' bytes read out of memory by all
cores together: the bytes of those kernels that no cache holds. Networks as in
bench/networks.py.
"""

import argparse
import json
import os
import re
import sys
import tempfile

import networks

POLICIES = {
    "rr": "--schedule-rr=",
    "rr by timing": "--schedule-rr=weights=timing ",
    "list": "--schedule-list=",
    "auto": "--schedule-auto=budget=1s ",
}


class Bench:
    """One network's files and commands."""

    def __init__(self, network, options, folder):
        self.options = options
        self.folder = folder
        self.network = network
        self.name = os.path.basename(network)[: -len(".mlir")]
        self.entry, self.data, self.libraries = networks.entry_options(
            self.name, options.build
        )

    def path(self, stage):
        return os.path.join(self.folder, "%s.%s.mlir" % (self.name, stage))

    def opt(self, passes, source, target):
        """What the passes print; an option list is completed by the entry."""
        tool = os.path.join(self.options.build, "bin", "pgopt-opt")
        arguments = " ".join([passes] + self.entry)
        _, report = networks.run(
            [tool, arguments, source, "-o", target], self.options.timeout
        )
        return report

    def run(self, arguments):
        tool = os.path.join(self.options.build, "bin", "pgopt-runner")
        output, _ = networks.run([tool] + arguments, self.options.timeout)
        return output

    def profile(self, source, target):
        self.opt(
            " ".join(
                ["--profile=report=none budget=" + self.options.budget] + self.libraries
            ),
            source,
            target,
        )

    def prepare(self):
        """The kernels cut, with their Timing."""
        cores = "resources=threads count=%d outline=false" % self.options.cores
        self.profile(self.network, self.path("whole"))
        self.opt("--schedule-rr=" + cores, self.path("whole"), self.path("cut"))
        self.profile(self.path("cut"), self.path("parts"))

    def memory_ns(self):
        """What reading the kernels' bytes out of memory takes all cores: of
        kernels with more of them than the last cache has."""
        with open(self.path("parts")) as file:
            text = file.read()
        rate = re.search(r"sharing = {[^}]*read_mb_s = (\d+)", text)
        sets = re.findall(r"working_set_bytes = (\d+)", text)
        if not rate or not sets:
            return 0
        last = int(sets[-1]) / 2
        sizes = [int(b) for b in re.findall(r"pg\.bytes = (\d+) : i64", text)]
        return sum(b for b in sizes if b > last) * 1e3 / int(rate[1])

    def rows(self):
        self.prepare()
        memory_ns = self.memory_ns()
        for policy, passes in POLICIES.items():
            scheduled = self.path("scheduled")
            extra = self.libraries if policy == "auto" else []
            self.opt(
                " ".join(
                    [
                        passes
                        + "resources=threads count=%d distance=near"
                        % self.options.cores
                    ]
                    + extra
                ),
                self.path("parts"),
                scheduled,
            )
            simulated = json.loads(
                self.run(
                    [scheduled, "--simulate", "--distance=near", "--report=json"]
                    + ["--" + option for option in self.entry]
                )
            )
            timed = self.run(
                [
                    scheduled,
                    "--compare=" + self.network,
                    "--reference=auto",
                    "--bench=%g" % self.options.seconds,
                ]
                + self.data
            )
            medians = re.findall(r": median ([0-9.]+) us", timed)
            if len(medians) != 2:
                raise networks.Failure("no two medians in: " + timed)
            measured, sequential = (1e3 * float(median) for median in medians)
            predicted = simulated["makespan_ns"]
            bound = max(sequential / self.options.cores, memory_ns)
            yield (
                self.name,
                policy,
                "%d" % simulated["used"],
                "%.3f" % (sequential / 1e6),
                "%.3f" % (predicted / 1e6),
                "%.3f" % (measured / 1e6),
                "%.2f" % (measured / predicted),
                "%.3f" % (bound / 1e6),
                "%.2f" % (measured / bound),
            )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("networks", nargs="*", help="default: see bench/networks.py")
    networks.add_options(parser)
    parser.add_argument("--cores", type=int, default=2)
    options = parser.parse_args()
    print(networks.headline(options))
    print(
        "| network | policy | cores | sequential ms | predicted ms | measured ms "
        "| measured / predicted | bound ms | measured / bound |"
    )
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    return networks.print_rows(
        networks.chosen_networks(options),
        lambda network, folder: Bench(network, options, folder).rows(),
    )


if __name__ == "__main__":
    sys.exit(main())
