import { expect, test } from "bun:test";
import {
  acceptedOf,
  chosenLanguage,
  directionOf,
  localeTag,
  nearestOf,
  writtenDay,
  writtenNumber,
} from "./languages.ts";

test("languages are tried in the browser's order of weight", () => {
  expect(acceptedOf("fr;q=0.5, de-AT, en;q=0.7, *;q=0.1, xx;q=0")).toEqual(["de-AT", "en", "fr"]);
  expect(acceptedOf(null)).toEqual([]);
  expect(acceptedOf("'; drop table, ,;;,q=1,de;q=nonsense")).toEqual([]);
});

test("the user's choice wins, then the browser's, then the instance's", () => {
  const known = ["en", "de", "fr"];
  expect(chosenLanguage("fr", "de", known)).toBe("fr");
  expect(chosenLanguage(undefined, "ja, de-AT;q=0.9", known)).toBe("de-AT");
  expect(chosenLanguage("ja", "ja", known)).toBeUndefined();
  expect(chosenLanguage("de_AT", null, known)).toBe("de_AT");
});

test("tags of browsers and of the original find the catalogue of their language and script", () => {
  const known = ["en", "de", "pt-BR", "zh-Hans", "he"];
  const chosen = (tag: string) => chosenLanguage(tag, null, known);
  expect(["pt", "pt_BR", "pt-PT", "de_informal", "iw"].map(chosen)).toEqual([
    "pt",
    "pt_BR",
    "pt-PT",
    "de_informal",
    "iw",
  ]);
  expect(["zh", "zh-CN", "zh_CN"].map(chosen)).toEqual(["zh", "zh-CN", "zh_CN"]);
  // Texts in another script are declared as such.
  expect(["zh-TW", "zh-Hant"].map(chosen)).toEqual(["zh-Hans", "zh-Hans"]);
  expect([chosen("nb"), chosen("x"), chosen("constructor")]).toEqual([undefined, undefined, undefined]);
  expect(chosenLanguage(undefined, "nb, nn;q=0.9, de;q=0.8", known)).toBe("de");
  expect(nearestOf("pt-PT", ["pt-BR", "pt", "pt_PT", "es"])).toEqual(["pt_PT", "pt", "pt-BR"]);
});

test("a language runs in the direction of its script", () => {
  expect(["he", "ar-EG", "fa_IR", "az-Arab"].map(directionOf)).toEqual(Array(4).fill("rtl"));
  expect(["en", "ja", "az", "no tag"].map(directionOf)).toEqual(Array(4).fill("ltr"));
});

test("numbers and tags are those of the language", () => {
  expect([writtenNumber(1234.56, "de"), writtenNumber(1234.56, "en", 1), writtenNumber(1234, "de_CH")]).toEqual([
    ...["1.235", "1,234.6", "1'234"],
  ]);
  expect([writtenDay("2026-01-31", "de"), writtenDay("2026-01-31", "nb_NO"), writtenDay("2026-13-31", "de")]).toEqual([
    ...["31.01.2026", "31. jan. 2026", "2026-13-31"],
  ]);
  expect([localeTag("pt_BR"), localeTag("zh_hans_cn"), localeTag("no tag")]).toEqual(["pt-BR", "zh-Hans-CN", "en"]);
});
