"""Reading sources: NewsAPI, feeds, files."""
