"""The code that torch_rows.py and numpy_rows.py share: times rows of bench/rows.lua on request.

bench/bench.lua keeps each peer running and asks for one round at a time, so that rounds alternate
between the libraries. Each request and each answer is one line:

    row <tab> inputs <tab> setup <tab> code    ->  seconds of the first call | error <tab> message
    run                                        ->  seconds a call, mean of this round
    quit
"""

import sys
import time
import timeit

ROUND = float(sys.argv[1])   # seconds of a round, so that a fast row is called many times and a slow row once


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


def prepare(inputs, setup, code, make, names, wait, compiler):
    """Returns a timer for the row's code, the number of calls in a round, and the seconds of the first call."""
    space = dict(names)
    arguments = []
    for name, dtype, shape in parse_inputs(inputs):
        space[name] = make(dtype, shape)
        arguments.append(name)
    exec(setup, space)
    if compiler:
        call = ", ".join(arguments)
        space["compiled"] = compiler(eval(f"lambda {call}: {code}", space))
        code = f"compiled({call})"
    timer = timeit.Timer(code, globals=space)
    first = timed(timer, 1, wait)                 # may start threads and compile
    calls, seconds = 1, timed(timer, 1, wait)
    while seconds < ROUND / 4:
        calls *= 2
        seconds = timed(timer, calls, wait)
    return timer, max(1, int(calls * ROUND / seconds)), first


def serve(make, names, wait=lambda: None, compiler=None):
    """Answers requests until the input ends. make(dtype, shape) makes an input, wait() waits for the device.

    compiler(function) returns the compiled function. Without it, the rows' code runs as it is.
    """
    answers, sys.stdout = sys.stdout, sys.stderr
    timer = calls = None
    for line in sys.stdin:
        word, *fields = line.rstrip("\n").split("\t")
        if word == "quit":
            return
        try:
            if word == "row":
                timer = None                      # frees the memory of the last row first
                timer, calls, first = prepare(*fields, make, names, wait, compiler)
                answer = repr(first)
            else:
                answer = repr(timed(timer, calls, wait) / calls)
        except Exception as error:
            answer = "error\t" + " ".join(str(error).split())
        print(answer, file=answers, flush=True)
