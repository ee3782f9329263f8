"""A small project with golden suites, and the command line called as a user calls it."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from assay.cli import main

SKILL = "---\nname: {name}\ndescription: {description}\n---\n{body}\n"
TASK = "---\nid: {id}\ntarget: {target}\ngrader: {grader}\n{more}---\n## Input\n{input}\n\n## Expected\n{expected}\n"


@dataclass
class Done:
    code: int
    out: str
    err: str


class Project:
    """A folder, and `assay` run in it."""

    def __init__(self, root: Path, capsys) -> None:
        self.root = root
        self._capsys = capsys

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        return file

    def read(self, path: str) -> str:
        return (self.root / path).read_text("utf-8")

    def has(self, path: str) -> bool:
        return (self.root / path).exists()

    def skill(self, name: str, body="Do it well.", description="does it well") -> None:
        self.write(f"skills/{name}/SKILL.md", SKILL.format(name=name, body=body, description=description))

    def task(
        self, place: str, expected="ok", *, target="skill:commit", grader="exact", prompt="do it", more=""
    ) -> None:
        suite, id_ = place.split("/")
        text = TASK.format(id=id_, target=target, grader=grader, input=prompt, expected=expected, more=more)
        self.write(f"evals/{suite}/{id_}-task.md", text)

    def rules(self, *rules: str) -> None:
        self.write("rules.yaml", "".join(f"- {rule}\n" for rule in rules) or "[]")

    def assay(self, *arguments: str) -> Done:
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([*arguments, "--project", str(self.root)])
        said = self._capsys.readouterr()
        return Done(int(ended.value.code or 0), said.out, said.err)

    def run(self, *arguments: str, harness="scripted:rules.yaml", model="m") -> Done:
        return self.assay("run", *arguments, "--harness", harness, "--model", model, "--quiet")


@pytest.fixture
def project(tmp_path, capsys):
    made = Project(tmp_path, capsys)
    made.skill("commit")
    return made
