"""The kernel: translates between Jupyter's messages and the requests of a Lua process."""

import signal
import threading

from ipykernel.kernelbase import Kernel

from .process import Lua, LuaEnded

RESTARTED = "The variables are lost. The next cell starts in a new Lua."


class LuaKernel(Kernel):
    implementation = "luatensor"
    implementation_version = "0.1"
    language_info = {"name": "lua", "mimetype": "text/x-lua", "file_extension": ".lua", "pygments_lexer": "lua",
                     "codemirror_mode": "lua"}
    banner = "Lua with luatensor: lt, nn, optim, data; help \"conv2d\""
    _lua = None
    _silent = False  # True during a request whose output nobody sees

    def _start(self):
        """Returns the Lua process, which is started if there is none."""
        if self._lua is None:
            self._lua = Lua(self._on_output)
            version = self._lua.ready["lua"].removeprefix("Lua ")
            self.language_info = {**self.language_info, "version": version}
        return self._lua

    # ---- output ----

    def _send(self, kind, content):
        if not self._silent:
            self.send_response(self.iopub_socket, kind, content)

    def _on_output(self, name, text):
        self._send("stream", {"name": name, "text": text})

    def _on_display(self, message):
        kind = "update_display_data" if message["kind"] == "update" else "display_data"
        name = f"{message['id']}-{self._lua.pid}"  # displays of a Lua that has ended keep their values
        self._send(kind, {"data": message["data"], "metadata": {}, "transient": {"display_id": name}})

    def _report(self, name, message, traceback):
        error = {"ename": name, "evalue": message, "traceback": traceback}
        self._send("error", error)
        return {"status": "error", "execution_count": self.execution_count, **error}

    # ---- cells ----

    def _with_interrupts(self, call):
        """Calls a function. Meanwhile SIGINT interrupts the Lua process, not this one."""
        if threading.current_thread() is not threading.main_thread():
            return call()
        before = signal.signal(signal.SIGINT, lambda number, frame: self._lua and self._lua.interrupt())
        try:
            return call()
        finally:
            signal.signal(signal.SIGINT, before)

    def _run(self, code):
        request = {"kind": "execute", "code": code, "number": self.execution_count}
        return self._start().request(request, self._on_display)

    def _execute(self, code):
        try:
            reply = self._with_interrupts(lambda: self._run(code)) if code.strip() else {"status": "ok"}
        except LuaEnded as problem:
            self._lua = None
            return self._report("LuaEnded", str(problem), [f"\x1b[31m{problem}\x1b[0m", RESTARTED])
        if reply["status"] == "error":
            return self._report(reply["name"], reply["message"], reply["traceback"])
        if reply.get("data"):
            self._send("execute_result", {"execution_count": self.execution_count, "data": reply["data"],
                                          "metadata": {}})
        if reply.get("hint"):
            self._send("stream", {"name": "stderr", "text": reply["hint"] + "\n"})
        return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}

    async def do_execute(self, code, silent, store_history=True, user_expressions=None, allow_stdin=False, **other):
        self._silent = silent
        try:
            return self._execute(code)
        finally:
            self._silent = False

    # ---- help ----

    def _ask(self, request):
        """Returns the reply to a request about code, or None if Lua has ended."""
        try:
            return self._with_interrupts(lambda: self._start().request(request))
        except LuaEnded:
            self._lua = None
            return None

    def _ask_at(self, kind, code, cursor):
        """Lua counts bytes, and Jupyter counts characters."""
        return self._ask({"kind": kind, "code": code, "cursor": len(code[:cursor].encode())})

    async def do_complete(self, code, cursor_pos):
        reply = self._ask_at("complete", code, cursor_pos) or {}
        text = code.encode()

        def characters(place):
            return len(text[:reply[place]].decode()) if place in reply else cursor_pos
        return {"status": "ok", "matches": reply.get("names", []), "metadata": {},
                "cursor_start": characters("start"), "cursor_end": characters("stop")}

    async def do_inspect(self, code, cursor_pos, detail_level=0, omit_sections=()):
        text = (self._ask_at("inspect", code, cursor_pos) or {}).get("text")
        return {"status": "ok", "found": bool(text), "data": {"text/plain": text} if text else {}, "metadata": {}}

    async def do_is_complete(self, code):
        status = (self._ask({"kind": "is_complete", "code": code}) or {"status": "unknown"})["status"]
        return {"status": status, "indent": ""} if status == "incomplete" else {"status": status}

    async def do_shutdown(self, restart):
        if self._lua is not None:
            lua, self._lua = self._lua, None
            lua.end()
        return {"status": "ok", "restart": restart}
