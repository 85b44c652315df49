"""The evidence file: what one transaction was, on lines that are chained by hashes and sealed with a signature.

``chain`` makes and reads lines, ``seal`` signs and checks the last one, ``bodies`` says what a line of each kind
holds, ``contents`` and ``outcomes_told`` judge whether the lines agree with each other, ``verifying`` does all of it.
Not to be confused with ``confirmo.policies.evidence``, which reads what a tool answered.
"""
