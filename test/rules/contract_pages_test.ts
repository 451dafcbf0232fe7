import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { contractPages, FOLDER, withoutErrors } from "./_contract_pages.ts";
import { readDoc, readServices, SERVICE_SLOTS } from "./_contracts.ts";
import { declaredIn } from "./_hooks.ts";
import { ROOT, readSources } from "./_source.ts";

test("the handbook has a current page of every contract; `bun test/rules/_contract_pages.ts` writes them", () => {
  const pages = contractPages();
  const contracts = declaredIn(readSources(), "Contracts").map(({ name }) => `${name}.md`);
  expect([...pages.keys()].sort()).toEqual([...contracts, "slots.md"].sort());
  expect(readdirSync(join(ROOT, FOLDER)).sort()).toEqual([...pages.keys()].sort());
  for (const [name, text] of pages) expect(readFileSync(join(ROOT, FOLDER, name), "utf8")).toBe(text);
});

test("the page of slots has every slot of a replaceable service, with its members", () => {
  const slots = readServices().filter(({ kind }) => kind === "slot");
  expect(slots.map(({ name }) => name)).toEqual([...SERVICE_SLOTS]);
  const page = contractPages().get("slots.md") ?? "";
  for (const { members } of slots) for (const { signature } of members) expect(page).toContain(signature);
});

test("docstrings are split into text, errors and examples", () => {
  const comment =
    "/**\n   * Reads `a`. Throws\n   * ApiError 404. Slow.\n   *\n   * Twice.\n   * @example\n   * a(\n   *   1,\n   * );\n   */";
  const doc = readDoc(comment);
  expect(doc).toEqual({ text: "Reads `a`. Throws ApiError 404. Slow.\n\nTwice.", examples: ["a(\n  1,\n);"] });
  expect(withoutErrors(doc)).toEqual({ text: "Reads `a`. Slow.\n\nTwice.", errors: "Throws ApiError 404." });
  expect(readDoc("/** One. */")).toEqual({ text: "One.", examples: [] });
});
