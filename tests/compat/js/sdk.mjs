// The SDK's modules, from the folder they were installed in, and a client of the server under test.

import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(path.join(process.env.NODE_PACKAGES, "package.json"));

export const dynamodb = require("@aws-sdk/client-dynamodb");
export const streams = require("@aws-sdk/client-dynamodb-streams");
export const documents = require("@aws-sdk/lib-dynamodb");

const settings = {
  endpoint: process.env.ENDPOINT,
  region: "us-east-1",
  credentials: { accessKeyId: "local", secretAccessKey: "local-secret" },
  maxAttempts: 3,
};

export const client = new dynamodb.DynamoDBClient(settings);
export const streamsClient = new streams.DynamoDBStreamsClient(settings);
export const documentClient = documents.DynamoDBDocumentClient.from(client, {
  marshallOptions: { removeUndefinedValues: true },
});

let made = 0;

// A table of this file's own; the name is unique among everybody who uses the server.
export async function makeTable({ sortKey, ...more } = {}) {
  const name = `${process.env.TABLE_PREFIX}-${(made += 1)}`;
  const keys = [{ AttributeName: "pk", KeyType: "HASH" }];
  const definitions = [{ AttributeName: "pk", AttributeType: "S" }];
  if (sortKey) {
    keys.push({ AttributeName: "sk", KeyType: "RANGE" });
    definitions.push({ AttributeName: "sk", AttributeType: sortKey });
  }
  const { AttributeDefinitions = [], ...rest } = more;
  await client.send(
    new dynamodb.CreateTableCommand({
      TableName: name,
      KeySchema: keys,
      AttributeDefinitions: [...definitions, ...AttributeDefinitions],
      BillingMode: "PAY_PER_REQUEST",
      ...rest,
    }),
  );
  await dynamodb.waitUntilTableExists(
    { client, maxWaitTime: 10, minDelay: 1, maxDelay: 1 },
    { TableName: name },
  );
  return name;
}
