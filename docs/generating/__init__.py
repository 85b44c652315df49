"""What is generated from the code: reference pages, JSON Schemas of the files, pictures.

``python -m docs.generating`` writes them; a test fails where what is committed differs.
"""
