/** The sessions of a user: the viewer's own, or those of others with users-manage. Signing in and out is in sign_in.ts. */

import { endpoint, idOf, type ListSpec, noContent, notFound, sha256, sql } from "lectern/core";
import { refs } from "lectern/db";
import { type Session, type SessionsContext, sessionListingSchema } from "./contract.ts";
import { cookieOf } from "./cookie.ts";
import { about } from "./docs.ts";
import { hasEnded } from "./lifetimes.ts";
import { columns, readSessionOf } from "./queries.ts";

const FIELDS: ListSpec["fields"] = {
  id: "integer",
  address: "code",
  agent: "text",
  created_at: "timestamp",
  last_seen_at: "timestamp",
};

/** Mounts the routes. */
export function mountSessions(context: SessionsContext): void {
  const { app, contracts, cookieStyle, db, endSession, lastSeen, lifetimes, list } = context;
  app.get(
    "/users/:id/sessions",
    async ({ viewer, params, nestedQuery, request }) => {
      const owner = await contracts.users.manageableUser(viewer, params.id);
      await lastSeen.flush();
      const hash = sha256(cookieOf(request.headers.get("cookie"), cookieStyle) ?? "");
      const spec: ListSpec = {
        table: "sessions",
        fields: FIELDS,
        columns: sql`${columns}, ${refs("sessions.hash")} = ${hash} as current`,
        where: sql<boolean>`${refs("sessions.user_id")} = ${owner} and not ${hasEnded(lifetimes)}`,
      };
      return list<Session & { current: boolean }>(spec, viewer, nestedQuery);
    },
    {
      permit: "access-api",
      response: sessionListingSchema,
      ...endpoint("users", "listSessions", { about: about.listOfUser }),
    },
  );
  app.delete(
    "/users/:id/sessions/:sessionId",
    async ({ viewer, params, set }) => {
      const owner = await contracts.users.manageableUser(viewer, params.id);
      const id = idOf(params.sessionId, "Session");
      const session = await readSessionOf.executeTakeFirst(db, { id, owner });
      if (!session) throw notFound("Session");
      await endSession(session, viewer);
      set.status = 204;
    },
    {
      permit: "access-api",
      response: noContent,
      ...endpoint("users", "deleteSession", { about: about.deleteOfUser }),
    },
  );
}
