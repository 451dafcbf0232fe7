import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseQuery } from "../../plugins/content/search/parse_query.ts";
import { queryParts, withExactWords } from "../../plugins/web/reading/search_parts.ts";

test("queryParts() finds what is no word, and the query without it", () => {
  const query = 'walrus "sea lion" -[team=ops] {type:page} tusk';
  expect(queryParts(query)).toEqual([
    { kind: "exact", text: "sea lion", isNegated: false, rest: "walrus -[team=ops] {type:page} tusk" },
    { kind: "tag", text: "team=ops", isNegated: true, rest: 'walrus "sea lion" {type:page} tusk' },
    { kind: "filter", text: "type:page", isNegated: false, rest: 'walrus "sea lion" -[team=ops] tusk' },
  ]);
  expect(queryParts("„sea lion“ walrus")).toMatchObject([{ text: "sea lion", rest: "walrus" }]);
  expect(queryParts('walrus "" [] {}')).toEqual([]);
});

test("queryParts() finds the parts that the search finds in any query", () => {
  const piece = fc.constantFrom(...'ab -"[]{}\\:=“ \n'.split(""), '"a b"', "-[t=1]", "{type:page}", "walrus ");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const query = pieces.join("");
      const searched = parseQuery(query);
      const parts = queryParts(query);
      expect(parts.filter(({ kind }) => kind === "tag").length).toBeLessThanOrEqual(searched.tags.length);
      const tags = searched.tags.filter(
        ({ name, value }) => name !== "" || (value ?? "") !== "" || value !== undefined,
      );
      expect(parts.filter(({ kind }) => kind === "tag").map(({ isNegated }) => isNegated)).toEqual(
        tags.map(({ negated }) => negated),
      );
      expect(parts.filter(({ kind }) => kind === "exact").length).toBeLessThanOrEqual(searched.exacts.length);
    }),
  );
});

test("withExactWords() quotes whole words alone", () => {
  expect(withExactWords('walrsu "walrsu x" walrsus Walrsu', ["walrsu"])).toBe('"walrsu" "walrsu x" walrsus "Walrsu"');
});
