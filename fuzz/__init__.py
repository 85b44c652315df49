"""What is fuzzed, and how: ``targets`` says what must hold for any input, ``run`` tries inputs with atheris."""
