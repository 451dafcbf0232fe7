import type { ExportFile, ExportFiles } from "lectern/contracts";
import { sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { AttachmentRow } from "./contract.ts";
import type { Parts } from "./parts.ts";

/** Attachments as exports know them: named by their addresses, and along with their pages (content-api 15.7). */
export function attachmentsInExports(parts: Parts): ExportFiles {
  const find = async (viewer: Viewer, column: "id" | "uploaded_to", ids: readonly number[]) => {
    const found = await rows<AttachmentRow>(
      parts.db,
      sql`select attachments.* from attachments where ${sql.ref(`attachments.${column}`)} = any(${[...ids]}::integer[])
        and ${parts.sees("attachments", viewer)} order by attachments.sort_order, attachments.id`,
    );
    return found.map((row) => fileOf(parts, row));
  };
  return {
    async named(viewer, addresses) {
      const ids = new Map(addresses.map((address) => [address, idIn(address, parts.baseUrl)]));
      const wanted = [...new Set([...ids.values()].filter((id) => id !== undefined))];
      const files = new Map((await find(viewer, "id", wanted)).map((file) => [file.id, file]));
      return new Map(
        [...ids].flatMap(([address, id]) => (files.has(id ?? 0) ? [[address, files.get(id ?? 0)]] : [])),
      ) as Map<string, ExportFile>;
    },
    dependents: async (viewer, kind, ids) => (kind === "page" ? find(viewer, "uploaded_to", ids) : []),
  };
}

function fileOf({ files }: Parts, row: AttachmentRow): ExportFile {
  const key = row.file_key;
  return {
    list: "attachments",
    object: "attachment",
    id: row.id,
    name: row.name,
    of: { kind: "page", id: row.uploaded_to },
    seen: true,
    entry: row.external ? { link: row.link } : {},
    extension: row.extension,
    ...(key !== null && { open: () => files.get(key) }),
  };
}

function idIn(address: string, baseUrl: string): number | undefined {
  const found = address.startsWith(`${baseUrl}/`)
    ? /^\/attachments\/(\d{1,9})(?=[?#]|$)/.exec(address.slice(baseUrl.length))
    : null;
  return found ? Number(found[1]) : undefined;
}
