"""The part that peers share: times rows of bench/rows.lua on request.

bench/bench.lua keeps each peer running and asks for one round at a time, so that rounds alternate
between the libraries. A request is a line, so is the answer:

    row <tab> inputs <tab> setup <tab> code    ->  ok | error <tab> message
    run                                        ->  seconds a call, mean of this round
    quit
"""

import sys
import timeit

ROUND = 0.1          # seconds a round should take: many calls of a fast row, one of a slow one


def parse_inputs(text):
    """'x float32 7000 3000; i int64 10' -> (name, dtype, shape) ..."""
    for item in filter(None, (part.strip() for part in text.split(";"))):
        name, dtype, *shape = item.split()
        yield name, dtype, tuple(map(int, shape))


def prepare(inputs, setup, code, make, names):
    """A timer for the row's code and how many calls make a round."""
    space = dict(names)
    for name, dtype, shape in parse_inputs(inputs):
        space[name] = make(dtype, shape)
    exec(setup, space)
    timer = timeit.Timer(code, globals=space)
    calls, seconds = 1, timer.timeit(1)           # the first call may start threads
    seconds = timer.timeit(1)
    while seconds < ROUND / 4:
        calls *= 2
        seconds = timer.timeit(calls)
    return timer, max(1, int(calls * ROUND / seconds))


def serve(make, names):
    """Answers requests until the input ends. make(dtype, shape) makes an input."""
    answers, sys.stdout = sys.stdout, sys.stderr
    timer = calls = None
    for line in sys.stdin:
        word, *fields = line.rstrip("\n").split("\t")
        if word == "quit":
            return
        try:
            if word == "row":
                timer = None                      # the last row's memory goes first
                timer, calls = prepare(*fields, make, names)
                answer = "ok"
            else:
                answer = repr(timer.timeit(calls) / calls)
        except Exception as error:
            answer = "error\t" + " ".join(str(error).split())
        print(answer, file=answers, flush=True)
