import { expect, test } from "bun:test";
import { fieldTime, utcTime, ZONES } from "./time_zones.ts";

test("a local time is converted in its zone, in summer and winter", () => {
  expect(utcTime("UTC", "2030-01-31T12:00")).toBe("2030-01-31T12:00:00.000Z");
  expect(utcTime("Europe/Berlin", "2030-01-31T12:00")).toBe("2030-01-31T11:00:00.000Z");
  expect(utcTime("Europe/Berlin", "2030-07-31T12:00")).toBe("2030-07-31T10:00:00.000Z");
  expect(utcTime("Asia/Kolkata", "2030-07-31T00:15")).toBe("2030-07-30T18:45:00.000Z");
  expect(utcTime("Europe/Berlin", "2030-03-31T03:30")).toBe("2030-03-31T01:30:00.000Z");
  expect(utcTime("Europe/Berlin", "2030-03-31T01:30")).toBe("2030-03-31T00:30:00.000Z");
});

test("an empty text is no time, and an invalid one is left for the API to reject", () => {
  expect(utcTime("UTC", " ")).toBeNull();
  expect(utcTime("UTC", "tomorrow")).toBe("tomorrow");
  expect(utcTime("UTC", "2030-02-31T12:00")).toBe("2030-02-31T12:00");
  expect(utcTime("Moon/Crater", "2030-01-31T12:00")).toBe("2030-01-31T12:00:00.000Z");
});

test("a time is shown in UTC, which is one of the offered zones", () => {
  expect(fieldTime("2030-01-31T11:00:00.000000Z")).toBe("2030-01-31T11:00");
  expect(fieldTime(null)).toBe("");
  expect(ZONES[0]).toBe("UTC");
  expect(ZONES).toContain("Europe/Berlin");
});
