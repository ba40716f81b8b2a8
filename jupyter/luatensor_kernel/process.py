"""Starts the Lua process of a notebook and talks to it. lua/luatensor/notebook/ is the other side."""

import codecs
import json
import os
import selectors
import signal
import struct
import subprocess
import time

PAUSE = 0.05  # seconds between two messages with output, because browsers are slow
LONG_PAUSE = 0.5  # the pause after MUCH output, because a browser draws a cell's whole text for each message
MUCH = 1 << 16  # characters
STUBBORN = 5.0  # seconds after an interrupt until the cell is said to go on

GOES_ON = """The cell still runs, 5 seconds after the interrupt. If the cell catches errors, interrupt it again. If it is
in a C function that does not stop, such as string.find, restart the kernel. The variables are then lost.
"""
READS = 20  # reads of 64 KiB that empty a pipe, which has at most 1 MiB
ENDING = 2.0  # seconds that a process may take to end


class LuaEnded(Exception):
    """The Lua process has ended, or could not be started. The text says why."""


def find_checkout(folder):
    """Returns the closest folder above a folder that is a checkout of luatensor, or None."""
    while True:
        if os.path.isfile(os.path.join(folder, "lua", "luatensor", "notebook", "init.lua")):
            if os.path.isfile(os.path.join(folder, "tools", "lua")):
                return folder
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def command():
    """Returns the command that runs Lua with luatensor.

    The environment variable LUATENSOR_HOME names a checkout. Without it, a checkout that contains the current folder
    is used, or else the installed module. LUA names the interpreter.
    """
    home = os.environ.get("LUATENSOR_HOME")
    if home and find_checkout(os.path.abspath(home)) != os.path.abspath(home):
        raise LuaEnded(f"LUATENSOR_HOME={home} is not a checkout of luatensor")
    checkout = os.path.abspath(home) if home else find_checkout(os.getcwd())
    if checkout:
        return [os.path.join(checkout, "tools", "lua")]
    return [os.environ.get("LUA", "lua5.4")]


def describe_end(status):
    """Says in words how a process ended."""
    if status >= 0:
        return f"with exit status {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return f"by {name}" + (" (is the memory full?)" if name == "SIGKILL" else "")


class Lua:
    """A Lua process. The methods raise LuaEnded if the process ends."""

    def __init__(self, on_output):
        """on_output(name, text) is called with the text that Lua writes to "stdout" and "stderr"."""
        self._on_output = on_output
        self._pending = b""
        self._streams = {}
        self._output = []  # pieces of output that were not passed on yet, in their order: [name, text]
        self._passed_on = 0  # characters of output since the request
        self._interrupted = None  # the time of the first interrupt since the request
        life, self._life = os.pipe()
        requests, self._requests = os.pipe()
        self._replies, replies = os.pipe()
        mine = [life, requests, replies]
        serve = f'require("luatensor.notebook").serve({life}, {requests}, {replies})'
        try:
            self._process = subprocess.Popen(
                [*command(), "-e", serve], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                pass_fds=mine, start_new_session=True)
        except OSError as problem:
            self._close()
            raise LuaEnded(f"Lua could not be started: {problem}") from None
        except LuaEnded:
            self._close()
            raise
        finally:
            for fd in mine:
                os.close(fd)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._replies, selectors.EVENT_READ, "reply")
        for name in ("stdout", "stderr"):
            stream = getattr(self._process, name)
            os.set_blocking(stream.fileno(), False)
            decoder = codecs.getincrementaldecoder("utf-8")("replace")
            self._streams[name] = (stream.fileno(), decoder)
            self._selector.register(stream, selectors.EVENT_READ, name)
        self.pid = self._process.pid
        self.ready = self._wait(lambda message: None)

    # ---- output ----

    def _read_output(self, name):
        """Reads what a stream has now. Returns False if there is nothing."""
        fd, decoder = self._streams[name]
        try:
            data = os.read(fd, 1 << 16)
        except BlockingIOError:
            return False
        if not data:
            if fd in self._selector.get_map():
                self._selector.unregister(fd)
            return False
        if not self._output or self._output[-1][0] != name:
            self._output.append([name, []])
        self._output[-1][1].append(decoder.decode(data))
        return True

    def _flush(self):
        pieces, self._output = self._output, []
        for name, texts in pieces:
            text = "".join(texts)
            self._passed_on += len(text)
            if text:
                self._on_output(name, text)

    def _drain(self):
        """Passes on the output from before a message. A pipe holds less than READS reads; a program that runs in the
        background may write without end."""
        for name in self._streams:
            for _ in range(READS):
                if not self._read_output(name):
                    break
        self._flush()

    # ---- messages ----

    def _take_message(self):
        """Returns the next complete message that was read, or None."""
        if len(self._pending) < 4:
            return None
        length = struct.unpack("<I", self._pending[:4])[0]
        if len(self._pending) < 4 + length:
            return None
        text, self._pending = self._pending[4:4 + length], self._pending[4 + length:]
        return json.loads(text)

    def _send(self, message):
        text = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")
        data = memoryview(struct.pack("<I", len(text)) + text)
        try:
            while data:
                data = data[os.write(self._requests, data):]
        except BrokenPipeError:
            self._fail()

    def _wait(self, on_message):
        """Waits for the message that ends a request, and passes on output and other messages meanwhile."""
        flushed = time.monotonic()
        while True:
            events = self._selector.select(PAUSE)
            for key, _ in events:
                if key.data != "reply":
                    self._read_output(key.data)
                    continue
                data = os.read(self._replies, 1 << 16)
                if not data:
                    self._fail()
                self._pending += data
            message = self._take_message()
            while message:
                self._drain()
                if message["kind"] in ("done", "ready"):
                    return message
                on_message(message)
                self._send({"kind": "shown"})
                message = self._take_message()
            if not events and self._process.poll() is not None:
                self._fail()
            now = time.monotonic()
            if now - flushed >= (LONG_PAUSE if self._passed_on > MUCH else PAUSE):
                self._flush()
                flushed = now
            if self._interrupted and now - self._interrupted >= STUBBORN:
                self._interrupted = None
                self._on_output("stderr", GOES_ON)

    def request(self, message, on_message=lambda message: None):
        """Sends a request and returns the reply. on_message gets the displays of a cell."""
        self._passed_on, self._interrupted = 0, None
        self._send(message)
        return self._wait(on_message)

    # ---- end ----

    def interrupt(self):
        """Interrupts the running cell, and the programs that it has started."""
        self._interrupted = self._interrupted or time.monotonic()
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGUSR1)
            os.killpg(self._process.pid, signal.SIGINT)

    def _fail(self):
        """Raises LuaEnded after the process has closed its pipes."""
        try:
            status = self._process.wait(ENDING)
        except subprocess.TimeoutExpired:
            status = -signal.SIGKILL
        self._drain()
        self.end()
        raise LuaEnded(f"Lua ended {describe_end(status)}")

    def _close(self):
        for fd in (self._life, self._requests, self._replies):
            os.close(fd)

    def end(self):
        """Ends the process, at first politely, and the programs that it has started."""
        if self._life is None:
            return
        if self._process.poll() is None:
            try:
                self._send_exit()
                self._process.wait(ENDING)
            except (OSError, subprocess.TimeoutExpired):
                pass
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except OSError:
            pass
        self._process.wait()
        self._selector.close()
        self._process.stdout.close()
        self._process.stderr.close()
        self._close()
        self._life = None

    def _send_exit(self):
        os.set_blocking(self._requests, False)
        text = b'{"kind": "exit"}'
        os.write(self._requests, struct.pack("<I", len(text)) + text)
