import { parseArgs } from "node:util";
import type { Command, CommandIo } from "lectern/cli";
import type { AnyContext } from "lectern/core";
import { removeUnused } from "./changes.ts";
import { createImageDecoder } from "./decoder.ts";
import { removePositions } from "./position_command.ts";
import { type UnusedOptions, unusedImages } from "./queries.ts";
import { DEFAULT_MIN_AGE_DAYS } from "./unused_routes.ts";

const USAGE = "cleanup [--dry-run] [--ignore-revisions] [--older-than DAYS] | positions [--dry-run]";

/**
 * `images cleanup` removes images of the gallery that no page shows; images outlive their page (platform 7). `images positions` removes
 * from stored images where they were taken, which uploaded ones lose anyway.
 */
export const imagesCommand: Command = {
  summary: "removes images of the gallery that no page shows any more, or where images were taken",
  usage: USAGE,
  store: true,
  looks: (args) => args.includes("--dry-run"),
  async run([verb, ...args], io, context) {
    if (verb === "positions" && context && args.every((arg) => arg === "--dry-run"))
      return removePositions(positionContext(context), { isDryRun: args.length > 0 }, io);
    const options = verb === "cleanup" && context ? parseOptions(args) : undefined;
    if (!options || !context) {
      io.err(`Cannot run "images ${verb ?? ""}": wanted ${USAGE}`);
      return 2;
    }
    return cleanUp(context, options, io);
  },
};

function positionContext({ db, files, settings }: AnyContext) {
  const { maxPixels } = settings as { readonly maxPixels: number };
  return { db: db as never, files, decoder: createImageDecoder(maxPixels) };
}

interface CleanupOptions extends UnusedOptions {
  readonly dryRun: boolean;
}

/** Parses the arguments; undefined for invalid ones. */
function parseOptions(args: string[]): CleanupOptions | undefined {
  try {
    const { values } = parseArgs({
      args,
      options: {
        "dry-run": { type: "boolean" },
        "ignore-revisions": { type: "boolean" },
        "older-than": { type: "string" },
      },
    });
    const text = values["older-than"] ?? String(DEFAULT_MIN_AGE_DAYS);
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

async function cleanUp(context: AnyContext, { dryRun, ...options }: CleanupOptions, io: CommandIo): Promise<number> {
  const unused = await unusedImages(context.db as never, options);
  if (dryRun) for (const { path } of unused) io.out(`Would remove ${path}`);
  else await removeUnused(context, unused, { onRemoved: ({ path }) => io.out(`Removed ${path}`) });
  io.out(`${unused.length} of the gallery's pictures ${dryRun ? "are" : "were"} shown nowhere`);
  return 0;
}
