"""Log records without personal data: whoever logs it, at whatever level, and whichever handler writes it."""

import logging
import traceback
from collections.abc import Collection, Mapping
from typing import Any

from confirmo.policies.masking import HIDDEN, has_fields, masked, masked_value

_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}
"""What a record has of itself; everything else came as ``extra``."""


def install(fields: Collection[str] = ()) -> None:
    """Mask every log record that this process makes from now on; calling it again changes the fields.

    It is the factory of records rather than a filter, as filters see neither the records of a child logger nor those
    that a handler of somebody else's writes. A record's text, its arguments, its traceback and what came as ``extra``
    are masked before anybody sees them, so ``exc_info`` is empty and ``exc_text`` holds the traceback.

    Args:
        fields: See ``masked``.
    """

    class Record(PrivateRecord):
        masked_fields = frozenset(fields)

    logging.setLogRecordFactory(Record)


class PrivateRecord(logging.LogRecord):
    """A log record that holds no personal data.

    Attributes:
        masked_fields: Names whose values are hidden.
        error: The exception that was logged; for filters, which must not show it. It is none of the attributes that a
            formatter finds in ``__dict__``.
    """

    __slots__ = ("error",)
    masked_fields: frozenset[str] = frozenset()
    error: BaseException | None

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Make the record as ``logging`` does, and mask it."""
        super().__init__(*arguments, **options)
        self.__dict__ = _Extra(self.__dict__, self.masked_fields)
        self._mask_message()
        self.error = self.exc_info[1] if self.exc_info else None
        if self.exc_info and self.exc_info[0] is not None:
            text = "".join(traceback.format_exception(*self.exc_info)).rstrip("\n")
            self.exc_text = masked(text, self.masked_fields)
        self.exc_info = None
        if self.stack_info:
            self.stack_info = masked(self.stack_info, self.masked_fields)

    def _mask_message(self) -> None:
        """Mask the arguments where that is enough, for formatters that read them; else the whole text."""
        if isinstance(self.args, Mapping):
            self.args = masked_value(self.args, self.masked_fields)
        try:
            message = self.getMessage()
        except (
            Exception
        ):  # whatever an argument's own text raises; ``logging`` would print the arguments then
            self.msg, self.args = f"{self.msg} (its arguments cannot be shown)", ()
            return
        if self._is_clean(message):
            return
        template, self.args = self.msg, _masked_arguments(self.args, self.masked_fields)
        if not self._is_clean(self.getMessage()):
            self.msg, self.args = masked(message, self.masked_fields), ()
        elif not isinstance(template, str):
            self.msg = str(template)

    def _is_clean(self, message: str) -> bool:
        return masked(message, self.masked_fields) == message


class _Extra(dict[str, Any]):
    """The attributes of a record: ``Logger.makeRecord`` writes ``extra`` straight into them."""

    def __init__(self, given: Mapping[str, Any], fields: frozenset[str]) -> None:
        super().__init__(given)
        self._fields = fields

    def __setitem__(self, name: str, value: Any) -> None:
        if name in _OWN:
            super().__setitem__(name, value)
        else:
            super().__setitem__(name, HIDDEN if has_fields(self._fields, name) else self._plain(value))

    def _plain(self, value: Any) -> Any:
        known = isinstance(value, str | bytes | int | float | None | Mapping | list | tuple | set | frozenset)
        if known and not isinstance(value, bytes):
            return masked_value(value, self._fields)
        text = str(value)
        return value if masked(text, self._fields) == text else masked(text, self._fields)


def _masked_arguments(arguments: Any, fields: frozenset[str]) -> Any:
    if isinstance(arguments, Mapping):
        return masked_value(arguments, fields)
    return tuple(
        argument if isinstance(argument, int | float) else masked(str(argument), fields)
        for argument in arguments or ()
    )
