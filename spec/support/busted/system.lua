--- Stands in for the C module luasystem, from which busted takes its clocks. `make test-lua` puts it on a Lua's path.
return {
  gettime = os.time,
  monotime = os.clock,
  sleep = function(seconds) os.execute(("sleep %f"):format(seconds)) end,
}
