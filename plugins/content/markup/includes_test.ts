import { describe, expect, test } from "bun:test";
import { maxIncludedBytes, maxIncludeNotices, maxIncludes } from "./limits.ts";
import { createMarkup, markup } from "./markup.ts";

const SOURCE = '<p id="bkmrk-hello">Hello <b>you</b></p><ul id="bkmrk-items"><li>item</li></ul>';
const PAGES = new Map([
  [1, SOURCE],
  [2, '<p id="bkmrk-a">Hello <b>B</b></p>'],
  [3, '<p id="bkmrk-self">x {{@3}} y</p>'],
  [4, '<p id="bkmrk-two">{{@5}}</p>'],
  [5, '<p id="bkmrk-three">{{@6}}</p>'],
  [6, '<p id="bkmrk-four">{{@2}}</p>'],
  [7, ""],
  [8, '<pre id="bkmrk-pre">a\n  b</pre><table id="bkmrk-table"><tbody><tr><td>c</td></tr></tbody></table>'],
  [9, '<p id="bkmrk-bad" onclick="x">bad</p><script>alert(1)</script>'],
]);

function render(html: string, loaded: number[][] = []): Promise<string> {
  return markup.render(html, async (ids) => {
    loaded.push([...ids]);
    return new Map([...PAGES].filter(([id]) => ids.includes(id)));
  });
}

/** Stored HTML and its rendering (content-api 9.4 and recorded answers). */
const RENDERED: Record<string, [string, string]> = {
  "a section": ['<p id="bkmrk-p">start {{@1#bkmrk-hello}} end</p>', '<p id="bkmrk-p">start Hello <b>you</b> end</p>'],
  "a whole page": ['<p id="bkmrk-p">{{@1}}</p>', SOURCE],
  "a whole page within text": [
    '<p id="bkmrk-p">before {{@2}} after</p>',
    '<p id="bkmrk-before">before </p><p id="bkmrk-a">Hello <b>B</b></p><p id="bkmrk-p"> after</p>',
  ],
  "a list splits the paragraph": [
    '<p id="bkmrk-p">left {{@1#bkmrk-items}} right</p>',
    '<p id="bkmrk-left">left </p><ul id="bkmrk-items"><li>item</li></ul><p id="bkmrk-p"> right</p>',
  ],
  "code and a table are blocks": [
    '<p id="bkmrk-p">{{@8#bkmrk-pre}}</p><p id="bkmrk-q">a{{@8#bkmrk-table}}</p>',
    '<pre id="bkmrk-pre">a\n  b</pre><p id="bkmrk-a">a</p><table id="bkmrk-table"><tbody><tr><td>c</td></tr></tbody></table>',
  ],
  "an unknown section": ['<p id="bkmrk-p">a{{@1#bkmrk-nowhere}}b</p>', '<p id="bkmrk-p">ab</p>'],
  "an unknown page": ['<p id="bkmrk-p">a{{@987654321}}b</p>', '<p id="bkmrk-p">ab</p>'],
  "an unknown page alone": ['<p id="bkmrk-p">{{@99}}</p>', '<p id="bkmrk-p"></p>'],
  "an empty page": ['<p id="bkmrk-p">a{{@7}}b</p>', '<p id="bkmrk-p">ab</p>'],
  "an impossible page": ['<p id="bkmrk-p">a{{@99999999999999999999}}b</p>', '<p id="bkmrk-p">ab</p>'],
  "no include": [
    '<p id="bkmrk-p">{{@name}} {{ @1}} {{@1 stays</p>',
    '<p id="bkmrk-p">{{@name}} {{ @1}} {{@1 stays</p>',
  ],
  "a space before the number": ['<p id="bkmrk-p">{{@ 1 # bkmrk-hello }}</p>', '<p id="bkmrk-p">Hello <b>you</b></p>'],
  "text, not attributes": [
    '<p id="bkmrk-p">x <em>{{@1#bkmrk-hello}}</em> <a href="/%7B%7B@1%7D%7D" title="{{@1}}">y</a></p>',
    '<p id="bkmrk-p">x <em>Hello <b>you</b></em> <a href="/%7B%7B@1%7D%7D" title="{{@1}}">y</a></p>',
  ],
  code: ['<p id="bkmrk-p"><code>{{@1#bkmrk-hello}}</code></p>', '<p id="bkmrk-p"><code>Hello <b>you</b></code></p>'],
  "text at the top level": ["{{@2}} tail", '<p id="bkmrk-a">Hello <b>B</b></p> tail'],
  "a block early in a paragraph": [
    '<p id="bkmrk-p"><em>{{@1#bkmrk-items}}</em> and a long rest of it</p>',
    '<ul id="bkmrk-items"><li>item</li></ul><p id="bkmrk-p"> and a long rest of it</p>',
  ],
  "a block late in a paragraph": [
    '<p id="bkmrk-p">a long start of the text <em>k{{@1#bkmrk-items}}</em></p>',
    '<p id="bkmrk-p">a long start of the text <em>k</em></p><ul id="bkmrk-items"><li>item</li></ul>',
  ],
  "a block alone in an inline element": [
    '<p id="bkmrk-p"><em>{{@1#bkmrk-items}}</em></p>',
    '<ul id="bkmrk-items"><li>item</li></ul>',
  ],
  "a block late in a heading": [
    '<h2 id="bkmrk-h">Title {{@1#bkmrk-items}}</h2>',
    '<h2 id="bkmrk-h">Title </h2><ul id="bkmrk-items"><li>item</li></ul>',
  ],
  "a block alone in a heading": ['<h4 id="bkmrk-h"><b>{{@2}}</b></h4>', '<p id="bkmrk-a">Hello <b>B</b></p>'],
  "text in a heading": ['<h2 id="bkmrk-h">a {{@1#bkmrk-hello}}</h2>', '<h2 id="bkmrk-h">a Hello <b>you</b></h2>'],
  "a block in code": [
    '<pre id="bkmrk-c"><code>{{@8#bkmrk-pre}}, then a long line</code></pre>',
    '<pre id="bkmrk-pre">a\n  b</pre><pre id="bkmrk-c"><code>, then a long line</code></pre>',
  ],
  "a block in a summary": [
    '<details id="bkmrk-d"><summary>All items: {{@1#bkmrk-items}}</summary>rest</details>',
    '<details id="bkmrk-d"><summary>All items: </summary><ul id="bkmrk-items"><li>item</li></ul>rest</details>',
  ],
  "a block in small text": [
    '<ul id="bkmrk-u"><li><small>All items: {{@1#bkmrk-items}}</small></li></ul>',
    '<ul id="bkmrk-u"><li><small>All items: </small><ul id="bkmrk-items"><li>item</li></ul></li></ul>',
  ],
  "a block in small text of a heading": [
    '<h2 id="bkmrk-h">Title <small>{{@1#bkmrk-items}}</small></h2>',
    '<h2 id="bkmrk-h">Title </h2><ul id="bkmrk-items"><li>item</li></ul>',
  ],
  "a block in a list item": [
    '<ul id="bkmrk-u"><li>{{@1#bkmrk-items}}</li></ul>',
    '<ul id="bkmrk-u"><li><ul id="bkmrk-items"><li>item</li></ul></li></ul>',
  ],
  "the same page twice": ["{{@2}}{{@2}}", '<p id="bkmrk-a">Hello <b>B</b></p><p id="bkmrk-hello-b">Hello <b>B</b></p>'],
  "three levels, and no fourth": ["{{@4}}", '<p id="bkmrk-four">{{@2}}</p>'],
  "scripts of other pages": ["{{@9}}", '<p id="bkmrk-bad">bad</p>'],
};

describe("include tags", () => {
  test.each(Object.entries(RENDERED))("%s", async (_name, [stored, shown]) => {
    expect(await render(stored)).toBe(shown);
  });

  test("a page that includes itself ends after three passes", async () => {
    expect(await render("{{@3}}")).toContain("{{@3}}");
  });

  test("pages are loaded once, all of a pass together", async () => {
    const loaded: number[][] = [];
    await render("<p>{{@1#a}}{{@2#b}}{{@1#c}}{{@4}}{{@2#d}}</p>", loaded);
    expect(loaded).toEqual([[1, 2, 4], [5], [6]]);
  });

  test("a page without tags loads nothing, and ids stay", async () => {
    const loaded: number[][] = [];
    expect(await render('<p id="other">x</p>', loaded)).toBe('<p id="other">x</p>');
    expect(loaded).toEqual([]);
  });

  test("pages that include each other many times stay within bounds", async () => {
    const bomb = `<p>${"{{@3}} ".repeat(900)}</p>`;
    const shown = await markup.render(bomb, async () => new Map([[3, `<p>${"{{@3}} x ".repeat(900)}</p>`]]));
    // Each paragraph that is split gets an id.
    expect(shown.length).toBeLessThan(2 * maxIncludedBytes);
    expect(shown.split("This include was left out").length - 1).toBe(maxIncludeNotices);
  });

  test("a page full of tags has at most a hundred notices", async () => {
    const shown = await markup.render(`<p>${"{{@2#bkmrk-a}}".repeat(100_000)}end</p>`, async () => new Map(PAGES));
    expect(shown.split("Hello <b>B</b>").length - 1).toBe(maxIncludes);
    expect(shown.split("the page includes more than 100 parts").length - 1).toBe(maxIncludeNotices);
    expect(shown).toEndWith("end</p>");
  });
});

/** Allows four includes and 200 bytes. The notices contain HTML, which has to be shown as text. */
const limited = createMarkup({
  includes: () => ({ maxIncludes: 4, maxBytes: 200, notices: { number: "<b>many</b>", bytes: "<b>large</b>" } }),
});
const MANY = "<em>&lt;b&gt;many&lt;/b&gt;</em>";
const LARGE = "<em>&lt;b&gt;large&lt;/b&gt;</em>";

describe("the budget of includes", () => {
  const parsed: number[] = [];
  const shown = (html: string, pages: [number, string][]) =>
    limited.render(html, async (ids) => {
      parsed.push(...ids);
      return new Map(pages.filter(([id]) => ids.includes(id)));
    });

  test("a tag beyond the number is replaced by a notice as text, and its page is not loaded", async () => {
    parsed.length = 0;
    const html = '<p id="bkmrk-p">{{@1#a}}{{@1#a}}{{@2#a}}{{@1#a}}, {{@3#a}} and {{@4}}</p>';
    const pages: [number, string][] = [1, 2, 3, 4].map((id) => [id, `<p id="a">${id}</p>`]);
    expect(await shown(html, pages)).toBe(`<p id="bkmrk-p">1121, ${MANY} and ${MANY}</p>`);
    expect(parsed).toEqual([1, 2]);
  });

  test("includes of included pages count", async () => {
    const pages: [number, string][] = [
      [1, '<p id="a">{{@2#a}}{{@2#a}}{{@2#a}}</p>'],
      [2, '<p id="a">x</p>'],
    ];
    expect(await shown('<p id="bkmrk-p">{{@1#a}} {{@1#a}}</p>', pages)).toBe(
      `<p id="bkmrk-p">xx${MANY} ${MANY}${MANY}${MANY}</p>`,
    );
  });

  test("a page beyond the bytes is replaced by a notice, and smaller ones after it are still included", async () => {
    const pages: [number, string][] = [
      [1, `<p id="a">${"x".repeat(120)}</p>`],
      [2, '<p id="a">y</p>'],
    ];
    expect(await shown('<p id="bkmrk-p">{{@1#a}}|{{@1#a}}|{{@2#a}}</p>', pages)).toBe(
      `<p id="bkmrk-p">${"x".repeat(120)}|${LARGE}|y</p>`,
    );
  });

  test("a section counts with its own size, its page once", async () => {
    const page = `<p id="a">${"x".repeat(20)}</p><p id="b">${"y".repeat(100)}</p>`;
    expect(await shown('<p id="bkmrk-p">{{@1#a}}{{@1#a}}{{@1#a}}{{@1#b}}</p>', [[1, page]])).toBe(
      `<p id="bkmrk-p">${"x".repeat(60)}${LARGE}</p>`,
    );
  });

  test("size is that of the HTML in bytes, with multi-byte characters and entities", async () => {
    const pages: [number, string][] = [
      [1, `<p id="a">${"ä".repeat(60)}</p>`],
      [2, `<p id="a">${"&amp;".repeat(10)}</p>`],
    ];
    expect(await shown('<p id="bkmrk-p">{{@1#a}}{{@2#a}}{{@2#a}}</p>', pages)).toBe(
      `<p id="bkmrk-p">${"ä".repeat(60)}${"&amp;".repeat(10)}${LARGE}</p>`,
    );
  });

  test("a page that is loaded as too large is replaced by a notice", async () => {
    const html = '<p id="bkmrk-p">{{@1}}{{@2}}</p>';
    const loaded: number[] = [];
    const load = async (_ids: readonly number[], maxBytes: number) => {
      loaded.push(maxBytes);
      return new Map([
        [1, null],
        [2, "x".repeat(201)],
      ]);
    };
    expect(await limited.render(html, load)).toBe(`<p id="bkmrk-p">${LARGE}${LARGE}</p>`);
    expect(loaded).toEqual([200]);
  });

  test("the callback is not called for a tag beyond the budget", async () => {
    const references: string[] = [];
    const included = async (reference: string, html: string) => {
      references.push(reference);
      return html;
    };
    await limited.render("<p>{{@1}}{{@2}}{{@3}}{{@4}}{{@5}}</p>", async () => new Map([[2, null]]), included);
    expect(references).toEqual(["1", "3", "4"]);
  });
});
