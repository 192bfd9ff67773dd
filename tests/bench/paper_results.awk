# paper_results.awk - writes what `plumb-bench paper --json` could have measured on a machine that never was, with numbers by
# rule, so that every verdict on them is known beforehand.
#   awk -v obeys=1 -v gpu=1 -f paper_results.awk     obeys: 1 the paper's statements hold, 0 none does; gpu: 0 without one
# On the obedient machine a run takes n^3, complex numbers 8 times as much, each level of precision 8 times as much again; the
# GPU is n/8 times as fast as one core in d, n/4 in dd, n/3 in qd.
function one_core(prec, n) { return obeys ? 0.001 * n ^ 3 * cost[prec] : n ^ 2 * cost[prec] }
function speedup(prec, n) { return obeys ? n / slower[prec] : prec == "d" ? 0.5 : 0.25 }
function put_case(work, prec, n,    us) {
    us = one_core(prec, n)
    printf "%s{\"work\": \"%s\", \"precision\": \"%s\", \"kind\": \"complex\", \"n\": %d, \"cpu1_us\": %.9g, \"cpuall_us\": %.9g",
        separator, work, prec, n, us, us / 2
    if (gpu) printf ", \"gpu_us\": %.9g, \"gpu_runs\": 10000, \"gpu_error\": 0", us / speedup(prec, n)
    printf "}"
    separator = ",\n"
}
function put_real(n, us, of) {
    printf "%s{\"work\": \"qr\", \"precision\": \"d\", \"kind\": \"real\", \"n\": %d, \"cpu1_us\": %.9g, \"cpuall_us\": %.9g%s}",
        separator, n, us, us, of == "" ? "" : ", \"recalibrates\": \"" of "\""
    separator = ",\n"
}
function put_accuracy(prec, g,    middle) {
    middle = (obeys ? g : g / 2) - (obeys ? 1 : 0.2) * 16 * limbs[prec]
    printf "%s{\"precision\": \"%s\", \"g\": %d, \"m_e\": %g, \"M_e\": %g, \"D_e\": 1, \"dependent\": 0}",
        separator, prec, g, middle - 0.5, middle + 0.5
    separator = ",\n"
}
BEGIN {
    split("d dd qd", precs); split("1 4 8 12 16", low); split("17 20 24 28 32", high)
    limbs["d"] = 1; limbs["dd"] = 2; limbs["qd"] = 4
    cost["d"] = obeys ? 8 : 2; cost["dd"] = obeys ? 64 : 40; cost["qd"] = obeys ? 512 : 400
    slower["d"] = 8; slower["dd"] = 4; slower["qd"] = 3
    printf "{\"schema\": \"plumb/1\", \"benchmark\": \"paper\", \"version\": \"0\", \"commit\": \"<i>0123456789\", \"date\": \"2001-02-03T04:05:06Z\",\n"
    printf "\"machine\": {\"cpu\": \"%s <Mill> & Sons\", \"arch\": \"none\", \"cores\": 4},\n", obeys ? "Obedient" : "Contrary"
    printf "\"backend\": \"%s\",%s \"isa\": \"abacus\", \"threads\": 4, \"quick\": false, \"seconds\": 1,\n\"results\": [\n",
        gpu ? "gpu" : "cpu", gpu ? " \"device\": \"Loom\", \"driver\": \"CUDA 0.0\"," : ""
    put_real(32, obeys ? 0.001 * 32 ^ 3 : 32 ^ 2, "")
    for (p = 1; p <= 3; p++) {
        put_case("qr", precs[p], 32)
        put_case("eval", precs[p], 32)
        put_real(obeys ? 32 * 2 ^ p : 40, obeys ? one_core(precs[p], 32) : 1, precs[p])
        for (n = 16; n <= (precs[p] == "d" ? 256 : 80); n += 16) put_case("solve", precs[p], n)
    }
    printf "],\n\"accuracy\": {\"n\": 32, \"matrices\": 77, \"results\": [\n"
    separator = ""
    for (k = 1; k <= 5; k++) {
        put_accuracy("d", low[k]); put_accuracy("dd", low[k]); put_accuracy("dd", high[k]); put_accuracy("qd", high[k])
    }
    printf "],\n\"elimination\": ["
    for (p = 1; p <= 3; p++)
        printf "%s{\"precision\": \"%s\", \"n\": 32, \"mgs_us\": 3, \"lu_us\": %d, \"time_ratio\": %d, \"mgs_error\": 1, \"lu_error\": %d, \"error_ratio\": %d, \"median_ratio\": 6}",
            (p > 1 ? ",\n" : "\n"), precs[p], obeys ? 1 : 3, obeys ? 3 : 1, obeys ? 6 : 1, obeys ? 6 : 1
    printf "]}}\n"
}
