import { expect, test } from "bun:test";
import { hostnameHash, interfacesHash, normalizeText, packagesHash, reposHash } from "./section_hashes.ts";

const bash = { name: "bash", currentVersion: "5.2.15-2", availableVersion: "5.2.15-3", needsUpdate: true };

test("hashes equal those of agents (dashboard-stats 6.6)", () => {
  expect(packagesHash([])).toBe("4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945");
  expect(hostnameHash("web-1")).toBe("c4719afa76fa448b5eca99e6736885846501d17956f2fcb2de5c916d723f3a87");
  expect(packagesHash([bash])).toBe("aba1c12438c9470f273310fa09134d9ab94f8fcc7028e0acba310ae9e60817ae");
});

test("order, duplicates and white space do not change a hash, a version does", () => {
  const curl = { name: "curl", currentVersion: "8" };
  const once = packagesHash([bash, curl]);
  expect(packagesHash([curl, { ...curl, currentVersion: "7" }, curl, { ...bash, name: " bash " }])).toBe(once);
  expect(packagesHash([bash, { ...curl, currentVersion: "9" }])).not.toBe(once);
  expect(reposHash([{ url: "b" }, { url: "a" }])).toBe(reposHash([{ url: "a" }, { url: "b", name: "" }]));
});

test("interfaces have the same hash in any order and with any speed", () => {
  const address = (text: string) => ({ address: text, family: "inet" });
  const eth = { name: "eth0", macAddress: "AA:BB", addresses: [address("2"), address("1")], speed: 10 };
  const same = { name: "eth0", macAddress: "aa:bb", addresses: [address("1"), address("2")] };
  expect(interfacesHash([eth, { name: "lo" }])).toBe(interfacesHash([{ name: "lo" }, same]));
});

test("characters that the store cannot hold are removed", () => {
  expect(normalizeText(" a\0b\ud800 ")).toBe("ab\ufffd");
  expect(normalizeText("e\u0301")).toBe("\u00e9");
  expect(normalizeText(7)).toBe("");
});
