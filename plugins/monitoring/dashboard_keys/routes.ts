/**
 * The routes by which administrators manage keys (dashboard-stats 5). Only the answer to the request that creates a key has its
 * secret. Pending uses are written before keys are shown, so that `last_used_at` is current. The paths belong to the content
 * API: its credentials, limit and error shape apply.
 */
import { endpoint, idOf, noContent, type Viewer } from "lectern/core";
import { changeKey, insertKey, randomKey, removeKey } from "./changes.ts";
import { type DashboardKeysContext, type KeyFacts, keyAnswers, type ShownKey } from "./contract.ts";
import { examples } from "./docs.ts";
import { changeOf, createRules, draftOf, keyFields, updateRules } from "./input.ts";
import { findKey, KEY_LISTING } from "./queries.ts";

/** Mounts the routes of keys. */
export function mountKeys(context: DashboardKeysContext): void {
  mountList(context);
  mountCreate(context);
  mountOne(context);
}

function mountList({ app, list, lastUsed }: DashboardKeysContext): void {
  app.get(
    "/v1/dashboard/keys",
    async ({ viewer, nestedQuery }) => {
      await lastUsed.flush();
      return list<ShownKey>(KEY_LISTING, viewer, nestedQuery);
    },
    {
      permit: "settings-manage",
      response: keyAnswers.list,
      ...endpoint("dashboard", "keys-list", {
        about:
          "Lists the keys of dashboards and of enrolment, with their last use and last rejection, without secrets.",
      }),
    },
  );
}

function mountCreate(context: DashboardKeysContext): void {
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
      response: { 201: keyAnswers.created },
      ...endpoint("dashboard", "keys-create", {
        about:
          "Creates a key and shows its secret, only in this answer. Dashboards send both as Basic credentials.\n" +
          "A key of the type `enrolment` creates hosts instead, up to a daily limit.",
        rules: createRules,
        fields: keyFields,
        example: examples.create,
      }),
    },
  );
}

function mountOne(context: DashboardKeysContext): void {
  const { app, forget, lastUsed, perform, validate } = context;
  const permit = "settings-manage";
  const path = "/v1/dashboard/keys/:id";
  const found = (viewer: Viewer, param: string) => findKey(context, viewer, idOf(param, "Key"));
  app.get(
    path,
    async ({ viewer, params }) => {
      await lastUsed.flush();
      return found(viewer, params.id);
    },
    {
      permit,
      response: keyAnswers.read,
      ...endpoint("dashboard", "keys-read", { about: "Reads a key, without its secret." }),
    },
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
      response: keyAnswers.read,
      ...endpoint("dashboard", "keys-update", {
        about:
          "Renames, disables or enables a key, or changes its allowed addresses and its expiry; null clears both.\n" +
          "The change takes effect on the next request.",
        rules: updateRules,
        fields: keyFields,
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
      response: noContent,
      ...endpoint("dashboard", "keys-delete", { about: "Deletes a key. Requests that use it are rejected." }),
    },
  );
}

function factsOf({ id, token_name, integration_type }: ShownKey): KeyFacts {
  return { id, name: token_name, integration_type };
}
