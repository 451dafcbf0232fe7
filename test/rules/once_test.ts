/** What has one helper is not written by hand a second time, so that there is one place to read and to change. */
import { expect, test } from "bun:test";
import { findAll, readSources } from "./_source.ts";
import { testSide } from "./_tests.ts";

const everything = readSources();
const tests = testSide(everything);
const product = everything.filter(({ path }) => !tests.has(path) && /^(?:core|db|plugins|themes)\//.test(path));

test("the 422 of a field is made by invalidFields", () => {
  const byHand = product.flatMap(({ path, text }) =>
    path === "core/errors.ts" ? [] : findAll(path, text, /\(422, "The given data was invalid\."/g, "use invalidFields"),
  );
  expect(byHand).toEqual([]);
});
