import { expect, test } from "bun:test";
import type { Comparison, Ui } from "lectern/contracts";
import { html } from "lectern/core";
import { difference } from "./difference.ts";

const ui = { html, t: (text: string) => text } as unknown as Ui;
const shown = (before: string, after: string, comparison?: Comparison) =>
  difference({ before, after, comparison }, ui)
    .toString()
    .replace(/<span class="unseen">.*?<\/span>/g, "")
    .replace(/^<div[^>]*>|<\/div>$|<\/?span>/g, "");

test("changes are shown with context, and escaped", () => {
  const parts: Comparison = [
    { value: `${"long ".repeat(200)}\n` },
    { value: "<old>", removed: true },
    { value: "new", added: true },
    { value: " end" },
  ];
  expect(shown("", "", parts)).toMatch(/^ \[…\] (?:l?o?n?g )?long .*\n<del>&lt;old&gt;<\/del><ins>new<\/ins> end$/s);
});

test("texts that were not compared are shown whole, and those too long to compare not at all", () => {
  expect(shown("Old", "New")).toBe("<del>Old</del><ins>New</ins>");
  expect(shown("same", "same")).toBe("same");
  expect(shown("", "", "long")).toContain("too long");
});
