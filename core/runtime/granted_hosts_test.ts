import { expect, test } from "bun:test";
import { Type as t } from "@sinclair/typebox";
import { checkGrants } from "./grant_kinds.ts";
import { grantedHosts, shownHost } from "./granted_hosts.ts";
import { definePlugin } from "./plugin.ts";

const plugin = definePlugin({
  name: "herald",
  grants: { net: ["api.example.com", "setting:address"] },
  settings: t.Object({
    address: t.String({ default: "", env: "HERALD_ADDRESS" }),
    others: t.Array(t.String(), { default: [] }),
  }),
  setup() {},
});

test.each([
  ["", []],
  ["https://Hooks.Example.com:8443/path?secret=1", ["hooks.example.com"]],
  ["http://[::1]:9000", ["[::1]"]],
  ["https://a.example, b.example:80 *.c.example", ["a.example", "b.example", "*.c.example"]],
  ["127.0.0.1", ["127.0.0.1"]],
])("the hosts of the setting %p are granted", (address, hosts) => {
  expect(grantedHosts(plugin, ["setting:address"], { address })).toEqual(hosts);
});

test("other hosts stay, a list of texts is a list of hosts, and any stays any", () => {
  const settings = { address: "https://a.example", others: ["b.example", "http://c.example/x"] };
  expect(grantedHosts(plugin, ["api.example.com", "setting:address", "setting:others"], settings)).toEqual([
    "api.example.com",
    "a.example",
    "b.example",
    "c.example",
  ]);
  expect(grantedHosts(plugin, "any", settings)).toBe("any");
});

test.each(["file:///etc/passwd", "https://", "*", "setting:others", "a/b", "secret@host"])(
  "%p is no host, and not shown",
  (address) => {
    expect(() => grantedHosts(plugin, ["setting:address"], { address })).toThrow(
      'Cannot read the settings of "herald": HERALD_ADDRESS: expected a URL or a host name, or several separated by commas',
    );
  },
);

test("the grant of a setting is shown with its variable, and one that does not exist is refused", () => {
  expect(["api.example.com", "setting:address", "setting:others"].map((host) => shownHost(plugin, host))).toEqual([
    "api.example.com",
    "setting:address (HERALD_ADDRESS)",
    "setting:others",
  ]);
  expect(() => checkGrants([{ ...plugin, grants: { net: ["setting:adress"] } }])).toThrow(
    '"grants" of the plugin "herald" names the host of the setting "adress" in "net", which it does not have; did you mean "address"?',
  );
});
