import { expect, test } from "bun:test";
import { ConnectionLost, StoreUnavailable } from "../db/mod.ts";
import { createLog, logRetried, startLine } from "./log.ts";

function lines(level: Parameters<typeof createLog>[0]): {
  log: ReturnType<typeof createLog>;
  seen: Record<string, unknown>[];
} {
  const seen: Record<string, unknown>[] = [];
  return { seen, log: createLog(level, (line) => void seen.push(JSON.parse(line))) };
}

test("a log writes one JSON object a line from its level on, with its bound fields", () => {
  const { log, seen } = lines("warn");
  log.info("not this");
  log.with({ plugin: "books" }).warn("this", { id: 7 });
  expect(seen).toEqual([{ time: expect.any(String), level: "warn", message: "this", plugin: "books", id: 7 }]);
});

test("what a client sends into a log stays within its line", () => {
  const written: string[] = [];
  const forged = 'x\r\n{"level":"error","message":"forged"}\u2028\u001b[31m';
  createLog("info", (line) => void written.push(line)).info(forged, { path: forged });
  expect(written.map((line) => line.trimEnd().split(/[\r\n]/).length)).toEqual([1]);
  expect(written[0]).not.toContain("\u001b");
  expect(JSON.parse(written[0] ?? "")).toMatchObject({ message: forged, path: forged });
});

test("a log never writes secrets, at any depth", () => {
  const { log, seen } = lines("info");
  const error = new Error("x", { cause: { password: "p4ss" } });
  log.info("x", { headers: { Authorization: "Token a:b", cookie: "c" }, user: [{ token_secret: "s3cret" }], error });
  const text = JSON.stringify(seen);
  for (const secret of ["a:b", "s3cret", "p4ss"]) expect(text).not.toContain(secret);
  expect(text).toContain("[redacted]");
});

test("a log accepts cycles and big integers", () => {
  const { log, seen } = lines("info");
  const loop: Record<string, unknown> = { big: 10n };
  loop.self = loop;
  log.info("loop", { loop });
  expect(JSON.stringify(seen)).toContain("[deep]");
});

test("errors of a store that is away have no stack, which would be there for each request; others have one", () => {
  const { log, seen } = lines("warn");
  const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  const starting = Object.assign(new Error("the database system is starting up"), { code: "57P03" });
  const away = [new ConnectionLost("lost", "ECONNREFUSED", refused), new StoreUnavailable("busy"), starting];
  for (const error of away) log.warn("Cannot answer", { error });
  expect(seen.map(({ error }) => error)).toMatchObject([
    { name: "ConnectionLost", message: "lost", cause: { message: "connect ECONNREFUSED" } },
    { name: "StoreUnavailable", message: "busy" },
    { message: "the database system is starting up" },
  ]);
  expect(JSON.stringify(seen)).not.toContain('"stack"');
  log.warn("Cannot answer", { error: new TypeError("a defect") });
  expect(JSON.stringify(seen)).toContain('"stack"');
});

test("what a start says is plain on a terminal, and a line like those of the log elsewhere", () => {
  expect(startLine('It answers at "x"', true)).toBe('It answers at "x"');
  expect(JSON.parse(startLine('It answers at "x"', false))).toEqual({
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    level: "info",
    message: 'It answers at "x"',
  });
});

test("work that is tried again has a line for each failure but those of a store that is away", () => {
  const { log, seen } = lines("info");
  logRetried(log, "Cannot work", { error: new ConnectionLost("lost", "ECONNREFUSED") });
  logRetried(log, "Cannot work", { error: Object.assign(new Error("it is starting up"), { code: "57P03" }) });
  logRetried(log, "Cannot work", { error: Object.assign(new Error("cannot execute UPDATE"), { code: "25006" }) });
  expect(seen).toEqual([]);
  logRetried(log, "Cannot work", { error: new StoreUnavailable("busy"), job: "mail" });
  logRetried(log, "Cannot work", { error: new Error("no such table") });
  expect(seen.map(({ level, message, job }) => [level, message, job])).toEqual([
    ["error", "Cannot work", "mail"],
    ["error", "Cannot work", undefined],
  ]);
});
