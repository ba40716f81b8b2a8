"""Tests the kernel as Jupyter uses it. Run from the repository's root by `make test-notebook`.

Ends with "N passed, N failed, N skipped"; each failure has a line "FAILED ...".
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback

from jupyter_client.manager import start_new_kernel

PATIENCE = 20  # seconds until a message is missed


class Notebook:
    """A notebook with a kernel of its own."""

    def __init__(self, **options):
        self.manager, self.client = start_new_kernel(kernel_name="luatensor", **options)

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def start(self, code, **options):
        return self.client.execute(code, **options)

    def outputs(self, request, on_output=None):
        """Returns the content of a cell's outputs, until the kernel is idle."""
        found = []
        while True:
            message = self.client.get_iopub_msg(timeout=PATIENCE)
            if message["parent_header"].get("msg_id") != request:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "status" and content["execution_state"] == "idle":
                return found
            if kind not in ("status", "execute_input"):
                found.append((kind, content))
                if on_output:
                    on_output(kind, content)

    def run(self, code, on_output=None):
        return self.outputs(self.start(code), on_output)

    def text(self, code):
        """Returns all that a cell printed to its standard output."""
        return "".join(c["text"] for kind, c in self.run(code) if kind == "stream" and c["name"] == "stdout")

    def result(self, code):
        """Returns the representations of a cell's result."""
        results = [c["data"] for kind, c in self.run(code) if kind == "execute_result"]
        return results[0] if results else None

    def error(self, code, on_output=None):
        errors = [c for kind, c in self.run(code, on_output) if kind == "error"]
        assert len(errors) == 1, errors
        return errors[0]["evalue"], "\n".join(errors[0]["traceback"])

    def reply(self, request):
        while True:
            message = self.client.get_shell_msg(timeout=PATIENCE)
            if message["parent_header"].get("msg_id") == request:
                return message["content"]

    def complete(self, code, cursor=None):
        return self.reply(self.client.complete(code, cursor))

    def inspect(self, code, cursor=None):
        return self.reply(self.client.inspect(code, cursor))["data"].get("text/plain", "")


def equal(expected, got):
    assert expected == got, f"expected {expected!r}, got {got!r}"


def contains(part, text):
    assert part in text, f"no {part!r} in {text!r}"


def is_alive(pid):
    """True if a process runs: no zombie, and not ended."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


# ---- tests that share a notebook ----

def test_values(n):
    equal("42", n.result("6 * 7")["text/plain"])
    equal("9", n.result("y = 3\nlocal z = y\nz * y")["text/plain"])
    equal(None, n.result("y = 3"))
    equal(None, n.result("y;"))
    equal("1\t2", n.result("(function() return 1, 2 end)()")["text/plain"])
    equal("a\nb\n", n.text("print('a')\nprint('b')"))
    equal("1 2 3 ", n.text("for i = 1, 3 do\n  io.write(i, ' ')\nend"))
    equal("4", n.result("f = function(s) return #s end\nt = f\n('four')\nt")["text/plain"])


def test_state(n):
    n.run("kept = lt.arange(1, 4)\nlocal lost = 5")
    equal("6", n.result("kept:sum():item()")["text/plain"])
    message, text = n.error("lost + 1")
    contains("attempt to perform arithmetic on a nil value (global 'lost')", message)
    contains("write lost = … without local to keep it", text)


def test_errors(n):
    message, text = n.error("-- a comment\nlocal x = lt.ones(2, 3)\n\nx:matmul(lt.ones(2, 3))")
    number = int(re.match(r"In\[(\d+)\]:4: matmul: inner dims differ", message).group(1))
    contains("----> 4", text)
    contains(f"In[{number}]:4: in main chunk", text)
    n.run("function outer(f)\n  f()\nend")
    message, text = n.error("\nouter(function()\n  error 'deep'\nend)")
    equal(f"In[{number + 2}]:3: deep", message)
    contains(f"In[{number + 1}]:2: in", text)
    contains(f"In[{number + 2}]:2: in main chunk", text)
    equal(f"In[{number + 3}]:1: unexpected symbol near <eof>", n.error("x =")[0])
    contains("stack overflow", n.error("function deep() return 1 + deep() end\ndeep()")[0])
    contains("memory", n.error("lt.ones(1 << 50)")[0])
    contains("{code = 5}", n.error("error {code = 5}")[0])
    contains("bad __mime", n.error("setmetatable({}, {__mime = function() error 'bad __mime' end})")[0])


def test_html(n):
    html = n.result("lt.tensor{{1.5, 2}, {3, 4}}")["text/html"]
    equal(["1.5", "2.0", "3.0", "4.0"], re.findall("<td>(.*?)</td>", html))
    contains("float32 [2, 2] cpu", html)
    html = n.result("lt.arange(1000 * 1000):reshape(1000, 1000)")["text/html"]
    cells = re.findall("<td>(.*?)</td>", html)
    equal("0 1 2 … 997 998 999".split(), cells[:7])
    equal("999999", cells[-1])
    cells = re.findall("<td>(.*?)</td>", n.result("lt.arange(2 * 3 * 2):reshape(2, 3, 2)")["text/html"])
    equal([str(i) for i in range(12)], cells)
    html = n.result("{'<script>', {1, 2}, name = 'a & b'}")["text/html"]
    contains("&lt;script&gt;", html)
    contains("a &amp; b", html)
    html = n.result("nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))")["text/html"]
    contains("weight [4, 3], bias [4]", html)
    contains("26 parameters", html)
    html = n.result("{{name = 'a', n = 1}, {name = 'b', n = 2}}")["text/html"]
    contains("<th>n</th><th>name</th>", html)


def test_displays(n):
    code = """
      local picture = setmetatable({}, {__mime = function() return {["image/svg+xml"] = "<svg/>"} end})
      print "before"
      local shown = display(picture)
      print "between"
      shown:update "text"
      print "after"
    """
    seen = []
    for kind, content in n.run(code):
        if kind == "stream":
            seen += content["text"].split()
        else:
            seen.append((kind, content["transient"]["display_id"], content["data"].get("image/svg+xml")))
    name = seen[1][1]
    equal(["before", ("display_data", name, "<svg/>"), "between", ("update_display_data", name, None), "after"], seen)


def test_output(n):
    equal("from a program\n", n.text("os.execute 'echo from a program'"))
    wide = n.text("io.write(('ä'):rep(100000))")
    equal("ä" * 100000, wide)
    contains("\ufffd", n.text("io.write('\\255\\n')"))
    equal("1 %\r2 %\r", n.text("io.write('1 %\\r') io.write('2 %\\r')"))
    streams = [c for kind, c in n.run("io.stderr:write 'to stderr'") if kind == "stream"]
    equal([("stderr", "to stderr")], [(c["name"], c["text"]) for c in streams])
    contains("2 of 2", n.text("for _ in lt.train.progress(2):batches() do end"))
    equal("nil", n.result("io.read()")["text/plain"])
    streams = [c for kind, c in n.run("""
      print 'one'
      os.execute 'sleep 0.01'
      io.stderr:write 'two'
      os.execute 'sleep 0.01'
      print 'three'""") if kind == "stream"]
    equal("one\ntwothree\n", "".join(c["text"] for c in streams))
    begun = time.monotonic()
    messages = [c["text"] for kind, c in n.run("for i = 1, 300000 do print(i) end") if kind == "stream"]
    equal("".join(f"{i}\n" for i in range(1, 300001)), "".join(messages))
    assert len(messages) <= 10 + 3 * (time.monotonic() - begun), f"{len(messages)} messages make a browser slow"
    times = []
    n.run("print(1)\nlocal stop = lt.clock() + 0.5\nwhile lt.clock() < stop do end\nprint(2)",
          lambda kind, content: times.append(time.monotonic()))
    assert times[-1] - times[0] > 0.3, "the output came late"


def test_completion(n):
    n.run("model = nn.Sequential(nn.Linear(2, 3)) values = lt.ones(2, 3) record = {alpha = {beta = 1}}")
    equal(["logsumexp"], n.complete("lt.logs")["matches"])
    equal(["values"], n.complete("x = val")["matches"])
    equal(["shape"], n.complete("values.sha")["matches"])
    contains("matmul", n.complete("values:mat")["matches"])
    equal(["weight"], n.complete("model[1].wei")["matches"])
    contains("train", n.complete("model:tr")["matches"])
    contains("Linear", n.complete("nn.Lin")["matches"])
    equal(["beta"], n.complete("record.alpha.")["matches"])
    equal(["return"], n.complete("retur")["matches"])
    reply = n.complete("s = 'ä' .. recor + 1", len("s = 'ä' .. recor"))
    equal((["record"], 11, 16), (reply["matches"], reply["cursor_start"], reply["cursor_end"]))
    equal([], n.complete("nothing.at.all")["matches"])


def test_help(n):
    contains("lt.rand(", n.inspect("lt.rand(2, "))
    n.run("model = nn.Sequential(nn.Linear(2, 2))")
    contains("Switches between training and evaluation", n.inspect("model:train"))
    contains("padding", n.inspect("lt.nn.functional.conv2d"))
    n.run("function mine(first, ...) end")
    contains("function mine(first, ...)", n.inspect("mine(1, 2"))
    n.run("pair = lt.ones(1, 2)")
    contains("[[1.0, 1.0]]", n.inspect("pair"))
    contains("Draws from the uniform distribution", n.text("help 'rand'"))
    equal("", n.inspect("no_such_name"))
    for code, status in {"1 +": "incomplete", "for i = 1, 2 do": "incomplete", "x = 1": "complete",
                         "x = = 1": "invalid"}.items():
        equal(status, n.reply(n.client.is_complete(code))["status"])


def interrupt_after_start(n, code):
    """Interrupts a cell after its first output."""
    begun = []

    def on_output(kind, content):
        if not begun:
            begun.append(time.monotonic())
            n.manager.interrupt_kernel()
    message, text = n.error(f"print 'begun'\n{code}", on_output)
    assert time.monotonic() - begun[0] < 20, "the interrupt took long"
    return message, text


def test_interrupt(n):
    n.run("kept = 17")
    message, text = interrupt_after_start(n, "while true do end")
    assert re.match(r"In\[\d+\]:2: interrupted!", message), message
    contains("----> 2", text)
    for code in ("local x = lt.rand(2000, 2000) while true do x = x:matmul(x):tanh() end",
                 "coroutine.wrap(function() while true do end end)()",
                 "coroutine.resume(coroutine.create(function() while true do end end))",
                 "setmetatable({}, {__tostring = function() while true do end end})"):
        contains("interrupted", interrupt_after_start(n, code)[0])
    os_message = interrupt_after_start(n, "while true do os.execute 'sleep 100' end")[0]
    contains("interrupted", os_message)
    equal("17", n.result("kept")["text/plain"])


def test_stubborn_cell(n):
    """A second interrupt ends a cell that catches errors."""
    shown = []

    def on_output(kind, content):
        shown.append(content)
        n.manager.interrupt_kernel()
    code = "print 'begun' while true do pcall(function() while true do end end) print 'caught' end"
    contains("interrupted", n.error(code, on_output)[0])
    equal("2", n.result("1 + 1")["text/plain"])


def test_endless_displays(n):
    n.run("kept = 19")
    for code in ("while true do display(1) end", "local d = display(1) while true do d:update(2) end"):
        for _ in range(5):
            contains("interrupted", interrupt_after_start(n, code)[0])
    equal("19", n.result("kept")["text/plain"])


def test_cell_that_goes_on(n):
    """A cell that an interrupt does not stop says so."""
    told = []

    def on_output(kind, content):
        if kind == "stream":
            told.append(content["text"])
            n.manager.interrupt_kernel()
    contains("interrupted", n.error("print 'begun' while true do pcall(function() while true do end end) end", on_output)[0])
    equal(2, len(told))
    contains("The cell still runs, 5 seconds after the interrupt.", told[1])


def test_interrupt_when_idle(n):
    n.run("kept = 18")
    n.manager.interrupt_kernel()
    time.sleep(0.1)
    equal("18", n.result("kept")["text/plain"])


def test_death(n):
    for code, how in (("os.exit(3)", "with exit status 3"),
                      ("lost = 1 os.execute('kill -ABRT $PPID')", "by SIGABRT"),
                      ("os.execute('kill -KILL $PPID') while true do end", "by SIGKILL (is the memory full?)")):
        message, text = n.error(f"print 'last words' {code}")
        equal(f"Lua ended {how}", message)
        contains("The next cell starts in a new Lua", text)
        equal("nil", n.result("lost")["text/plain"])
    contains("last words", n.text("print 'last words' io.stdout:setvbuf 'full' print 'x' os.exit(0)"))


def test_display_of_an_ended_lua(n):
    """A new Lua does not change the displays of the one before."""
    def shown(code):
        return [c["transient"]["display_id"] for kind, c in n.run(code) if kind == "display_data"][0]
    first = shown("display 'first'")
    n.error("os.exit(0)")
    assert first != shown("display 'second'"), first


def test_failing_text(n):
    """A value whose __tostring fails ends neither Lua nor the kernel."""
    n.run("kept = 20 bad = setmetatable({}, {__tostring = function() error 'no text' end})")
    contains("no text", n.inspect("bad"))
    contains("no text", n.error("bad")[0])
    contains("no text", n.error("error(bad)")[0])
    contains("no text", n.error("error {bad}")[0])
    n.run("C = {} C.__index = C setmetatable(C, C) C.field = 1")
    equal(["field"], n.complete("C.fie")["matches"])
    equal("", n.inspect("C.missing"))
    equal("20", n.result("kept")["text/plain"])


PID = "local f = io.open '/proc/self/stat' print(f:read 'n')"


def test_restart(n):
    n.run("lost = 1")
    pid = int(n.text(PID))
    n.manager.restart_kernel()
    n.client.wait_for_ready(timeout=PATIENCE)
    equal("nil", n.result("lost")["text/plain"])
    wait_until(lambda: not is_alive(pid), "the old Lua still runs")


# ---- tests with a notebook of their own ----

def end_by(kill, busy):
    n = Notebook()
    pid = int(n.text(PID))
    child = int(n.text("os.execute 'sleep 1000 & echo $!'"))
    if busy:
        n.start("print 'begun' while true do end")
        while n.client.get_iopub_msg(timeout=PATIENCE)["msg_type"] != "stream":
            pass
    kill(n)
    wait_until(lambda: not is_alive(pid) and not is_alive(child), "Lua, or a program that it started, still runs")
    n.close()


def kill_kernel(n):
    os.kill(n.manager.provisioner.process.pid, signal.SIGKILL)


def test_end_shutdown():
    end_by(lambda n: n.manager.shutdown_kernel(), False)


def test_end_killed():
    end_by(kill_kernel, True)


def test_two_notebooks():
    first, second = Notebook(), Notebook()
    first.run("x = 1")
    equal("nil", second.result("x")["text/plain"])
    first.close()
    second.close()


def test_no_luatensor():
    """A kernel that finds no luatensor says so in the cell."""
    n = Notebook(cwd="/", env={**os.environ, "LUATENSOR_HOME": "", "LUA_PATH": "", "LUA_CPATH": "",
                               "LUA": "lua-without-luatensor"})
    contains("lua-without-luatensor", n.error("1")[0])
    n.close()


# ---- the example ----

EXAMPLE = "examples/notebook.ipynb"


def code_cells(path):
    with open(path) as file:
        return [cell for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]


def test_example_runs():
    """Jupyter executes the example at small sizes. nbconvert fails if a cell has an error."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "executed.ipynb")
        result = subprocess.run([sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--output", path,
                                 EXAMPLE], env={**os.environ, "QUICK": "1"}, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        text = json.dumps(code_cells(path))
    contains("5 times 70", text)
    assert float(re.search(r"([0-9.]+) % of [0-9]+ other digits", text).group(1)) > 60


def test_example_outputs():
    """The example has the outputs of one run of all its cells at full size, without paths of a machine."""
    cells = code_cells(EXAMPLE)
    equal(list(range(1, len(cells) + 1)), [cell["execution_count"] for cell in cells])
    outputs = [output for cell in cells for output in cell["outputs"]]
    equal([], [output for output in outputs if output["output_type"] == "error" or output.get("name") == "stderr"])
    text = json.dumps(outputs)
    contains("100 times 7000", text)
    for word in ("/home/", "/root/", "/tmp/", "/usr/"):
        assert word not in text, word


def main():
    names = [name for name in globals() if name.startswith("test_")]
    wanted = sys.argv[1:] or names
    passed, failed = 0, 0
    shared = Notebook()
    for name in wanted:
        test = globals()[name]
        try:
            test(*([shared] if test.__code__.co_argcount else []))
            passed += 1
        except Exception as problem:
            failed += 1
            traceback.print_exc()
            print(f"FAILED {name}: {problem!r}", flush=True)
    shared.close()
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
