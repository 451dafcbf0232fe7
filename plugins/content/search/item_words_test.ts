import { expect, test } from "bun:test";
import type { Executor } from "lectern/db";
import { wordsOfText } from "./changes.ts";
import { headingsIn } from "./headings.ts";
import { ItemWords } from "./item_words.ts";
import type { Vocabulary } from "./vocabulary.ts";

const ENTRY = /'([^']*)'/g;

test("the digest weights words by field, and marks those of names and headings", () => {
  const item = new ItemWords()
    .add("Red", "name")
    .add("ops", "tags")
    .add("Barn", "headings")
    .add("barn, red barn", "body");
  expect(item.words).toBe("'red' 'ops' 'barn'");
  expect(item.digest).toBe("'red':1A '=red' 'ops':2B '#ops' 'barn':3C '#barn' 'barn':4D,5D 'red':6D");
});

test("an item's words stay within the limits of PostgreSQL, and the first ones are kept", () => {
  const many = Array.from({ length: 200_000 }, (_, n) => `word${n}`).join(" ");
  const item = new ItemWords().add("Name", "name").add(`often often ${many} often`, "body");
  const words = [...item.words.matchAll(ENTRY)].map(([, word = ""]) => word);
  const bytes = words.reduce((sum, word) => sum + word.length + 4, 0);
  expect(words[0]).toBe("name");
  expect([bytes < 1_000_000, words.length > 50_000]).toEqual([true, true]);
  expect(item.digest.length).toBeLessThan(2_000);
  expect(item.digest).toContain("'often':");
});

test("the digest has the most frequent words of a body, and of equally frequent ones the first", () => {
  const often = Array.from({ length: 50 }, (_, n) => `often${n} `.repeat(n + 3));
  const twice = Array.from({ length: 30 }, (_, n) => `twice${n} `.repeat(2));
  const item = new ItemWords().add(
    `${Array.from({ length: 5_000 }, (_, n) => `once${n}`).join(" ")} ${twice.join(" ")} ${often.join(" ")}`,
    "body",
  );
  expect([...item.digest.matchAll(ENTRY)].map(([, word = ""]) => word)).toEqual([
    ...Array.from({ length: 50 }, (_, n) => `often${49 - n}`),
    ...Array.from({ length: 10 }, (_, n) => `twice${n}`),
  ]);
});

test("only the beginning of a very long heading is read", () => {
  const headings = headingsIn(`<h1>${"word <b>bold</b> ".repeat(100_000)}</h1><h2>after</h2>`);
  expect(headings.length).toBeLessThanOrEqual(20_000);
  expect(headings).toStartWith("  word  bold  word".slice(1));
  expect(headingsIn(`<h1>${"x".repeat(39_990)}<b class="cut">y</b></h1>`)).not.toContain("<");
});

test("headings are extracted from any HTML", () => {
  expect(
    headingsIn('<h1 id="a">Call <b>the</b> DBA</h1><p>not</p><h6>R&amp;D</h6>')
      .match(/[A-Za-z]+/g)
      ?.join(" "),
  ).toBe("Call the DBA R D");
  expect(headingsIn("<header>no</header>")).toBe("");
  expect(headingsIn("<h1>open")).toBe("");
});

test("the contract gives every word of a long text once, as searches split them", async () => {
  // What is learned belongs to the tests over a store.
  const vocabulary = { languages: { of: () => "en" }, learn: async () => {} } as unknown as Vocabulary;
  const split = (text: string) => wordsOfText(text, vocabulary, {} as Executor);
  const filler = `${"Gänse R&D ".repeat(2_000)}`;
  expect(await split(`${filler}Straße`)).toBe("'ganse' 'r' 'r&d' 'd' 'strasse'");
  expect(await split("")).toBe("");
});
