"""What a column says in words: where its model comes from, what the chosen step looks at, what gold there is."""

import torch

from attnviz.base.grouping import grouped
from attnviz.base.language import _, _n
from attnviz.figures.numerals import signed_text, weight_text
from attnviz.models.translation import shipped
from attnviz.tokens import cut, isolated
from attnviz.translation import Translation
from attnviz.ui.page import plain
from attnviz.ui.translation.choices import LANGUAGES, MODEL_NAMES, SHORT_NAMES
from attnviz.ui.translation.looked import Gold, Looked
from attnviz.ui.translation.translated import Wanted
from attnviz.ui.views.translation import TranslationView

MOST_NAME = 24


def title(one: Wanted) -> str:
    """The model, and the language that it writes where we know it."""
    if one.pair is None:
        return one.name
    return f"{_(LANGUAGES[one.pair])} · {_(MODEL_NAMES[one.model])}"


def short(one: Wanted) -> str:
    """The model in a word or two, for titles of pictures."""
    return cut(one.name, MOST_NAME) if one.model == "other" else _(SHORT_NAMES[one.model])


def origin(one: Wanted) -> str:
    """How one of our own models was made, and how well it translates; of any other, that it is one."""
    if one.name not in shipped.NAMES:
        return _("Recorded from the model as it ran; its translation and its weights are its own.")
    facts = shipped.facts(one.name)
    exact = facts.shipped.exact
    return _(
        "Trained on {count} sentences of a generated grammar; {parameters} parameters. Of {held_out} sentences kept out of "
        "training it translates {test} % word for word as the grammar does, and {unseen} % of as many with pairs of "
        "adjective and noun that it never saw.",
        count=grouped(facts.training_sentences),
        parameters=grouped(facts.parameters),
        held_out=grouped(facts.held_out_sentences),
        test=f"{100 * exact['test']:.1f}",
        unseen=f"{100 * exact['unseen']:.1f}",
    )


def likelihood(translation: Translation) -> str:
    """The log-probability of the whole translation, its end among it."""
    total = float(translation.log_probabilities.sum())
    said = _(
        "log-probability {logarithm} (probability {probability})",
        logarithm=signed_text(total),
        probability=weight_text(float(torch.tensor(total).exp())),
    )
    if not translation.ended:
        said += " · " + _("cut off at the longest length")
    return said


def head(looked: Looked) -> str:
    """Which head or mean is shown."""
    if looked.is_single:
        return _("its one head")
    layer, one = looked.name
    if layer is None:
        return _("mean of all {count} heads", count=sum(looked.heads))
    if one is None:
        return _("layer {layer}, mean of {count} heads", layer=layer, count=looked.heads[layer])
    return _("layer {layer}, head {head}", layer=layer, head=one)


def not_there(looked: Looked, view: TranslationView) -> str:
    """That the layer or head asked for is not there, so that another is shown; "" where it is, or there is one alone."""
    if looked.is_single or looked.name == view.head_name():
        return ""
    return _("There is no such layer or head here: shown is the {head}.", head=head(looked))


def chosen(looked: Looked, view: TranslationView) -> str:
    """What the chosen step puts where, or where the chosen source word is looked at from, in Markdown."""
    said = []
    if view.step is not None and view.step >= len(looked.translation.predicted):
        said.append(_("This translation has ended before step {step}.", step=view.step + 1))
    elif view.step is not None and looked.row is None:
        said.append(_no_row(looked, view.step))
    elif looked.row is not None:
        said.append(_of_row(looked, looked.row))
    elif looked.column is not None:
        said.append(_of_column(looked, looked.column))
    said.append(_hidden(looked))
    if looked.layout.reading.renormalise:
        said.append(_("Shown renormalised: each row was divided by what is left of it."))
    if not looked.layout.by_words and not looked.layout.reading.pieces:
        said.append(_("The tokenizer does not tell which tokens make a word, so each token stands for itself."))
    return " ".join(sentence for sentence in said if sentence)


def about_gold(looked: Looked, gold: Gold, language: str) -> str:
    """How many words look where gold says, or why there is no gold."""
    if gold.is_known:
        links = looked.layout.links(looked.matrix)
        hits = len(links & gold.words)
        return _n(
            "The largest weight of {hits} of {count} word lies on a gold link.",
            "The largest weight of {hits} of {count} words lies on a gold link.",
            len(links),
            hits=hits,
        )
    if gold.pair is not None:
        return _(
            "No gold links for this translation: the grammar's own is “{text}”.",
            text=plain(isolated(gold.pair.target_text)),
        )
    if language:
        return _("No gold links: the grammar does not make this sentence.")
    return _("No gold links: the grammar knows those of its own sentences in our own models alone.")


def _step(looked: Looked, row: int) -> str:
    """The step whose row it is, as the beginning of a sentence."""
    word = plain(isolated(looked.layout.target.labels[row]))
    if looked.layout.reading.rows == "consume":
        return _("The step that consumes “{word}”", word=word)
    if looked.translation.forced:
        return _("The step that predicts “{word}”", word=word)
    return _("The step that writes “{word}”", word=word)


def _of_row(looked: Looked, row: int) -> str:
    column = looked.column if looked.column is not None else looked.most(row)
    if column is None:
        return _("{step} has no weights.", step=_step(looked, row))
    facts = {
        "step": _step(looked, row),
        "weight": f"**{weight_text(float(looked.matrix[row, column]))}**",
        "source": plain(isolated(looked.layout.source.labels[column])),
        "share": weight_text(looked.even_share(column)),
    }
    if looked.column is None:
        return _("{step} puts most on “{source}”: {weight}. An even share would be {share}.", **facts)
    return _("{step} puts {weight} on “{source}”. An even share would be {share}.", **facts)


def _of_column(looked: Looked, column: int) -> str:
    values = looked.matrix[:, column].nan_to_num(-1)
    if not len(values):
        return ""
    row = int(values.argmax())
    return _(
        "{step} puts more on “{source}” than all others do: {weight}. An even share would be {share}.",
        step=_step(looked, row),
        source=plain(isolated(looked.layout.source.labels[column])),
        weight=f"**{weight_text(float(looked.matrix[row, column]))}**",
        share=weight_text(looked.even_share(column)),
    )


def _no_row(looked: Looked, step: int) -> str:
    """The end of the sentence is no word; and no row consumes what is written last."""
    word = plain(isolated(looked.translation.predicted.label(step)))
    return _("This step writes “{word}”, which is no word of the alignment.", word=word)


def _hidden(looked: Looked) -> str:
    """How much lies on columns that are not shown: of the chosen row, else in the mean over rows."""
    if not looked.layout.hidden or not len(looked.hidden):
        return ""
    names = ", ".join(
        plain(isolated(looked.translation.source.label(position))) for position in looked.layout.hidden[:4]
    )
    names += " …" if len(looked.layout.hidden) > 4 else ""
    if looked.row is not None:
        return _("Hidden: {mass} on {names}.", mass=weight_text(float(looked.hidden[looked.row])), names=names)
    mean = float(looked.hidden.nanmean())
    return _("Hidden: {mass} on {names}, in the mean over words.", mass=weight_text(mean), names=names)
