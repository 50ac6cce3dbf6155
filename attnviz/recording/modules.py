"""The modules of a model in one walk: their names, their classes, and what was changed on single ones.

`named_modules` walks the same way, but several times slower, and a short forward pass would feel it.
"""

from dataclasses import dataclass, field

from torch import nn

# torch.compile puts its module around another one under this name.
_WRAPPED = "_orig_mod"


@dataclass(frozen=True)
class Modules:
    """Names are those of `named_modules`, without the wrapper that torch.compile puts around a module.

    names: by the id of the module. replaced: a module's forward was replaced on this very object.
    compiled: torch.compile was applied to one.
    """

    found: tuple[nn.Module, ...] = ()
    names: dict[int, str] = field(default_factory=dict)
    replaced: bool = False
    compiled: bool = False

    def __contains__(self, module: nn.Module) -> bool:
        return id(module) in self.names

    def name(self, module: nn.Module) -> str:
        """The model's own name of a module; "" for the model itself."""
        return self.names[id(module)]

    def shown_name(self, module: nn.Module) -> str:
        """The model's own name of a module; for the model itself, the name of its class."""
        return self.names[id(module)] or type(module).__name__

    def kinds(self) -> set[type]:
        """The classes that occur."""
        return set(map(type, self.found))

    def by_name(self) -> dict[str, nn.Module]:
        """The modules by their names."""
        return {self.names[id(module)]: module for module in self.found}


def modules_of(model: nn.Module) -> Modules:
    """Every module of the model once, in the order of `named_modules`."""
    found: list[nn.Module] = []
    names: dict[int, str] = {}
    replaced = compiled = False
    waiting = [("", model)]
    while waiting:
        name, module = waiting.pop()
        if id(module) in names:
            continue
        names[id(module)] = name
        found.append(module)
        own = module.__dict__
        replaced = replaced or "forward" in own
        compiled = compiled or own.get("_compiled_call_impl") is not None
        inner = module._modules
        if inner:
            prefix = f"{name}." if name else ""
            for child, one in reversed(list(inner.items())):
                if one is not None:
                    waiting.append((name if child == _WRAPPED else prefix + child, one))
    compiled = compiled or any(kind.__name__ == "OptimizedModule" for kind in set(map(type, found)))
    return Modules(tuple(found), names, replaced, compiled)
