"""Grants as the platform gives them."""

from pathlib import Path

from assay.harnesses.claude_grants import Places, closed_but_for, grants

PLACES = Places(
    Path("/r/home/desk"), (Path("/r/home"),), (Path("/r/config"), Path("/s/evals")), Path("/r/tmp")
)


def given(listed=(), denied=(), allowed=()):
    return grants(listed, denied, allowed, PLACES)


def test_reading_is_granted_where_the_case_lists_it_and_only_in_the_trials_own_folders():
    assert given(["Read", "Skill"]).allowed == ("Skill", "Read(//r/home/**)")


def test_other_tools_need_the_operator():
    assert given(["Write", "WebFetch"]).allowed == ()
    assert {"Write", "Edit", "WebFetch", "Bash"} <= set(given(["Write"]).disallowed)


def test_what_the_operator_allows_is_open_on_every_case():
    allowed = given(allowed=["Write", "WebFetch(domain:example.org)"])
    assert "WebFetch(domain:example.org)" in allowed.allowed
    assert {"Edit(//r/home/desk/**)", "Write(//r/tmp/**)"} <= set(allowed.allowed)
    assert not {"Write", "Edit", "NotebookEdit", "WebFetch"} & set(allowed.disallowed)


def test_some_tools_are_never_granted():
    assert "Monitor" in given(["Monitor"], allowed=["Monitor"]).disallowed
    assert "Monitor" not in given(["Monitor"], allowed=["Monitor"]).allowed


def test_suite_and_configuration_are_closed():
    closed = given(["Read"]).disallowed
    assert {"Read(//s/evals/**)", "Edit(//s/evals/**)", "Read(//r/config/**)", "Read(//proc/**)"} <= set(
        closed
    )


def test_what_the_case_denies_is_denied():
    assert "Grep" in given(["Grep"], denied=["Grep"]).disallowed


def test_a_shell_is_open_where_the_operator_allows_it_and_only_its_commands():
    allowed = given(["Bash"], allowed=["Bash(git *)"])
    assert "Bash(git *)" in allowed.allowed
    assert "Bash" not in allowed.disallowed
    assert "PowerShell" in allowed.disallowed


def test_a_folder_that_the_case_adds_stays_open_and_all_around_it_is_closed(tmp_path):
    for name in ("evals/a/graders", "evals/a/docs/deep", "evals/b"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "evals/a/prompt.md").touch()
    suite = tmp_path / "evals"
    around = [path.relative_to(suite).as_posix() for path in closed_but_for(suite, [suite / "a/docs"])]
    assert around == ["a/graders", "a/prompt.md", "b"]
    assert list(closed_but_for(suite, [tmp_path / "elsewhere"])) == [suite]
