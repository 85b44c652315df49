"""Making a model whose fields are all known to be right, tens of thousands at a time."""

from typing import Any, TypeVar

from pydantic import BaseModel

M = TypeVar("M", bound=BaseModel)


def construct(model: type[M], values: dict[str, Any]) -> M:
    """Return what ``model.model_construct(**values)`` does, in a sixth of the time.

    Args:
        model: A model without private attributes and extra fields.
        values: Every field, in the order of the model's. The model keeps this very map.
    """
    made = model.__new__(model)
    object.__setattr__(made, "__dict__", values)
    object.__setattr__(made, "__pydantic_fields_set__", set(values))
    object.__setattr__(made, "__pydantic_extra__", None)
    object.__setattr__(made, "__pydantic_private__", None)
    return made
