import { expect, test } from "bun:test";
import { highlightedName, previewOf } from "./preview.ts";

test("matches are highlighted, and the text is escaped", () => {
  expect(previewOf("Stands in shallow water", ["shallow"])).toBe("Stands in <strong>shallow</strong> water");
  expect(previewOf("<b>Stands</b>", ["stand", "stands"])).toBe("&lt;b&gt;<strong>Stands</strong>&lt;/b&gt;");
  expect(highlightedName("Straße zum Café", ["cafe", "STRASSE"])).toBe(
    "<strong>Straße</strong> zum <strong>Café</strong>",
  );
  expect(highlightedName("Cafe\u0301 crème", ["é crem"])).toBe("Caf<strong>e\u0301 crèm</strong>e");
  expect(highlightedName("Maßkrüge … größer", ["masskr", "ss", "grosser"])).toBe(
    "<strong>Maßkr</strong>üge … <strong>größer</strong>",
  );
  expect(highlightedName("ΟΔΟΣ οδός", ["οδος"])).toBe("<strong>ΟΔΟΣ</strong> <strong>οδός</strong>");
  expect(highlightedName("Red & RED", ["red"])).toBe("<strong>Red</strong> &amp; <strong>RED</strong>");
});

test("long texts are cut around the matches, and filled to 260 characters", () => {
  const text = `${"a ".repeat(300)}heron${" b".repeat(300)}`;
  const [before, after] = [text.slice(0, 600), text.slice(605)];
  expect(previewOf(text, ["heron"])).toBe(`...${before.slice(-32)}<strong>heron</strong>${after.slice(0, 223)}...`);
  expect(previewOf(text, ["nowhere"])).toBe(`${text.slice(0, 260)}...`);
  expect(previewOf(`${before}heron`, ["heron"])).toBe(`...${before.slice(-255)}<strong>heron</strong>`);
  expect(previewOf(`heron${after}`, ["heron"])).toBe(`<strong>heron</strong>${after.slice(0, 255)}...`);
});

test("an excerpt shows matches that are close to each other once, and others apart, as far as there is room", () => {
  const gap = " b".repeat(100);
  const [heron, before, after] = ["<strong>heron</strong>", gap.slice(-32), gap.slice(0, 32)];
  expect(previewOf(`heron crane${gap}heron${gap}${gap}heron`, ["heron", "crane"])).toBe(
    `${heron} <strong>crane</strong>${after}...${before}${heron}${after}...${before}${heron}`,
  );
  const many = "heron ".repeat(1_000);
  const shown = previewOf(many, ["heron"]);
  expect([shown.replace(/<\/?strong>/g, "").length <= 263, shown.endsWith("...")]).toEqual([true, true]);
});
