"""Textbook sizes grow as effects shrink."""

from assay.verdict.sample_size import cases_to_see, paired_t_cases, paired_t_power


def test_smaller_effects_need_more_cases() -> None:
    assert paired_t_cases(0.25) > paired_t_cases(0.5) > paired_t_cases(1.0)
    assert paired_t_power(0.0, 20) < 0.051
    sizes = [cases_to_see(size, between=0.1, within=0.2, runs=3) for size in (0.1, 0.05)]
    assert round(sizes[1] / sizes[0], 9) == 4
