/**
 * Precision: words with signs (`R&D`, `C++`, `node.js`) find the items that contain them, and not those that contain their parts. The
 * other items have the parts of all these words, in their names too, often and beside each other.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { SYSTEM, sql } from "lectern/core";
import { rows } from "lectern/db";
import { FOUND, ITEMS } from "../support/data/search_words.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

/** How many results of a query are looked at, and how many items there are beside the true ones. */
const [FIRST, OTHERS] = [10, 60];

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
  const book = (await runtime.ask("POST", "/api/books", { body: { name: "All" } })).body.id as number;
  const parts = Object.keys(FOUND).flatMap((word) => word.split(/[^\w]+/).filter((part) => part !== ""));
  const all = [
    ...Array.from({ length: OTHERS }, (_, at) => {
      const turned = [...parts.slice(at % parts.length), ...parts.slice(0, at % parts.length)];
      return [turned.slice(0, 20).join(" "), turned.concat(turned).join(", ")] as const;
    }),
    ...ITEMS,
  ];
  await rows(
    runtime.db,
    sql`insert into pages (book_id, name, slug, html, markdown, text, rendered, priority, editor)
      select ${book}::integer, name, 'item-' || at, '', '', text, '', 1, 'wysiwyg'
      from unnest(${all.map(([name]) => name)}::text[], ${all.map(([, text]) => text)}::text[]) with ordinality as made(name, text, at)`,
  );
  await runtime.runtime.jobs.drain();
});
afterAll(() => runtime.stop());

const places = new Map(ITEMS.map(([name], place) => [name, place]));
/** The total of a query, and the places of its first results. */
async function found(query: string) {
  const { body } = await runtime.ask("GET", `/api/search?query=${encodeURIComponent(query)}&count=${FIRST}`);
  return { total: body.total as number, first: body.data.map(({ name }: { name: string }) => places.get(name)) };
}

/** The queries of which the first results are not those that contain the word, or the total is not their number. */
async function wrong() {
  const answers: unknown[] = [];
  for (const [query, wanted] of Object.entries(FOUND)) {
    const { total, first } = await found(query);
    const right = first.filter((place: number | undefined) => place !== undefined && wanted.includes(place));
    const isRight = total === wanted.length && right.length === Math.min(FIRST, wanted.length);
    if (!isRight) answers.push({ query, total, right: right.length, wanted });
  }
  return answers;
}

test("a word with signs finds the items that contain it, and all of them", async () => {
  expect(Object.keys(FOUND).length).toBe(60);
  expect(await wrong()).toEqual([]);
});

test("entries of a version that did not index joined words find the same, before and after they are indexed again", async () => {
  const earlier = (column: string) =>
    sql`ts_delete(${sql.ref(column)}, array(select word from unnest(tsvector_to_array(${sql.ref(column)})) as word where word !~ '^[=#]?\\w+$'))`;
  await rows(
    runtime.db,
    sql`update search_index set document = '', words = ${earlier("words")}, digest = ${earlier("digest")}`,
  );
  await runtime.runtime.bus.perform("app_boot", SYSTEM, {}, async () => ({}));
  expect(await wrong()).toEqual([]);
  await runtime.runtime.jobs.drain();
  const joined = sql`words @@ $$'r&d'$$::tsquery`;
  expect((await rows(runtime.db, sql`select from search_index where ${joined}`)).length).toBe(
    FOUND["R&D"]?.length ?? 0,
  );
  expect(await rows(runtime.db, sql`select from search_index where document <> '2'::tsvector`)).toEqual([]);
});

test("the list of what contains each word is true", () => {
  for (const [word, wanted] of Object.entries(FOUND)) {
    const begins = /^\w/.test(word) ? String.raw`(?<!\w)` : "";
    const pattern = new RegExp(begins + word.replace(/[^\w]/g, "\\$&"), "i");
    const containing = ITEMS.flatMap(([name, text], place) => (pattern.test(`${name}\n${text}`) ? [place] : []));
    expect([word, containing]).toEqual([word, [...wanted]]);
  }
});
