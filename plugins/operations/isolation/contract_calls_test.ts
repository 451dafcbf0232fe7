import { expect, test } from "bun:test";
import { GUEST, type Viewer } from "lectern/core";
import { callContract } from "./contract_calls.ts";

const admin: Viewer = { ...GUEST, id: 1, name: "Admin", via: "session" };
const asked: unknown[][] = [];
const service = {
  echo(...args: unknown[]) {
    asked.push(args);
    return args;
  },
  endless: () => new Promise(() => {}),
  admins: () => ({ since: new Date(0), names: new Set(["Admin"]), all: [admin, admin] }),
  stream: () => new ReadableStream(),
  callback: () => ({ deep: [() => 1] }),
  cycle() {
    const found: Record<string, unknown> = {};
    found.again = found;
    return found;
  },
  wide: () => {
    let found: unknown[] = ["x"];
    for (let level = 0; level < 25; level++) found = [found, found];
    return found;
  },
  get hidden() {
    return () => "a function of a getter";
  },
  text: "no function",
};
// The contracts of this test are of no plugin.
const contracts = { acme: service, absent: undefined } as never;

function call(member: string, args: readonly unknown[] = [], more: object = {}, sent: Viewer[] | undefined = []) {
  const given = args.map((value, at) => ({ at, value }));
  const asked = { contract: "acme", member, count: args.length, args: given, viewers: [], ...more };
  return callContract(asked, contracts, { sent, timeoutMs: 50 });
}

test("a process calls functions of the contracts that its plugin names, and nothing else", async () => {
  expect(await call("echo", [1, { two: [null] }])).toEqual({ value: [1, { two: [null] }], viewers: [] });
  for (const member of ["text", "hidden", "toString", "constructor", "__proto__", "missing"])
    await expect(call(member), member).rejects.toThrow(`no function "${member}"`);
  for (const contract of ["users", "__proto__", "constructor", "toString"])
    await expect(call("echo", [], { contract }), contract).rejects.toThrow('neither in "requires" nor in "uses"');
  await expect(call("echo", [], { contract: "absent" })).rejects.toThrow("No plugin provides");
});

test("arguments that are more than data are refused, and the function is not called", async () => {
  asked.length = 0;
  let deep: unknown = "x";
  for (let level = 0; level < 40; level++) deep = [deep];
  const viewer = { id: 1, admin: true, via: "system", permissions: { has: true } };
  for (const [value, why] of [
    [JSON.parse('{"a": {"__proto__": {"admin": true}}}'), 'a member "__proto__" at "a"'],
    [{ toOperationNode: 1 }, 'a member "toOperationNode"'],
    [viewer, "a viewer within another value"],
    [{ options: [viewer] }, 'a viewer within another value at "options.0"'],
    [deep, "more than 30 levels"],
    [new Array(100_001).fill(0), "more than 100000 values"],
  ] as const)
    await expect(call("echo", [value]), why).rejects.toThrow(why);
  expect(asked).toEqual([]);
});

test("viewers of results are kept here, and named by their numbers afterwards", async () => {
  const sent: Viewer[] = [GUEST];
  const { value, viewers } = await call("admins", [], {}, sent);
  expect(value).toEqual({ since: "1970-01-01T00:00:00.000Z", names: ["Admin"], all: [null, null] });
  expect(viewers.map(({ path, number }) => [path, number])).toEqual([
    [["all", "0"], 1],
    [["all", "1"], 1],
  ]);
  asked.length = 0;
  await call("echo", ["first"], { count: 3, viewers: [{ at: 2, viewer: 1 }] }, sent);
  expect(asked[0]?.[2]).toBe(admin);
  expect(asked[0]?.slice(0, 2)).toEqual(["first", undefined]);
  await expect(call("echo", [], { count: 1, viewers: [{ at: 0, viewer: 2 }] }, sent)).rejects.toThrow(
    "given by a call",
  );
});

test("results that cannot be sent, and those that never come, are errors", async () => {
  await expect(call("endless")).rejects.toThrow("acme.endless did not answer within 50 ms");
  await expect(call("stream")).rejects.toThrow('an object of the class "ReadableStream"');
  await expect(call("callback")).rejects.toThrow('a function at "deep.0"');
  await expect(call("cycle")).rejects.toThrow("more than 30 levels");
  await expect(call("wide")).rejects.toThrow("more than 100000 values");
});
