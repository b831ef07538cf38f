// @aws-sdk/client-dynamodb: wire shapes, paginators, waiters, errors as its own classes.

import assert from "node:assert/strict";
import { test } from "node:test";

import { client, dynamodb, makeTable, streams, streamsClient } from "./sdk.mjs";

test("the life of a table", async () => {
  const TableName = await makeTable();
  const { Table } = await client.send(new dynamodb.DescribeTableCommand({ TableName }));
  assert.equal(Table.TableStatus, "ACTIVE");
  assert.ok(Table.CreationDateTime instanceof Date);
  const names = [];
  for await (const page of dynamodb.paginateListTables({ client, pageSize: 2 }, {})) {
    names.push(...page.TableNames);
  }
  assert.ok(names.includes(TableName));
  await client.send(new dynamodb.DeleteTableCommand({ TableName }));
  await dynamodb.waitUntilTableNotExists(
    { client, maxWaitTime: 10, minDelay: 1, maxDelay: 1 },
    { TableName },
  );
  await assert.rejects(
    client.send(new dynamodb.DescribeTableCommand({ TableName })),
    dynamodb.ResourceNotFoundException,
  );
});

test("every type comes back", async () => {
  const TableName = await makeTable();
  const Item = {
    pk: { S: "Grüße 😀" },
    number: { N: "12345678901234567890.123456789" },
    binary: { B: new Uint8Array([0, 1, 255]) },
    yes: { BOOL: true },
    nothing: { NULL: true },
    strings: { SS: ["a", "b"] },
    numbers: { NS: ["1", "2.5"] },
    binaries: { BS: [new Uint8Array([0]), new Uint8Array([255])] },
    list: { L: [{ S: "x" }, { M: {} }] },
    map: { M: { deep: { M: { er: { L: [] } } } } },
  };
  await client.send(new dynamodb.PutItemCommand({ TableName, Item }));
  const got = await client.send(
    new dynamodb.GetItemCommand({ TableName, Key: { pk: Item.pk }, ConsistentRead: true }),
  );
  assert.deepEqual(got.Item, Item);
  assert.ok(got.$metadata.requestId);
});

test("conditions fail as the SDK's own class, with the old item", async () => {
  const TableName = await makeTable();
  const Item = { pk: { S: "a" }, v: { N: "1" } };
  await client.send(new dynamodb.PutItemCommand({ TableName, Item }));
  await assert.rejects(
    client.send(
      new dynamodb.PutItemCommand({
        TableName,
        Item,
        ConditionExpression: "attribute_not_exists(pk)",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      }),
    ),
    (error) => {
      assert.ok(error instanceof dynamodb.ConditionalCheckFailedException);
      assert.equal(error.message, "The conditional request failed");
      assert.deepEqual(error.Item, Item);
      return true;
    },
  );
});

test("a query in pages", async () => {
  const TableName = await makeTable({ sortKey: "N" });
  const requests = Array.from({ length: 25 }, (_, number) => ({
    PutRequest: { Item: { pk: { S: "a" }, sk: { N: String(number) } } },
  }));
  await client.send(
    new dynamodb.BatchWriteItemCommand({ RequestItems: { [TableName]: requests } }),
  );
  const seen = [];
  const pages = dynamodb.paginateQuery(
    { client, pageSize: 4 },
    {
      TableName,
      KeyConditionExpression: "pk = :p AND sk >= :n",
      ExpressionAttributeValues: { ":p": { S: "a" }, ":n": { N: "5" } },
      ScanIndexForward: false,
    },
  );
  for await (const page of pages) seen.push(...page.Items.map((item) => Number(item.sk.N)));
  assert.deepEqual(seen, Array.from({ length: 20 }, (_, number) => 24 - number));
});

test("transactions are cancelled with reasons", async () => {
  const TableName = await makeTable();
  const put = (pk, more = {}) => ({ Put: { TableName, Item: { pk: { S: pk } }, ...more } });
  await client.send(new dynamodb.TransactWriteItemsCommand({ TransactItems: [put("a")] }));
  await assert.rejects(
    client.send(
      new dynamodb.TransactWriteItemsCommand({
        TransactItems: [
          put("b"),
          put("a", { ConditionExpression: "attribute_not_exists(pk)" }),
        ],
      }),
    ),
    (error) => {
      assert.ok(error instanceof dynamodb.TransactionCanceledException);
      const codes = error.CancellationReasons.map((reason) => reason.Code);
      assert.deepEqual(codes, ["None", "ConditionalCheckFailed"]);
      return true;
    },
  );
  const { Responses } = await client.send(
    new dynamodb.TransactGetItemsCommand({
      TransactItems: ["a", "b"].map((pk) => ({ Get: { TableName, Key: { pk: { S: pk } } } })),
    }),
  );
  assert.deepEqual(Responses, [{ Item: { pk: { S: "a" } } }, {}]);
});

test("streams", async () => {
  const TableName = await makeTable({
    StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
  });
  const { Table } = await client.send(new dynamodb.DescribeTableCommand({ TableName }));
  const StreamArn = Table.LatestStreamArn;
  await client.send(new dynamodb.PutItemCommand({ TableName, Item: { pk: { S: "a" } } }));
  const { StreamDescription } = await streamsClient.send(
    new streams.DescribeStreamCommand({ StreamArn }),
  );
  const records = [];
  for (const { ShardId } of StreamDescription.Shards) {
    const { ShardIterator } = await streamsClient.send(
      new streams.GetShardIteratorCommand({
        StreamArn,
        ShardId,
        ShardIteratorType: "TRIM_HORIZON",
      }),
    );
    const page = await streamsClient.send(new streams.GetRecordsCommand({ ShardIterator }));
    records.push(...page.Records);
  }
  assert.deepEqual(
    records.map((record) => [record.eventName, record.dynamodb.NewImage]),
    [["INSERT", { pk: { S: "a" } }]],
  );
});

test("PartiQL", async () => {
  const TableName = await makeTable();
  const run = (Statement, Parameters) =>
    client.send(new dynamodb.ExecuteStatementCommand({ Statement, Parameters }));
  await run(`INSERT INTO "${TableName}" VALUE {'pk': ?, 'n': 1}`, [{ S: "a" }]);
  const { Items } = await run(`SELECT * FROM "${TableName}" WHERE pk = 'a'`);
  assert.deepEqual(Items, [{ pk: { S: "a" }, n: { N: "1" } }]);
  await assert.rejects(
    run(`INSERT INTO "${TableName}" VALUE {'pk': 'a'}`),
    dynamodb.DuplicateItemException,
  );
});

test("a validation error", async () => {
  const TableName = await makeTable();
  await assert.rejects(
    client.send(new dynamodb.GetItemCommand({ TableName, Key: { other: { S: "a" } } })),
    { name: "ValidationException", message: /key element does not match the schema/ },
  );
});
