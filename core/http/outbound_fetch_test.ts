import { afterAll, beforeAll, expect, test } from "bun:test";
import { isPublic, outgoingFetch } from "./outbound_fetch.ts";

let server: ReturnType<typeof Bun.serve>;
beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) =>
      new URL(request.url).pathname === "/away"
        ? Response.redirect("http://169.254.169.254/", 302)
        : new Response(request.headers.get("host")),
  });
});
afterAll(async () => {
  await server.stop(true);
});

test.each([
  "127.0.0.1",
  "10.1.2.3",
  "169.254.169.254",
  "100.64.0.1",
  "::1",
  "fe80::1",
  "fd00::1",
  "::ffff:127.0.0.1",
  "0.0.0.0",
  "64:ff9b::a00:1",
  "::7f00:1",
  "::a9fe:a9fe",
])("isPublic() says no to %s", (address) => {
  expect(isPublic(address)).toBe(false);
});

test("isPublic() is true for ordinary addresses", () => {
  expect(isPublic("93.184.215.14")).toBe(true);
  expect(isPublic("2606:2800:21f:cb07:6820:80da:af6b:8b2c")).toBe(true);
});

test("outgoingFetch() refuses hosts that were not granted, other schemes and private addresses", async () => {
  const calm = outgoingFetch({ hosts: ["*.example.com"], allowPrivate: "" }, async () => [
    { address: "127.0.0.1", family: 4 },
  ]);
  await expect(calm("http://other.example/")).rejects.toThrow("not granted this host");
  await expect(calm("file:///etc/passwd")).rejects.toThrow("only http and https");
  await expect(calm("http://hooks.example.com/")).rejects.toThrow("private or reserved");
  const any = outgoingFetch({ hosts: "any", allowPrivate: "" });
  for (const url of ["http://2130706433/", "http://0x7f.1/", "http://[::1]/", "http://[::ffff:7f00:1]/"]) {
    await expect(any(url)).rejects.toThrow("private or reserved");
  }
});

test("outgoingFetch() refuses a name of which one address is private", async () => {
  const mixed = outgoingFetch({ hosts: "any", allowPrivate: "" }, async () => [
    { address: "93.184.215.14", family: 4 },
    { address: "10.0.0.1", family: 4 },
  ]);
  await expect(mixed("http://mixed.example/")).rejects.toThrow("private or reserved");
});

const METADATA = [
  "169.254.169.254",
  "169.254.170.2",
  "[fd00:ec2::254]",
  "[::ffff:169.254.169.254]",
  "[::169.254.169.254]",
  "[::127.0.0.1]",
  "[64:ff9b::a9fe:a9fe]",
  "[2002:a9fe:a9fe::]",
  "2852039166",
];

/** Records calls instead of making them. */
async function reached(run: () => Promise<unknown>): Promise<string> {
  const { fetch } = globalThis;
  let asked = "nobody";
  globalThis.fetch = (async (target: URL) => {
    asked = target.hostname;
    return new Response();
  }) as unknown as typeof fetch;
  try {
    await run();
    return asked;
  } catch (error) {
    expect(asked).toBe("nobody");
    return (error as Error).message;
  } finally {
    globalThis.fetch = fetch;
  }
}

test.each(METADATA)("outgoingFetch() never reaches %s by a range, whatever its size", async (host) => {
  for (const allowPrivate of ["*", "0.0.0.0/0,::/0", "169.254.0.0/16"]) {
    const wide = outgoingFetch({ hosts: "any", allowPrivate });
    expect(await reached(() => wide(`http://${host}/latest`))).toContain("private or reserved");
    const named = outgoingFetch({ hosts: "any", allowPrivate }, async () => [
      { address: "93.184.215.14", family: 4 },
      { address: new URL(`http://${host}`).hostname.replace(/[[\]]/g, ""), family: 4 },
    ]);
    expect(await reached(() => named("http://meta.example/"))).toContain("private or reserved");
  }
});

test("outgoingFetch() reaches a metadata address that the operator names, and other private ones by range", async () => {
  const named = outgoingFetch({ hosts: "any", allowPrivate: "169.254.169.254, fd00:ec2::254/128" });
  expect(await reached(() => named("http://169.254.169.254/"))).toBe("169.254.169.254");
  expect(await reached(() => named("http://[fd00:ec2::254]/"))).toBe("[fd00:ec2::254]");
  expect(await reached(() => named("http://169.254.169.253/"))).toContain("private or reserved");
  const wide = outgoingFetch({ hosts: "any", allowPrivate: "*" });
  expect(await reached(() => wide("http://10.1.2.3/"))).toBe("10.1.2.3");
  expect(await reached(() => wide("http://[::1]/"))).toBe("[::1]");
});

test("outgoingFetch() connects to the address it checked and keeps the host name", async () => {
  let asked = 0;
  const pinned = outgoingFetch({ hosts: "any", allowPrivate: "127.0.0.0/8" }, async () => {
    asked += 1;
    return [{ address: asked === 1 ? "127.0.0.1" : "10.0.0.1", family: 4 }];
  });
  const response = await pinned(`http://hooks.example.com:${server.port}/`);
  expect(await response.text()).toBe(`hooks.example.com:${server.port}`);
  expect(asked).toBe(1);
});

test("outgoingFetch() returns redirects", async () => {
  const pinned = outgoingFetch({ hosts: "any", allowPrivate: "*" });
  expect((await pinned(`http://127.0.0.1:${server.port}/away`)).status).toBe(302);
});

test("outgoingFetch() aborts a name lookup with the signal of the call", async () => {
  const stuck = outgoingFetch({ hosts: "any", allowPrivate: "" }, () => new Promise(() => {}));
  await expect(stuck("http://hooks.example.com/", { signal: AbortSignal.timeout(20) })).rejects.toThrow("timed out");
});
