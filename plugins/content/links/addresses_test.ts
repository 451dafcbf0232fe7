import { expect, test } from "bun:test";
import { addressesIn } from "./addresses.ts";

const BASE = "https://docs.example.com";

function pathsIn(html: string): string[] {
  return addressesIn(html, BASE).map(({ kind, path }) => `${kind} ${path}`);
}

test("addresses of all kinds are found, each once, whatever follows them", () => {
  expect(
    pathsIn(`<a href="${BASE}/books/a">b</a> <a href='${BASE}/books/a?x=1'>b</a>
    <a href="${BASE}/books/a/page/p#bkmrk-x">p</a> <a href="${BASE}/books/a/chapter/c/">c</a> <a href=${BASE}/shelves/s>s</a>`),
  ).toEqual(["book /books/a", "page /books/a/page/p", "chapter /books/a/chapter/c", "bookshelf /shelves/s"]);
});

test("an unknown path below a book counts as a link to the book", () => {
  expect(pathsIn(`<a href="${BASE}/books/a/draft/7">d</a>`)).toEqual(["book /books/a"]);
});

test("addresses of other instances, other paths and invalid escapes name no item", () => {
  expect(
    pathsIn(
      `<a href="https://else.example.com/books/a">x</a> <a href="${BASE}/api/books/1">y</a> <a href="${BASE}.evil/books/a">z</a>`,
    ),
  ).toEqual([]);
  expect(addressesIn(`<a href="${BASE}/books/%E0%A4%A">x</a>`, BASE)).toEqual([
    { path: "/books/%E0%A4%A", kind: "book", top: "", slug: "" },
  ]);
});
