-- Run by fault_host while allocations fail: two streams use the same blocks. Calls that succeed must keep the order of
-- the script.
cross()
