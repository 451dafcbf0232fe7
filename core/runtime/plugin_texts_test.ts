import { expect, test } from "bun:test";
import { createTexts } from "../i18n/catalogue.ts";
import { addPluginTexts } from "./plugin_texts.ts";

const plugin = (name: string, texts: Record<string, Record<string, string>>) => ({ name, texts });

test("plugins add texts of any language, the same ones too", () => {
  const texts = createTexts();
  addPluginTexts(
    [plugin("one", { de: { Lend: "Leihen" } }), plugin("two", { de: { Lend: "Leihen" }, it: { Lend: "Dare" } })],
    texts,
  );
  expect([texts.say("Lend", {}, "de"), texts.say("Lend", {}, "it"), texts.say("Lend", {}, "fr")]).toEqual([
    "Leihen",
    "Dare",
    "Lend",
  ]);
});

test("different texts of two plugins for one key are refused with both names", () => {
  const plugins = [plugin("one", { de: { Lend: "Leihen" } }), plugin("two", { de: { Lend: "Borgen" } })];
  expect(() => addPluginTexts(plugins, createTexts())).toThrow(
    'The plugin "two" gives the text "Lend" in "de" as "Borgen", and "one" as "Leihen"',
  );
});

test("messages of the runtime are not replaced", () => {
  const plugins = [plugin("one", { en: { "validation.required": "Nope", "validation.mine": "Mine" } })];
  expect(() => addPluginTexts(plugins, createTexts())).toThrow(
    'The plugin "one" gives the text "validation.required" in "en" as "Nope", and "core" as "The :attribute field is required."',
  );
});
