#!/bin/sh
# Starts Stoa with the Node.js of this folder, from wherever it is called.
set -eu
self=$0
while [ -h "$self" ]; do
  target=$(readlink "$self")
  case $target in
    /*) self=$target ;;
    *) self=${self%/*}/$target ;;
  esac
done
case $self in
  */*) here=${self%/*} ;;
  *) here=. ;;
esac
# Where CDPATH is exported, a plain cd may go elsewhere, and prints where.
root=$(CDPATH= cd -- "$here/.." && pwd -P)
node=$root/runtime/node

# The loader only lists the libraries, in some milliseconds, and names the ones that are missing.
found=$(LD_TRACE_LOADED_OBJECTS=1 "$node" 2>&1) || found="not found: $found"
case $found in
  *"not found"*)
    echo "Stoa needs Linux with glibc 2.28 or newer, libstdc++ and libatomic; install what is missing (Debian, Ubuntu: apt-get install libstdc++6 libatomic1; Fedora, RHEL: dnf install libstdc++ libatomic)." >&2
    printf '%s\n' "$found" | while IFS= read -r line; do
      case $line in *"not found"*) printf '%s\n' "$line" >&2 ;; esac
    done
    exit 1
    ;;
esac

exec "$node" --max-semi-space-size=8 "$root/app/dist/main.js" "$@"
