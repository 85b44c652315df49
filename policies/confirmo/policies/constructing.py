"""Making a model whose fields are all known to be right, tens of thousands at a time."""

from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel

M = TypeVar("M", bound=BaseModel)


@cache
def _all_fields(model: type[BaseModel]) -> set[str]:
    """Return one set for all: nobody changes it, as the models are frozen, and it is half of a small model's memory."""
    return set(model.model_fields)


def construct(model: type[M], values: dict[str, Any]) -> M:
    """Return what ``model.model_construct(**values)`` does, in a sixth of the time.

    Args:
        model: A model without private attributes and extra fields.
        values: Every field, in the order of the model's. The model keeps this very map.
    """
    made = model.__new__(model)
    object.__setattr__(made, "__dict__", values)
    object.__setattr__(made, "__pydantic_fields_set__", _all_fields(model))
    object.__setattr__(made, "__pydantic_extra__", None)
    object.__setattr__(made, "__pydantic_private__", None)
    return made
