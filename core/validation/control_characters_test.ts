import { expect, test } from "bun:test";
import { rejectControlCharacters } from "./control_characters.ts";

test("names of people and things in any script pass", () => {
  for (const name of ["", "Ann", "Zoë O’Neil", "نور", "עברית", "山田 太郎", "👩‍🚒", undefined, null, 7])
    expect(() => rejectControlCharacters({ name })).not.toThrow();
});

test("control characters are refused by field", () => {
  for (const text of [
    "a\nb",
    "a\r\nBcc: x",
    "\u001b[31mred",
    "a\u0000",
    "a\u007f",
    "a\u009b31m",
    "a\u2028b",
    "a\u202eb",
  ])
    expect(() => rejectControlCharacters({ name: "Ann", display_name: text })).toThrow(
      expect.objectContaining({
        status: 422,
        details: { validation: { display_name: ["The display name may not contain control characters."] } },
      }),
    );
});
