"""How the browser side of the components reaches the browser: routes beside Streamlit's own.

A component's JavaScript would otherwise travel with every message to it; by route it travels once,
as modules that import each other. plotly.min.js comes straight from the installed plotly package.
"""

import functools
import gzip
import hashlib
from pathlib import Path

import plotly
import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

FOLDER = Path(__file__).parent / "components" / "browser"
PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
ROUTE = "_attnviz"

_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}
_FOREVER = "public, max-age=31536000, immutable"


def routes() -> list[Route]:
    """The routes that `st.App(..., routes=...)` needs, with and without `server.baseUrlPath`."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    prefixes = {"", f"/{base}"} if base else {""}
    return [Route(f"{prefix}/{ROUTE}/{{version}}/{{name}}", _serve) for prefix in sorted(prefixes)]


def loader(module: str) -> str:
    """The JavaScript that Streamlit is given for a component: finds the site's root and imports `module`.js.

    The root is read off the address that Streamlit's own script was loaded from: pages live at
    /playground or /base/playground, and a proxy may add a prefix that the server does not know.
    """
    return f"""\
const scripts = performance.getEntriesByType("resource").map((entry) => entry.name);
scripts.push(document.querySelector('script[type="module"][src]')?.src ?? document.baseURI);
const script = scripts.find((name) => name.includes("/static/js/")) ?? document.baseURI;
const root = script.includes("/static/js/") ? script.slice(0, script.lastIndexOf("/static/js/") + 1) : script;
const module = await import(new URL("{ROUTE}/{version()}/{module}.js", root).href);
export default module.default;
"""


@functools.cache
def version() -> str:
    """A name for the state of all files, so that a browser may keep them for ever."""
    digest = hashlib.sha256(plotly.__version__.encode())
    for path in sorted(_files().values()):
        if path != PLOTLY:
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]


@functools.cache
def _files() -> dict[str, Path]:
    own = {path.name: path for path in FOLDER.iterdir() if path.suffix in _TYPES}
    return {**own, PLOTLY.name: PLOTLY}


async def _serve(request: Request) -> Response:
    # Only names that were listed at the start are served: a path from outside is never opened.
    path = _files().get(request.path_params["name"])
    if path is None:
        return Response(status_code=404)
    kept = request.path_params["version"] == version()
    headers = {"Cache-Control": _FOREVER if kept else "no-store", "Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
        body = await run_in_threadpool(_compressed, path)
    else:
        body = await run_in_threadpool(path.read_bytes)
    return Response(body, media_type=_TYPES[path.suffix], headers=headers)


@functools.cache
def _compressed(path: Path) -> bytes:
    # Once a process instead of once a request, which is what Streamlit's own middleware would do.
    return gzip.compress(path.read_bytes(), 6, mtime=0)
