"""The table of commands: name → (dotted path, one line of help), so that `--help` imports none of them."""

COMMANDS: dict[str, tuple[str, str]] = {
    "run": ("assay.cli.run:run", "Measure an item, or run golden tasks."),
    "gate": ("assay.cli.gate:gate", "Accept or reject a result against the recorded best."),
    "all": ("assay.cli.all:run_all", "Run every suite once, as a smoke test (EVALS=1)."),
    "propose": ("assay.cli.propose:propose", "Measure an edit of an item, and accept or reject it."),
    "triggers": ("assay.cli.triggers:triggers", "Is a skill loaded for what it is for, and nothing else?"),
    "init": ("assay.cli.init:init", "Plan the first files of golden tasks, or a workflow for them."),
    "judge": ("assay.cli.judge:judge", "Compare the judge of rubrics with people."),
    "accept": ("assay.cli.accept:accept_run", "Make a stored golden run the accepted baseline."),
    "exam": ("assay.cli.exam:exam", "Say whether an item still earns its place."),
    "cases": ("assay.cli.cases:cases", "List the cases of a suite, as assay reads them."),
    "check": ("assay.cli.check:check", "Find the traps of a suite before anything is spent."),
    "export": ("assay.cli.export:export", "Write a suite or a result for another tool."),
    "show": ("assay.cli.show:show", "List the stored runs, show one, or one case of it."),
    "diff": ("assay.cli.diff:diff", "Two stored runs beside each other, case by case."),
    "history": ("assay.cli.history:history", "How an item scored over time, by model and harness."),
    "report": ("assay.cli.report:report", "Render a stored run: Markdown, JUnit, CSV, …"),
    "ci": ("assay.cli.report:ci", "What a pipeline needs: a comment, annotations."),
    "completion": ("assay.cli.completion:completion", "Print the completion script of a shell."),
    "doctor": ("assay.cli.doctor:doctor", "Which harnesses and models are usable here."),
    "models": ("assay.cli.models:models", "List, fetch and find the embedded models."),
}
