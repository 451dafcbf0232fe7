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

test("a reworded text is found by its old wording, in catalogues added before and after, and in calls", () => {
  const texts = createTexts();
  texts.add("de", { "Recently updated": "Zuletzt geändert" });
  texts.add("fr", { "Recently updated": "Mis à jour récemment", "Changed of late": "Nouveautés" });
  texts.rename({ "Changed of late": "Recently updated", "Made :name": "Created :name" });
  expect(texts.say("Changed of late", {}, "de")).toBe("Zuletzt geändert");
  expect(texts.say("Recently updated", {}, "fr")).toBe("Nouveautés");
  texts.add("de", { "Changed of late": "Neues", "Made :name": ":name gemacht", "Created :name": ":name angelegt" });
  expect(texts.say("Recently updated", {}, "de")).toBe("Neues");
  expect(texts.say("Made :name", { name: "A" }, "de")).toBe("A angelegt");
  expect(texts.say("Made :name", { name: "A" })).toBe("Created A");
  texts.add("en", { "Changed of late": "News" });
  expect(texts.say("Recently updated")).toBe("News");
});
