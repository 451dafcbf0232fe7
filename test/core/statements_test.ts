import { expect, test } from "bun:test";
import { preparedStatements } from "lectern/db";
import { bootTestRuntime } from "../support/harness/test_runtime.ts";

test("statements are prepared when their modules load, so that the reviewed file has them all", async () => {
  const before = preparedStatements().length;
  const runtime = await bootTestRuntime();
  await runtime.ask("GET", "/api/books");
  expect(preparedStatements().length).toBe(before);
  await runtime.stop();
});
