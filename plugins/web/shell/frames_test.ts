import { expect, test } from "bun:test";
import { BootError } from "lectern/core";
import { DEFAULT_SOURCES, frameSources } from "./frames.ts";

const BASE = "https://docs.example.com/wiki";

test("frames show documents of allowed sources, as a Content-Security-Policy does", () => {
  const { allows, policy } = frameSources(DEFAULT_SOURCES, BASE);
  expect(policy).toBe(`'self' ${DEFAULT_SOURCES}`);
  for (const address of [
    "https://www.youtube.com/embed/x",
    "//player.vimeo.com/video/1",
    "https://embed.DRAW.io:443/?a",
  ])
    expect([address, allows(address)]).toEqual([address, true]);
  for (const address of [
    "http://www.youtube.com/embed/x",
    "https://youtube.com/",
    "https://www.youtube.com.evil.test/",
    "https://evil.test/?https://www.youtube.com",
    "https://www.youtube.com@evil.test/",
    "https://www.youtube.com:8443/",
    "/attachments/1",
    "javascript:alert(1)",
    "data:text/html,x",
    "",
  ])
    expect([address, allows(address)]).toEqual([address, false]);
});

test("sources have optional schemes, ports and paths", () => {
  const some = frameSources("maps.example.com:* http://grafana.local:3000/d/", BASE);
  expect(some.allows("https://maps.example.com:8443/x")).toBe(true);
  expect(some.allows("http://grafana.local:3000/d/1")).toBe(true);
  expect(some.allows("http://grafana.local:3000/login")).toBe(false);
  expect(frameSources("*", BASE).allows("https://anything.test/")).toBe(true);
  expect(frameSources("*", BASE).allows("javascript:alert(1)")).toBe(false);
  expect(frameSources(" ", BASE)).toMatchObject({ policy: "'self'" });
  expect(frameSources("", BASE).allows("https://www.youtube.com/")).toBe(false);
});

test("an invalid source stops the boot", () => {
  for (const setting of ["https://a.test; script-src *", "'unsafe-inline'", "data:", "https://a.test,https://b.test"])
    expect(() => frameSources(setting, BASE)).toThrow(BootError);
});
