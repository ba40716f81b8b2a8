"""The code that torch_rows.py and numpy_rows.py share: times rows of bench/rows.lua on request.

bench/bench.lua keeps each peer running and asks for one round at a time, so that rounds alternate
between the libraries. Each request and each answer is one line:

    row <tab> inputs <tab> setup <tab> code    ->  ok | error <tab> message
    run                                        ->  seconds a call, mean of this round
    quit
"""

import sys
import time
import timeit

ROUND = 0.1          # seconds of a round, so that a fast row is called many times and a slow row once


def parse_inputs(text):
    """Yields (name, dtype, shape) for each input in a text such as 'x float32 7000 3000; i int64 10'."""
    for item in filter(None, (part.strip() for part in text.split(";"))):
        name, dtype, *shape = item.split()
        yield name, dtype, tuple(map(int, shape))


def timed(timer, calls, wait):
    """Runs the timer's code `calls` times, waits for the device, and returns the elapsed seconds."""
    start = time.perf_counter()
    timer.timeit(calls)
    wait()
    return time.perf_counter() - start


def prepare(inputs, setup, code, make, names, wait):
    """Returns a timer for the row's code, and the number of calls in a round."""
    space = dict(names)
    for name, dtype, shape in parse_inputs(inputs):
        space[name] = make(dtype, shape)
    exec(setup, space)
    timer = timeit.Timer(code, globals=space)
    calls, seconds = 1, timed(timer, 1, wait)     # warm-up: the first call may start threads
    seconds = timed(timer, 1, wait)
    while seconds < ROUND / 4:
        calls *= 2
        seconds = timed(timer, calls, wait)
    return timer, max(1, int(calls * ROUND / seconds))


def serve(make, names, wait=lambda: None):
    """Answers requests until the input ends. make(dtype, shape) makes an input, wait() waits for the device."""
    answers, sys.stdout = sys.stdout, sys.stderr
    timer = calls = None
    for line in sys.stdin:
        word, *fields = line.rstrip("\n").split("\t")
        if word == "quit":
            return
        try:
            if word == "row":
                timer = None                      # frees the memory of the last row first
                timer, calls = prepare(*fields, make, names, wait)
                answer = "ok"
            else:
                answer = repr(timed(timer, calls, wait) / calls)
        except Exception as error:
            answer = "error\t" + " ".join(str(error).split())
        print(answer, file=answers, flush=True)
