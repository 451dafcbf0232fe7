import { expect, test } from "bun:test";
import { avatar, initialsOf } from "./avatar.ts";

test("initials are letters of the first and the last word, in any script", () => {
  const names = [
    "Ann",
    "Ann-Mary van Dyke",
    "  émile  zola ",
    "李 小龙",
    "Дарья",
    "(Bob) 3rd",
    "<img>",
    "…",
    "",
    "𝒜da 𝒷o",
  ];
  expect(names.map(initialsOf)).toEqual(["A", "AD", "ÉZ", "李小", "Д", "B3", "I", "", "", "𝒜𝒷"]);
});

test("a picture is shown where there is one, and a name is drawn where there is none", () => {
  const drawn = avatar({ name: `"><script>` }).toString();
  expect(drawn).toMatch(/^<span class="avatar hue-\d+" aria-hidden="true"><small>S<\/small><\/span>$/);
  expect(avatar({ name: `"><script>`, url: "http://localhost/user_avatar.png" }).toString()).toBe(drawn);
  const shown = avatar({ name: "Ann", url: `http://localhost/a"b.png`, isLarge: true }).toString();
  expect(shown).toContain(`class="avatar large" src="http://localhost/a&quot;b.png" alt=""`);
});
