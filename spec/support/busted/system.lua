--- Replaces the C module luasystem, from which busted takes its clocks. `make test-lua` adds this file to the package
-- path.
return {
  gettime = os.time,
  monotime = os.clock,
  sleep = function(seconds) os.execute(("sleep %f"):format(seconds)) end,
}
