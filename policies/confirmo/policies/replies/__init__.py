"""What a person's reply to a question means, read without a language model, in Portuguese and English."""

from confirmo.policies.replies.models import NamedItem, OpenQuestion, Reply, ReplyKind, ReplyReason
from confirmo.policies.replies.reading import read_reply

__all__ = ["NamedItem", "OpenQuestion", "Reply", "ReplyKind", "ReplyReason", "read_reply"]
