import { expect, test } from "bun:test";
import { markedName, previewOf } from "./preview.ts";

test("what was found is marked, and nothing of a text is markup", () => {
  expect(previewOf("Stands in shallow water", ["shallow"])).toBe("Stands in <strong>shallow</strong> water");
  expect(previewOf("<b>Stands</b>", ["stand", "stands"])).toBe("&lt;b&gt;<strong>Stands</strong>&lt;/b&gt;");
  expect(markedName("Straße zum Café", ["cafe", "STRASSE"])).toBe("<strong>Straße</strong> zum <strong>Café</strong>");
  expect(markedName("Cafe\u0301 crème", ["é crem"])).toBe("Caf<strong>e\u0301 crèm</strong>e");
  expect(markedName("Red & RED", ["red"])).toBe("<strong>Red</strong> &amp; <strong>RED</strong>");
});

test("long texts are cut around what was found, or to their beginning", () => {
  const text = `${"a ".repeat(300)}heron${" b".repeat(300)}`;
  expect(previewOf(text, ["heron"])).toBe(`...${text.slice(568, 600)}<strong>heron</strong>${text.slice(605, 637)}...`);
  expect(previewOf(text, ["nowhere"])).toBe(`${text.slice(0, 260)}...`);
});
