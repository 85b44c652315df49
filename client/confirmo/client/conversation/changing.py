"""Changing an open transaction before the yes: items, corrected arguments, arguments that were asked for."""

from collections.abc import Mapping
from typing import Any

from confirmo.client.conversation.models import Offer, Session, Turn
from confirmo.client.conversation.presenting import Presenter
from confirmo.client.conversation.saying import said
from confirmo.client.errors import InvalidArguments
from confirmo.client.transactions import TransactionClient
from confirmo.policies.models import TransactionState
from confirmo.policies.replies import Reply


class Changer:
    """Changes the transactions of one client; each change is presented as the new question that it leads to.

    Args:
        client: The door.
        presenter: Says what became of it.
    """

    def __init__(self, client: TransactionClient, presenter: Presenter) -> None:
        self._client = client
        self._presenter = presenter

    async def amend(self, session: Session, state: TransactionState, reply: Reply) -> Turn:
        """Change the set as the reply says; it is validated and asked again."""
        try:
            changed = await self._client.amend(
                state.transaction_id,
                remove_item_ids=reply.remove_ids,
                add_items=reply.add_texts,
                actor=session.requester,
            )
        except InvalidArguments:
            return await self._presenter.present(session, state, said(session.locale, "turn_amend_refused"))
        return await self._presenter.present(session, changed, said(session.locale, "turn_amended"))

    async def correct(
        self, session: Session, state: TransactionState, arguments: Mapping[str, Any], offer: Offer
    ) -> Turn:
        """Lay an agent's corrected arguments over the open transaction; it is validated and asked again."""
        try:
            changed = await self._client.amend(
                state.transaction_id, arguments=arguments, actor=session.requester
            )
        except InvalidArguments:
            return await self._presenter.present(session, state, said(session.locale, "turn_amend_refused"))
        session.note_call(offer.take())
        return await self._presenter.present(session, changed, said(session.locale, "turn_corrected"))

    async def provide(
        self,
        session: Session,
        state: TransactionState,
        arguments: Mapping[str, Any],
        offer: Offer | None = None,
    ) -> Turn:
        """Give arguments that were asked for; those of an agent's call with all that it corrects."""
        provided = await self._client.provide_parameters(
            state.transaction_id, arguments, actor=session.requester
        )
        if offer is not None:
            session.note_call(offer.take())
        return await self._presenter.present(session, provided)
