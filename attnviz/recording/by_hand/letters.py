"""Products of two tensors, written as Einstein summation: one letter for each dimension of both and of the result."""

from dataclasses import dataclass
from string import ascii_letters
from typing import Any

from torch import Tensor

from attnviz.recording.by_hand.axes import Axis, Dims, Group, fresh


@dataclass(frozen=True, eq=False, slots=True)
class Contraction:
    """A product of two tensors; letters that the result lacks are summed over."""

    left: Tensor
    right: Tensor
    left_letters: str
    right_letters: str
    output_letters: str

    def summed(self) -> str:
        """The letters that both have and the result lacks."""
        return "".join(
            letter for letter in self.left_letters if letter in self.right_letters and letter not in self.output_letters
        )

    def dims(self, left: Dims | None = None, right: Dims | None = None) -> tuple[Dims, Dims, Dims]:
        """The dimensions of both and of the result, given what is known of one or the other."""
        known: dict[str, Group] = {}
        for letters, dims in ((self.right_letters, right), (self.left_letters, left)):
            if dims is not None:
                known.update({letter: group for letter, group in zip(letters, dims, strict=True) if group})
        sizes: dict[str, int] = {}
        for letters, tensor in ((self.left_letters, self.left), (self.right_letters, self.right)):
            for letter, size in zip(letters, tensor.shape, strict=True):
                sizes[letter] = max(size, sizes.get(letter, 1))
        groups = {letter: known.get(letter) or fresh(size) for letter, size in sizes.items()}
        return (
            tuple(
                groups[letter] if size > 1 else ()
                for letter, size in zip(self.left_letters, self.left.shape, strict=True)
            ),
            tuple(
                groups[letter] if size > 1 else ()
                for letter, size in zip(self.right_letters, self.right.shape, strict=True)
            ),
            tuple(groups[letter] for letter in self.output_letters),
        )

    def group(self, letter: str, left: Dims, right: Dims) -> tuple[Axis, ...]:
        """What one letter stands for."""
        for letters, dims in ((self.left_letters, left), (self.right_letters, right)):
            place = letters.find(letter)
            if place >= 0 and dims[place]:
                return dims[place]
        return ()


def of_matmul(left: Tensor, right: Tensor) -> Contraction | None:
    """`left @ right` with as many leading dimensions as either has."""
    if left.ndim == 0 or right.ndim == 0:
        return None
    lead = ascii_letters[3 : 3 + max(left.ndim, right.ndim, 2) - 2]
    left_letters = "b" if left.ndim == 1 else lead[len(lead) - left.ndim + 2 :] + "ab"
    right_letters = "b" if right.ndim == 1 else lead[len(lead) - right.ndim + 2 :] + "bc"
    output = lead + ("a" if left.ndim > 1 else "") + ("c" if right.ndim > 1 else "")
    return Contraction(left, right, left_letters, right_letters, output)


def of_product(left: Tensor, right: Tensor) -> Contraction:
    """`left * right`, broadcast; nothing is summed over yet."""
    output = ascii_letters[: max(left.ndim, right.ndim)]
    return Contraction(left, right, output[len(output) - left.ndim :], output[len(output) - right.ndim :], output)


def of_einsum(args: tuple[Any, ...]) -> Contraction | None:
    """`torch.einsum` of two tensors; None for other numbers of them, traces and the form with lists of numbers."""
    if not args or not isinstance(args[0], str):
        return None
    tensors = args[1] if len(args) == 2 and isinstance(args[1], list | tuple) else args[1:]
    written = equation(args[0], [tensor.ndim for tensor in tensors])
    if written is None or len(tensors) != 2:
        return None
    (left, right), output = written
    return Contraction(tensors[0], tensors[1], left, right, output)


def equation(text: str, dimensions: list[int]) -> tuple[list[str], str] | None:
    """The letters of each tensor and of the result, with dots and a missing result written out."""
    inputs, arrow, output = text.replace(" ", "").partition("->")
    parts = inputs.split(",")
    if len(parts) != len(dimensions):
        return None
    free = [letter for letter in ascii_letters if letter not in text]
    spare = "".join(free[: max([0, *(count - len(part) + 3 for part, count in zip(parts, dimensions, strict=True))])])
    written = []
    for part, count in zip(parts, dimensions, strict=True):
        missing = count - len(part.replace("...", ""))
        letters = part.replace("...", spare[len(spare) - missing :] if missing else "")
        if len(letters) != count or len(set(letters)) != count:
            return None
        written.append(letters)
    if not arrow:
        joined = "".join(written)
        dots = spare if "..." in inputs else ""
        output = ("..." if dots else "") + "".join(
            sorted(letter for letter in set(joined) - set(spare) if joined.count(letter) == 1)
        )
    longest = max(
        (len(part) - len(part_text.replace("...", "")) for part, part_text in zip(written, parts, strict=True)),
        default=0,
    )
    return written, output.replace("...", spare[len(spare) - longest :] if longest else "")
