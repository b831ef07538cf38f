"""Known defects of the hackathon judge's document."""

from tests.review.defects.row import plan, reader, rule

DEFECTS = (
    rule(
        1,
        "Accounts are looked up by an email in an index: not unique, and personal data in a key",
        "C01 Organizer",
        "X01 Organizer",
    ),
    rule(2, "Reads that decide go through an index", "P06|P07 ap2_", "P06|P07 ap5_"),
    plan(3, "An index that holds everything doubles the writes"),
    rule(4, "Jobs by status come as keys: one more read for each", "P04|P05 ap15_"),
    rule(
        5,
        "A second analysis overwrites the records of what was paid",
        "W02 write_analysis_results",
        rest="and the scores",
    ),
    reader(6, "Ranks and averages are stored, so every result rewrites the others"),
    rule(
        7,
        "Repositories and errors are lists without bound in one item",
        "C05 repo_urls",
        "C05 error_log",
    ),
    rule(8, "A model's raw answer may fill the 400 KB of an item alone", "C06 AgentScore"),
    rule(
        9,
        "5 provisioned units are less than the peaks of the document itself",
        "U01 VibeJudgeTable",
    ),
    reader(10, "Facts about workflows need an API that nothing else uses"),
    reader(11, "A batch is called atomic", "W14 write_analysis_results"),
    rule(12, "Nothing keeps a repository or a team from being submitted twice", "C01 Submission"),
    reader(13, "There is no entity for API keys"),
    rule(
        14,
        "Name, status and count are copied, and nobody keeps the copies",
        "W12 Hackathon.name",
        "W12 Hackathon.status",
        "W12 Hackathon.submission_count",
    ),
    reader(15, "Scores are 0 to 10 here and 0 to 100 there; the example cannot be derived"),
    reader(16, "One of the sub-scores counts the wrong way round"),
    reader(17, "What was analysed, and with which prompt, is not recorded"),
    plan(18, "Cached tokens and the cheaper tier have no rates"),
    rule(
        19,
        "Costs are added into maps that do not exist yet",
        "W10 update_hackathon_cost",
        rest="under names with dots and colons",
    ),
    reader(20, "A budget cannot be compared with a sum inside a condition"),
    reader(21, "Nothing keeps two jobs from running at once"),
    rule(
        22,
        "Jobs are to end 30 days after completion and end 30 days after creation; expired ones "
        "are read",
        "T05 AnalysisJob",
        "T03 ap14_",
    ),
    rule(23, "Lists stop at 1 MB", "P10 ap6_"),
    rule(24, "A leaderboard is ordered by an attribute that is no key", "P12 ap16_"),
    reader(25, "Submissions without a score count as 0"),
    rule(26, "Jobs of one status share a partition", "H02 GSI2"),
    rule(
        27,
        "No path leads to the hackathons of all organisers",
        "P01 open_hackathons",
        rest="nor to much else that people will ask for",
    ),
    rule(
        28,
        "Every write is 1 unit, whatever indexes it is in",
        "U04 create_submission",
        "U04 update_submission_status",
        rest="nor its size, nor what a transaction doubles",
    ),
    reader(29, "An analysis takes longer than a function may run"),
    rule(30, "Scaling to 50 units leaves the free tier", "U02 VibeJudgeTable"),
    rule(
        31, "Two names for one table, and no recovery", "C12 VibeJudgeTable", "X04 VibeJudgeTable"
    ),
    rule(32, "ULIDs of 22 characters, with a letter that they cannot have", "S03 Organizer"),
    rule(
        33,
        "Three submissions are counted and none exists; weights are floats",
        "S07 Hackathon",
        "C08 rubric",
    ),
    rule(34, "Attributes have reserved names", "P22 Hackathon"),
    reader(35, "No way to erase an account; tiers without limits"),
    rule(36, "Whose a submission is, is read from an index", "P06|P07 ap8_"),
)
