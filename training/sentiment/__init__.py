"""How ``systems/sentiment/analysers/linear.tsv`` was made."""
