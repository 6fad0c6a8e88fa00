# shellcheck shell=sh disable=SC2034,SC2154
# Sourced by the scripts of this folder and by .ci/run: moves to the project's
# root, reads the options they share, and gets the tools they need.
#
# What is there is used as it is, so a machine that has everything needs no
# network. What is not is named first and then installed with the machine's
# package manager, as root or through sudo. Our code is built in build/ and
# nothing outside of it is written.

cd "$(dirname "$0")/.." || exit 1
root=$(pwd)
private=$root/build/tools # a CMake of our own, where the machine's is too old
dry_run=

say() {
    printf '%s\n' "$*"
}

die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

version_of_project() {
    sed -n 's/^#define SKED_VERSION_[MP][A-Z]* \([0-9]*\)$/\1/p' \
        include/sched/version.h | paste -sd. -
}

# read_options "$@": --dry-run, --help (prints $usage), --version.
read_options() {
    for word in "$@"; do
        case $word in
        --dry-run) dry_run=1 ;;
        --help | -h)
            say "$usage"
            exit 0
            ;;
        --version)
            say "libsked $(version_of_project)"
            exit 0
            ;;
        *)
            printf '%s: unknown option %s (try --help)\n' "${0##*/}" "$word" >&2
            exit 2
            ;;
        esac
    done
}

# ---- what is there? ----

found() {
    command -v "$1" >/dev/null 2>&1
}

# compiles COMPILER [OPTION...]: does it turn standard input into a program?
compiles() {
    found "$1" || return 1
    scratch=$(mktemp -d) || return 1
    compiler=$1
    shift
    "$compiler" -x c - -o "$scratch/a" "$@" >/dev/null 2>&1
    status=$?
    rm -rf "$scratch"
    return $status
}

plain_program='#include <stdio.h>
int main(void) { return puts("") < 0; }'
fuzz_program='#include <stdint.h>
#include <stddef.h>
int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n) { return d && n > 9; }'
cmocka_program='#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
int main(void) { cmocka_set_message_output(CM_OUTPUT_STDOUT); return 0; }'

has_compiler() {
    for cc in ${CC:-cc gcc clang}; do
        say "$plain_program" | compiles "$cc" && return 0
    done
    return 1
}

has_cmocka() {
    for cc in ${CC:-cc gcc clang}; do
        say "$cmocka_program" | compiles "$cc" -lcmocka && return 0
    done
    found brew && [ -e "$(brew --prefix)/include/cmocka.h" ]
}

# at_least A B: is version A not below B? Only the first two numbers count.
at_least() {
    [ -n "$1" ] && [ "$(printf '%s.0\n%s.0\n' "$1" "$2" |
        awk -F. '{ print $1 * 1000 + $2 }' | sort -n | head -n 1)" = \
        "$(say "$2.0" | awk -F. '{ print $1 * 1000 + $2 }')" ]
}

cmake_least=3.25

has_cmake() {
    found cmake || return 1
    at_least "$(cmake --version | sed -n 's/^cmake version //p')" $cmake_least
}

has_python_dev() {
    python3 -c 'import ensurepip, os, sysconfig, sys, venv
sys.exit(not os.path.exists(sysconfig.get_paths()["include"] + "/Python.h"))' \
        2>/dev/null
}

has() {
    case $1 in
    python-dev) has_python_dev ;;
    compiler | cmake | cmocka) "has_$1" ;;
    make) found make || found ninja ;;
    fuzzer)
        say "$fuzz_program" | compiles clang -fsanitize=fuzzer,address,undefined
        ;;
    *-linux-gnu*) say "$plain_program" | compiles "$1-gcc" ;;
    qemu) found qemu-s390x ;;
    chromium) found chromium || found chromium-browser || found google-chrome ;;
    musl) say "$plain_program" | compiles musl-gcc ;;
    *) found "$1" ;;
    esac
}

# ---- what is it called? ----

# thing | apt | dnf | apk | brew
package_table='
compiler     | gcc libc6-dev   | gcc glibc-devel  | gcc musl-dev | gcc
make         | make            | make             | make         | make
cmake        | cmake           | cmake            | cmake        | cmake
cmocka       | libcmocka-dev   | libcmocka-devel  | cmocka-dev   | cmocka
python3      | python3         | python3          | python3      | python3
python-dev   | python3-dev python3-venv | python3-devel | python3-dev | python3
go           | golang-go       | golang           | go           | go
clang        | clang           | clang            | clang        | llvm
fuzzer       | clang lld libclang-rt-dev | clang lld compiler-rt | clang lld compiler-rt | llvm
clang-format | clang-format    | clang-tools-extra | clang-extra-tools | clang-format
abidw        | abigail-tools   | libabigail       | abigail-utils | libabigail
abidiff      | abigail-tools   | libabigail       | abigail-utils | libabigail
g++          | g++             | gcc-c++          | g++          | gcc
pkg-config   | pkg-config      | pkgconf          | pkgconf      | pkgconf
debootstrap  | debootstrap     | debootstrap      | debootstrap  |
valgrind     | valgrind        | valgrind         | valgrind     | valgrind
qemu         | qemu-user       | qemu-user        | qemu-s390x qemu-i386 qemu-aarch64 | qemu
chromium     | chromium        | chromium         | chromium     |
musl         | musl-tools      | musl-gcc         |              |
'

# The C library's name for a processor, in Debian's cross packages.
cross_libc() {
    case $1 in
    i686-*) say i386 ;;
    aarch64-*) say arm64 ;;
    arm-*hf) say armhf ;;
    powerpc64-*) say ppc64 ;;
    *) say "${1%%-*}" ;;
    esac
}

manager() {
    for name in apt-get dnf apk brew; do
        found $name && say $name && return
    done
    say none
}

# packages THING: what the machine's manager calls it; nothing: unknown there.
packages() {
    case $1 in
    *-linux-gnu*)
        [ "$(manager)" = apt-get ] || return 0
        say "gcc-$1 libc6-dev-$(cross_libc "$1")-cross"
        return
        ;;
    esac
    case $(manager) in
    apt-get) column=2 ;;
    dnf) column=3 ;;
    apk) column=4 ;;
    brew) column=5 ;;
    *) return 0 ;;
    esac
    say "$package_table" | awk -F'|' -v thing="$1" -v column=$column '
        { name = $1; gsub(/ /, "", name) }
        name == thing { $0 = $column; $1 = $1; print }'
}

# ---- getting it ----

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

install_packages() {
    case $(manager) in
    apt-get | dnf | apk)
        [ "$(id -u)" = 0 ] || found sudo ||
            die "not root and no sudo; as root, please install: $*"
        ;;
    esac
    case $(manager) in
    apt-get)
        as_root apt-get update -q &&
            as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y \
                --no-install-recommends "$@"
        ;;
    dnf) as_root dnf install -y "$@" ;;
    apk) as_root apk add "$@" ;;
    brew) brew install "$@" ;;
    none) die "no package manager known here; please install: $*" ;;
    esac
}

# A CMake that is new enough, from the Python package index, below build/.
install_private_cmake() {
    say "The machine's cmake is older than $cmake_least: getting one from PyPI into build/tools"
    python3 -m venv "$private" 2>/dev/null || {
        install_packages python3 python3-venv || return 1
        python3 -m venv "$private" || return 1
    }
    "$private/bin/pip" install -q "cmake>=$cmake_least,<4"
}

# need THING...: has them all when it returns.
need() {
    missing=
    wanted=
    for thing in "$@"; do
        has "$thing" && continue
        names=$(packages "$thing")
        missing="$missing $thing"
        wanted="$wanted $names"
        [ -n "$names" ] || say "no package of '$thing' is known for this machine"
    done
    [ -n "$missing" ] || return 0

    say "Missing:$missing"
    say "Packages ($(manager)):$wanted"
    if [ -n "$dry_run" ]; then
        case $missing in
        *cmake*) say "(where that cmake is older than $cmake_least: PyPI's, into build/tools)" ;;
        esac
        return 0
    fi
    # One word a package is what the manager wants.
    # shellcheck disable=SC2086
    install_packages $wanted || die "could not install:$wanted"
    hash -r # forget where older ones were
    case $missing in *cmake*) has cmake || install_private_cmake ;; esac
    hash -r
    for thing in $missing; do
        has "$thing" || die "$thing is still missing; please install it by hand"
    done
}

# run COMMAND...: says it and does it; with --dry-run only says.
run() {
    say "+ $*"
    [ -n "$dry_run" ] || "$@"
}

# run_tests FOLDER [CTEST OPTION...]: passes the tests of a build; the last
# line says how many. The status is ctest's. What each said is in tests.xml of
# that folder, or in $report.
run_tests() {
    folder=$1
    shift
    xml=$root/$folder/${report:-tests.xml}
    limit=600
    [ "$SKED_TEST_SIZE" != full ] || limit=14400
    run ctest --test-dir "$folder" --parallel "$cores" --output-on-failure \
        --no-tests=error --timeout $limit --output-junit "$xml" \
        --test-output-size-passed 10000000 \
        --test-output-size-failed 10000000 "$@"
    status=$?
    [ -n "$dry_run" ] || awk -f tools/count.awk "$xml"
    return $status
}

PATH=$private/bin:$PATH
found make || ! found ninja || export CMAKE_GENERATOR=Ninja
cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || say 2)
