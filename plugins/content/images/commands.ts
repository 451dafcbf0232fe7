import { parseArgs } from "node:util";
import type { Command, CommandIo } from "lectern/cli";
import type { AnyContext } from "lectern/core";
import { DAYS_OF_GRACE, removeUnused, unusedImages } from "./unused.ts";

const USAGE = "cleanup [--dry-run] [--ignore-revisions] [--older-than DAYS]";

/** Takes away pictures of the gallery that no page shows (platform 7: pictures stay when their page goes). */
export const imagesCommand: Command = {
  summary: "removes pictures of the gallery that no page shows any more",
  usage: USAGE,
  store: true,
  looks: (args) => args.includes("--dry-run"),
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
  /** Younger pictures are left alone. */
  readonly days: number;
}

function read(args: string[]): Asked | undefined {
  try {
    const { values } = parseArgs({
      args,
      options: {
        "dry-run": { type: "boolean" },
        "ignore-revisions": { type: "boolean" },
        "older-than": { type: "string" },
      },
    });
    const text = values["older-than"] ?? String(DAYS_OF_GRACE);
    if (!/^\d{1,5}$/.test(text)) return undefined;
    return {
      dryRun: values["dry-run"] ?? false,
      ignoreRevisions: values["ignore-revisions"] ?? false,
      days: Number(text),
    };
  } catch {
    return undefined;
  }
}

async function cleanUp(context: AnyContext, { dryRun, ...asked }: Asked, io: CommandIo): Promise<number> {
  const unused = await unusedImages(context.db as never, asked);
  if (dryRun) for (const { path } of unused) io.out(`Would remove ${path}`);
  else await removeUnused(context, unused, { told: ({ path }) => io.out(`Removed ${path}`) });
  io.out(`${unused.length} of the gallery's pictures ${dryRun ? "are" : "were"} shown nowhere`);
  return 0;
}
