import { expect, test } from "bun:test";
import { createTexts, GUEST, html } from "lectern/core";
import { createUi, isolated, type UiOptions } from "./ui.ts";

test("a name without bidirectional control characters is unchanged", () => {
  for (const name of ["Runbooks", "كتاب", "", "a :b"]) expect(isolated(name)).toBe(name);
  expect(isolated(3)).toBe(3);
});

test("bidirectional control characters are isolated, whether balanced or not", () => {
  expect(isolated("a\u202eb")).toBe("\u2068a\u202eb\u2069");
  expect(isolated("a\u2069\u202eb")).toBe("\u2068a\u202eb\u2069");
  expect(isolated("\u2067\u2067a\u2069")).toBe("\u2068\u2067\u2067a\u2069\u2069\u2069");
});

/** The `Ui` of a guest in a language, over one text. */
function uiIn(language: string) {
  const texts = createTexts();
  texts.add("en", { ":count notes": { one: ":count note", other: ":count notes" } });
  texts.add("he", { "Delete “:name”?": "למחוק את ”:name“?" });
  const icons = { draw: () => html`` } as unknown as UiOptions["icons"];
  return createUi({ texts, icons, root: "", serves: () => true }, GUEST, language);
}

test("numbers are written as the language does, and those that name something as digits", () => {
  const ui = uiIn("en");
  expect([ui.t(":count notes", { count: 1 }), ui.t(":count notes", { count: 1234.56 })]).toEqual([
    ...["1 note", "1,234.6 notes"],
  ]);
  expect([ui.t("Note #:number", { number: 1234 }), ui.t("Note :id", { id: 1234 })]).toEqual([
    "Note #1234",
    "Note 1234",
  ]);
  expect([ui.number(1234), uiIn("de_DE").number(1234), uiIn("xx").number(1234)]).toEqual(["1,234", "1.234", "1,234"]);
});

test("in texts from right to left a name in Latin letters keeps its signs at its ends", () => {
  const ask = (name: string, language = "he") => uiIn(language).t("Delete “:name”?", { name });
  expect(ask("Handbook (2nd)")).toBe("למחוק את ”\u2068Handbook (2nd)\u2069“?");
  expect([ask("Handbook"), ask("ספר (2)"), ask("Handbook (2nd)", "en")]).toEqual([
    ...["למחוק את ”Handbook“?", "למחוק את ”ספר (2)“?", "Delete “Handbook (2nd)”?"],
  ]);
});
