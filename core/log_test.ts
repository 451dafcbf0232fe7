import { expect, test } from "bun:test";
import { createLog } from "./log.ts";

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
