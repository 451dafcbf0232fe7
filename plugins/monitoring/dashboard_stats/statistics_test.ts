import { expect, test } from "bun:test";
import { hasTag } from "./statistics.ts";

test("an entity tag matches in a list, weak or strong", () => {
  for (const header of ['W/"a"', '"a"', '"b", W/"a"', "*"]) expect(hasTag(header, 'W/"a"')).toBe(true);
  for (const header of [null, "", '"b"', "a"]) expect(hasTag(header, 'W/"a"')).toBe(false);
});
