import { expect, test } from "bun:test";
import type { TableName } from "../../db/mod.ts";
import { SYSTEM, type Viewer } from "../viewer.ts";
import { AnswerEntries } from "./answer_entries.ts";
import { ANSWER_FORMS } from "./answer_forms.ts";
import type { Asked, Known } from "./asked_answer.ts";
import { type AnswerReads, sharedAnswer, sharingOf } from "./shared_answers.ts";
import type { AlikeRows, SharedRows } from "./shared_rows.ts";

const PAGES = "pages" as TableName;
const entries = new AnswerEntries(1_000_000);
const reader: Viewer = { ...SYSTEM, id: 7, roles: [3], via: "token", admin: false };
const page: AlikeRows = { table: PAGES, owned_by: 1, like: "open", id: 3 };
const known: Known = { name: "pages", entries, tables: new Set(["pages"]), dependencies: [] };

/** Reads over plain entries; `meanwhile` happens while another reader loads the bytes, which this one gets. */
function readsOf(meanwhile: () => void): AnswerReads {
  return {
    allows: () => true,
    isSilent: () => false,
    current: (_known, key) => entries.get(key),
    async kept({ key, form, load }: Asked<object>) {
      const loaded = entries.get(key) ? undefined : await load(() => {});
      const answer = loaded && ANSWER_FORMS[form](loaded, 0);
      if (answer) entries.set(key, answer, []);
      return entries.get(key);
    },
    async answer<A extends object>({ isStill, load }: Asked<A>) {
      if (!isStill) return load(() => {});
      meanwhile();
      return { html: "of another reader" } as unknown as A;
    },
    combinable: async (_known, _key, load) => ({ value: await load(), since: 0 }),
  };
}

/** Rows of which a reader sees those that are "open". */
function rowsOf(rows: readonly AlikeRows[], ask = (_ids: readonly number[]) => {}): SharedRows {
  return {
    rightsTo: () => [],
    isNarrowed: () => false,
    facts: async () => ({ isSame: true, rows }),
    async sights(viewer, _table, ids) {
      ask(ids);
      const asked = rows.filter(({ id }) => ids.includes(id));
      return asked.map(({ like, owned_by }) => {
        const isOwn = owned_by === viewer.id;
        return { like, isOwn, isSeen: isOwn || like === "open" };
      });
    },
  };
}

/** What a reader gets of an item that shows these rows. */
async function read(rows: SharedRows, viewer = reader, meanwhile = () => {}, isSeen = () => true): Promise<unknown> {
  const sharing = sharingOf(known, { table: PAGES }, rows, entries);
  if (!sharing) throw new Error("Answers are not shared");
  const load = async () => (isSeen() ? { html: "own" } : undefined);
  return sharedAnswer(readsOf(meanwhile), sharing, { known, key: "own", form: "value", id: 3, load }, viewer);
}

test("a reader who loses sight while another one loads does not get the other's answer", async () => {
  entries.clear();
  expect(await read(rowsOf([page]))).toEqual({ html: "of another reader" });
  let isSeen = true;
  const revoked = () => {
    isSeen = false;
    entries.clear();
  };
  expect(await read(rowsOf([page]), reader, revoked, () => isSeen)).toBeUndefined();
});

test("where rights change again and again, a reader's answer is loaded for them alone", async () => {
  entries.clear();
  expect(await read(rowsOf([page]), reader, () => entries.clear())).toEqual({ html: "own" });
});

test("the store is asked once for rows that are alike, of all items, and again for readers of other roles and owners", async () => {
  entries.clear();
  const asked: (readonly number[])[] = [];
  const ask = (ids: readonly number[]) => void asked.push(ids);
  const closed = { ...page, like: "closed", id: 4 };
  const rows = rowsOf([page, closed], ask);
  await read(rows);
  await read(rows, { ...reader, id: 8 });
  await read(rowsOf([{ ...page, id: 5 }, closed], ask));
  expect(asked).toEqual([[3, 4]]);
  await read(rows, { ...reader, roles: [4] });
  expect(asked).toEqual([
    [3, 4],
    [3, 4],
  ]);
  await read(rows, { ...reader, id: 1 });
  expect(asked.length).toBe(3);
});

test("an item that a reader does not see has no answer", async () => {
  entries.clear();
  const closed = rowsOf([{ ...page, like: "closed" }]);
  expect(await read(closed)).toBeUndefined();
  expect(await read(closed)).toBeUndefined();
  expect(await read(closed, { ...reader, id: 1 })).toEqual({ html: "of another reader" });
});

test("answers are not shared where a rule tells more readers apart than roles and owners", () => {
  const rows: SharedRows = { ...rowsOf([]), rightsTo: () => undefined };
  expect(sharingOf(known, { table: PAGES }, rows, entries)).toBeUndefined();
  const dependent: Known = { ...known, tables: new Set(["pages", "comments"]) };
  const narrowed: SharedRows = { ...rowsOf([]), isNarrowed: (table) => table === ("comments" as TableName) };
  expect(sharingOf(dependent, { table: PAGES }, narrowed, entries)).toBeUndefined();
});
