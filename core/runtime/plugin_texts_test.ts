import { expect, test } from "bun:test";
import { type CatalogueSource, createTexts } from "../i18n/catalogue.ts";
import { addPluginTexts } from "./plugin_texts.ts";

const plugin = (name: string, texts: Record<string, CatalogueSource>) => ({ name, texts });

/** Adds texts to a new catalogue; those of `shipped` are Lectern's. Returns the catalogue and what was warned of. */
function added(plugins: readonly ReturnType<typeof plugin>[], shipped: readonly ReturnType<typeof plugin>[] = []) {
  const texts = createTexts();
  const warnings: unknown[] = [];
  addPluginTexts(plugins, texts, { shipped, log: { warn: (_, fields) => void warnings.push(fields) } });
  return { texts, warnings };
}

test("plugins add texts of any language, the same ones too", () => {
  const { texts, warnings } = added([
    plugin("one", { de: { Lend: "Leihen" } }),
    plugin("two", { de: { Lend: "Leihen" }, it: { Lend: "Dare" } }),
  ]);
  expect(warnings).toEqual([]);
  expect([texts.say("Lend", {}, "de"), texts.say("Lend", {}, "it"), texts.say("Lend", {}, "fr")]).toEqual([
    "Leihen",
    "Dare",
    "Lend",
  ]);
});

test("different texts of two plugins for one key are refused with both names", () => {
  const plugins = [plugin("one", { de: { Lend: "Leihen" } }), plugin("two", { de: { Lend: "Borgen" } })];
  for (const shipped of [[], plugins])
    expect(() => added(plugins, shipped)).toThrow(
      'The plugin "two" gives the text "Lend" in "de" as "Borgen", and "one" as "Leihen"',
    );
});

test("Lectern's texts are used where a plugin that does not ship has others, whatever the order, with a warning", () => {
  const own = plugin("own", { de: { Lend: "Leihen" } });
  const other = plugin("other", { de: { Lend: "Borgen", Give: "Geben" } });
  for (const plugins of [
    [own, other],
    [other, own],
  ]) {
    const { texts, warnings } = added(plugins, [own]);
    expect([texts.say("Lend", {}, "de"), texts.say("Give", {}, "de")]).toEqual(["Leihen", "Geben"]);
    expect(warnings).toEqual([
      { plugin: "other", language: "de", key: "Lend", text: "Borgen", used: "Leihen", from: "own" },
    ]);
  }
});

test("messages of the runtime are not replaced", () => {
  const { texts, warnings } = added([
    plugin("one", { en: { "validation.required": "Nope", "validation.mine": "Mine" } }),
  ]);
  expect([texts.say("validation.required"), texts.say("validation.mine")]).toEqual([
    "The :attribute field is required.",
    "Mine",
  ]);
  expect(warnings).toMatchObject([{ plugin: "one", key: "validation.required", from: "core" }]);
});

test("texts that one plugin alone has in a language are read when they are used; others are read and compared at boot", () => {
  const read: string[] = [];
  const lazily = (language: string, text: string) => () => {
    read.push(language);
    return { Lend: text };
  };
  const own = plugin("own", { de: lazily("de", "Leihen"), pl: lazily("pl", "Pożycz") });
  const { texts, warnings } = added([own, plugin("other", { de: { Lend: "Borgen" } })], [own]);
  expect(read).toEqual(["de"]);
  expect(warnings).toMatchObject([{ plugin: "other", text: "Borgen", used: "Leihen" }]);
  expect([texts.say("Lend", {}, "de"), texts.say("Lend", {}, "pl"), read]).toEqual(["Leihen", "Pożycz", ["de", "pl"]]);
});
