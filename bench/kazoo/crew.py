"""Threads that all begin when they are told to."""
import threading

STACK_SIZE = 256 * 1024


class Crew:
    def __init__(self, count, work):
        self._work = work
        self._gate = threading.Event()
        self._failures = []
        previous = threading.stack_size(STACK_SIZE)
        self._threads = [threading.Thread(target=self._run, args=(number,), daemon=True) for number in range(count)]
        for thread in self._threads:
            thread.start()
        threading.stack_size(previous)

    def _run(self, number):
        self._gate.wait()
        try:
            self._work(number)
        except Exception as failure:  # pylint: disable=broad-except
            self._failures.append(failure)

    def start(self):
        self._gate.set()

    def wait_done(self):
        for thread in self._threads:
            thread.join()
        if self._failures:
            raise self._failures[0]
