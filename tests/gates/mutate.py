"""Proves that the gates can fail: breaks a copy of the project in one way after
another and expects the gate named to object, and the copy as it is to pass.

    python3 tests/gates/mutate.py .      (some minutes; tools/check runs it)
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

here = Path(sys.argv[1]).resolve()

long_body = "\n".join(f"    x += {n};" for n in range(61))
nested = "for (;;) {\n        for (;;) {\n            for (;;) {\n                for (;;) {\n"
deep = f"static void nest_deep(void)\n{{\n    {nested}                }}\n            }}\n        }}\n    }}\n}}\n"

# gate, what is done, file, what is replaced (the first match), by what;
# "$" adds at the end; None makes a file that was not there.
mutations = [
    ("gate.layers", "a call to a folder above", "lib/base/fail.c", r'#include "base/fail.h"',
     r'\g<0>\n#include "res/amount.h"'),
    ("gate.layers", "a table that leaves a folder out", "docs/architecture.md", r"(\| `plan/` \| res), history",
     r"\1"),
    ("gate.layers", "qsort", "lib/res/vec.c", "$", "void *skedi_q(void)\n{\n    qsort(0, 0, 0, 0);\n}\n"),
    ("gate.layers", "malloc outside base/mem.c", "lib/res/vec.c", "$",
     "void *skedi_q(void)\n{\n    return malloc(1);\n}\n"),
    ("gate.layers", "a wide integer outside base/arith", "lib/res/vec.c", "$",
     "unsigned __int128 skedi_wide(void);\n"),
    ("gate.layers", "a clock's header", "lib/base/fail.c", "#include <", "#include <time.h>\n#include <"),
    ("gate.layers", "a twin that includes what it checks", "tests/ref/ref_drf.c",
     r'#include "base/arith.h"', '#include "base/arith.h"\n#include "drf/key.h"'),
    ("gate.layers", "a circle of files", "lib/base/fail.c", "$",
     "\n#include \"base/hooks.h\"\nsked_status skedi_round_trip(const skedi_hooks *hooks);\n"
     "sked_status skedi_round_trip(const skedi_hooks *hooks)\n{\n"
     "    return skedi_hooks_check(hooks, 0, 1);\n}\n"),
    ("gate.layers", "a circle of modules", "lib/folders.cmake", r'"tree/text: res tree"',
     '"tree/text: res tree ledger"'),
    ("gate.layers", "a call to a module above, in the engine", "lib/engine/tourney.c", "$",
     "void skedi_tourney_mark(sked_engine *e)\n{\n    skedi_fits_refresh(e);\n}\n"),
    ("gate.layers", "a header of a module above, in the engine", "lib/engine/queue.h",
     r'#include "engine/state.h"', r'\g<0>\n#include "engine/gang.h"'),
    ("gate.layers", "an engine's structs seen from outside", "lib/sim/tell.c",
     r'#include "engine/probe.h"', r'\g<0>\n#include "engine/state.h"'),
    ("gate.interface", "host before options", "include/sched/share.h",
     r"const sked_share_options \*options,\s*const sked_host \*host",
     "const sked_host *host, const sked_share_options *options"),
    ("gate.interface", "an enumeration without a tag", "include/sched/share.h", r"enum sked_share_model \{",
     "enum {"),
    ("gate.interface", "a short length of an array", "include/sched/locality.h", r"uint64_t hosts;",
     "uint32_t hosts;"),
    ("gate.interface", "a stride of another size", "include/sched/event.h", r"uint32_t gang_stride;",
     "uint64_t gang_stride;"),
    ("gate.interface", "values without their enumeration", "include/sched/fill.h", r"/\* enum sked_fill_form \*/",
     "/* SKED_FILL_FORM_RATIO and so on */"),
    ("gate.interface", "a size_t in a struct", "include/sched/sim.h", r"uint64_t n_nodes;", "size_t n_nodes;"),
    ("gate.interface", "a change without err", "include/sched/sim.h",
     r"sked_sim_withdraw\(sked_sim \*sim, uint32_t job,\s*sked_error \*err\)",
     "sked_sim_withdraw(sked_sim *sim, uint32_t job)"),
    ("gate.headers", "a header that leans on another", "include/sched/host.h",
     r"#include <sched/base.h>\n", ""),
    ("gate.headers", "a word of C++ as a name", "include/sched/base.h", r"uint32_t sked_version\(void\)",
     "uint32_t sked_version(int class)"),
    ("gate.docs", "no comment", "include/sched/base.h", r"/\* SKED_VERSION of[^/]*\*/\n", ""),
    ("gate.docs", "a code not listed", "include/sched/drf.h", r"SKED_ERR_NOT_FOUND", "failure"),
    ("gate.docs", "a code never returned", "include/sched/drf.h", r"Returns SKED_OK,",
     "Returns SKED_OK, SKED_ERR_CORRUPT,"),
    ("gate.docs", "a result that need not be read", "include/sched/drf.h", r"SKED_TRY sked_status",
     "SKED_API sked_status"),
    ("gate.trace", "a test that does not exist", "tests/requirements.tsv", r"(MON-10\t[^\t]*)\t.*",
     r"\1\tinclude/sched/tree.h\tunit.status:weights_divide"),
    ("gate.trace", "a file that does not exist", "tests/requirements.tsv", r"(MON-10\t[^\t]*)\t.*",
     r"\1\tinclude/sched/trees.h\tunit.status:every_code_has_its_name"),
    ("gate.trace", "an unknown rule in a header", "include/sched/base.h", r"/\*\n", "/* [MON-99] */\n/*\n"),
    ("gate.trace", "a row with no test", "tests/requirements.tsv", r"(MON-10\t[^\t]*\t[^\t]*)\t.*",
     r"\1\topen"),
    ("gate.sizes", "a function of 63 lines", "lib/base/fail.c", "$",
     f"int skedi_long(int x)\n{{\n{long_body}\n    return x;\n}}\n"),
    ("gate.sizes", "four levels of loops", "lib/base/fail.c", "$", deep),
    ("gate.sizes", "a file of over 1,200 lines", "lib/base/fail.c", "$", "\n" * 1200),
    ("gate.sizes", "a test of over 1,200 lines", "tests/unit/base/fail_test.c", "$", "\n" * 1200),
    ("gate.built", "a file that begins as a program does", "tests/abi/imports.txt", r"^",
     "\x7fELF\x02\x01\x01\n"),
    ("gate.built", "a log", "tests/unit/new.log", None, "what was said\n"),
    ("gate.built", "a file where none belongs", "notes.md", None, "what is to be done\n"),
    ("gate.readme", "a field by an old name", "docs/routing.md", r"`max_age_ns`", "`max_age`"),
    ("gate.readme", "a header that no page lists", "docs/api.md", r"\| \[rank\.h\][^\n]*\n", ""),
    ("gate.sizes", "a header of over 1,200 lines", "include/sched/fill.h", "$", "\n" * 1200),
    ("gate.format", "an indent of three", "lib/base/fail.c", r"\n    return", "\n   return"),
    ("gate.words", "an abbreviation", "include/sched/base.h", r"sked_version\(void\);",
     r"\g<0>\ntypedef int sked_ctx_id;"),
    ("gate.prose", "inverted sentences", "lib/base/assert.h", "$",
     "/* Of these there are so many. What is it that they do to it? Nothing of that, as such. */\n"),
    ("gate.prose", "a listed file that got worse", "lib/engine/state.h", "$",
     "/* " + "Of these there are so many that it is what it is, and such that they do. " * 60 + "*/\n"),
    ("gate.prose", "a listed file that is good", "tests/gates/prose.tsv", r"^",
     "lib/base/assert.h\t9.0\t9.0\n"),
    ("gate.words", "a function without prefix", "lib/base/fail.c", "$", "int fails(void)\n{\n    return 0;\n}\n"),
    ("gate.words", "a static without its module's prefix", "lib/engine/gang.c", "$",
     "static int is_ready(void)\n{\n    return 0;\n}\n"),
    ("gate.words", "a private word that was removed", "include/sched/fill.h", r"no queue may take",
     "no kin may take"),
    ("gate.words", "a second wording for one fault", "lib/res/vec.c", "$",
     "sked_status skedi_fault_of(sked_error *err);\nsked_status skedi_fault_of(sked_error *err)\n{\n"
     "    return skedi_fail_plain(err, SKED_ERR_ARG, \"NULL\");\n}\n"),
    ("gate.words", "a person among data", "include/sched/fill.h", r"no queue may take", "nobody may take"),
    ("gate.words", "room for memory", "lib/base/fail.c", "$", "/* There is room for one. */\n"),
    ("gate.api", "an enumerator that Python lacks", "bindings/python/src/sked/enums.py", r"    SHARE = 7\n", ""),
    ("gate.api", "a plain call of other letters", "bindings/python/core/plain.c", r'READ\("Huq"', 'READ("Huu"'),
    ("gate.api", "a record of other fields", "bindings/python/src/sked/layouts.py", r"q:start q:end", "q:end q:start"),
    ("abi.symbols", "a function left out of the map", "lib/sked.map", r" +sked_version;\n", ""),
    ("abi.symbols", "a function declared, not mapped", "include/sched/base.h",
     r"SKED_API uint32_t sked_version", "SKED_API int sked_new_one(void);\n\\g<0>"),
    ("abi.purity", "a look at the clock", "lib/base/status.c", "$",
     "long time(long *);\nlong skedi_now(void);\nlong skedi_now(void)\n{\n    return time(0);\n}\n"),
    ("abi.purity", "a static counter", "lib/base/status.c", "$",
     "int skedi_count(void);\nint skedi_count(void)\n{\n    static int n;\n    return n++;\n}\n"),
    ("abi.layout", "a status renumbered", "include/sched/base.h", r"SKED_ERR_STALE = -5", "SKED_ERR_STALE = -55"),
    ("abi.layout", "a field put in between", "include/sched/host.h", r"    void \*user;",
     "    void *before;\n    void *user;"),
    ("abi.baseline", "a field put in between", "include/sched/host.h", r"    void \*user;",
     "    void *before;\n    void *user;"),
    ("amalgam.build", "two statics of one name", "lib/base/fail.c", "$",
     "static int all_zero(int x)\n{\n    return x;\n}\nint skedi_z(int x);\n"
     "int skedi_z(int x)\n{\n    return all_zero(x);\n}\n"),
    ("hash", "a carry lost in wide addition", "lib/base/arith_native.h", r"return a \+ b;", "return a | b;"),
    ("consumer.find_package", "no CMake package installed", "lib/CMakeLists.txt",
     r"install\(EXPORT[^)]*\)", ""),
    ("consumer.pkg_config", "a wrong name to link", "lib/sked.pc.in", r"-lsked", "-lsched"),
    ("consumer.one_file", "a source left out", "lib/amalgamate.cmake", r"list\(SORT files\)",
     "list(FILTER files EXCLUDE REGEX mem.c)"),
    ("consumer.add_subdirectory", "tests forced on others", "CMakeLists.txt",
     r"\(SKED_TESTS \"Build the tests\" [^)]*\)", '(SKED_TESTS "Build the tests" ON)'),
]


def run(*command, cwd):
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True)


def copy_project(folder):
    """Our tracked files; vectors and build folders stay behind."""
    names = run("git", "ls-files", "-co", "--exclude-standard", cwd=here).stdout.split("\n")
    for name in filter(None, names):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (here / name).exists():
            shutil.copy(here / name, target)
    run("git", "init", "--quiet", cwd=folder)
    run("git", "add", "--all", "--force", cwd=folder)


def gate_passes(gate, folder):
    """Builds what the gate needs and runs it, with what it depends on."""
    build = folder / "build"
    if not gate.startswith("gate."):
        if run("cmake", "-S", ".", "-B", "build", "-DCMAKE_BUILD_TYPE=Debug", cwd=folder).returncode:
            return False, "configure"
        targets = ["hash"] if gate == "hash" else ["sked", "sked_static", "abi_layout"]
        if gate.startswith("consumer"):
            targets = ["all"]
        done = run("cmake", "--build", "build", "-j2", "--target", *targets, cwd=folder)
        if done.returncode:
            return False, "build:" + done.stderr[-300:]
    done = run("ctest", "--test-dir", str(build), "-R", f"^{re.escape(gate)}$",
               "--no-tests=error", "--output-on-failure", "--timeout", "300", cwd=folder)
    return done.returncode == 0 and "Skipped" not in done.stdout, done.stdout


def mutate(text, old, new):
    if old in ("$", None):
        return text + new
    changed, n = re.subn(old, new, text, count=1)
    return changed if n else None


with tempfile.TemporaryDirectory() as name:
    folder = Path(name) / "project"
    copy_project(folder)
    wanted = sys.argv[2:]
    chosen = [m for m in mutations if not wanted or m[0] in wanted]
    missed = 0
    gate_passes("abi.symbols", folder)
    for gate in dict.fromkeys(m[0] for m in chosen):
        ok, why = gate_passes(gate, folder)
        if not ok:
            missed += 1
            print(f"{gate}: does not pass on the project as it is ({why[-200:].strip()})")
    for gate, title, path, old, new in chosen:
        file = folder / path
        before = file.read_text() if old else ""
        after = mutate(before, old, new)
        verdict = "nothing to change here"
        if after is not None and after != before:
            file.write_text(after)
            if not old:
                run("git", "add", "--force", path, cwd=folder)
            ok, why = gate_passes(gate, folder)
            # A build that breaks earlier has not shown what the gate can do.
            verdict = "MISSED" if ok else "caught"
            if not ok and why.startswith(("build", "configure")):
                verdict = f"broke the {why}"
            if old:
                file.write_text(before)
            else:
                run("git", "rm", "--force", "--quiet", path, cwd=folder)
        missed += verdict != "caught"
        print(f"{gate:24} {title:36} {verdict}", flush=True)
    print(f"{len(chosen)} mutations, {missed} not caught")
    sys.exit(1 if missed else 0)
