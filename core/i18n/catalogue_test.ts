import { expect, test } from "bun:test";
import { createTexts } from "./catalogue.ts";

test("say() falls back to English key by key, and later additions win", () => {
  const texts = createTexts();
  texts.add("de", { "validation.required": "Das Feld :attribute fehlt." });
  expect(texts.say("validation.required", { attribute: "name" }, "de_CH")).toBe("Das Feld name fehlt.");
  expect(texts.say("validation.string", { attribute: "name" }, "de")).toBe("The name must be a string.");
  texts.add("en", { "validation.string": "Text, please." });
  expect(texts.say("validation.string")).toBe("Text, please.");
  expect(texts.say("no.such.key")).toBe("no.such.key");
});

test("say() takes the English text itself as a key, so that every message can be replaced", () => {
  const texts = createTexts();
  texts.add("de", { ":noun not found": ":noun gibt es nicht" });
  expect(texts.say(":noun not found", { noun: "Book" }, "de")).toBe("Book gibt es nicht");
  expect(texts.say(":noun not found", { noun: "Book" })).toBe("Book not found");
});

test("translations of a reworded text are found under either wording", () => {
  const texts = createTexts();
  texts.rename({ "Changed of late": "Recently updated", "Made :name": "Created :name" });
  texts.add("es", { "Changed of late": "Novedades", "Made :name": ":name hecho" });
  texts.add("de", { "Recently updated": "Zuletzt geändert" });
  expect(texts.say("Recently updated", {}, "es")).toBe("Novedades");
  expect(texts.say("Created :name", { name: "A" }, "es_MX")).toBe("A hecho");
  expect(texts.say("Changed of late", {}, "de")).toBe("Zuletzt geändert");
  expect(texts.say("Changed of late", {}, "en")).toBe("Changed of late");
});

test("a theme replaces reworded texts by their old keys, other plugins do not", () => {
  const texts = createTexts();
  texts.add("de", { Sort: "Sortieren" });
  texts.rename({ Order: "Sort" });
  texts.add("de", { Order: "Bestellung" });
  expect([texts.say("Order", {}, "de"), texts.say("Sort", {}, "de")]).toEqual(["Bestellung", "Sortieren"]);
  expect([texts.say("Order"), texts.say("Sort")]).toEqual(["Order", "Sort"]);
  texts.override("de", { Order: "Reihenfolge" });
  texts.override("en", { Order: "Arrange" });
  expect([texts.say("Sort", {}, "de"), texts.say("Sort")]).toEqual(["Reihenfolge", "Arrange"]);
  texts.override("de", { Order: "Reihenfolge", Sort: "Ordnen" });
  expect(texts.say("Sort", {}, "de")).toBe("Ordnen");
});

test.each(["constructor", "__proto__", "toString", "hasOwnProperty"])("say() leaves %p as it is", (name) => {
  const texts = createTexts();
  texts.add("de", { "At most :max notes": "Höchstens :max Notizen" });
  expect([texts.say(name), texts.say(name, {}, "de"), texts.say(name, {}, "fr")]).toEqual([name, name, name]);
});

test("a text has the form of the number in it, by the rules of the language that it was found in", () => {
  const texts = createTexts();
  texts.add("en", { ":total notes": { one: "One note", other: ":total notes" } });
  texts.add("uk", {
    ":total notes": { one: ":total нотатка", few: ":total нотатки", many: ":total нотаток", other: ":total нотатки" },
    ":count notes of :total": { one: ":count із :total нотатки", other: ":count із :total нотаток" },
  });
  const said = (total: number | string, language?: string) => texts.say(":total notes", { total }, language);
  expect([said(1), said(21), said("1"), said(1, "de"), said(21, "de")]).toEqual([
    ...["One note", "21 notes", "One note", "One note", "21 notes"],
  ]);
  expect([said(21, "uk"), said(3, "uk"), said(11, "uk"), said(1.5, "uk")]).toEqual([
    ...["21 нотатка", "3 нотатки", "11 нотаток", "1.5 нотатки"],
  ]);
  expect(texts.say(":count notes of :total", { count: 5, total: 1 }, "uk")).toBe("5 із 1 нотатки");
  expect([texts.say(":total notes"), said("many", "uk")]).toEqual([":total notes", "many нотатки"]);
});

test("numbers are written as the caller wants, the form follows the number itself", () => {
  const texts = createTexts();
  texts.add("en", { ":count notes": { one: ":count note", other: ":count notes" } });
  const say = (count: number) => texts.say(":count notes", { count }, "en", (value) => `<${value}>`);
  expect([say(1), say(1000)]).toEqual(["<1> note", "<1000> notes"]);
});

test("a catalogue is read when a text of its language is first said, once, and what was added after it wins", () => {
  const texts = createTexts();
  let reads = 0;
  texts.add("pl", { Give: "Daj" });
  texts.add("pl", () => {
    reads++;
    return { Lend: "Pożycz", Give: "Podaj" };
  });
  texts.add("pl", { Take: "Weź" });
  texts.override("pl", { Lend: "Wypożycz" });
  expect([texts.languages(), texts.say("Lend"), reads]).toEqual([["en", "pl"], "Lend", 0]);
  expect(["Lend", "Give", "Take", "Keep"].map((key) => texts.say(key, {}, "pl"))).toEqual([
    ...["Wypożycz", "Podaj", "Weź", "Keep"],
  ]);
  expect([texts.say("Lend", {}, "pl-PL"), reads]).toEqual(["Wypożycz", 1]);
});

test("a language is looked for in the nearest catalogue, then in others of the same language, then in English", () => {
  const texts = createTexts();
  texts.add("pt-BR", { Bus: "Ônibus", Train: "Trem" });
  texts.add("zh-Hans", { Bus: "公交车" });
  expect(["pt", "pt-PT", "pt_BR"].map((language) => texts.say("Bus", {}, language))).toEqual(Array(3).fill("Ônibus"));
  expect(["zh", "zh-CN", "zh_CN", "zh-TW"].map((language) => texts.say("Bus", {}, language))).toEqual(
    Array(4).fill("公交车"),
  );
  texts.add("pt", { Bus: "Autocarro" });
  expect(["pt", "pt-PT", "pt-BR"].map((language) => texts.say("Bus", {}, language))).toEqual([
    ...["Autocarro", "Autocarro", "Ônibus"],
  ]);
  expect([texts.say("Train", {}, "pt-PT"), texts.say("Bus", {}, "nb"), texts.say("Bus", {}, "no tag")]).toEqual([
    ...["Trem", "Bus", "Bus"],
  ]);
});
