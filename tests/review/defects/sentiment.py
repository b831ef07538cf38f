"""Known defects of the sentiment dashboard's document."""

from tests.review.defects.row import plan, reader, rule

DEFECTS = (
    rule(
        1,
        "A condition on the partition key is to keep ids unique, but time is a key too",
        "W05 ingest",
    ),
    rule(2, "One item per tag is put, all under one key", "W07 fan_out_tags"),
    rule(
        3, "The copies per tag are in the indexes for sentiment and status as well", "I04 TagCopy"
    ),
    rule(4, "The result of the analysis never reaches the copies", "W12 TagCopy"),
    reader(5, "A second tag of a known article is dropped as a duplicate"),
    rule(
        6,
        "timestamp is a reserved word and stands in a projection without an alias",
        "P21 count_stuck",
    ),
    rule(7, "The score is a float, which the SDK refuses", "C08 score"),
    rule(8, "Tags are a set in the table and a list in the schema", "C07 matched_tags"),
    rule(
        9,
        "The update does not ask whether the item exists: ghosts without an id",
        "W03 update_sentiment",
        rest="nothing can be scored again",
    ),
    rule(10, "An index with keys alone feeds a list of whole items", "P04 pending_items"),
    rule(11, "The regular expression for ids refuses the document's own example", "S03 source_id"),
    rule(12, "Times in keys are written in three precisions", "K03|S06 timestamp"),
    rule(
        13,
        "Analysed items are to have a score, which nothing makes sure of",
        "C09 score",
        rest="a version of the model is required before the model has run",
    ),
    reader(14, "The schemas call functions of another version of their library"),
    reader(15, "Items that cannot be analysed stay pending for ever"),
    rule(
        16,
        "The sort key orders the versions of one article, not recent articles",
        "P01 recent_items",
    ),
    rule(
        17,
        "There is nothing to count from: totals have to read all items",
        "P01|P20 most_common_tags",
        rest="no entities for rules, runs and sums",
    ),
    rule(
        18, "The length of the first page is taken for the number of stuck items", "P11 count_stuck"
    ),
    rule(19, "Reads return items that have expired", "T03 by_sentiment"),
    rule(
        20,
        "Indexes have partition keys of two or three values",
        "H02 by_sentiment",
        "H02 by_status",
    ),
    rule(
        21,
        "An index is expected to show what was written just before",
        "P06|P07 read_after_write",
        rest="a test that waits for 30 days",
    ),
    rule(
        22,
        "Writes are counted without those of the indexes",
        "U04 ingest",
        "U04 update_sentiment",
        rest="refused puts are paid for, too",
    ),
    rule(
        23,
        "20 items of 1 KB for half a read unit, 100 keys for a quarter",
        "U04 pattern by_sentiment",
        "U04 count_stuck",
    ),
    plan(24, "The price of the writes, and how many there are in production", "U06 writes"),
    reader(25, "Metrics are taken for what they do not measure"),
    reader(26, "The alarm for writes goes off in the document's own burst test"),
    reader(27, "Log queries about data that is in no log; an alias as a renaming"),
    rule(
        28,
        "Recovery is said to be by five minutes, and holds items longer than they may live",
        "U03 pitr.granularity",
        "T06 sentiment-items",
    ),
    reader(29, "Copies go to a second Region, although data has to stay in the first"),
    rule(
        30,
        "Permissions do not name the indexes",
        "X03 dashboard",
        rest="ingestion needs more than PutItem",
    ),
    reader(31, "Streams are used and refused; the source's own quota is forgotten"),
    reader(32, "Whose key encrypts by default, and who enforces TLS"),
)
