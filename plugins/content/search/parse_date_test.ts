import { expect, test } from "bun:test";
import { parseDate } from "./parse_date.ts";

/** A Thursday. */
const NOW = new Date("2026-01-15T13:45:30.000Z");

test("dates are parsed as strtotime parses them", () => {
  for (const [text, found] of [
    ["2024-01-31", "2024-01-31T00:00:00"],
    ["2024/1/5", "2024-01-05T00:00:00"],
    ["2024-02", "2024-02-01T00:00:00"],
    ["31.12.2023", "2023-12-31T00:00:00"],
    ["12/31/2023", "2023-12-31T00:00:00"],
    ["2024-01-31 09:30", "2024-01-31T09:30:00"],
    ["2024-01-31T09:30:05Z", "2024-01-31T09:30:05"],
    ["2024-01-31T09:30:05.123456+02:00", "2024-01-31T07:30:05"],
    ["31 January 2024", "2024-01-31T00:00:00"],
    ["Jan 5th, 2024", "2024-01-05T00:00:00"],
    ["March 2024", "2024-03-01T00:00:00"],
    ["@86400", "1970-01-02T00:00:00"],
    ["", "2026-01-15T13:45:30"],
    ["now", "2026-01-15T13:45:30"],
    ["today", "2026-01-15T00:00:00"],
    ["Yesterday", "2026-01-14T00:00:00"],
    ["tomorrow noon", "2026-01-16T12:00:00"],
    ["yesterday 3:15 pm", "2026-01-14T15:15:00"],
    ["-1 week", "2026-01-08T13:45:30"],
    ["2 weeks ago", "2026-01-01T13:45:30"],
    ["a month ago", "2025-12-15T13:45:30"],
    ["+1 day -2 hours", "2026-01-16T11:45:30"],
    ["last month", "2025-12-15T13:45:30"],
    ["next year", "2027-01-15T13:45:30"],
    ["first day of last month", "2025-12-01T13:45:30"],
    ["last day of this month midnight", "2026-01-31T00:00:00"],
    ["monday", "2026-01-19T00:00:00"],
    ["thursday", "2026-01-15T00:00:00"],
    ["last thursday", "2026-01-08T00:00:00"],
    ["next thursday", "2026-01-22T00:00:00"],
    ["last friday", "2026-01-09T00:00:00"],
  ] as const)
    expect([text, parseDate(text, NOW)?.toISOString()]).toEqual([text, `${found}.000Z`]);
});

test("an invalid date is undefined", () => {
  for (const text of [
    "never",
    "2024-13-01",
    "week",
    "12",
    "yesterdays",
    "-",
    "99:99",
    "1 parsec ago",
    "x".repeat(1000),
  ])
    expect([text, parseDate(text, NOW)]).toEqual([text, undefined]);
});
