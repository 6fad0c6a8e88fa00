"""What Hypothesis loads by itself (entry point group `hypothesis`)."""

from typing import Any


def register() -> None:
    """Makes `st.from_type(sked.Tree)` work, at no cost until it is used."""
    from hypothesis import strategies as st

    from ..tree import Tree

    def drawn(_: type[Tree]) -> Any:
        from .strategies import trees
        return trees()

    st.register_type_strategy(Tree, drawn)
