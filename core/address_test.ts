import { expect, test } from "bun:test";
import { clientAddress, trustedProxies } from "./address.ts";

test("clientAddress() ignores what an untrusted peer forwards", () => {
  expect(clientAddress("203.0.113.9", "1.2.3.4", trustedProxies(""))).toBe("203.0.113.9");
  expect(clientAddress("203.0.113.9", "1.2.3.4", trustedProxies("10.0.0.0/8"))).toBe("203.0.113.9");
});

test("clientAddress() walks back over trusted hops to the first that is not", () => {
  const proxies = trustedProxies("10.0.0.0/8, 192.168.1.5");
  expect(clientAddress("10.0.0.1", "6.6.6.6, 203.0.113.9, 192.168.1.5", proxies)).toBe("203.0.113.9");
  expect(clientAddress("10.0.0.1", "203.0.113.9", trustedProxies("*"))).toBe("203.0.113.9");
});

test("clientAddress() shows mapped IPv4 addresses as IPv4", () => {
  expect(clientAddress("::ffff:203.0.113.9", null, trustedProxies(""))).toBe("203.0.113.9");
});

test("clientAddress() survives forwarded nonsense", () => {
  expect(clientAddress("10.0.0.1", "unknown, <script>", trustedProxies("*"))).toBe("10.0.0.1");
});

test("trustedProxies() refuses what is no network", () => {
  expect(() => trustedProxies("10.0.0.0/8, proxy.example")).toThrow(
    '"proxy.example" is neither an address nor a CIDR range',
  );
});
