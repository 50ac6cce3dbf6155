"""From a name to a translator: shipped ones first, then any encoder–decoder in a folder or on the Hugging Face hub."""

from attnviz.models.loading import load_text_model
from attnviz.models.seq2seq import Seq2Seq
from attnviz.models.translation import shipped
from attnviz.translation import Translator


def translator(
    name: str,
    *,
    device: str | None = None,
    folders: bool = True,
    source_language: str | None = None,
    target_language: str | None = None,
    prefix: str = "",
) -> Translator:
    """The translator of this name, folder or Hugging Face id.

    folders: whether folders of this machine may be opened. source_language, target_language, prefix: as `Seq2Seq`
    has them; shipped translators know their pair.

    Raises `InputError` where there is no such model, where it is no encoder–decoder, or where it does not know
    the languages.
    """
    found = shipped.load(name, device)
    if found is not None:
        return found
    return Seq2Seq(
        load_text_model(name, device=device, folders=folders),
        source_language=source_language,
        target_language=target_language,
        prefix=prefix,
    )
