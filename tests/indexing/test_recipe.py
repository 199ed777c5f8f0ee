import pytest

from indexing.errors import StaleRecipe
from indexing.recipe import Recipe, refuse_other

FOUND = Recipe(1, "aaaa", {"lexical": {"words": "w", "idf": "smooth"}, "semantic": {"model": "m"}})


def test_a_recipe_survives_being_written():
    assert Recipe.from_dict(FOUND.as_dict()) == FOUND


def test_the_order_of_parts_does_not_show():
    turned = Recipe(1, "aaaa", dict(reversed(FOUND.parts.items())))

    assert list(turned.as_dict()["parts"]) == list(FOUND.as_dict()["parts"])


def test_an_index_may_hold_more_than_is_asked_for():
    refuse_other(FOUND, Recipe(1, "aaaa", {"lexical": FOUND.parts["lexical"]}), "index")


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (FOUND._replace(ruleset="bbbb"), "rules aaaa, today's are bbbb"),
        (FOUND._replace(parts={"graph": {}}), "without the part 'graph'"),
        (FOUND._replace(parts={"lexical": {"words": "other"}}), "part 'lexical'"),
    ],
)
def test_what_differs_is_named_with_the_command_that_mends_it(wanted, said):
    with pytest.raises(StaleRecipe, match=f"^index: .*{said}.*mem index rebuild"):
        refuse_other(FOUND, wanted, "index")
