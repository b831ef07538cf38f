// @aws-sdk/lib-dynamodb: plain JavaScript values in and out.

import assert from "node:assert/strict";
import { test } from "node:test";

import { documentClient, documents, makeTable } from "./sdk.mjs";

test("values come back", async () => {
  const TableName = await makeTable();
  const Item = {
    pk: "a",
    number: 1.5,
    big: 12345678901234567890n,
    text: "",
    yes: true,
    nothing: null,
    bytes: new Uint8Array([0, 255]),
    strings: new Set(["a", "b"]),
    numbers: new Set([1, 2.5]),
    list: [1, "two", [null]],
    map: { deep: { er: [] } },
    left: undefined,
  };
  await documentClient.send(new documents.PutCommand({ TableName, Item }));
  const got = await documentClient.send(
    new documents.GetCommand({ TableName, Key: { pk: "a" } }),
  );
  const { left, big, ...rest } = Item;
  const { big: bigBack, ...restBack } = got.Item;
  assert.deepEqual(restBack, rest);
  assert.equal(BigInt(bigBack), big);
});

test("update, query in pages, batch, delete", async () => {
  const TableName = await makeTable({ sortKey: "N" });
  for (let start = 0; start < 50; start += 25) {
    await documentClient.send(
      new documents.BatchWriteCommand({
        RequestItems: {
          [TableName]: Array.from({ length: 25 }, (_, number) => ({
            PutRequest: { Item: { pk: "a", sk: start + number, position: start + number } },
          })),
        },
      }),
    );
  }
  const { Attributes } = await documentClient.send(
    new documents.UpdateCommand({
      TableName,
      Key: { pk: "a", sk: 7 },
      UpdateExpression: "SET #l = list_append(if_not_exists(#l, :none), :one) ADD hits :n",
      ExpressionAttributeNames: { "#l": "list" },
      ExpressionAttributeValues: { ":none": [], ":one": [{ x: 1 }], ":n": 3 },
      ReturnValues: "UPDATED_NEW",
    }),
  );
  assert.deepEqual(Attributes, { list: [{ x: 1 }], hits: 3 });
  const seen = [];
  const pages = documents.paginateQuery(
    { client: documentClient, pageSize: 7 },
    {
      TableName,
      KeyConditionExpression: "pk = :p",
      FilterExpression: "hits = :n OR #p > :m",
      ExpressionAttributeValues: { ":p": "a", ":n": 3, ":m": 46 },
      ExpressionAttributeNames: { "#p": "position" },
    },
  );
  for await (const page of pages) seen.push(...page.Items.map((item) => item.sk));
  assert.deepEqual(seen, [7, 47, 48, 49]);
  const { Responses } = await documentClient.send(
    new documents.BatchGetCommand({
      RequestItems: { [TableName]: { Keys: [{ pk: "a", sk: 1 }, { pk: "a", sk: 99 }] } },
    }),
  );
  assert.equal(Responses[TableName].length, 1);
  const gone = await documentClient.send(
    new documents.DeleteCommand({ TableName, Key: { pk: "a", sk: 1 }, ReturnValues: "ALL_OLD" }),
  );
  assert.equal(gone.Attributes.sk, 1);
});

test("a transaction and a statement", async () => {
  const TableName = await makeTable();
  await documentClient.send(
    new documents.TransactWriteCommand({
      TransactItems: ["a", "b"].map((pk) => ({ Put: { TableName, Item: { pk, n: 1 } } })),
    }),
  );
  const { Responses } = await documentClient.send(
    new documents.TransactGetCommand({
      TransactItems: ["a", "none"].map((pk) => ({ Get: { TableName, Key: { pk } } })),
    }),
  );
  assert.deepEqual(Responses, [{ Item: { pk: "a", n: 1 } }, {}]);
  const { Items } = await documentClient.send(
    new documents.ExecuteStatementCommand({
      Statement: `SELECT n FROM "${TableName}" WHERE pk = ?`,
      Parameters: ["b"],
    }),
  );
  assert.deepEqual(Items, [{ n: 1 }]);
});
