"""What is known to be wrong with the five documents, and what of it the review should find.

The lists were made by reading the documents, before there were rules. Each defect says who is
expected to find it: a rule of the review, the cost plan, or only somebody who reads the prose.
"""
