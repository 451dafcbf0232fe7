import { expect, test } from "bun:test";
import { isCrossSite } from "./cross_site.ts";

const ORIGIN = "https://wiki.example.com";
const from = (headers: Record<string, string>) => isCrossSite(new Request(`${ORIGIN}/x`, { headers }), ORIGIN);

test("only this origin and the address bar are this site", () => {
  expect(from({ "sec-fetch-site": "same-origin" })).toBe(false);
  expect(from({ "sec-fetch-site": "none" })).toBe(false);
  for (const site of ["same-site", "cross-site", "", "Same-Origin"])
    expect([site, from({ "sec-fetch-site": site })]).toEqual([site, true]);
});

test("without Sec-Fetch-Site the origin decides", () => {
  expect(from({})).toBe(false);
  expect(from({ origin: ORIGIN })).toBe(false);
  expect(from({ origin: "http://10.0.0.5:8080", host: "10.0.0.5:8080" })).toBe(false);
  for (const origin of ["https://other.example.com", "null", "https://wiki.example.com:444"])
    expect([origin, from({ origin, host: "wiki.example.com" })]).toEqual([origin, true]);
});

test("credentials that a browser adds itself make no difference", () => {
  expect(from({ authorization: "Basic YTpi", "sec-fetch-site": "cross-site" })).toBe(true);
  expect(from({ authorization: "Token a:b" })).toBe(false);
});
