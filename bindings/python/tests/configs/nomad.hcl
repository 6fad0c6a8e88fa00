# One quota in two regions.
name        = "web"
description = "the web team"

limit {
  region = "north"
  region_limit {
    cores      = 8
    cpu        = 0     // no bound
    memory     = 16000
    memory_max = 32000
    device "nvidia/gpu/a100" {
      count = 2
    }
    device "nvidia/gpu/h100" { count = 1 }
  }
}
limit {
  region = "south"
  region_limit {
    cpu    = 2500
    memory = -1
  }
}
