"""Hackathon registration: people, teams, seats, payments, tickets and certificates."""
