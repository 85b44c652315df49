"""Phrases of replies in English, folded; an apostrophe separates words: ``don t``."""

from collections.abc import Mapping
from typing import Final

from confirmo.policies.replies.roles import Role

PHRASES: Final[Mapping[Role, str]] = {
    Role.YES: (
        "yes|yep|yup|yeah|yea|i confirm|confirm|confirmed|i do|yes i do|of course|certainly|absolutely|definitely|"
        "go ahead|please do|do it|please go ahead|proceed|please proceed|i agree|agreed|approved|i approve|"
        "affirmative|you may proceed|you can proceed|by all means|for sure|without a doubt|i m sure|i am sure|"
        "confirm it|i authorize|i authorise|authorized|go ahead and do it|yes go ahead"
    ),
    Role.WEAK: (
        "ok|okay|okey|sure|fine|alright|all right|good|great|cool|perfect|correct|exactly|that s right|"
        "sounds good|uh huh|mhm|works for me|go|go on|continue|that s fine|that s correct|that is correct|that is right"
    ),
    Role.NO: (
        "no|nope|nah|no no|i don t confirm|i do not confirm|do not confirm|don t confirm|of course not|"
        "definitely not|absolutely not|certainly not|no way|never|don t|do not|don t do it|do not do it|"
        "do not proceed|don t proceed|better not|i d rather not|rather not|i would rather not|negative|"
        "i refuse|i decline|not at all|i disagree|don t do that|please don t|i don t think so|hell no|nah nah|no no no"
    ),
    Role.QUIT: (
        "never mind|nevermind|forget it|forget about it|stop|abort|i changed my mind|changed my mind|drop it|"
        "i give up|leave it|scratch that|nvm|leave it as it is|keep it as it is|forget everything"
    ),
    Role.POLITE: "for me|for your help|please|pls|plz|thanks|thank you|thx|sir|madam|ma am|now|right now|hi|hello|then",
    Role.ARTICLE: "the|of|this|these|those|my",
    Role.PRONOUN: "it|that|them",
    Role.AND: "and|plus",
    Role.ALL: "all|all of them|everything|all of it|all items|each of them",
    Role.HEDGE: "but|however|though|although|before|after|later|tomorrow|wait|hold on|hang on|not yet|not now",
    Role.IF: "if|unless|as long as|only if|provided|once|when|until|except if|while",
    Role.UNSURE: (
        "i don t know|i do not know|dunno|maybe|perhaps|not sure|i m not sure|i am not sure|i guess|i guess so|"
        "i think so|i think|probably|it depends|depends|possibly|i suppose|i suppose so|whatever|huh|unsure|"
        "i don t understand|i do not understand|don t know|no idea|i have no idea|i don t have it|i don t remember|"
        "i do not remember|can t remember|no clue"
    ),
    Role.IRONY: "yeah right|yeah yeah|sure sure|yeah sure|oh sure|as if|lol|lmao|in your dreams|yeah no|oh yeah|not",
    Role.REQUEST: (
        "i want|i want to|i d like|i d like to|i would like|i need|i need to|show|show me|what|which|how|"
        "how much|where|who|why|can you|could you|would you|tell me|check|see|send|pay|give me|let me|"
        "can i|could i"
    ),
    Role.CORRECT: "actually|i meant|i mean|correction|sorry|my mistake|it should be|it s actually|make it|my bad",
    Role.SWAP: "change|swap|replace|correct the|switch|i want to change|please change",
    Role.INTO: "to|into|with|by",
    Role.REMOVE: (
        "remove|take out|take off|drop|delete|exclude|except|except for|without|all but|everything but|leave out|"
        "skip|minus"
    ),
    Role.REMOVE_OUT: "leave|take|keep",
    Role.KEEP: "only|just",
    Role.ADD: "add|include|also|also add|also include|add also|too|as well|include also",
    Role.SPARE: "keep my|i want to keep|i d like to keep|i would like to keep",
    Role.OUT: "out|out of it|off",
    Role.LIST: "from the list|to the list|from it|on the list|off the list",
}

NUMBERS: Final = {
    word: position
    for position, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], start=1
    )
}

ORDINALS: Final = {
    word: position
    for position, word in enumerate(
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"],
        start=1,
    )
}

LAST: Final = frozenset({"last"})
