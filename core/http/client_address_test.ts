import { expect, test } from "bun:test";
import { clientAddress, networkOf, trustedProxies } from "./client_address.ts";

test("clientAddress() ignores what an untrusted peer forwards", () => {
  expect(clientAddress("203.0.113.9", "1.2.3.4", trustedProxies(""))).toBe("203.0.113.9");
  expect(clientAddress("203.0.113.9", "1.2.3.4", trustedProxies("10.0.0.0/8"))).toBe("203.0.113.9");
});

test("clientAddress() is the nearest hop that is not a trusted proxy", () => {
  const proxies = trustedProxies("10.0.0.0/8, 192.168.1.5");
  expect(clientAddress("10.0.0.1", "6.6.6.6, 203.0.113.9, 192.168.1.5", proxies)).toBe("203.0.113.9");
  expect(clientAddress("10.0.0.1", "203.0.113.9", trustedProxies("*"))).toBe("203.0.113.9");
});

test("clientAddress() shows mapped IPv4 addresses as IPv4", () => {
  expect(clientAddress("::ffff:203.0.113.9", null, trustedProxies(""))).toBe("203.0.113.9");
});

test("clientAddress() accepts malformed X-Forwarded-For", () => {
  expect(clientAddress("10.0.0.1", "unknown, <script>", trustedProxies("*"))).toBe("10.0.0.1");
});

test("clientAddress() stops at a hop that is not an address, so that clients cannot forge theirs", () => {
  const proxies = trustedProxies("10.0.0.0/8");
  for (const broken of [
    "",
    "unknown",
    "1",
    "010.1.1.1",
    "0x7f.0.0.1",
    "1.2.3.4.5",
    "5.5.5.5:",
    "[5.5.5.5]:44",
    "5.5.5.5:x",
  ])
    expect([broken, clientAddress("10.0.0.1", `6.6.6.6, ${broken}, 10.0.0.2`, proxies)]).toEqual([broken, "10.0.0.2"]);
  expect(clientAddress("10.0.0.1", "6.6.6.6, 2001:db8::1::2", trustedProxies("*"))).toBe("10.0.0.1");
  expect(clientAddress("", "6.6.6.6", proxies)).toBe("");
  expect(clientAddress("", "6.6.6.6", trustedProxies("*"))).toBe("6.6.6.6");
});

test("clientAddress() reads hops with a port, in brackets and with a zone", () => {
  const from = (hop: string) => clientAddress("10.0.0.1", `10.0.0.9, ${hop}`, trustedProxies("10.0.0.0/8"));
  expect([from("5.5.5.5:44"), from("[2001:DB8::1]:443"), from("[2001:db8::1]")]).toEqual([
    "5.5.5.5",
    "2001:db8::1",
    "2001:db8::1",
  ]);
  expect([from("fe80::1%eth0"), from("[::ffff:5.5.5.5]:1")]).toEqual(["fe80::1", "5.5.5.5"]);
});

test("trustedProxies() reads either variable", () => {
  expect(clientAddress("10.0.0.1", "5.5.5.5", trustedProxies("", "10.0.0.0/8"))).toBe("5.5.5.5");
  expect(clientAddress("10.0.0.1", "5.5.5.5", trustedProxies("192.0.2.1", "10.0.0.0/8"))).toBe("10.0.0.1");
  expect(() => trustedProxies("", "proxy.example")).toThrow("Cannot read TRUSTED_PROXIES");
});

test("trustedProxies() throws for values that are not networks", () => {
  expect(() => trustedProxies("10.0.0.0/8, proxy.example")).toThrow(
    '"proxy.example" is neither an address nor a CIDR range',
  );
});

test("addresses of one IPv6 network have the same key, IPv4 addresses each their own", () => {
  expect(networkOf("2001:db8::1")).toBe(networkOf("2001:db8:0:0:ffff::2"));
  expect(networkOf("2001:db8::1")).not.toBe(networkOf("2001:db8:0:1::1"));
  expect(networkOf("::ffff:192.0.2.1")).toBe("192.0.2.1");
  expect(networkOf("192.0.2.2")).toBe("192.0.2.2");
  expect(networkOf("unknown")).toBe("unknown");
});
