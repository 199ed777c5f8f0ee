from itertools import product

import pytest
from memories import entry

from indexing.settings import Settings
from retrieval import Query
from retrieval.evaluation.dataset import Dataset, Question
from retrieval.evaluation.engine import opened
from retrieval.evaluation.tune import looked_at, tune, with_priors

PRIORS = list(product((0.0, 0.5, 2.0), (0.0, 4.0), (0.0, 0.2, 0.4)))


def aged(days=(0, 2, 40, 400, None), counts=(1, 9, 60, None)):
    """Entries of one title, of every age and size, known or not."""
    for number, (age, count) in enumerate(product(days, counts)):
        yield entry(
            f"e{number}",
            "token refresh fails" + " again" * (number % 3),
            captured_at="" if age is None else f"{2026 - age // 365}-01-{28 - age % 28:02}",
            files=None if count is None else tuple(f"src/{n}.py" for n in range(count)),
        )


def test_ranks_with_any_priors_are_those_of_the_engine():
    entries = tuple(aged())
    helpful = frozenset({"e3", "e9", "e14"})
    asks = Question("q", Query(title="token refresh fails", at="2026-01-28"), 1, helpful)
    dataset = Dataset("aged", entries, {each.id: 0 for each in entries}, (asks,))

    with opened(dataset, Settings()) as engine:
        looked = looked_at(asks, engine, Settings(), {0.0, 0.2, 0.4})
        for priors in PRIORS:
            found = engine.answers(asks, with_priors(Settings(), priors), ["lexical"])
            places = [at for at, answer in enumerate(found) if answer.id in helpful]
            assert looked.ranks(priors) == places, priors


def indifferent(count, but):
    """Questions that one entry answers; the last few have smaller and newer entries beside it."""
    entries, questions, seq = [], [], {}
    for n in range(count):
        title, year = f"alpha beta{chr(97 + n // 26)}{chr(97 + n % 26)}q", 2000 + n
        made = [("large", 1, 40), *((f"small{day}", day, 1) for day in range(2, 6))]
        for name, day, files in made if n >= count - but else made[:1]:
            paths = tuple(f"src/{k}.c" for k in range(files))
            id = f"{name}-{n}"
            entries.append(entry(id, title, captured_at=f"{year}-03-{day:02}", files=paths))
            seq[id] = 10 * n
        query = Query(title=title, at=f"{year}-03-21")
        questions.append(Question(f"q{n}", query, 10 * n + 1, frozenset({f"large-{n}"})))
    return Dataset("indifferent", tuple(entries), seq, tuple(questions))


@pytest.mark.parametrize(("but", "found"), [(5, False), (20, True)])
def test_no_question_is_judged_with_what_was_picked_on_it(but, found):
    dataset = indifferent(40, but)
    now = Settings(prior_size=0.0)
    told = []

    with opened(dataset, now) as engine:
        tuned = tune(dataset, engine, now, lambda done, total: told.append((done, total)))

    assert tuned.priors[2] > 0
    assert tuned.significant == found
    assert (tuned.gain.mean > 0) == found
    assert tuned.before.questions == 35  # the oldest eighth is not judged
    assert told[0] == (0, 40) and told[-1] == (40, 40)
