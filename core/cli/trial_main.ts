/**
 * The entry of the confined process of a trial (`trial.ts`): it sets the plugins up as a boot does, without store and network, and sends
 * what they registered. A setup that throws ends its own plugin alone.
 */
import { writeSync } from "node:fs";
import { MessageReader, messageBytes } from "../children/confinement/messages.ts";
import { configSchema } from "../config.ts";
import { refusedFiles } from "../files/file_store.ts";
import { createLog } from "../log.ts";
import { boot } from "../runtime/boot.ts";

import type { AnyPlugin } from "../runtime/plugin.ts";
import type { Recorded } from "../runtime/recorded.ts";
import { readSettings } from "../runtime/settings.ts";
import { withExtensions } from "./extend_plugins.ts";
import { loadPlugins, shippedPlugins } from "./load.ts";
import type { Given, TrialOrder, TrialResult } from "./trial.ts";
import { NO_STORE } from "./trial_store.ts";

const STDOUT = 1;
const MAX_BYTES = 2 ** 24;

/** Ends a boot after the last setup. */
class SetUpAll extends Error {}

async function run({ lists, names, given, byDefault, denied }: TrialOrder): Promise<TrialResult> {
  const { plugins: listed } = await loadPlugins(lists);
  const all = await withExtensions(listed, given);
  const shipped = [...shippedPlugins()];
  const chosen = [...shipped, ...all].filter(({ name }) => names.includes(name));
  const result = await setUp(chosen, shipped, given, denied);
  return byDefault ? { ...result, byDefault: (await setUp(chosen, shipped, byDefault, denied)).recorded } : result;
}

async function setUp(
  chosen: readonly AnyPlugin[],
  shipped: readonly AnyPlugin[],
  { env, settings }: Given,
  denied: TrialOrder["denied"],
): Promise<TrialResult> {
  const recorded: Record<string, Recorded> = {};
  const problems: Record<string, string> = {};
  const tried = new Map([...shipped, ...chosen].map((plugin) => [plugin, inTrial(plugin, problems)]));
  const plugins = chosen.map((plugin) => tried.get(plugin) as AnyPlugin);
  const onSetUp = (name: string, found: Recorded) => {
    recorded[name] = found;
    if (Object.keys(recorded).length === plugins.length) throw new SetUpAll();
  };
  const config = { ...readSettings("lectern", configSchema, env), pluginRoles: "off" as const };
  const own = {
    config,
    log: createLog("error"),
    store: NO_STORE,
    files: { name: "none", files: refusedFiles("trial") },
    env,
    settings,
    denied,
  };
  const failed: unknown = await boot({
    ...own,
    plugins,
    shipped: [...shipped.map((one) => tried.get(one) as AnyPlugin)],
    onSetUp,
  }).catch((error: unknown) => error);
  return failed instanceof SetUpAll ? { recorded, problems } : { recorded, problems, stopped: textOf(failed) };
}

/** A plugin that changes no schema, and whose setup never fails. */
function inTrial({ syncSchema: _sync, ...plugin }: AnyPlugin, problems: Record<string, string>): AnyPlugin {
  return {
    ...plugin,
    migrations: {},
    async setup(context) {
      try {
        await plugin.setup(context);
      } catch (error) {
        problems[plugin.name] = textOf(error);
      }
    },
  };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const { console: terminal } = globalThis;
// Standard output is for the result: what plugins print goes to standard error.
Object.assign(terminal, { log: terminal.error, info: terminal.error });
const reader = new MessageReader(MAX_BYTES);
for await (const chunk of Bun.stdin.stream())
  for (const order of reader.push(chunk)) {
    const result = await run(order as TrialOrder).catch((error: unknown) => ({ stopped: textOf(error) }));
    const bytes = messageBytes({ recorded: {}, problems: {}, ...result });
    for (let at = 0; at < bytes.length; ) at += writeSync(STDOUT, bytes, at);
    process.exit(0);
  }
