"""Agents that ask a language model.

A model is shown an excerpt of the repository and answers with scores and citations. Nothing it says
is taken on trust: the repository may talk to it, so that text is only ever data inside a boundary
that nobody could know before, text that talks to graders is flagged, citations are looked up at
the commit, the overall score is computed here, and the scores are held against those of the static
agents. Nothing it costs goes unnoticed: money is set aside before each call and settled after it.

==============  ===========================================================================
``calls``       what a model is asked and answers, whoever provides it
``failures``    how asking goes wrong
``bedrock``     Amazon Bedrock's Converse
``openai``      whatever speaks OpenAI's chat completions
``models``      which model an agent asks unless it is told
``prompts``     the texts, one for each agent, and their version
``selecting``   which files a model gets to see
``context``     what it gets to see of them, of the history and of the README
``boundary``    repository text as data
``injection``   text that talks to graders; how it talks is in ``injection_phrases``
``answers``     the schema of an answer, and reading one
``citations``   evidence that can be looked up
``doubts``      what makes an answer less credible
``ports``       budget and advice, which others implement
``asking``      one question: reserve, call, try again, settle
``agents``      :class:`ModelAgents`: from a snapshot to scores
==============  ===========================================================================
"""
