"""What mended a failure, and what did not."""

from indexing.learning.loop import Attempt, Loop
from indexing.learning.pairs import told_by

A = "Error: Cannot find module './total'\n"
B = "ReferenceError: rate is not defined\n"


def loop(*attempts):
    numbered = [attempt._replace(number=at) for at, attempt in enumerate(attempts, 1)]
    return Loop("l", "attempts", "f", attempts=tuple(numbered))


def red(output=A, command="npm test", **fields):
    return Attempt(0, command, exit_code=1, output=output, **fields)


def green(command="npm test", **fields):
    return Attempt(0, command, exit_code=0, output="ok 3 passed\n", **fields)


def edit(note, file="a.js"):
    return Attempt(0, note=note, files=(file,))


def test_a_fix_is_what_was_changed_before_the_same_command_passed():
    story = told_by(loop(red(), edit("restore total.js"), green()))
    [pair] = story.pairs
    assert pair.signature.raw == A.strip()
    assert (pair.change.note, pair.change.files) == ("restore total.js", ("a.js",))


def test_a_change_counts_only_after_a_green_run():
    assert told_by(loop(red(), edit("fixed it"))).pairs == ()


def test_the_green_run_of_another_command_proves_nothing():
    assert told_by(loop(red(), edit("fixed it"), green("npm run lint"))).pairs == ()


def test_the_green_run_in_another_folder_proves_nothing():
    story = told_by(loop(red(cwd="/w/a"), edit("fixed it"), green(cwd="/w/b")))
    assert story.pairs == ()


def test_a_pass_without_a_change_is_luck_and_no_fix():
    story = told_by(loop(red(), green()))
    assert story.pairs == ()
    assert [signature.raw for signature, _ in story.flaky] == [A.strip()]


def test_what_came_before_the_last_red_run_did_not_mend_it():
    story = told_by(loop(red(), edit("one"), red(), edit("two"), green()))
    [pair] = story.pairs
    assert pair.change.note == "two"
    assert [change.note for change in pair.tried] == ["one"]
    [unmended] = story.unmended
    assert unmended.pair == pair


def test_of_two_failures_in_turn_each_has_its_own_fix():
    story = told_by(loop(red(A), edit("one"), red(B), edit("two"), green()))
    assert [(pair.signature.raw, pair.change.note) for pair in story.pairs] == [
        (A.strip(), "one"),
        (B.strip(), "two"),
    ]


def test_a_failure_that_comes_back_was_not_mended_by_what_it_went_after():
    story = told_by(loop(red(A), edit("one"), red(B), edit("two"), red(A), edit("three"), green()))
    of_a = next(pair for pair in story.pairs if pair.signature.raw == A.strip())
    assert of_a.change.note == "three"
    assert [change.note for change in of_a.tried] == ["one; two"]


def test_a_command_between_is_a_step_unless_it_only_looks():
    between = [green("cat package.json"), green("npm install left-pad"), green("git status")]
    [pair] = told_by(loop(red(), *between, green())).pairs
    assert pair.change.steps == ("npm install left-pad",)


def test_a_command_that_failed_is_no_step():
    story = told_by(loop(red(), red("E: nope\n", "apt install x"), edit("one"), green()))
    assert story.pairs[0].change.steps == ()


def test_a_change_that_turned_green_to_red_is_told_with_what_mended_it():
    story = told_by(loop(green(), edit("split it"), red(), edit("join it again"), green()))
    [broken] = story.broken
    assert broken.change.note == "split it"
    assert broken.pair.change.note == "join it again"


def test_a_failure_that_stays_is_told_without_a_fix():
    story = told_by(loop(red(), edit("one"), red(), edit("two"), red()))
    [unmended] = story.unmended
    assert [change.note for change in unmended.tried] == ["one", "two"]
    assert unmended.pair is None


def test_a_run_whose_end_is_unknown_is_passed_over():
    story = told_by(loop(red(), edit("one"), Attempt(0, "npm test", output="…"), green()))
    assert story.pairs[0].change.note == "one"


def test_another_check_that_was_red_and_is_green_now_is_no_step_of_the_fix():
    first, second = red(), red(B, "npm run build")
    story = told_by(loop(first, second, edit("import rate"), green(), green("npm run build")))
    assert [pair.change.steps for pair in story.pairs] == [(), ()]


def test_an_install_that_was_red_and_is_green_now_is_a_step_of_the_fix():
    story = told_by(loop(red(), red(B, "npm install"), green("npm install"), green()))
    assert story.pairs[0].change.steps == ("npm install",)
