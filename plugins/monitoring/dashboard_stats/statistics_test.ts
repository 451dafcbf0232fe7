import { expect, test } from "bun:test";
import { hasTag, Reading } from "./statistics.ts";

test("an entity tag matches in a list, weak or strong", () => {
  for (const header of ['W/"a"', '"a"', '"b", W/"a"', "*"]) expect(hasTag(header, 'W/"a"')).toBe(true);
  for (const header of [null, "", '"b"', "a"]) expect(hasTag(header, 'W/"a"')).toBe(false);
});

test("a reading has the tag of an earlier one exactly where the numbers are the same", () => {
  const numbers = {
    ...{ hosts: 3, needing: 2, at_risk: 1, outdated: 5, security: 1, repositories: 4, reports_24h: 9 },
    ...{ rebooting: 0, pending: 0, inactive: 0, at: "2026-01-01T00:00:00.000Z" },
    systems: [{ name: "Debian", count: 3 }],
    versions: [],
  };
  const first = new Reading(numbers);
  const at = "2026-01-01T00:00:01.000Z";
  expect(new Reading({ ...numbers, at }, first).etag).toBe(first.etag);
  expect(new Reading({ ...numbers, at }).etag).toBe(first.etag);
  expect(new Reading({ ...numbers, reports_24h: 10 }, first).etag).not.toBe(first.etag);
  expect(new Reading({ ...numbers, systems: [{ name: "Alpine", count: 3 }] }, first).etag).not.toBe(first.etag);
  expect(JSON.parse(new Reading({ ...numbers, at }, first).text)).toMatchObject({ total_hosts: 3, last_updated: at });
});
