import { expect, test } from "bun:test";
import { highlightedName, previewOf } from "./preview.ts";

test("matches are highlighted, and the text is escaped", () => {
  expect(previewOf("Stands in shallow water", ["shallow"])).toBe("Stands in <strong>shallow</strong> water");
  expect(previewOf("<b>Stands</b>", ["stand", "stands"])).toBe("&lt;b&gt;<strong>Stands</strong>&lt;/b&gt;");
  expect(highlightedName("Straße zum Café", ["cafe", "STRASSE"])).toBe(
    "<strong>Straße</strong> zum <strong>Café</strong>",
  );
  expect(highlightedName("Cafe\u0301 crème", ["é crem"])).toBe("Caf<strong>e\u0301 crèm</strong>e");
  expect(highlightedName("Red & RED", ["red"])).toBe("<strong>Red</strong> &amp; <strong>RED</strong>");
});

test("long texts are cut around the matches, or to their beginning", () => {
  const text = `${"a ".repeat(300)}heron${" b".repeat(300)}`;
  expect(previewOf(text, ["heron"])).toBe(`...${text.slice(568, 600)}<strong>heron</strong>${text.slice(605, 637)}...`);
  expect(previewOf(text, ["nowhere"])).toBe(`${text.slice(0, 260)}...`);
});
