"""What Hypothesis loads by itself (entry point group `hypothesis`)."""


def register() -> None:
    """Makes `st.from_type(sked.Tree)` work, at no cost until it is used."""
