import { expect, test } from "bun:test";
import type { Ui } from "lectern/contracts";
import { html } from "lectern/core";
import { scaled } from "../../../test/support/harness/machine_speed.ts";
import { difference } from "./difference.ts";

const ui = { html, t: (text: string) => text } as unknown as Ui;
const shown = (before: string, after: string) =>
  difference({ before, after }, ui)
    .toString()
    .replace(/<span class="unseen">.*?<\/span>/g, "")
    .replace(/^<div[^>]*>|<\/div>$|<\/?span>/g, "");

test("changes are shown by word, with context, and escaped", () => {
  expect(shown("one\ntwo <b>\nthree\n", "one\n2 <b>\nthree\n")).toBe(
    "one\n<del>two</del><ins>2</ins> &lt;b&gt;\nthree\n",
  );
  expect(shown("same", "same")).toBe("same");
  expect(shown("", "new\n")).toBe("<ins>new\n</ins>");
  expect(shown(`${"long ".repeat(200)}\nold\n`, `${"long ".repeat(200)}\nnew\n`)).toMatch(
    /^ \[…\] (?:l?o?n?g )?long .*\n<del>old<\/del><ins>new<\/ins>\n$/s,
  );
});

test("comparing entirely different texts is limited in time", () => {
  const random = (words: number, between: string) =>
    Array.from({ length: words }, () => Math.random().toString(36).slice(2, 9)).join(between);
  const started = performance.now();
  expect(shown(random(20_000, " "), random(20_000, " "))).toMatch(/^<del>.*<\/del><ins>.*<\/ins>$/s);
  expect(shown(random(20_000, "\n"), random(20_000, "\n"))).toContain("too long");
  expect(performance.now() - started).toBeLessThan(scaled(3_000));
});
