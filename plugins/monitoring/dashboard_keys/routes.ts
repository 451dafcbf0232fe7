/**
 * Keys as administrators manage them, and all that their screen shows (dashboard-stats 5). The secret is in the answer to
 * the request that makes a key and nowhere else. Uses are written before keys are shown, so that "last used" is true.
 * These paths are the content API's: its credentials, limit and error shape.
 */
import { endpoint, idOf, type ListSpec, notFound, type PluginContext, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import { examples } from "./about.ts";
import type { KeyFacts, KeyType } from "./contract.ts";
import type { KeysUsed } from "./last_used.ts";
import { changeOf, createRules, draftOf, updateRules } from "./requests.ts";
import { changeKey, type Forget, insertKey, randomKey, removeKey } from "./write.ts";

type Context = Pick<PluginContext<never, "dash_keys">, "app" | "db" | "list" | "perform" | "validate" | "visible">;

/** What the routes need beside the context. */
export interface KeyRoutes {
  readonly lastUsed: KeysUsed;
  readonly forget: Forget;
}

interface ShownKey {
  readonly id: number;
  readonly token_name: string;
  readonly integration_type: KeyType;
}

const STATUS = sql`case when dash_keys.expires_at <= now() then 'expired' when dash_keys.is_active then 'active'
  else 'inactive' end`;
const SHOWN = sql`dash_keys.id, dash_keys.name as token_name, dash_keys.token_key, dash_keys.integration_type,
  ${STATUS} as status, dash_keys.is_active, dash_keys.allowed_ip_ranges, dash_keys.expires_at,
  dash_keys.max_hosts_per_day, dash_keys.last_used_at, dash_keys.last_used_ip, dash_keys.last_refused_at,
  dash_keys.last_refused_reason, dash_keys.created_at, dash_keys.updated_at`;

const LISTING: ListSpec = {
  table: "dash_keys",
  fields: {
    id: "integer",
    token_name: { type: "text", column: sql`dash_keys.name` },
    token_key: "code",
    integration_type: "code",
    status: { type: "code", column: STATUS },
    is_active: "boolean",
    expires_at: { type: "timestamp", nullable: true },
    last_used_at: { type: "timestamp", nullable: true },
    created_at: "timestamp",
    updated_at: "timestamp",
  },
  columns: SHOWN,
};

/** Mounts the routes of keys. */
export function mountKeys(context: Context, parts: KeyRoutes): void {
  mountList(context, parts);
  mountCreate(context);
  mountOne(context, parts);
}

function mountList({ app, list }: Context, { lastUsed }: KeyRoutes): void {
  app.get(
    "/v1/dashboard/keys",
    async ({ viewer, asked }) => {
      await lastUsed.flush();
      return list<ShownKey>(LISTING, viewer, asked);
    },
    {
      permit: "settings-manage",
      ...endpoint("dashboard", "keys-list", {
        about:
          "Lists keys of dashboards and of enrolment, with when each was last used and refused; never their secrets.",
      }),
    },
  );
}

function mountCreate(context: Context): void {
  const { app, perform, validate } = context;
  app.post(
    "/v1/dashboard/keys",
    async ({ viewer, input, set }) => {
      const draft = draftOf(await validate(createRules, input, viewer));
      const parts = randomKey(draft.integration_type);
      const { id } = await perform("dashboard_key_create", viewer, draft, (final, tx) => insertKey(final, parts, tx));
      set.status = 201;
      const basic = Buffer.from(`${parts.token_key}:${parts.token_secret}`).toString("base64");
      return { ...(await findKey(context, viewer, id)), ...parts, basic };
    },
    {
      permit: "settings-manage",
      ...endpoint("dashboard", "keys-create", {
        about:
          "Makes a key and shows its secret, this once: dashboards send both as Basic credentials.\n" +
          "A key of the type `enrolment` makes hosts instead, so many a day.",
        rules: createRules,
        example: examples.create,
      }),
    },
  );
}

function mountOne(context: Context, { lastUsed, forget }: KeyRoutes): void {
  const { app, perform, validate } = context;
  const permit = "settings-manage";
  const path = "/v1/dashboard/keys/:id";
  const found = (viewer: Viewer, param: string) => findKey(context, viewer, idOf(param, "Key"));
  app.get(
    path,
    async ({ viewer, params }) => {
      await lastUsed.flush();
      return found(viewer, params.id);
    },
    { permit, ...endpoint("dashboard", "keys-read", { about: "Reads a key, without its secret." }) },
  );
  app.patch(
    path,
    async ({ viewer, params, input }) => {
      const row = factsOf(await found(viewer, params.id));
      const draft = changeOf(await validate(updateRules, input, viewer));
      await perform("dashboard_key_update", viewer, { row, draft }, (final, tx) =>
        changeKey(final.row.id, final.draft, forget, tx),
      );
      await lastUsed.flush();
      return found(viewer, params.id);
    },
    {
      permit,
      ...endpoint("dashboard", "keys-update", {
        about:
          "Renames, disables or enables a key, or changes where and until when it may be used; null clears both.\n" +
          "It takes effect on the next request.",
        rules: updateRules,
        example: examples.update,
      }),
    },
  );
  app.delete(
    path,
    async ({ viewer, params, set }) => {
      const row = factsOf(await found(viewer, params.id));
      await perform("dashboard_key_delete", viewer, row, (final, tx) => removeKey(final, forget, tx));
      set.status = 204;
    },
    {
      permit,
      ...endpoint("dashboard", "keys-delete", { about: "Removes a key for good; whoever uses it is refused." }),
    },
  );
}

function factsOf({ id, token_name, integration_type }: ShownKey): KeyFacts {
  return { id, name: token_name, integration_type };
}

async function findKey({ db, visible }: Context, viewer: Viewer, id: number): Promise<ShownKey> {
  const [key] = await rows(
    db,
    sql<ShownKey>`select ${SHOWN} from dash_keys where dash_keys.id = ${id} and ${visible.where("dash_keys", viewer)}`,
  );
  if (!key) throw notFound("Key");
  return key;
}
