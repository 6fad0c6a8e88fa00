# The folders of lib/, lowest floor first.
set(SKED_FLOORS base res life queue fair plan locality preempt batch engine sim route advise)
