"""Career-ladder assessments: teams, plans, self and manager assessments, reports, ladders."""
