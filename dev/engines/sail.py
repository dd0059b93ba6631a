"""Sail: Spark's SQL and protocol on DataFusion, without Java; its client is Spark's own."""

from __future__ import annotations

import subprocess
from contextlib import ExitStack
from functools import partial

from .piped import Apart
from .servers import free_port, listens, serving, workplace
from .spark import REMOTE


class Sail(Apart):
    """A server, and a session in another process: the client that it knows is older than the Spark of the tests."""

    name = "sail"
    dialects = ("spark",)
    inner = "spark"

    def start(self, stack: ExitStack) -> None:
        """Start the server and the session."""
        port, folder = free_port(), stack.enter_context(workplace("sail"))
        program = str(self.python().with_name("sail"))
        command = [program, "spark", "server", "--port", str(port)]
        stack.enter_context(serving(command, partial(listens, port), folder))
        self.begin(stack, settings={REMOTE: f"sc://127.0.0.1:{port}"})
        self.version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
