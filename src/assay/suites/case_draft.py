"""A case on its way in: its files read, merged as the platform merges them, and checked."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay.errors import Problem
from assay.model import JSON, Case, GraderSpec, Location, Settings
from assay.suites import fields, frontmatter
from assay.suites.case_files import Markdown, Yaml, grader_files, read_markdown, read_yaml_file
from assay.suites.regular_file import Unreadable
from assay.suites.walk import CaseFolder, join

PROMPT_TEMPLATE = "TODO: describe what the agent should do"
GRADER_TEMPLATE = "TODO: describe what a successful response looks like"
NEWEST_SCHEMA = 1


@dataclass(slots=True)
class Draft:
    """One case folder. Call `read`, then `check`, then, without problems, `case`."""

    folder: CaseFolder
    shown: str
    yaml: Yaml | None = None
    prompt: Markdown | None = None
    files: list[Markdown] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    keys: dict[str, JSON] = field(default_factory=dict)
    """Of the top level: case.yaml's, with prompt.md's over them."""
    execution: dict[str, JSON] = field(default_factory=dict)
    graders: list[Mapping[str, JSON]] = field(default_factory=list)
    """As written: those of case.yaml, then those of files with the body filled in."""

    def read(self) -> None:
        for name in ("case.yaml", "prompt.md"):
            if name in self.folder.entries:
                try:
                    self._read_file(name)
                except Unreadable as error:
                    self.problems.append(self.problem(name, error.line, error.message))
        if "graders" in self.folder.entries:
            self._read_graders()

    def _read_file(self, name: str) -> None:
        path = f"{self.folder.path}{os.sep}{name}"
        if name == "case.yaml":
            self.yaml = read_yaml_file(path)
        else:
            self.prompt = read_markdown(path, name)

    def _read_graders(self) -> None:
        folder = f"{self.folder.path}{os.sep}graders"
        try:
            names = grader_files(folder)
        except Unreadable as error:
            self.problems.append(self.problem("graders", None, error.message))
            return
        for name in names:
            try:
                file = read_markdown(f"{folder}{os.sep}{name}", f"graders/{name}")
            except Unreadable as error:
                self.problems.append(self.problem(f"graders/{name}", error.line, error.message))
                continue
            if file.head is not None:
                self.files.append(file)

    def problem(self, file: str, line: int | None, message: str) -> Problem:
        return Problem(join(self.shown, file), line, message)

    # --- merging and checking

    def check(self, root: Path) -> None:
        self._merge()
        self._check_version()
        self._check_keys((), self.keys, fields.CASE_KEYS)
        self._check_keys(("execution",), self.execution, fields.EXECUTION_KEYS)
        self._check_prompt()
        self._check_context()
        self._check_graders()
        self._check_names(root)

    def _merge(self) -> None:
        written = self.yaml.value if self.yaml else {}
        self.keys = {key: written[key] for key in fields.CASE_KEYS if key in written}
        execution = written.get("execution")
        prose_only = self.prompt is not None and (bool(self.prompt.head) or self.prompt.body != "")
        if isinstance(execution, dict):
            self.execution = dict(execution)
        elif "execution" in written and not prose_only:
            reason = f"has to be a mapping, and is {fields.kind_of(execution)}"
            self.problems.append(self._at(("execution",), f"execution {reason}"))
        if self.prompt is not None:
            self._merge_prompt(self.prompt)
        if self.yaml is None:
            self.keys = {"schema_version": "1.1", "name": _base(self.folder), **self.keys}
        self._merge_graders(written)

    def _merge_prompt(self, prompt: Markdown) -> None:
        for key, value in (prompt.head or {}).items():
            if key in fields.CASE_KEYS:
                self.keys[key] = value
            elif key in fields.EXECUTION_KEYS:
                self._merge_execution(key, value)
            else:
                known = ", ".join([*fields.CASE_KEYS, *fields.EXECUTION_KEYS])
                message = f"unknown frontmatter key {key!r}; it may have: {known}"
                self.problems.append(self.problem("prompt.md", prompt.line(key), message))
        if prompt.body:
            self.execution["prompt"] = prompt.body

    def _merge_execution(self, key: str, value: JSON) -> None:
        before = self.execution.get(key)
        if key == "disallowed_tools" and before is not None:
            if not isinstance(before, list):
                return
            value = [*before, *value] if isinstance(value, list) else value
        self.execution[key] = value

    def _merge_graders(self, written: Mapping[str, JSON]) -> None:
        listed = written.get("graders")
        if isinstance(listed, list):
            self.graders = [grader if isinstance(grader, dict) else {"": grader} for grader in listed]
        elif "graders" in written and not self.files:
            message = f"graders has to be a list, and is {fields.kind_of(listed)}"
            self.problems.append(self._at(("graders",), message))
        for file in self.files:
            self.graders.append(_with_body(file))

    def _check_keys(
        self, path: tuple[str, ...], values: Mapping[str, JSON], checks: Mapping[str, fields.Check]
    ) -> None:
        for key, value in values.items():
            check = checks.get(key)
            if check is None:
                continue
            for below, reason in check(value):
                place = (*path, key)
                self.problems.append(self._at((*place, *below), f"{_dotted(place, below)} {reason}"))

    def _check_version(self) -> None:
        version = self.keys.get("schema_version")
        if not isinstance(version, str):
            where = (
                f', and is {fields.kind_of(version)}; put it in quotes: "1.1"' if version is not None else ""
            )
            self.problems.append(
                self._at(("schema_version",), f'schema_version is required: a text such as "1.1"{where}')
            )
        elif (major := _leading_number(version)) is None:
            self.problems.append(
                self._at(("schema_version",), f"schema_version {version!r} is not a version")
            )
        elif major > NEWEST_SCHEMA:
            message = (
                f"schema_version {version!r} is newer than this reader: it knows up to {NEWEST_SCHEMA}.x"
            )
            self.problems.append(self._at(("schema_version",), message))
        if "name" not in self.keys:
            self.problems.append(self._at(("name",), "name is required in case.yaml"))

    def _check_prompt(self) -> None:
        prompt = self.execution.get("prompt")
        if prompt is not None and not isinstance(prompt, str) and "prompt" in self.execution:
            message = f"execution.prompt has to be a text, and is {fields.kind_of(prompt)}"
            self.problems.append(self._at(("execution", "prompt"), message))
        elif not isinstance(prompt, str) or not frontmatter.trim(prompt):
            message = "there is no prompt: write one as the body of prompt.md, or as execution.prompt"
            self.problems.append(self._at(("execution", "prompt"), message))
        elif PROMPT_TEMPLATE in prompt:
            message = f'the prompt still holds the template\'s line "{PROMPT_TEMPLATE}"'
            self.problems.append(self._at(("execution", "prompt"), message))

    def _check_context(self) -> None:
        if self.yaml is None or "context" not in self.yaml.value:
            return
        context = self.yaml.value["context"]
        if not isinstance(context, dict):
            message = f"context has to be a mapping, and is {fields.kind_of(context)}"
            self.problems.append(self._at(("context",), message))
            return
        self._check_keys(("context",), context, fields.CONTEXT_KEYS)

    def _check_graders(self) -> None:
        if not self.graders:
            file = "case.yaml" if self.yaml else "graders"
            message = (
                "the case has no grader: add graders/NAME.md with a frontmatter, or `graders:` in case.yaml"
            )
            self.problems.append(self.problem(file, None, message))
        seen: set[str] = set()
        for index, grader in enumerate(self.graders):
            self._check_grader(index, grader)
            name = grader.get("name")
            if isinstance(name, str):
                if name in seen:
                    self.problems.append(self._at_grader(index, ("name",), f"duplicate grader name {name!r}"))
                seen.add(name)

    def _check_grader(self, index: int, grader: Mapping[str, JSON]) -> None:
        if "" in grader and len(grader) == 1:
            message = f"a grader has to be a mapping, and is {fields.kind_of(grader[''])}"
            self.problems.append(self._at_grader(index, (), message))
            return
        for path, reason in fields.grader_faults(grader):
            message = f"{_dotted(path, ())} {reason}" if path else reason
            self.problems.append(self._at_grader(index, path, message))
        body = fields.BODY_KEY.get(str(grader.get("type")))
        if body and GRADER_TEMPLATE in str(grader.get(body)):
            message = f'the grader still holds the template\'s line "{GRADER_TEMPLATE}"'
            self.problems.append(self._at_grader(index, (body,), message))

    def _check_names(self, root: Path) -> None:
        """What can only be checked once the shapes are right: tools and plugins by name."""
        if self.problems:
            return
        unknown = [tool for tool in self.execution.get("disallowed_tools", []) if not _can_be_removed(tool)]
        if unknown:
            names = ", ".join(map(repr, unknown))
            message = f"disallowed_tools: {names}: only bare names of built-in tools can be taken away"
            self.problems.append(self._at(("execution", "disallowed_tools"), message))
        for index, entry in enumerate(self.keys.get("plugins", [])):
            reason = _plugin_fault(self.folder.path, entry, root)
            if reason:
                self.problems.append(self._at(("plugins", index), f"plugins entry {entry!r} {reason}"))

    # --- places

    def _at(self, path: tuple[str | int, ...], message: str) -> Problem:
        """A problem of a key, in the file that it came from."""
        key = path[1:] if path[0] == "execution" and len(path) > 1 else path
        if self.prompt is not None and self.prompt.head is not None and key[0] in self.prompt.head:
            return self.problem("prompt.md", self.prompt.line(*key), message)
        if self.yaml is not None:
            return self.problem("case.yaml", self.yaml.line(*path), message)
        return self.problem("prompt.md", None, message)

    def _at_grader(self, index: int, path: tuple[str | int, ...], message: str) -> Problem:
        in_yaml = len(self.graders) - len(self.files)
        if index < in_yaml:
            line = self.yaml.line("graders", index, *path) if self.yaml else None
            return self.problem("case.yaml", line, f"grader {index + 1}: {message}")
        file = self.files[index - in_yaml]
        return self.problem(file.name, file.line(*path), message)

    # --- the result

    def case(self) -> Case:
        keys, run = self.keys, self.execution
        context = self.yaml.value.get("context", {}) if self.yaml else {}
        main = "case.yaml" if self.prompt is None else "prompt.md"
        return Case(
            id=self.folder.dir or _base(self.folder),
            name=keys["name"],
            prompt=run["prompt"],
            graders=tuple(self._specs()),
            source=Location(join(self.shown, main)),
            folder=Path(self.folder.path),
            settings=Settings(
                model=run.get("model"),
                max_turns=run.get("max_turns", 10),
                timeout_s=run.get("timeout_seconds", 300),
                allowed_tools=tuple(run.get("allowed_tools", ())),
                disallowed_tools=tuple(run.get("disallowed_tools", ())),
                append_system_prompt=run.get("append_system_prompt"),
                env=run.get("env", {}),
                scaffold_script=context.get("scaffold_script"),
                history_file=context.get("history_file"),
                add_dirs=tuple(context.get("add_dirs", ())),
            ),
            runs=keys.get("runs"),
            tags=tuple(keys.get("tags", ())),
            plugins=tuple(keys.get("plugins", ())),
            notes=self._notes(),
        )

    def _notes(self) -> dict[str, JSON]:
        written: dict[str, JSON] = {
            key: self.keys[key] for key in ("description", "expected_outcome") if key in self.keys
        }
        prose = bool(self.files) or (
            self.prompt is not None and (bool(self.prompt.head) or self.prompt.body != "")
        )
        kind = "prose" if self.yaml is None else "mixed" if prose else "case_yaml"
        return {**written, "source": kind}

    def _specs(self) -> Iterator[GraderSpec]:
        in_yaml = len(self.graders) - len(self.files)
        for index, grader in enumerate(self.graders):
            if index < in_yaml:
                line = self.yaml.line("graders", index) if self.yaml else None
                place = Location(join(self.shown, "case.yaml"), line)
            else:
                place = Location(join(self.shown, self.files[index - in_yaml].name))
            config = fields.grader_config(grader)
            yield GraderSpec(grader["name"], grader["type"], grader.get("weight", 1), config, place)


def _with_body(file: Markdown) -> Mapping[str, JSON]:
    head = file.head or {}
    name = file.name.rpartition("/")[2].removesuffix(".md")
    key = fields.BODY_KEY.get(str(head.get("type")))
    filled = {key: file.body} if key and key not in head and file.body else {}
    return {"name": name, **head, **filled}


def _base(folder: CaseFolder) -> str:
    return os.path.basename(os.path.abspath(folder.path))  # noqa: PTH119, PTH100 - no Path for 10,000 folders


def _dotted(path: tuple[str | int, ...], below: tuple[str | int, ...]) -> str:
    return ".".join(map(str, (*path, *below)))


def _leading_number(version: str) -> int | None:
    """`parseInt` of what stands before the first dot."""
    digits = frontmatter.trim(version.partition(".")[0])
    sign = digits[:1] if digits[:1] in "+-" else ""
    rest = digits[len(sign) :]
    whole = rest[: next((at for at, letter in enumerate(rest) if letter not in "0123456789"), len(rest))]
    return int(sign + whole[:9]) if whole else None


def _can_be_removed(tool: str) -> bool:
    return not tool or tool in fields.BUILT_IN_TOOLS


def _plugin_fault(folder: str, entry: str, root: Path) -> str | None:
    path = os.path.join(folder, entry)  # noqa: PTH118
    if not os.path.exists(path):  # noqa: PTH110
        return "does not exist"
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root)):
        return "leads out of the plugin"
    return None
