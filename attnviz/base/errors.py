"""What a user is told when something they gave cannot be used."""

from attnviz.base.language import translate


class InputError(ValueError):
    """One sentence about bad input: what was read, where, and what was expected.

    `message` is the English sentence and at the same time its id in the catalogues, with
    `{name}` for each of the `fields`. Mark it where it is written, so that the catalogues find it:

        raise InputError(_m("{path} has {found} columns; {expected} were expected."), path=..., ...)

    `str(error)` speaks the language that is current at the time of asking, so an error made in one
    thread can be shown by another.
    """

    def __init__(self, message: str, **fields: object) -> None:
        super().__init__(message, fields)
        self.message = message
        self.fields = fields

    def __str__(self) -> str:
        return translate(self.message, **self.fields)
