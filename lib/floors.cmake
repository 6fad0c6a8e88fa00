# The folders of lib/, and after the colon those that each may call; all may
# call base/. A folder stands below those it calls, so there is no circle.
# Read by the build, the amalgamation, the Python package and gate.layers.
set(SKED_GRAPH
  "base:"
  "res:"
  "tree: res"
  "ledger: res tree"
  "tree/text: res tree ledger"
  "diff: res tree tree/text ledger"
  "fill:"
  "share: res fill tree ledger"
  "drf: tree"
  "order: res drf tree ledger"
  "pctl:"
  "slo:"
  "history: pctl"
  "tiers: history slo pctl"
  "report: slo"
  "balance: slo pctl"
  "plan: res history pctl slo tree tree/text diff ledger"
  "admit:"
  "rank:"
  "round:"
  "route:"
  "target: res share tree ledger"
  "preempt: rank res"
  "engine: res tree ledger order drf share rank preempt target round"
  "sim: engine res tree ledger share"
  "locality:"
  "batch:"
  "advise: res tree ledger diff history tiers slo pctl plan engine sim"
)
list(TRANSFORM SKED_GRAPH REPLACE ":.*" "" OUTPUT_VARIABLE SKED_FLOORS)
