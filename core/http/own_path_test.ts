import { expect, test } from "bun:test";
import { ownPath } from "./own_path.ts";

test("a path of this instance is unchanged", () => {
  for (const path of ["/", "/books/a?x=1#y", "/settings/users", "/a:b@c"]) expect(ownPath(path)).toBe(path);
});

test("a path that leads to another site becomes the home page", () => {
  const bad = [
    "//evil.test",
    "/\\evil.test",
    "\\\\evil.test",
    "https://evil.test",
    "javascript:alert(1)",
    "",
    undefined,
  ];
  const worse = ["/\t/evil.test", "/\n/evil.test", "evil.test", " //evil.test", 7, ["/a"], "/a\\..\\..\\evil"];
  for (const sent of [...bad, ...worse]) expect(ownPath(sent)).toBe("/");
  for (const sent of ["/.//evil.test", "/..//evil.test", "/a/..//evil.test"]) {
    expect(ownPath(sent)).toBe("/evil.test");
    expect(new URL(ownPath(sent), "http://house").host).toBe("house");
  }
});
