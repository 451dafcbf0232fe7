/**
 * Functions of plugins that never end, in every form in which others get them: each is given up in time and named, and the plugin that
 * waits for it is not blamed.
 */
import { afterAll, beforeAll, expect, type Mock, setDefaultTimeout, spyOn, test } from "bun:test";
import { ApiError, definePlugin } from "lectern/core";
import { WITH_BOOKS } from "../support/harness/few_plugins.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(120_000);

declare module "lectern/core" {
  interface Contracts {
    held_service: HeldService;
  }
}

const LIMIT_MS = scaled(100);
const never = () => new Promise<never>(() => {});

class HeldService {
  readonly #answer = "answered";
  /** A group of functions. */
  readonly group = { deep: never };
  /** A group of groups, and a list. */
  readonly groups = { inner: { deeper: { wait: never } } };
  readonly list = [{ wait: never }];

  /** A function of a function. */
  begin(): () => Promise<string> {
    return never;
  }

  /** Objects of a function. */
  async steps(): Promise<{ next: () => Promise<string> }[]> {
    return [{ next: never }];
  }

  wait(): Promise<string> {
    return never();
  }

  // A thenable that is no Promise, as older libraries have them.
  thenable(): PromiseLike<string> {
    // biome-ignore lint/suspicious/noThenProperty: the subject of the test.
    return { then: () => never() } as unknown as PromiseLike<string>;
  }

  async answer(): Promise<string> {
    return this.#answer;
  }
}

const keeper = definePlugin({
  name: "keeper",
  provides: ["held_service"],
  setup: ({ provide }) => provide("held_service", new HeldService()),
});

const PICTURE =
  '<img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==">';
const broken = () => Promise.reject(new ApiError(409, "No place for pictures."));

const caller = definePlugin({
  name: "caller",
  requires: ["held_service", "markup"],
  setup({ app, contracts: { held_service, markup } }) {
    const calls: Record<string, () => PromiseLike<string>> = {
      wait: () => held_service.wait(),
      deep: () => held_service.group.deep(),
      deeper: () => held_service.groups.inner.deeper.wait(),
      listed: () => held_service.list[0]?.wait() ?? never(),
      begin: () => held_service.begin()(),
      steps: async () => (await held_service.steps())[0]?.next() ?? never(),
      thenable: () => held_service.thenable(),
      answer: () => held_service.answer(),
      render: () => markup.render("<p>{{@1}}</p>", never),
      store: () => markup.store({ html: PICTURE }, { saveImage: never }).then(({ html }) => html),
      second: () => {
        let pictures = 0;
        const saveImage = async () => {
          pictures += 1;
          if (pictures > 1) return never();
          // More than half of the time that the function has which calls this.
          await Bun.sleep(LIMIT_MS * 8 * 0.7);
          return { url: "/a.png" } as never;
        };
        return markup
          .store({ html: `${PICTURE}<p>${PICTURE.replace("HwAF", "HwAG")}</p>` }, { saveImage })
          .then(({ html }) => html);
      },
      broken: () => markup.store({ html: PICTURE }, { saveImage: broken }).then(({ html }) => html),
      rendered: () => markup.render("<p>Plain</p>", async () => new Map()),
    };
    app.get("/caller/:call", async ({ params }) => ({ answer: await calls[params.call ?? ""]?.() }), {
      permit: "public",
    });
  },
});

const limits = (ms: number) => ({
  env: { LOG_LEVEL: "warn" },
  constants: { core: { partTimeoutMs: ms, answerTimeoutMs: ms * 2 } },
});

let runtime: TestRuntime;
let logged: Mock<typeof process.stderr.write>;

beforeAll(async () => {
  logged = spyOn(process.stderr, "write").mockImplementation(() => true);
  runtime = await bootTestRuntime({ only: WITH_BOOKS, extra: [keeper, caller], ...limits(LIMIT_MS) });
});
afterAll(async () => {
  await runtime.stop();
  logged.mockRestore();
});

const call = (name: string) => runtime.ask("GET", `/api/caller/${name}`);
const late = (plugin: string) => ({
  error: { code: 503, message: `The plugin "${plugin}" did not answer in time.` },
});

test.each([
  ["wait", "contract held_service.wait"],
  ["deep", "contract held_service.group.deep"],
  ["thenable", "contract held_service.thenable"],
  ["deeper", "contract held_service.groups"],
  ["listed", "contract held_service.list"],
  ["begin", "contract held_service.begin()"],
  ["steps", "contract held_service.steps()"],
])("%s() of an instance of a class that never ends is answered 503 and named", async (name, place) => {
  const { status, body } = await call(name);
  expect([status, body]).toEqual([503, late("keeper")]);
  const faults = runtime.contexts.get("keeper")?.runtime.faults() ?? [];
  expect(faults.filter((fault) => fault.plugin === "keeper" && fault.place === place)).toHaveLength(1);
  // Its other methods work, with what is private to it.
  expect((await call("answer")).body).toEqual({ answer: "answered" });
});

test("a callback that never ends, also one within an object, is blamed on who passed it, and the shipped function is called further", async () => {
  // A callback has half the time of the function that calls it, which therefore has to come to it in the other half.
  const other = await bootTestRuntime({ only: WITH_BOOKS, extra: [keeper, caller], ...limits(LIMIT_MS * 8) });
  const ask = async (name: string) => (await other.ask("GET", `/api/caller/${name}`)).body;
  // The half of one that begins in the second half ends after the time of the function that calls it.
  expect(await ask("second")).toEqual(late("caller"));
  expect(await ask("broken")).toEqual({ error: { code: 409, message: "No place for pictures." } });
  for (const name of ["render", "store"]) expect(await ask(name)).toEqual(late("caller"));
  expect(other.contexts.get("keeper")?.runtime.faults()).toMatchObject([
    { plugin: "caller", place: "a function passed to another plugin", count: 3 },
  ]);
  expect(await ask("rendered")).toEqual({ answer: "<p>Plain</p>" });
  await other.stop();
});
