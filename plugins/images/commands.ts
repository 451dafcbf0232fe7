import { parseArgs } from "node:util";
import { type AnyContext, type Command, type CommandIo, SYSTEM, sql } from "lectern/core";
import { rows } from "lectern/db";
import type { ImageRow } from "./contract.ts";
import { forget } from "./write.ts";

const USAGE = "cleanup [--dry-run] [--ignore-revisions] [--older-than DAYS]";
/** What was added today may stand in a page that is not saved yet. */
const DEFAULT_DAYS = 1;

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
    const text = values["older-than"] ?? String(DEFAULT_DAYS);
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

/** A picture is in use where its file's name stands in a page, in the bin or not, or in a kept revision. */
async function cleanUp(context: AnyContext, { dryRun, ignoreRevisions, days }: Asked, io: CommandIo): Promise<number> {
  const name = sql`substring(images.path from '[^/]+/[^/]+/[^/]+$')`;
  const stem = sql`split_part(${name}, '/', 1) || '/' || split_part(${name}, '/', 2) || '/'`;
  const file = sql`'/' || split_part(${name}, '/', 3)`;
  const shows = (table: string) =>
    sql`exists (select from ${sql.table(table)} t where position(${stem} in t.html) > 0 and position(${file} in t.html) > 0)`;
  const unused = await rows<ImageRow>(
    context.db as never,
    sql`select * from images where type in ('gallery', 'drawio')
      and greatest(created_at, updated_at) <= now() - make_interval(days => ${days}::integer) and not ${shows("pages")}
      ${ignoreRevisions ? sql`` : sql`and not ${shows("page_revisions")}`} order by id`,
  );
  for (const row of unused) {
    io.out(`${dryRun ? "Would remove" : "Removed"} ${row.path}`);
    if (dryRun) continue;
    await context.perform("image_delete", SYSTEM, row, async (final, work) => {
      await rows(work.db, sql`delete from images where id = ${final.id}::integer`);
      work.after(() => forget({ files: context.files }, final.file_key));
      return final;
    });
  }
  io.out(`${unused.length} of the gallery's pictures ${dryRun ? "are" : "were"} shown nowhere`);
  return 0;
}
