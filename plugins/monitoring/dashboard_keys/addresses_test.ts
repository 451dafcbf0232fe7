import { expect, test } from "bun:test";
import { isIn, networkOf } from "./addresses.ts";

const within = (range: string, address: string) => isIn([networkOf(range) ?? [null as never, 0]], address);

test("an address matches itself, and no longer address with the same prefix", () => {
  expect(within("10.0.0.1", "10.0.0.1")).toBe(true);
  expect(within("10.0.0.1", "10.0.0.17")).toBe(false);
  expect(within("2001:db8::1", "2001:0db8:0:0::1")).toBe(true);
  expect(within("2001:db8::1", "2001:db8::2")).toBe(false);
});

test("a range matches by its prefix, whatever the other bits", () => {
  for (const range of ["10.1.0.0/16", "10.1.200.7/16"]) {
    expect(within(range, "10.1.255.255")).toBe(true);
    expect(within(range, "10.2.0.0")).toBe(false);
  }
  expect(within("2001:db8::/32", "2001:db8:ffff::1")).toBe(true);
  expect(within("0.0.0.0/0", "203.0.113.9")).toBe(true);
  expect(within("0.0.0.0/0", "2001:db8::1")).toBe(false);
});

test("IPv4 mapped into IPv6 counts as IPv4 on either side", () => {
  expect(within("10.0.0.1", "::ffff:10.0.0.1")).toBe(true);
  expect(within("::ffff:10.0.0.1", "10.0.0.1")).toBe(true);
  expect(within("::ffff:10.0.0.0/104", "10.9.9.9")).toBe(true);
  expect(within("::ffff:10.0.0.0/104", "11.0.0.1")).toBe(false);
});

test("the zone of an address is ignored", () => {
  expect(within("fe80::1%eth0", "fe80::1%wlan1")).toBe(true);
});

test("other texts are rejected", () => {
  for (const text of [
    "",
    "*",
    "300.1.1.1",
    "10.1",
    "0x7f.0.0.1",
    "010.0.0.1",
    "1.2.3.4/33",
    "::/129",
    "::ffff:1.2.3.4/90",
  ])
    expect([text, networkOf(text)]).toEqual([text, undefined]);
  for (const text of ["10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8/8", "not an address", "1.2.3.4,5.6.7.8"])
    expect([text, networkOf(text)]).toEqual([text, undefined]);
  expect(isIn([networkOf("::/0") as never], "unknown")).toBe(false);
});
