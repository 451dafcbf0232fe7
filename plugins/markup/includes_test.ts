import { describe, expect, test } from "bun:test";
import { markup } from "./mod.ts";

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

function render(html: string, asked: number[][] = []): Promise<string> {
  return markup.render(html, async (ids) => {
    asked.push([...ids]);
    return new Map([...PAGES].filter(([id]) => ids.includes(id)));
  });
}

/** What is stored and what a reader sees (content-api 9.4 and recorded answers). */
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

  test("pages are asked for once, all those of a pass together", async () => {
    const asked: number[][] = [];
    await render("<p>{{@1#a}}{{@2#b}}{{@1#c}}{{@4}}{{@2#d}}</p>", asked);
    expect(asked).toEqual([[1, 2, 4], [5], [6]]);
  });

  test("a page without tags asks for nothing, and ids stay", async () => {
    const asked: number[][] = [];
    expect(await render('<p id="other">x</p>', asked)).toBe('<p id="other">x</p>');
    expect(asked).toEqual([]);
  });

  test("pages that include each other many times stay within bounds", async () => {
    const bomb = `<p>${"{{@3}} ".repeat(900)}</p>`;
    const start = performance.now();
    const shown = await markup.render(bomb, async () => new Map([[3, `<p>${"{{@3}} x ".repeat(900)}</p>`]]));
    expect(shown.length).toBeLessThan(12_000_000);
    expect(performance.now() - start).toBeLessThan(30_000);
  }, 60_000);
});
