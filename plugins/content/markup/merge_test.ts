/** Two changes of one text: nothing that either wrote is lost, and what does not collide is taken. */
import { expect, test } from "bun:test";
import { markup } from "./markup.ts";
import { mergeTexts } from "./merge.ts";

const BASE = "# Rota\n\nAda is on call.\n\n- Look\n- Restart\n\nThe end.\n";
const merged = (mine: string, theirs: string, base = BASE) => mergeTexts("markdown", { base, mine, theirs });

test("changes of different blocks are both taken, also of neighbours and within one list", () => {
  const mine = BASE.replace("Ada", "Bob").replace("- Look\n", "- Look\n- Wait\n");
  const theirs = BASE.replace("# Rota", "# On call").replace("- Restart\n", "- Restart it\n");
  expect(merged(mine, theirs)).toEqual([
    { text: "# On call\n\nBob is on call.\n\n- Look\n- Wait\n- Restart it\n\nThe end.\n" },
  ]);
  expect(merged(BASE.replace("- Look\n- Restart\n\n", ""), BASE.replace("end", "very end"))).toEqual([
    { text: "# Rota\n\nAda is on call.\n\nThe very end.\n" },
  ]);
});

test("what both changed differently collides, and what both changed alike does not", () => {
  expect(merged(BASE.replace("Ada", "Bob"), BASE.replace("Ada", "Eve"))).toEqual([
    { text: "# Rota\n\n" },
    { base: "Ada is on call.\n\n", mine: "Bob is on call.\n\n", theirs: "Eve is on call.\n\n" },
    { text: "- Look\n- Restart\n\nThe end.\n" },
  ]);
  expect(merged(BASE.replace("Ada", "Bob"), BASE.replace("Ada", "Bob"))).toEqual([
    { text: BASE.replace("Ada", "Bob") },
  ]);
  expect(merged(BASE.replace("Ada is on call.\n\n", ""), BASE.replace("Ada", "Eve"))).toMatchObject([
    {},
    { mine: "", theirs: "Eve is on call.\n\n" },
    {},
  ]);
});

test("of several blocks in a row that one changed, those collide that the other changed too", () => {
  expect(merged("1\n\n2\n\n3", "One\n\nII\n\nThree", "One\n\nTwo\n\nThree")).toEqual([
    { text: "1\n\n" },
    { base: "Two\n\n", mine: "2\n\n", theirs: "II\n\n" },
    { text: "3" },
  ]);
});

test("insertions in one place collide, as their order is open; appended texts are separated", () => {
  expect(merged("One\n\nmine", "One\n\ntheirs", "One")).toEqual([
    { text: "One\n\n" },
    { base: "", mine: "mine", theirs: "theirs" },
  ]);
  expect(merged("Zero\n\nOne", "One\n\nTwo", "One")).toEqual([{ text: "Zero\n\nOne\n\nTwo" }]);
  expect(merged("- a\n- b", "# T\n\n- a", "- a")).toEqual([{ text: "# T\n\n- a\n- b" }]);
});

test("fenced code is one block, whatever it holds", () => {
  const code = "```sh\nls\n\n# not a heading\n- not an item\n```\n";
  const base = `${code}\nEnd\n`;
  expect(merged(base.replace("ls", "ls -l"), base.replace("not an item", "no item"), base)).toMatchObject([
    { base: `${code}\n` },
    { text: "End\n" },
  ]);
});

test("HTML is merged by its elements, and by items and rows within them", () => {
  const base = '<h1 id="a">T</h1><ul><li>One</li><li>Two</li></ul><table><tbody><tr><td>x</td></tr></tbody></table>';
  const mine = base.replace("<li>One</li>", "<li>One</li><li>1.5</li>");
  const theirs = base.replace("</tr>", "</tr><tr><td>y</td></tr>").replace(">T<", ">U<");
  expect(mergeTexts("html", { base, mine, theirs })).toEqual([
    {
      text: '<h1 id="a">U</h1><ul><li>One</li><li>1.5</li><li>Two</li></ul><table><tbody><tr><td>x</td></tr><tr><td>y</td></tr></tbody></table>',
    },
  ]);
  const gone = mergeTexts("html", { base, mine, theirs: base.replace(/<ul>.*<\/ul>/, "") });
  expect(gone.some((part) => "mine" in part && part.mine.includes("1.5"))).toBe(true);
});

test("two writers who change a text at random lose no word, and what only one changed is taken", async () => {
  for (let seed = 1; seed <= 20; seed++) {
    let state = seed;
    const below = (limit: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((state / 2 ** 31) * limit);
    };
    let count = 0;
    const kinds = [
      (word: string) => `${word} and words\n\n`,
      (word: string) => `- ${word}\n`,
      (word: string) => `## ${word}\n\n`,
      (word: string) => `\`\`\`\n${word}\n\n${word}b\n\`\`\`\n\n`,
      (word: string) => `| ${word} | x |\n`,
    ];
    const block = (who: string) => kinds[below(kinds.length)]?.(`${who}${++count}x`) ?? "";
    const start = Array.from({ length: 60 }, () => block("base"));
    const edited = (who: string) => {
      const blocks = [...start];
      for (let edit = 0; edit < 200; edit++) {
        const at = below(blocks.length + 1);
        if (below(3) === 0 && blocks.length > 20) blocks.splice(at, 1);
        else if (below(2) === 0) blocks.splice(at, 0, block(who));
        else blocks[at] = `${(blocks[at] ?? "").trimEnd()} ${who}${++count}x\n\n`;
      }
      return blocks.join("");
    };
    const [base, mine, theirs] = [start.join(""), edited("mine"), edited("theirs")];
    for (const format of ["markdown", "html"] as const) {
      const asFormat = async (text: string) => (format === "html" ? markup.preview({ markdown: text }) : text);
      const check = async () => {
        const texts = { base: await asFormat(base), mine: await asFormat(mine), theirs: await asFormat(theirs) };
        const parts = mergeTexts(format, texts);
        const shown = parts.map((part) => ("text" in part ? part.text : part.mine + part.theirs)).join("");
        for (const [who, text] of [
          ["mine", texts.mine],
          ["theirs", texts.theirs],
        ] as const)
          for (const word of text.match(new RegExp(`${who}\\d+x`, "g")) ?? []) expect(shown).toContain(word);
        expect(mergeTexts(format, { ...texts, theirs: texts.base })).toEqual([{ text: texts.mine }]);
        expect(mergeTexts(format, { ...texts, mine: texts.base })).toEqual([{ text: texts.theirs }]);
      };
      await check();
    }
  }
});
