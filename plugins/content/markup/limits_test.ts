import { describe, expect, test } from "bun:test";
import { maxNesting } from "./limits.ts";
import { markup } from "./markup.ts";

const HOSTILE: [string, string][] = [
  ["100,000 nested divs", "<div>".repeat(100_000)],
  ["100,000 nested spans with text", "<span>x".repeat(100_000)],
  ["nested tables", "<table><tr><td>".repeat(20_000)],
  ["nested svg", "<svg><g>".repeat(30_000)],
  ["nested templates", "<template>".repeat(30_000)],
  ["formatting that spans many paragraphs", Array.from({ length: 5_000 }, (_each, n) => `<p><font a=${n}>x`).join("")],
  ["content fostered out of a table", `<table>${"<b></b>".repeat(30_000)}`],
  ["100,000 attributes", `<p ${Array.from({ length: 100_000 }, (_each, n) => `a${n}`).join(" ")}>x`],
  ["attributes for the body", Array.from({ length: 50_000 }, (_each, n) => `<body a${n}>`).join("")],
  ["the same paragraph 50,000 times", "<p>x</p>".repeat(50_000)],
  ["include tags that never close", "{{@1".repeat(200_000)],
  ["2,000,000 spaces within a paragraph", `<p>a${" ".repeat(2_000_000)}x</p>`],
  ["ids around a long run of spaces", `${"<div id=a>".repeat(150)}${" ".repeat(1_000_000)}x`],
  ["ids around a long text", "<div id=a>".repeat(150) + "x ".repeat(500_000)],
];

const BOUND_MS = 30_000;

describe("hostile HTML", () => {
  // Only quadratic time exceeds this bound, on however busy a machine: seconds against hours.
  test.each(HOSTILE)(
    "%s: stored and rendered in bounded time",
    async (_name, html) => {
      const start = performance.now();
      const content = await markup.store({ html });
      await markup.render(content.html, async () => new Map());
      expect(performance.now() - start).toBeLessThan(BOUND_MS);
    },
    2 * BOUND_MS,
  );

  test("text nested too deeply is kept", async () => {
    const depth = maxNesting * 3;
    const content = await markup.store({ html: `${"<div>".repeat(depth)}deep${"</div>".repeat(depth)}<p>after</p>` });
    expect(content.text).toBe("deep\nafter");
    expect(content.rendered).toContain("deep");
  });
});
