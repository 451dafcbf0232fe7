import { expect, test } from "bun:test";
import { acceptedOf, chosenLanguage } from "./languages.ts";

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
