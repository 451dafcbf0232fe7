import { expect, test } from "bun:test";
import { rewriteLinks } from "./links.ts";
import { WikiNames } from "./wiki_links.ts";

const PAGES = [
  { path: "notes/Start here.md", name: "Begin" },
  { path: "notes/deep/Plan.md", name: "deep / The plan" },
  { path: "other/Plan.md", name: "Another" },
  { path: "other/long-name.md", name: "A long: name" },
];
const IMAGES = new Set(["img/Rack front.png"]);
const OTHERS = new Set(["files/manual.pdf"]);

function linked(markdown: string, from = "notes/deep/x.md") {
  const files = (paths: ReadonlySet<string>) => ({
    has: (path: string) => paths.has(path),
    addressOf: (path: string) => `AT/${path.replaceAll(" ", "%20")}`,
  });
  const paths = new Set([from, ...PAGES.map(({ path }) => path)]);
  return rewriteLinks(markdown, from, "root", {
    addressOf: (path, anchor) =>
      paths.has(path) ? `PAGE/${path.replaceAll(" ", "_")}${anchor ? `#${anchor}` : ""}` : undefined,
    isLoaded: (path) => paths.has(path),
    images: files(IMAGES),
    others: files(OTHERS),
    names: new WikiNames(PAGES, [...IMAGES, ...OTHERS]),
  });
}

test("links by name lead to the file of that name, the nearest of several, or to the page of that title", () => {
  for (const [text, becomes] of [
    ["[[Start here]]", "[Start here](PAGE/notes/Start_here.md)"],
    ["[[start HERE.md|go_on *now*]]", "[go_on *now*](PAGE/notes/Start_here.md)"],
    ["[[Plan]]", "[Plan](PAGE/notes/deep/Plan.md)"],
    ["[[other/plan#Big]]", "[plan](PAGE/other/Plan.md#Big)"],
    ["[[../../other/Plan]]", "[Plan](PAGE/other/Plan.md)"],
    ["[[The plan]]", "[The plan](PAGE/notes/deep/Plan.md)"],
    ["[[a long: Name]]", "[a long: Name](PAGE/other/long-name.md)"],
    ["[[#Steps]]", "[Steps](PAGE/notes/deep/x.md#Steps)"],
    ["| [[Plan\\|p]] |", "| [p](PAGE/notes/deep/Plan.md) |"],
    ["![[Rack front.png|200]]", "![Rack front.png](AT/img/Rack%20front.png)"],
    [
      "[[manual.pdf]] and ![[manual.pdf|the manual]]",
      "[manual.pdf](AT/files/manual.pdf) and [the manual](AT/files/manual.pdf)",
    ],
  ] as const)
    expect(linked(text).markdown).toBe(becomes);
});

test("what only looks like one is left as it is, and what is not found is named", () => {
  for (const text of ["`[[Plan]]`", "[[1]](https://example.com)", "[[Plan][1]]", "[[]]", "[[ ]]"])
    expect(linked(text)).toMatchObject({ markdown: text, unresolved: [] });
  const { markdown, unresolved, skipped, images, others } = linked(
    "[[Nothing|x]] ![[gone.png]] ![[Rack front.png]] [[manual.pdf]]",
  );
  expect(markdown).toStartWith("[[Nothing|x]] ![[gone.png]] ![");
  expect([unresolved, skipped]).toEqual([["[[Nothing|x]]"], ["![[gone.png]]"]]);
  expect([images, others]).toEqual([["img/Rack front.png"], ["files/manual.pdf"]]);
});
