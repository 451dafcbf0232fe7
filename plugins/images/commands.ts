import { parseArgs } from "node:util";
import type { AnyContext, Command, CommandIo } from "lectern/core";
import { removeUnused, unusedImages } from "./unused.ts";

const USAGE = "cleanup [--dry-run] [--ignore-revisions]";

/** Takes away pictures of the gallery that no page shows (platform 7: pictures stay when their page goes). */
export const imagesCommand: Command = {
  summary: "removes pictures of the gallery that no page shows any more",
  usage: USAGE,
  store: true,
  async run([verb, ...args], io, context) {
    const asked = verb === "cleanup" && context ? read(args) : undefined;
    if (!asked || !context) {
      io.err(`Cannot run "images ${verb ?? ""}": wanted ${USAGE}`);
      return 2;
    }
    return cleanUp(context, asked, io);
  },
};

interface Asked {
  readonly dryRun: boolean;
  readonly ignoreRevisions: boolean;
}

function read(args: string[]): Asked | undefined {
  try {
    const { values } = parseArgs({
      args,
      options: { "dry-run": { type: "boolean" }, "ignore-revisions": { type: "boolean" } },
    });
    return { dryRun: values["dry-run"] ?? false, ignoreRevisions: values["ignore-revisions"] ?? false };
  } catch {
    return undefined;
  }
}

async function cleanUp(context: AnyContext, { dryRun, ignoreRevisions }: Asked, io: CommandIo): Promise<number> {
  const unused = await unusedImages(context.db as never, ignoreRevisions);
  for (const row of unused) {
    io.out(`${dryRun ? "Would remove" : "Removed"} ${row.path}`);
    if (!dryRun) await removeUnused(context, row);
  }
  io.out(`${unused.length} of the gallery's pictures ${dryRun ? "are" : "were"} shown nowhere`);
  return 0;
}
