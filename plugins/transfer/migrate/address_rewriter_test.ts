import { expect, test } from "bun:test";
import { AddressRewriter } from "./address_rewriter.ts";
import { TargetMap } from "./target_map.ts";

const targets = new TargetMap();
targets.addItem("/books/ops", { kind: "book", id: 11, path: "/books/ops-2" });
targets.addItem("/books/ops/page/db", { kind: "page", id: 12, path: "/books/ops-2/page/db" });
targets.addItem("/books/ops/chapter/db", { kind: "chapter", id: 13, path: "/books/ops-2/chapter/db" });
targets.addItem("/shelves/all", { kind: "bookshelf", id: 14, path: "/shelves/all" });
targets.addPage(5, { kind: "page", id: 12, path: "/books/ops-2/page/db" });
targets.addAttachment(6, 16);
targets.addImage("/uploads/images/gallery/2024-01/a.png", "/uploads/images/gallery/2024-01/xyza.png", {
  source: 7,
  target: 17,
});

const OLD = "https://wiki.example.com/docs";
const NEW = "http://localhost:8080";
const rewriter = new AddressRewriter(targets, ["http://10.0.0.7:6875", OLD], NEW);

function text(given: string): string {
  return rewriter.rewrite(given).text;
}

test("addresses of items are rewritten, with their suffix", () => {
  for (const [path, target] of [
    ["/books/ops", "/books/ops-2"],
    ["/books/ops/page/db?a=1&amp;b=2#bkmrk-x", "/books/ops-2/page/db?a=1&amp;b=2#bkmrk-x"],
    ["/books/ops/chapter/db/edit", "/books/ops-2/chapter/db/edit"],
    ["/shelves/all/", "/shelves/all/"],
    ["/link/5#bkmrk-x", "/link/12#bkmrk-x"],
    ["/attachments/6?open=true", "/attachments/16?open=true"],
    ["", ""],
    ["/", "/"],
    ["/books", "/books"],
  ] as const)
    expect(text(`<a href="${OLD}${path}">`)).toBe(`<a href="${NEW}${target}">`);
});

test("images keep the variants that exist here; others become the full image", () => {
  const folder = "/uploads/images/gallery/2024-01";
  for (const [path, target] of [
    [`${folder}/a.png`, `${folder}/xyza.png`],
    [`${folder}/scaled-1680-/a.png`, `${folder}/scaled-1680-/xyza.png`],
    [`${folder}/thumbs-150-150/a.png`, `${folder}/thumbs-150-150/xyza.png`],
    [`${folder}/scaled-840-/a.png`, `${folder}/xyza.png`],
  ] as const)
    expect(text(`![a](${OLD}${path})`)).toBe(`![a](${NEW}${target})`);
});

test("every base URL of the source is recognised with any scheme, and no other host", () => {
  expect(text("http://wiki.example.com/docs/books/ops, //10.0.0.7:6875/books/ops.")).toBe(
    `${NEW}/books/ops-2, ${NEW}/books/ops-2.`,
  );
  for (const other of [
    "https://wiki.example.com/books/ops",
    "https://wiki.example.com/docs2/books/ops",
    "https://wiki.example.com.evil.test/docs/books/ops",
    "http://10.0.0.7:68751/books/ops",
    "https://elsewhere.test/books/ops",
  ])
    expect(text(other)).toBe(other);
});

test("relative addresses are recognised only in links and images", () => {
  expect(text('<a href="/docs/attachments/6">')).toBe('<a href="/attachments/16">');
  expect(text("[x](/docs/link/5)")).toBe("[x](/link/12)");
  expect(text("<code>/docs/attachments/6</code>")).toBe("<code>/docs/attachments/6</code>");
});

test("ids of included pages and drawings are rewritten", () => {
  expect(text('{{@5}} {{@5#bkmrk-x}} {{@50}} <div drawio-diagram="7"> drawio-diagram="70"')).toBe(
    '{{@12}} {{@12#bkmrk-x}} {{@50}} <div drawio-diagram="17"> drawio-diagram="70"',
  );
});

test("unresolved addresses are kept and reported, and linked items are reported", () => {
  const { text, links, unresolved } = rewriter.rewrite(
    `${OLD}/books/gone and ${OLD}/books/ops and ${OLD}/attachments/9 and ${OLD}/settings and ${OLD}/books/ops/page/db`,
  );
  expect(text).toStartWith(`${OLD}/books/gone and`);
  expect(unresolved).toEqual([`${OLD}/books/gone`, `${OLD}/attachments/9`, `${OLD}/settings`]);
  expect(links.map(({ id }) => id)).toEqual([11, 12]);
});
