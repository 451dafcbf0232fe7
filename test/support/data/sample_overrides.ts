/** Trees with overrides, made over the API. */
import { expect } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import type { Answer, TestRuntime } from "../harness/test_runtime.ts";

/** What entries say. */
export const ALL = { view: true, create: true, update: true, delete: true };
/** Its opposite. */
export const NOTHING = { view: false, create: false, update: false, delete: false };

/** What tests of overrides do with a runtime. */
export interface OverrideTools {
  /** Makes something and answers its id. */
  made(path: string, body: Record<string, unknown>): Promise<number>;
  /** Changes the overrides of an item. */
  permit(kind: string, id: number, body: unknown, as?: string): Promise<Answer>;
  /** A page in a chapter in a book. */
  tree(name: string): Promise<{ book: number; chapter: number; page: number }>;
  /** The list an item has. */
  aclOf(table: string, id: number): Promise<number | undefined>;
}

/** OverrideTools over a runtime that opens later. */
export function overrideTools(open: () => TestRuntime): OverrideTools {
  const made: OverrideTools["made"] = async (path, body) => {
    const answer = await open().ask("POST", `/api/${path}`, { body });
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.body.id;
  };
  return {
    made,
    permit: (kind, id, body, as = open().token) =>
      open().ask("PUT", `/api/content-permissions/${kind}/${id}`, { body, as }),
    async tree(name) {
      const book = await made("books", { name });
      const chapter = await made("chapters", { name, book_id: book });
      return { book, chapter, page: await made("pages", { name, chapter_id: chapter, html: "<p>x</p>" }) };
    },
    async aclOf(table, id) {
      const [row] = await rows<{ acl_id: number }>(
        open().db,
        sql`select acl_id from ${sql.table(table)} where id = ${id}`,
      );
      return row?.acl_id;
    },
  };
}
