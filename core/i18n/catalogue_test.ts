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
