import { expect, test } from "bun:test";
import { networkOf } from "./address.ts";

test("addresses of one IPv6 network have the same key, IPv4 addresses each their own", () => {
  expect(networkOf("2001:db8::1")).toBe(networkOf("2001:db8:0:0:ffff::2"));
  expect(networkOf("2001:db8::1")).not.toBe(networkOf("2001:db8:0:1::1"));
  expect(networkOf("::ffff:192.0.2.1")).toBe("192.0.2.1");
  expect(networkOf("192.0.2.2")).toBe("192.0.2.2");
  expect(networkOf("unknown")).toBe("unknown");
});
