/** The check for a newer version: off by default, silent about the instance, shown on the screen of the system. */
import { afterAll, expect, test } from "bun:test";
import { version } from "../../package.json" with { type: "json" };
import { FEW } from "../support/harness/few_plugins.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

const received: { url: string; headers: Record<string, string>; body: string }[] = [];
let answer = () => new Response("");
const registry = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    received.push({ url: request.url, headers: request.headers.toJSON(), body: await request.text() });
    return answer();
  },
});
afterAll(() => registry.stop(true));
const address = `http://127.0.0.1:${registry.port}/lectern/latest`;

/** The line of the newest version on the system screen of an instance, once `isShown` accepts it; undefined if there is none. */
async function newestShown(env: Record<string, string>, isShown: (shown: string | undefined) => boolean) {
  const runtime = await bootTestRuntime({ env: { ALLOW_PRIVATE_HOSTS: "127.0.0.1/32", ...env } });
  try {
    await runtime.runtime.start();
    const cookie = await signedIn(runtime);
    const headers = { accept: "text/html", cookie };
    const read = async () => {
      const { status, body } = await runtime.ask("GET", "/settings/system", { as: null, headers });
      expect(status).toBe(200);
      return /<dt>Newest version<\/dt><dd>(.*?)<\/dd>/.exec(body)?.[1];
    };
    return await until(read, isShown);
  } finally {
    await runtime.stop();
  }
}

async function signedIn(runtime: TestRuntime): Promise<string> {
  const body = { email: "admin@example.com", password: "correct horse battery" };
  const { headers } = await runtime.ask("POST", "/api/session", { as: null, body });
  return headers.get("set-cookie")?.split(";")[0] ?? "";
}

test("without the setting nothing is requested, and the screen has no such line", async () => {
  expect([await newestShown({}, () => true), received]).toEqual([undefined, []]);
});

test("the newest version is shown, and the request says nothing about the instance", async () => {
  answer = () => Response.json({ name: "lectern", version: "99.1.0" });
  const shown = await newestShown({ UPDATE_CHECK: address }, (text) => text !== "Unknown");
  expect(shown).toBe("99.1.0, newer than this one");
  const [request] = received.splice(0);
  expect([request?.url, request?.body, request?.headers["user-agent"]]).toEqual([address, "", "Lectern"]);
  expect(JSON.stringify(request)).not.toContain(version);
  for (const name of ["cookie", "authorization", "referer", "origin"])
    expect(request?.headers).not.toHaveProperty(name);
});

test("an answer that is no version leaves it unknown, and a wrong setting stops the boot", async () => {
  const answers = [
    () => new Response("moved", { status: 302, headers: { location: "/elsewhere" } }),
    () => Response.json({ version: "<b>1</b>" }),
    () => new Response(`{"version": "${"9".repeat(300_000)}"}`),
  ];
  answer = () => answers[received.length - 1]?.() ?? new Response("");
  for (const _ of answers) {
    const before = received.length;
    const shown = await newestShown({ UPDATE_CHECK: address, LOG_LEVEL: "silent" }, () => received.length > before);
    expect(shown).toBe("Unknown");
  }
  expect(received).toHaveLength(answers.length);
  // Without the screen of the system the instance boots all the same.
  const env = { UPDATE_CHECK: address };
  await (
    await bootTestRuntime({
      env,
      without: ["web_account", "web_settings", "web_integrations"],
    })
  ).stop();
  await expect(bootTestRuntime({ env: { UPDATE_CHECK: "latest" }, only: [...FEW, "version_check"] })).rejects.toThrow(
    "UPDATE_CHECK",
  );
});
