-- fault_host runs this script while allocations fail. The script uses the same blocks in two streams. Calls that
-- succeed must keep the order of the script.
cross()
