import { expect, test } from "bun:test";
import { maskAddress } from "./address_mask.ts";

test("an address keeps as many parts as the precision says", () => {
  for (const [address, precision, masked] of [
    ["192.123.45.5", 4, "192.123.45.5"],
    ["192.123.45.5", 3, "192.123.45.x"],
    ["192.123.45.5", 2, "192.123.x.x"],
    ["192.123.45.5", 1, "192.x.x.x"],
    ["192.123.45.5", 0, "x.x.x.x"],
    ["2001:db8:85a3:8d3:1319:8a2e:370:7348", 4, "2001:db8:85a3:8d3:1319:8a2e:370:7348"],
    ["2001:db8:85a3:8d3:1319:8a2e:370:7348", 3, "2001:db8:85a3:8d3:1319:8a2e:x:x"],
    ["2001:db8:85a3:8d3:1319:8a2e:370:7348", 1, "2001:db8:x:x:x:x:x:x"],
    ["2001:db8:85a3:8d3:1319:8a2e:370:7348", 0, "x:x:x:x:x:x:x:x"],
    ["2001:db8:85a3::", 2, "2001:db8:85a3:0:x:x:x:x"],
    ["::1", 3, "0:0:0:0:0:0:x:x"],
    ["::ffff:192.0.2.1", 3, "0:0:0:0:0:ffff:x:x"],
    ["", 0, ""],
  ] as const)
    expect([address, precision, maskAddress(address, precision)]).toEqual([address, precision, masked]);
});
