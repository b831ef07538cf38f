"""LLM spend quotas and model selection: who may still call which model today, and what it cost."""
