import { expect, test } from "bun:test";
import { missingScripts } from "./missing_glyphs.ts";

test("writing systems with a missing glyph are named", () => {
  const has = (letter: string) => (/[\p{Script=Greek}\p{Script=Hangul}あ]/u.test(letter) ? letter : "box");
  expect(missingScripts("<p>Plain, naïve 🎉 → text</p>", has)).toEqual({});
  expect(missingScripts("<p>αβ 한국 日本 あア 字 ก ก 𗀀</p>", has)).toEqual({
    Han: "日",
    Katakana: "ア",
    Thai: "ก",
    "another writing system": "𗀀",
  });
  expect(missingScripts("日本", () => undefined)).toEqual({});
});
