"""Failures as they reach a history: their texts are masked, and encrypted where payloads are."""

from collections.abc import Collection
from typing import ClassVar

from temporalio.api.failure.v1 import Failure
from temporalio.converter import DefaultFailureConverter, FailureConverter, PayloadConverter

from confirmo.policies.masking import masked


class PrivateFailureConverter(DefaultFailureConverter):
    """Temporal's own converter, except that messages and stack traces hold no personal data.

    Details are data that workflows read, so they stay whole.
    """

    masked_fields: ClassVar[frozenset[str]] = frozenset()
    encodes: ClassVar[bool] = False

    def to_failure(
        self, exception: BaseException, payload_converter: PayloadConverter, failure: Failure
    ) -> None:
        """Convert an exception; that of its causes comes back here."""
        super().to_failure(exception, payload_converter, failure)
        failure.message = masked(failure.message, self.masked_fields)
        failure.stack_trace = masked(failure.stack_trace, self.masked_fields)
        if self.encodes:
            texts = {"message": failure.message, "stack_trace": failure.stack_trace}
            failure.encoded_attributes.CopyFrom(payload_converter.to_payloads([texts])[0])
            failure.message, failure.stack_trace = "Encoded failure", ""


def failure_converter(fields: Collection[str] = (), *, encodes: bool = False) -> type[FailureConverter]:
    """Return the class for these fields; the SDK makes the object."""
    names = frozenset(fields)
    attributes = {"masked_fields": names, "encodes": encodes, "__doc__": PrivateFailureConverter.__doc__}
    return type("PrivateFailureConverter", (PrivateFailureConverter,), attributes)
