import { expect, test } from "bun:test";
import { checksumOf, findPassages } from "./passages.ts";

const HTML =
  '<p id="bkmrk-a">Call the <b>DBA</b> now.</p>\n<p id="bkmrk-b">Call the\nDBA again, or the night shift.</p><ul id="bkmrk-c"><li>one</li><li>two</li></ul>';

/** The first passage that is found by a quote. */
function passage(quote: string, html = HTML) {
  const [found] = findPassages(html, [{ place: "", quote }]);
  if (!found) throw new Error(`There is no "${quote}"`);
  return found;
}

/** Where a passage is after an edit. */
function after(quote: string, edited: string): string | undefined {
  return findPassages(edited, [passage(quote)])[0]?.place.replace(/:\d+:/, " ");
}

test("a checksum is that of BookStack's scripts", () => {
  expect(checksumOf("Discuss")).toBe("8266405305937129");
  expect(checksumOf("a  \n b")).toBe(checksumOf("ab"));
});

test("a place says its passage while its element has the text it had, across elements and line breaks", () => {
  const found = passage("the DBA again");
  expect(found).toEqual({
    place: `bkmrk-b:${checksumOf("Call the\nDBA again, or the night shift.")}:5-18`,
    quote: "the DBA again",
    before: "Call the DBA now. Call ",
    after: ", or the night shift.onetwo",
  });
  expect(findPassages(HTML, [{ place: found.place }])).toEqual([found]);
  expect(findPassages(HTML, [{ place: "bkmrk-b:1:5-18" }, { place: "nowhere" }])).toEqual([null, null]);
  const whole = findPassages(HTML, [{ place: `bkmrk-c:${checksumOf("onetwo")}:` }]);
  expect(whole).toMatchObject([{ quote: "onetwo" }]);
});

test("a passage follows its text through an edit", () => {
  expect(after("the DBA again", HTML.replace("Call the\nDBA", "Please call the DBA"))).toBe("bkmrk-b 12-25");
  expect(after("the night shift", `<p id="bkmrk-n">the night shift</p>${HTML}`)).toBe("bkmrk-b 23-38");
  expect(after("the night shift", HTML.replace("Call the\nDBA again, or", "or").replace("bkmrk-b", "bkmrk-or"))).toBe(
    "bkmrk-or 3-18",
  );
  expect(after("DBA", HTML.replace("bkmrk-a", "bkmrk-z"))).toBe("bkmrk-z 9-12");
  const long = "Whoever is on call asks the DBA first.";
  const [before, moved] = [`<p id="bkmrk-l">${long}</p>${HTML}`, `${HTML}<p id="bkmrk-m">So: ${long}</p>`];
  expect(findPassages(moved, [passage(long, before)])).toMatchObject([{ quote: long }]);
});

test("a passage that is gone is not found in other words, and a short one not elsewhere", () => {
  expect(after("the DBA again", HTML.replace("again", "once more"))).toBeUndefined();
  const html = '<p id="bkmrk-a">one two</p><p id="bkmrk-b">three four five six seven eight two nine</p>';
  expect(findPassages(html.replace("one two", "one"), [passage("two", html)])).toEqual([null]);
});

test("a range that is in several elements ends with the first, and no character is cut", () => {
  expect(passage("now. Call the")).toMatchObject({ quote: "now." });
  const long = `<p id="bkmrk-x">${"a".repeat(999)}😀b</p>`;
  const [found] = findPassages(long, [{ place: `bkmrk-x:${checksumOf(`${"a".repeat(999)}😀b`)}:` }]);
  expect(found?.quote).toBe("a".repeat(999));
});
