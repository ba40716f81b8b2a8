-- fault_host runs this script while allocations fail. The script computes on a device of PJRT.
work()
