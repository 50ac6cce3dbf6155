"""The fourth kind of question: whether a weight allows to ignore somebody, and why not."""

from attnviz.base.language import _
from attnviz.figures.numerals import weight_text
from attnviz.ui.quiz import scene
from attnviz.ui.quiz.question import Choice, Link, Option, Question
from attnviz.ui.quiz.scene import VALUE_IF, Numbers
from attnviz.ui.quiz.wording import number

HARDLY = 0.02
"""A change of the output that people call small."""


def question(seed: int) -> Question:
    """The question that goes with this seed, in the current language."""
    view = scene.view(seed)
    user = view.user(view.selected)
    found = scene.numbers(view)
    name = user.label() if user else ""
    return Question(
        name="ignored",
        title=_("May the parked car be ignored?") if seed == 0 else _("May it be ignored?"),
        text=_(
            "At a crossing, a car's attention falls on {count} road users. Their weights sum to 1; if all had the same, each "
            "would have an even share. One of them, the {name}, has the weight **{weight}** and the value {value}. "
            "May the car ignore it, and why?",
            count=found.among,
            name=name,
            weight=weight_text(found.weight),
            value=number(found.value, 1),
        ),
        fields=(_verdict(), _reason(seed, found)),
        steps=_steps(found),
        links=(Link(_("See it move"), view),),
    )


def _verdict() -> Choice:
    return Choice(
        "verdict",
        _("Answer"),
        (
            Option("yes", _("Yes"), False, _("No weight, small or large, allows that by itself.")),
            Option("no", _("No"), True, ""),
        ),
    )


def _reason(seed: int, found: Numbers) -> Choice:
    """One right reason; the same with the wrong comparison; one that speaks for yes; one that proves too much."""
    below, above = _portion(found, below=True), _portion(found, below=False)
    options = [below, above, _tempting_yes(seed, found), _tempting_no(seed, found)]
    turn = seed % len(options)
    # The lesson's own: what tempts comes first.
    options = [options[2], options[0], options[3], options[1]]
    return Choice("reason", _("Reason"), tuple(options[turn:] + options[:turn]))


def _portion(found: Numbers, *, below: bool) -> Option:
    right = found.below == below
    label = (
        _(
            "Its weight is below an even share. But a weight only says how much of its value goes into this output, "
            "not what may happen."
        )
        if below
        else _(
            "Its weight is above an even share. But a weight only says how much of its value goes into this output, "
            "not what may happen."
        )
    )
    if right:
        why = _(
            "With the value {tried} the output would be {if_value} instead of {output}, the weight being the same; "
            "and what may step out from behind it is in no weight.",
            **_said(found),
        )
    else:
        why = _(
            "What a weight says is right, the comparison is not: an even share is 1/{count} = {even}.", **_said(found)
        )
    return Option("portion-below" if below else "portion-above", label, right, why)


def _tempting_yes(seed: int, found: Numbers) -> Option:
    if seed % 2 and abs(found.without - found.output) < HARDLY:
        return Option(
            "removed",
            _("Without it the output would be {without} instead of {output}: hardly any different.", **_said(found)),
            False,
            _(
                "That is so for the value it has now. With the value {tried} the output would be {if_value}; "
                "and what it does next is in neither number.",
                **_said(found),
            ),
        )
    if found.below:
        return Option(
            "small",
            _("Its weight is below an even share: too little to change what the car will do."),
            False,
            _(
                "The comparison is right, the conclusion is not: with the value {tried} the output would be {if_value} "
                "instead of {output}; and a weight is no forecast.",
                **_said(found),
            ),
        )
    return Option(
        "near-zero",
        _("{weight} is almost 0: too little to change what the car will do.", **_said(found)),
        False,
        _(
            "Among {count}, an even share is just {even}: this weight is {times} times that. "
            "And no weight, small or large, says what happens next.",
            **_said(found),
        ),
    )


def _tempting_no(seed: int, found: Numbers) -> Option:
    if not found.below and seed % 3:
        return Option(
            "large",
            _("Its weight is above an even share: the model has judged it important, so it must be heeded."),
            False,
            _(
                "The comparison is right, but a large weight is no judgement either: "
                "it says how much of the value is taken along, not why."
            ),
        )
    return Option(
        "never-zero",
        _("After a softmax no weight is exactly 0, so everything on the street matters alike."),
        False,
        _(
            "No weight is exactly 0, that is so; but it is so for everything, and therefore says nothing about this one."
        ),
    )


def _steps(found: Numbers) -> tuple[str, ...]:
    said = _said(found)
    return (
        _("An even share is 1/{count} = {even}; the weight {weight} is {times} times that.", **said),
        _(
            "Into the output {output} goes weight × value = {weight} × {value} = {portion}. "
            "With the value {tried} instead, the output would be {if_value}; "
            "without it, and the other weights brought back to the sum 1, {without}.",
            **said,
        ),
        _(
            "None of these numbers says what it will do next or what may step out from behind it. "
            "A small weight is no reason to ignore something, and a large one is no reason for a decision."
        ),
    )


def _said(found: Numbers) -> dict[str, str | int]:
    return {
        "count": found.among,
        "weight": weight_text(found.weight),
        "even": number(found.even, 3),
        "times": f"{found.weight * found.among:.2g}",
        "value": number(found.value, 1),
        "portion": weight_text(found.weight * found.value),
        "output": number(found.output, 4),
        "if_value": number(found.if_value, 4),
        "without": number(found.without, 4),
        "tried": number(VALUE_IF, 1),
    }
