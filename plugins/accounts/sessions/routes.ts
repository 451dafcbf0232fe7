import {
  denied,
  endpoint,
  hasPermission,
  idOf,
  type ListSpec,
  notFound,
  type PluginContext,
  sha256,
  sql,
  type Viewer,
} from "lectern/core";
import { rows } from "lectern/db";
import type { Session } from "./contract.ts";
import { type CookieStyle, cookieOf } from "./cookie.ts";
import type { SessionsSeen } from "./last_used.ts";
import { columns, readShown } from "./write.ts";

type Context = Pick<PluginContext<"users", "users" | "sessions">, "app" | "db" | "list">;

/** What the routes need beside the context. */
export interface SessionRoutes {
  readonly style: CookieStyle;
  readonly lastSeen: SessionsSeen;
  readonly lifetimeMs: number;
  /** Ends a session by event. */
  end(session: Session, viewer: Viewer): Promise<void>;
}

const FIELDS: ListSpec["fields"] = {
  id: "integer",
  address: "code",
  agent: "text",
  created_at: "timestamp",
  last_seen_at: "timestamp",
};

/** Mounts the sessions of a user: one's own, or anybody's with users-manage. */
export function mountSessions({ app, db, list }: Context, parts: SessionRoutes): void {
  const { end, lifetimeMs, style, lastSeen } = parts;
  app.get(
    "/users/:id/sessions",
    async ({ viewer, params, asked, request }) => {
      const owner = await ownerOf(db, viewer, params.id);
      await lastSeen.flush();
      const hash = sha256(cookieOf(request.headers.get("cookie"), style) ?? "");
      const spec: ListSpec = {
        table: "sessions",
        fields: FIELDS,
        columns: sql`${columns}, sessions.hash = ${hash} as current`,
        where: sql<boolean>`sessions.user_id = ${owner}
          and sessions.last_seen_at >= now() - ${lifetimeMs} * interval '1 millisecond'`,
      };
      return list<Session & { current: boolean }>(spec, viewer, asked);
    },
    {
      permit: "access-api",
      ...endpoint("users", "listSessions", { about: "Lists where a user is signed in with a password." }),
    },
  );
  app.delete(
    "/users/:id/sessions/:sessionId",
    async ({ viewer, params, set }) => {
      const owner = await ownerOf(db, viewer, params.id);
      const id = idOf(params.sessionId, "Session");
      const session = await readShown(db, sql`sessions.id = ${id} and sessions.user_id = ${owner}`);
      if (!session) throw notFound("Session");
      await end(session, viewer);
      set.status = 204;
    },
    { permit: "access-api", ...endpoint("users", "deleteSession", { about: "Ends a session of a user." }) },
  );
}

/** The user whose sessions the viewer may see. Throws 403 for others, then 404; narrower tokens are not their owner. */
async function ownerOf(db: Context["db"], viewer: Viewer, param: string): Promise<number> {
  const isOwn = param === String(viewer.id) && viewer.via !== "guest" && !viewer.only;
  if (!isOwn && !hasPermission(viewer, "users-manage")) throw denied();
  const id = idOf(param, "User");
  if ((await rows(db, sql`select from users where id = ${id}`)).length === 0) throw notFound("User");
  return id;
}
