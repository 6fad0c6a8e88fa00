# Reads what `ctest --output-junit` wrote and prints "N passed, N failed", with
# ", N skipped" when there are any. A test that ran cmocka cases counts by
# them, every other as one. A case that was announced and did not end well,
# because its program died before it, has failed.

/<testcase / {
    name = $0
    sub(/.* name="/, "", name)
    sub(/".*/, "", name)
    good = $0 ~ /status="run"/
    absent = $0 ~ /status="(notrun|disabled)"/
    cases = ok = skipped_cases = 0
}
/\[==========\] Running [0-9]+ test/ {
    sub(/.*Running /, "")
    cases += $1
}
/^(.*>)?\[       OK \] / { ok++ }
/^(.*>)?\[  SKIPPED \] [a-z_0-9A-Z]+$/ { skipped_cases++ }
/<\/testcase>/ {
    if (absent) {
        skipped++
        next
    }
    bad = cases - ok - skipped_cases
    if (bad < 0) bad = 0
    if (!good && bad == 0) bad = 1
    if (cases == 0 && good) ok = 1
    passed += ok
    skipped += skipped_cases
    failed += bad
    if (bad) print "FAILED: " name
}
END {
    printf "%d passed, %d failed", passed, failed
    if (skipped) printf ", %d skipped", skipped
    print ""
}
