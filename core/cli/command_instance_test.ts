import { expect, test } from "bun:test";
import type { CommandIo } from "../runtime/command.ts";
import { definePlugin, type Grants } from "../runtime/plugin.ts";
import { findCommand } from "./commands.ts";

const io: CommandIo = { out() {}, err() {}, env: {}, columns: 80, tty: false };

/** What the command of a plugin that does not ship gets of the instance. */
async function opened(grants: Grants): Promise<unknown> {
  let found: unknown;
  const plugin = definePlugin({
    name: "acme",
    grants,
    commands: {
      look: {
        summary: "looks",
        usage: "",
        store: false,
        async run(_args, _io, _context, instance) {
          found = await instance?.().then(
            ({ dataDir }) => dataDir,
            (error: Error) => `${error.name}: ${error.message}`,
          );
          return 0;
        },
      },
    },
    setup() {},
  });
  expect(await findCommand("look", [plugin])?.run([], io)).toBe(0);
  return found;
}

test("a command of a plugin that does not ship opens the whole instance, without a boot, as SYSTEM alone", async () => {
  expect(await opened({ read: ["books"] })).toBe(
    'PowerError: The plugin "acme" calls the function that opens the instance, which it does not declare; add to its grants: system: true',
  );
  expect(await opened({ system: true })).toBe("./data");
});
