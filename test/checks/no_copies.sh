#!/bin/sh
# usage: no_copies.sh PGOPT-OPT NETWORK.mlir ...
#
# Nothing is copied between kernels, nor inside a kernel that does not move data
# by meaning, but an image into the zeros around it, which code generation does
# without; the entry allocates one buffer a value that a kernel writes.
set -eu
opt=$1
shift
status=0
for network; do
  for options in '' '=split=2'; do
    "$opt" "--form-kernels$options" "$network" 2>/dev/null |
      awk -v label="$(basename "$network") $options" '
        function complain(text) { printf "%s: @%s: %s\n", label, name, text; bad = 1 }
        # Kernels that copy because they move data: what their names begin with.
        function moves() {
          return name ~ /^(pad|concat|slice|extract_slice|insert_slice|transpose|broadcast|copy|gather|scatter|pack|unpack|tile|reverse|if|for|while)/
        }
        /func\.func/ {
          name = $0
          sub(/.*func\.func (private )?@/, "", name)
          sub(/\(.*/, "", name)
          kernel = /pg\.kernel/
          kernels += kernel
          buffers = 0
          delete padded
        }
        kernel && / = memref\.subview %alloc/ { padded["outs(" $1] = 1 }
        /(memref|linalg)\.copy/ && !(kernel && moves()) {
          sub(/.* outs/, "outs", $0)
          sub(/ .*/, "", $0)
          if (!($0 in padded)) complain("a copy")
        }
        # A generic that only yields its input, at the same place.
        /linalg\.generic/ {
          split($0, part, /indexing_maps = \[|\], iterator_types/)
          identity = split(part[2], map, ", ") == 2 && map[1] == map[2]
          lines = 0
          next
        }
        { ++lines }
        identity && lines == 2 && /linalg\.yield %in / && !(kernel && moves()) {
          complain("an identity generic")
        }
        !kernel && /memref\.alloc\(/ { ++buffers; ++allocated }
        !kernel && / call @/ { ++calls }
        END {
          name = "entry"
          if (!kernels) complain("no kernels")
          if (allocated > 2 * calls) complain(allocated " buffers for " calls " calls")
          exit bad
        }' || status=1
  done
done
[ "$status" = 0 ] && echo "$# networks without copies"
exit "$status"
