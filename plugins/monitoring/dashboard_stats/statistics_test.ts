import { expect, test } from "bun:test";
import { hasTag } from "./statistics.ts";

test("a tag is found in any list, weak or strong", () => {
  for (const header of ['W/"a"', '"a"', '"b", W/"a"', "*"]) expect(hasTag(header, 'W/"a"')).toBe(true);
  for (const header of [null, "", '"b"', "a"]) expect(hasTag(header, 'W/"a"')).toBe(false);
});
