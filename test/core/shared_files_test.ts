/** Servers of one database over different file stores are found, by the start of the second one and by `doctor`. */
import { expect, spyOn, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

const env = { LOG_LEVEL: "warn" };
const ANOTHER = "Another server of this database uses another file store";

async function doctor(runtime: TestRuntime): Promise<string> {
  const out: string[] = [];
  const io = { env: {}, columns: 80, tty: false, out: (line: string) => void out.push(line), err: () => {} };
  const { commands } = runtime.runtime.booted.find(({ plugin }) => plugin.name === "doctor")?.plugin ?? {};
  await commands?.doctor?.run(["core/shared_files"], io, runtime.contexts.get("doctor"));
  return out.join("\n");
}

const filesOfServers = ({ dataDir }: TestRuntime) =>
  existsSync(join(dataDir, "files"))
    ? readdirSync(join(dataDir, "files")).filter((name) => /^lectern-server-/.test(name))
    : [];

test("a server whose files are elsewhere is named in the log of the next one and by doctor; one with the same folder is not", async () => {
  const log = spyOn(process.stderr, "write").mockImplementation(() => true);
  const logged = () => log.mock.calls.map(([line]) => String(line)).filter((line) => line.includes(ANOTHER));
  try {
    const first = await bootTestRuntime({ env });
    await first.runtime.start();
    expect(
      await until(
        () => filesOfServers(first).length,
        (count) => count === 1,
      ),
    ).toBe(1);

    const same = await bootTestRuntime({ env: { ...env, DATA_DIR: first.dataDir }, beside: first });
    await same.runtime.start();
    await until(
      () => filesOfServers(first).length,
      (count) => count === 2,
    );
    expect(await doctor(same)).toContain("1 ok");
    await same.stop();
    expect([filesOfServers(first).length, logged()]).toEqual([1, []]);

    const other = await bootTestRuntime({ env, beside: first });
    await other.runtime.start();
    expect(
      await until(
        () => logged().length,
        (count) => count === 1,
      ),
    ).toBe(1);
    expect(await doctor(other)).toContain("uses another one");
    expect(await doctor(first)).toContain("uses another one");
    await other.stop();
    expect(await doctor(first)).toContain("1 ok");
    await first.stop();
  } finally {
    log.mockRestore();
  }
});

test("a server that could not renew its row for longer than its lease shows its file again", async () => {
  const first = await bootTestRuntime({ env, constants: { core: { serverLeaseSeconds: 4 } } });
  await first.runtime.start();
  await until(
    () => filesOfServers(first).length,
    (count) => count === 1,
  );
  await first.store.sql`update running_servers set seen_at = now() - interval '1 hour'`;
  await until(
    () => first.store.sql`select from running_servers where shows_file and seen_at > now() - interval '4 seconds'`,
    (rows) => rows.length === 1,
  );
  const same = await bootTestRuntime({ env: { ...env, DATA_DIR: first.dataDir }, beside: first });
  expect(await doctor(same)).toContain("1 ok");
  await same.stop();
  await first.stop();
});
