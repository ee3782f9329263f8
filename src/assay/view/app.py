"""The addresses of `assay view`: each reads the store and answers with a page, and nothing can be changed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING
from urllib.parse import quote

from assay.errors import AssayError, UsageError
from assay.model import WITH
from assay.report.history import tracks
from assay.report.html import case_html, rows, shell
from assay.report.run_diff import BEFORE, NOW, run_diff
from assay.schemas.triggers import SkillTriggers
from assay.store import look
from assay.view import pages

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

    from assay.view.library import Library

RUNS_A_PAGE = 50
CASES_A_PAGE = 2000
"""Of a run or a comparison, worst first: more take the server and the browser long."""
ITEM_RUNS = 200
HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
INERT = {"Content-Security-Policy": "default-src 'none'; sandbox"}
"""For pieces of pages: opened by themselves they are text."""


def application(library: Library) -> Starlette:
    """The pages over a store, for requests that name this machine as their host."""
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.middleware.base import BaseHTTPMiddleware
    from starlette.middleware.trustedhost import TrustedHostMiddleware
    from starlette.routing import Route

    here = Pages(library)
    routes = [
        Route("/", here.runs),
        Route("/items", here.items),
        Route("/items/{name:path}", here.item),
        Route("/triggers", here.triggers),
        Route("/compare", here.compare),
        Route("/compare/case", here.compared_case),
        Route("/runs/{run:path}/case", here.case),
        Route("/runs/{run:path}/live", here.live),
        Route("/runs/{run:path}", here.run),
    ]
    middleware = [
        Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"], www_redirect=False),
        Middleware(BaseHTTPMiddleware, dispatch=_with_headers),
    ]
    return Starlette(
        routes=routes,
        middleware=middleware,
        exception_handlers={AssayError: here.problem, 404: here.problem},
    )


async def _with_headers(request: Request, answer: Callable[[Request], Awaitable[Response]]) -> Response:
    response = await answer(request)
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    return response


class Pages:
    """One method an address. They are called in worker threads."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._store = library.path.as_posix()

    def runs(self, request: Request) -> Response:
        start = _number(request.query_params.get("from", "0"))
        with self._library.reading() as trials:
            lines = look.run_lines(trials, RUNS_A_PAGE, start) if trials else []
            number = look.run_count(trials) if trials else 0
        end = start + len(lines)
        return _html(
            pages.page(
                "runs.html",
                "runs",
                self._store,
                runs=lines,
                first=start + 1,
                last=end,
                all=number,
                newer=max(start - RUNS_A_PAGE, 0) if start else None,
                older=end if end < number else None,
            )
        )

    def items(self, _: Request) -> Response:
        with self._library.reading() as trials:
            lines = look.item_lines(trials) if trials else []
        return _html(pages.page("items.html", "items", self._store, items=lines))

    def item(self, request: Request) -> Response:
        name = request.path_params["name"]
        with self._library.reading() as trials:
            found = tracks(name, look.runs_of(trials, name, ITEM_RUNS)) if trials else ()
        if not found:
            raise UsageError(f"no finished run of {name!r} is stored")
        views = [pages.track_view(line) for line in found]
        return _html(pages.page("item.html", "item", self._store, name=name, tracks=views))

    def triggers(self, _: Request) -> Response:
        newest: dict[str, tuple[object, SkillTriggers]] = {}
        with self._library.reading() as trials:
            for run in look.runs_with_triggers(trials, RUNS_A_PAGE) if trials else []:
                for document in (run.document or {})["triggers"]:
                    skill = SkillTriggers.from_document(document)
                    newest.setdefault(skill.skill, (run, skill))
        skills = [newest[name] for name in sorted(newest)]
        return _html(pages.page("triggers.html", "triggers", self._store, skills=skills))

    def run(self, request: Request) -> Response:
        with self._library.opened(request.path_params["run"]) as (trials, book):
            address = f"/runs/{quote(book.run.id, safe='')}/case?id="
            is_live = book.run.state == "running"
            start, all_ = _number(request.query_params.get("from", "0")), len(book.summary.cases)
            listed = slice(start, start + CASES_A_PAGE)
            return _html(
                shell(
                    book.summary,
                    book.material(trials),
                    rows(book.summary, lambda _, case: {"source": address + quote(case.id, safe="")}, listed),
                    home="/",
                    part=(start, min(listed.stop, all_), all_) if all_ > CASES_A_PAGE else None,
                    live=pages.live(book.run, look.progress(trials, book.run)) if is_live else None,
                )
            )

    def case(self, request: Request) -> Response:
        with self._library.opened(request.path_params["run"]) as (trials, book):
            case = book.case(request.query_params.get("id", ""))
            return _html(case_html(book.summary, case, book.material(trials), book.caps), INERT)

    def live(self, request: Request) -> Response:
        from starlette.responses import JSONResponse

        name = request.path_params["run"]
        with self._library.reading() as trials:
            run = trials.run(name) if trials else None
            if trials is None or run is None:
                raise UsageError(f"no stored run is called {name!r}")
            now = look.progress(trials, run)
        shown = pages.live(run, now)
        return JSONResponse(
            {"state": now.state, "done": shown.done, "planned": shown.planned, "text": shown.text}
        )

    def compare(self, request: Request) -> Response:
        with (
            self._library.opened(request.query_params.get("before", "")) as (trials, before),
            self._library.opened(request.query_params.get("now", "")) as (_, now),
        ):
            runs = [(book.run, trials.records(book.run.id)) for book in (before, now)]
            diff = run_diff(runs[0], runs[1], request.query_params.get("arm", WITH))
        return _html(pages.diff_page(diff, self._store, CASES_A_PAGE))

    def compared_case(self, request: Request) -> Response:
        asked = request.query_params
        arm, name = asked.get("arm", WITH), asked.get("case", "")
        outputs: dict[int, dict[str, str | None]] = {}
        found = []
        for side in (BEFORE, NOW):
            with self._library.opened(asked.get(side, "")) as (trials, book):
                records = [trial for trial in book.case(name).trials if trial.arm == arm]
                found.append((book.run, records))
                for trial in records:
                    left = trials.transcript(trial.transcript) if trial.transcript else None
                    outputs.setdefault(trial.repeat, {})[side] = left.output if left else None
        cases = run_diff(found[0], found[1], arm).cases
        return _html(pages.diff_case(cases[0] if cases else None, outputs), INERT)

    async def problem(self, request: Request, error: Exception) -> Response:
        is_wrong = isinstance(error, UsageError) or not isinstance(error, AssayError)
        why = str(error) if isinstance(error, AssayError) else f"Nothing is at {request.url.path}."
        what = "Not found" if is_wrong else "This cannot be shown"
        text = pages.page("problem.html", "problem", self._store, what=what, why=why)
        return _html(text, status=404 if is_wrong else 500)


def _html(text: str, headers: dict[str, str] | None = None, status: int = 200) -> Response:
    from starlette.responses import Response

    body = text.encode("utf-8", "replace")
    return Response(body, status, headers, media_type="text/html; charset=utf-8")


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
