"""Known defects of the career ladder's document."""

from tests.review.defects.row import plan, reader, rule

DEFECTS = (
    rule(1, "A Boolean is the key of an index for numbers", "K07 isActive"),
    rule(2, "Required sets may be empty, which no set can be", "C04 roles", "C04 memberIds"),
    rule(3, "A team without a manager cannot be stored: NULL is no key", "I08 managerId"),
    reader(
        4,
        "Users are found by their sign-in alone, which they do not have before the first",
        "C01 User",
    ),
    rule(
        5, "A plan refers to a version, by which no configuration can be found", "C10 configVersion"
    ),
    reader(6, "Random ids let the same plan be made twice", "C01 Assessment"),
    reader(7, "Two configurations can be active, and the index is behind", "P07 active_config"),
    rule(
        8,
        "Who is in a team is a set, which no index can hold: no path to my teams",
        "P01 teams_of_member",
    ),
    reader(9, "Seasons are free text: duplicates, and no order"),
    rule(
        10,
        "Indexes hold whole assessments, of which little is read there",
        "I07 Assessments/",
        rest="15 KB are written three times for each save",
    ),
    rule(
        11,
        "Scores are written into nested maps that nothing creates",
        "W10 selections",
        "W10 feedback",
        rest="levels are required before anybody has chosen one",
    ),
    rule(12, "Nothing guards a save against another in between", "W11 save_assessment"),
    reader(13, "Reports do not say whose team and which state they are of"),
    rule(
        14,
        "Audit fields are said to be in all tables, and are not",
        "C11 User",
        "C11 AssessmentReport",
    ),
    reader(15, "Descriptions of a level lose their details"),
    rule(16, "Orders by time that no key gives", "P12 list_configs", "P12 reports_of_user"),
    reader(17, "Whose key encrypts by default"),
    rule(18, "An index is asked for what has to be current", "P06|P07 assessments_of_plan_member"),
    rule(19, "All plans of one status share a partition", "H02 status-index"),
    rule(20, "A request parameter that does not exist", "P16 active_config"),
    rule(21, "Limit counts before the filter", "P09 list_teams"),
    rule(
        22,
        "status, roles, name and variance are reserved words",
        "P22 Assessment",
        "P22 User",
        "P22 AssessmentReport",
        rest="level, inside a map",
    ),
    rule(
        23,
        "Nothing limits the text of a ladder, in an item of 400 KB",
        "C06 configContent",
        rest="it is stored four times in all",
    ),
    reader(24, "The check of a table counts its indexes, and does not compare them"),
    rule(
        25,
        "Rows per plan are not what their own formula gives",
        "U05 assessments of a plan",
        "U05 reports of a plan",
        rest="those per year are twenty times too many",
    ),
    plan(26, "The free tier is about storage, not about requests on demand"),
    reader(27, "An index by organisation isolates nothing"),
    reader(28, "No path leads to one's own tasks"),
    rule(29, "Neither recovery nor protection against deletion", "X04 Assessments"),
)
