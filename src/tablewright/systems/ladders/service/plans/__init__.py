"""Plans: the review of one team in one season.

==============  ==========================================================================
``looking``     finding plans
``drafting``    new plans, and what may change in one
``activating``  three steps from a draft to a review that is under way
``turning``     completing, archiving, reopening
``roster``      who takes part, once it is under way
``refusals``    why something is not done
==============  ==========================================================================
"""

from tablewright.systems.ladders.service.plans.drafting import Draft, PlanEdit
from tablewright.systems.ladders.service.plans.looking import PlanView
from tablewright.systems.ladders.service.plans.plans import Plans

__all__ = ["Draft", "PlanEdit", "PlanView", "Plans"]
