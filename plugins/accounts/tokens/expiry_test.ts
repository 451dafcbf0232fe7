import { expect, test } from "bun:test";
import { defaultExpiry, isDay } from "./expiry.ts";

test("only days of the calendar are accepted", () => {
  for (const day of ["2031-01-01", "2028-02-29", "9999-12-31"]) expect(isDay(day)).toBe(true);
  for (const day of ["2031-1-1", "2031-02-29", "2031-13-01", "0000-01-01", "tomorrow", "", "2031-01-01T00:00:00Z"])
    expect(isDay(day)).toBe(false);
});

test("a token without an expiry date is valid for a hundred years", () => {
  expect(defaultExpiry(new Date("2026-03-04T23:59:59Z"))).toBe("2126-03-04");
});
