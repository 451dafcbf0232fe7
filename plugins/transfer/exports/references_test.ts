import { expect, test } from "bun:test";
import { permalink, withReferences } from "./references.ts";

const find = (base: string) => (address: string) =>
  address === permalink(base, 7) ? { kind: "page", id: 7 } : undefined;

test.each([
  ["[a](/link/7) [b](/link/8) /link/7", "[a]([[bsexport:page:7]]) [b](/link/8) /link/7"],
  ["[a](<https://e.com/link/7> 't')", "[a](<[[bsexport:page:7]]> 't')"],
  ['<a href="https://e.com/link/7?x#y">', '<a href="[[bsexport:page:7]]?x#y">'],
  ["<a href='/link/7#y'> <a href=/link/7>", "<a href='[[bsexport:page:7]]#y'> <a href=[[bsexport:page:7]]>"],
  [
    '<a href="/link/7/"> <a href="https://e.com/link/7/#y">',
    '<a href="[[bsexport:page:7]]"> <a href="[[bsexport:page:7]]#y">',
  ],
  ['<a href="/link/70"> <a href="/x/link/7">', '<a href="/link/70"> <a href="/x/link/7">'],
  ["[a](//e.com/link/7)", "[a](//e.com/link/7)"],
])("a permalink becomes a reference, with and without the host: %j", (text, wanted) => {
  expect(withReferences(text, "https://e.com", find("https://e.com"))).toBe(wanted);
});

test("a permalink below a path has that path", () => {
  const base = "https://e.com/docs";
  const text = "[a](/docs/link/7) [b](/link/7)";
  expect(withReferences(text, base, find(base))).toBe("[a]([[bsexport:page:7]]) [b](/link/7)");
});
