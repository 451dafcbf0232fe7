import { expect, test } from "bun:test";
import { checkedSvg } from "./svg.ts";

test("shapes with their attributes are kept", () => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2">\n' +
    '<g transform="rotate(45 12 12)"><path d="M3 3l9-1.5,4.2Z"/><circle cx="5" cy="6" r="1" fill="#fff"/></g></svg>';
  expect(checkedSvg(`\n${svg.replace("fill", 'width="24" height="24" fill')}\n`)).toBe(
    svg.replaceAll(/<(path|circle)([^>]*)\/>/g, "<$1$2></$1>"),
  );
});

test("whatever runs, loads or names something is refused", () => {
  const inside = (content: string) => `<svg viewBox="0 0 24 24">${content}</svg>`;
  for (const [svg, problem] of [
    [inside("<script>alert(1)</script>"), 'element "script"'],
    [inside('<path d="M0 0" onclick="alert(1)"/>'), "attribute onclick"],
    ['<svg onload="alert(1)"></svg>', "attribute onload"],
    [inside('<a href="javascript:alert(1)"><path d="M0 0"/></a>'), 'element "a"'],
    [inside('<use href="https://example.com/x.svg#y"/>'), 'element "use"'],
    [inside('<image href="https://example.com/x.png"/>'), 'element "image"'],
    [inside('<path fill="url(https://example.com/x#y)"/>'), "attribute fill"],
    [inside('<path fill="URL (#y)"/>'), "attribute fill"],
    [inside("<style>path { fill: red }</style>"), 'element "style"'],
    [inside('<path style="fill: red"/>'), "attribute style"],
    [inside('<path id="main"/>'), "attribute id"],
    [inside("<foreignObject><b>x</b></foreignObject>"), 'element "foreignObject"'],
    [inside('<animate attributeName="href" to="javascript:alert(1)"/>'), 'element "animate"'],
    [inside("<!-- x -->"), "comment"],
    [inside("text"), 'Text "text"'],
    [`${inside("")}<b>x</b>`, "no single svg element"],
    ["<p>x</p>", "no single svg element"],
    ["", "no single svg element"],
    [inside(" ".repeat(20_000)), "more than 20000 characters"],
  ] as const)
    expect(() => checkedSvg(svg)).toThrow(problem);
});
