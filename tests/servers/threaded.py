"""An aiohttp application served on loopback by a thread of its own, for servers that tests talk to over real HTTP."""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from aiohttp import web

Result = TypeVar("Result")


class ThreadedApplication:
    """``start`` serves the application, ``stop`` ends it and what it still does.

    The application must be made inside ``start``'s call or before; it is touched only by the thread's event loop.
    """

    def __init__(self, *, port: int = 0, certificate: ssl.SSLContext | None = None) -> None:
        """``port`` 0: one that is free. ``certificate``: serves https."""
        self.url = ""
        """Scheme, host and port, without a slash at the end."""
        self._port, self._certificate = port, certificate
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._runner: web.AppRunner | None = None

    def start(self, application: web.Application) -> None:
        self._thread.start()
        self.run(self._serve(application))

    def stop(self) -> None:
        self.run(self._clean_up())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Does this in the thread's event loop and waits for it; from any other thread."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _serve(self, application: web.Application) -> None:
        self._runner = web.AppRunner(application, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port, ssl_context=self._certificate).start()
        scheme = "https" if self._certificate else "http"
        self.url = f"{scheme}://127.0.0.1:{self._runner.addresses[0][1]}"

    async def _clean_up(self) -> None:
        if self._runner:
            await self._runner.cleanup()
        late = asyncio.all_tasks() - {asyncio.current_task()}  # replies that nobody waits for any more
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
