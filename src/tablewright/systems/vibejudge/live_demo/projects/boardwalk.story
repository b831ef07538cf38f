@@ project boardwalk
@@ author sol Sol Marchetti <sol@boardwalk.example>
@@ author wen Wen Castellan <wen@boardwalk.example>

@@ commit 2026-09-18 18:05 sol
Scaffold: Vite, React, TypeScript, and a board that is a value
@@ file package.json
{
  "name": "boardwalk",
  "private": true,
  "version": "0.1.0",
  "type": "module",
  "scripts": {
    "dev": "vite",
    "build": "tsc && vite build",
    "test": "vitest run"
  },
  "dependencies": {
    "idb": "^8.0.0",
    "react": "^18.3.1",
    "react-dom": "^18.3.1"
  },
  "devDependencies": {
    "typescript": "^5.6.3",
    "vite": "^5.4.11",
    "vitest": "^2.1.6"
  }
}
@@ file tsconfig.json
{
  "compilerOptions": {
    "target": "ES2022",
    "module": "ESNext",
    "moduleResolution": "bundler",
    "jsx": "react-jsx",
    "strict": true,
    "noUncheckedIndexedAccess": true
  },
  "include": ["src"]
}
@@ file index.html
<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Boardwalk</title>
  </head>
  <body>
    <div id="root"></div>
    <script type="module" src="/src/main.tsx"></script>
  </body>
</html>
@@ file src/board.ts
/** A board is a value: every change makes a new one. */

export interface Card {
  readonly id: string;
  readonly text: string;
  readonly votes: number;
}

export interface Column {
  readonly id: string;
  readonly title: string;
  readonly cards: readonly Card[];
}

export interface Board {
  readonly columns: readonly Column[];
}

export type Change =
  | { kind: "add"; column: string; card: Card }
  | { kind: "move"; card: string; to: string; at: number }
  | { kind: "vote"; card: string }
  | { kind: "remove"; card: string };

export const EMPTY: Board = {
  columns: [
    { id: "ideas", title: "Ideas", cards: [] },
    { id: "doing", title: "Doing", cards: [] },
    { id: "done", title: "Done", cards: [] },
  ],
};

export function findCard(board: Board, id: string): Card | undefined {
  return board.columns.flatMap((column) => column.cards).find((card) => card.id === id);
}

export function changed(board: Board, change: Change): Board {
  switch (change.kind) {
    case "add":
      return eachColumn(board, (column) =>
        column.id === change.column ? [...column.cards, change.card] : column.cards,
      );
    case "remove":
      return eachColumn(board, (column) => without(column.cards, change.card));
    case "vote":
      return eachColumn(board, (column) => voted(column.cards, change.card));
    case "move":
      return moved(board, change.card, change.to, change.at);
  }
}

function moved(board: Board, id: string, to: string, at: number): Board {
  const card = findCard(board, id);
  if (!card) return board;
  return eachColumn(board, (column) => {
    const rest = without(column.cards, id);
    return column.id === to ? [...rest.slice(0, at), card, ...rest.slice(at)] : rest;
  });
}

function without(cards: readonly Card[], id: string): readonly Card[] {
  return cards.filter((card) => card.id !== id);
}

function voted(cards: readonly Card[], id: string): readonly Card[] {
  return cards.map((card) => (card.id === id ? { ...card, votes: card.votes + 1 } : card));
}

function eachColumn(board: Board, cardsOf: (column: Column) => readonly Card[]): Board {
  return { columns: board.columns.map((column) => ({ ...column, cards: cardsOf(column) })) };
}
@@ file src/main.tsx
import { createRoot } from "react-dom/client";
import { App } from "./App";

createRoot(document.getElementById("root")!).render(<App />);
@@ file src/App.tsx
import { useReducer } from "react";
import { EMPTY, changed } from "./board";
import { ColumnView } from "./ColumnView";

export function App() {
  const [board, change] = useReducer(changed, EMPTY);
  return (
    <main>
      {board.columns.map((column) => (
        <ColumnView key={column.id} column={column} change={change} />
      ))}
    </main>
  );
}
@@ file src/ColumnView.tsx
import { useState } from "react";
import type { Change, Column } from "./board";
import { CardView } from "./CardView";

interface Props {
  column: Column;
  change: (change: Change) => void;
}

export function ColumnView({ column, change }: Props) {
  const [text, setText] = useState("");

  function add() {
    const trimmed = text.trim();
    if (!trimmed) return;
    const card = { id: crypto.randomUUID(), text: trimmed, votes: 0 };
    change({ kind: "add", column: column.id, card });
    setText("");
  }

  return (
    <section
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        const card = event.dataTransfer.getData("text/plain");
        change({ kind: "move", card, to: column.id, at: column.cards.length });
      }}
    >
      <h2>{column.title}</h2>
      {column.cards.map((card) => (
        <CardView key={card.id} card={card} change={change} />
      ))}
      <input value={text} onChange={(event) => setText(event.target.value)} />
      <button onClick={add}>Add</button>
    </section>
  );
}
@@ file src/CardView.tsx
import type { Card, Change } from "./board";

interface Props {
  card: Card;
  change: (change: Change) => void;
}

export function CardView({ card, change }: Props) {
  return (
    <article draggable onDragStart={(event) => event.dataTransfer.setData("text/plain", card.id)}>
      <p>{card.text}</p>
      <button onClick={() => change({ kind: "vote", card: card.id })}>+{card.votes}</button>
      <button onClick={() => change({ kind: "remove", card: card.id })}>remove</button>
    </article>
  );
}

@@ commit 2026-09-18 20:40 wen
Test what a change does to a board

Co-authored-by: Copilot <copilot@assistant.example>
@@ file src/board.test.ts
import { describe, expect, it } from "vitest";
import { EMPTY, type Board, changed, findCard } from "./board";

const card = { id: "1", text: "Name the boat", votes: 0 };
const other = { id: "2", text: "Paint the boat", votes: 0 };

function filled(): Board {
  const first = changed(EMPTY, { kind: "add", column: "ideas", card });
  return changed(first, { kind: "add", column: "ideas", card: other });
}

function texts(board: Board, column: string): string[] {
  return board.columns.find((each) => each.id === column)!.cards.map((each) => each.text);
}

describe("a board", () => {
  it("takes cards at the end of a column", () => {
    expect(texts(filled(), "ideas")).toEqual(["Name the boat", "Paint the boat"]);
  });

  it("moves a card and keeps it one", () => {
    const board = changed(filled(), { kind: "move", card: "2", to: "doing", at: 0 });
    expect(texts(board, "ideas")).toEqual(["Name the boat"]);
    expect(texts(board, "doing")).toEqual(["Paint the boat"]);
  });

  it("moves within a column", () => {
    const board = changed(filled(), { kind: "move", card: "2", to: "ideas", at: 0 });
    expect(texts(board, "ideas")).toEqual(["Paint the boat", "Name the boat"]);
  });

  it("counts votes", () => {
    const once = changed(filled(), { kind: "vote", card: "1" });
    expect(findCard(changed(once, { kind: "vote", card: "1" }), "1")?.votes).toBe(2);
  });

  it("is left as it is by a card that is not there", () => {
    expect(changed(filled(), { kind: "move", card: "9", to: "done", at: 0 })).toEqual(filled());
  });
});

@@ commit 2026-09-19 10:12 sol
Keep the board in the browser: it is there again after a reload, without a network

Co-authored-by: Copilot <copilot@assistant.example>
@@ file src/keeping.ts
import { type IDBPDatabase, openDB } from "idb";
import type { Board } from "./board";

const NAME = "boardwalk";
const STORE = "boards";

async function database(): Promise<IDBPDatabase> {
  return openDB(NAME, 1, {
    upgrade(db) {
      db.createObjectStore(STORE);
    },
  });
}

/** The board of an earlier visit; none if this is the first, or if the browser keeps nothing. */
export async function keptBoard(key: string): Promise<Board | undefined> {
  try {
    return (await (await database()).get(STORE, key)) as Board | undefined;
  } catch (error) {
    console.warn("boards are not kept in this browser", error);
    return undefined;
  }
}

export async function keepBoard(key: string, board: Board): Promise<void> {
  const db = await database();
  await db.put(STORE, board, key);
}
@@ file src/useBoard.ts
import { useEffect, useReducer, useState } from "react";
import { type Board, type Change, EMPTY, changed } from "./board";
import { keepBoard, keptBoard } from "./keeping";

type Step = Change | { kind: "load"; board: Board };

function step(board: Board, next: Step): Board {
  return next.kind === "load" ? next.board : changed(board, next);
}

export function useBoard(key: string): [Board, (change: Change) => void, string | null] {
  const [board, dispatch] = useReducer(step, EMPTY);
  const [problem, setProblem] = useState<string | null>(null);

  useEffect(() => {
    keptBoard(key).then((kept) => kept && dispatch({ kind: "load", board: kept }));
  }, [key]);

  useEffect(() => {
    if (board !== EMPTY) {
      keepBoard(key, board).catch((error: Error) => setProblem(error.message));
    }
  }, [key, board]);

  return [board, dispatch, problem];
}
@@ edit src/App.tsx
import { useReducer } from "react";
import { EMPTY, changed } from "./board";
import { ColumnView } from "./ColumnView";

export function App() {
  const [board, change] = useReducer(changed, EMPTY);
  return (
    <main>
@@ into
import { ColumnView } from "./ColumnView";
import { useBoard } from "./useBoard";

export function App() {
  const [board, change, problem] = useBoard("main");
  return (
    <main>
      {problem && <p role="alert">Not kept: {problem}</p>}

@@ commit 2026-09-19 15:27 wen
Two people at one board: changes travel over a socket
@@ file src/sharing.ts
import type { Change } from "./board";

export interface Shared {
  send(change: Change): void;
  close(): void;
}

/** Changes of others come in as they happen; ours go out, or wait until there is a line. */
export function share(url: string, take: (change: Change) => void): Shared {
  const socket = new WebSocket(url);
  const waiting: Change[] = [];

  socket.addEventListener("open", () => {
    for (const change of waiting.splice(0)) socket.send(JSON.stringify(change));
  });
  socket.addEventListener("message", (event) => {
    const change = readChange(String(event.data));
    if (change) take(change);
  });

  return {
    send(change) {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(change));
      else waiting.push(change);
    },
    close: () => socket.close(),
  };
}

export function readChange(text: string): Change | undefined {
  try {
    const said = JSON.parse(text) as Change;
    return ["add", "move", "vote", "remove"].includes(said.kind) ? said : undefined;
  } catch (error) {
    console.warn("what came is no change", error);
    return undefined;
  }
}
@@ file src/sharing.test.ts
import { expect, it } from "vitest";
import { readChange } from "./sharing";

it("reads changes", () => {
  expect(readChange('{"kind":"vote","card":"1"}')).toEqual({ kind: "vote", card: "1" });
});

it("takes nothing else", () => {
  expect(readChange('{"kind":"explode"}')).toBeUndefined();
  expect(readChange("no json")).toBeUndefined();
});

@@ commit 2026-09-19 21:03 sol
Columns sort by votes on demand

Co-authored-by: Copilot <copilot@assistant.example>
@@ edit src/board.ts
  | { kind: "remove"; card: string };
@@ into
  | { kind: "remove"; card: string }
  | { kind: "sort"; column: string };
@@ edit src/board.ts
    case "move":
      return moved(board, change.card, change.to, change.at);
@@ into
    case "move":
      return moved(board, change.card, change.to, change.at);
    case "sort":
      return eachColumn(board, (column) =>
        column.id === change.column ? byVotes(column.cards) : column.cards,
      );
@@ edit src/board.ts
function without(cards
@@ into
function byVotes(cards: readonly Card[]): readonly Card[] {
  return [...cards].sort((one, other) => other.votes - one.votes);
}

function without(cards
@@ edit src/ColumnView.tsx
      <h2>{column.title}</h2>
@@ into
      <h2>{column.title}</h2>
      <button onClick={() => change({ kind: "sort", column: column.id })}>by votes</button>
@@ edit src/sharing.ts
["add", "move", "vote", "remove"]
@@ into
["add", "move", "vote", "remove", "sort"]
@@ edit src/board.test.ts
  it("is left as it is
@@ into
  it("sorts by votes", () => {
    const voted = changed(filled(), { kind: "vote", card: "2" });
    const board = changed(voted, { kind: "sort", column: "ideas" });
    expect(texts(board, "ideas")).toEqual(["Paint the boat", "Name the boat"]);
  });

  it("is left as it is

@@ commit 2026-09-20 11:36 wen
A README, and what the assistant was told
@@ file .github/copilot-instructions.md
Boards are values. Never change one in place: return a new one from `changed`.
Write tests with vitest, next to what they test.
@@ file README.md
# Boardwalk

A board for teams that meet on a pier with bad reception: ideas, what is being
done, what is done. It lives in the browser and works without a network.

## Getting started

```
npm install
npm run dev
```

Open http://localhost:5173, write a card, drag it, vote for it. Reload: it is
still there.

## How it works

`board.ts` is a reducer over plain values and has all the tests. `keeping.ts`
puts the last value into IndexedDB. `sharing.ts` sends changes, not boards, to
whoever looks at the same board.

We used Copilot for the tests and for sorting; those commits say so.
