/** The types of events that webhooks can subscribe to: those of the audit log. */
import { activityDescription } from "lectern/contracts";
import { endpoint } from "lectern/core";
import { eventTypesSchema, type WebhooksContext } from "./contract.ts";
import { about } from "./docs.ts";
import { PHRASED, phraseOf, TYPES } from "./phrases.ts";

const VERBS = ["create", "update", "delete"];

/** Whether a webhook can subscribe to a type. */
export function isKnownType({ slot }: Pick<WebhooksContext, "slot">, type: string): boolean {
  return (
    TYPES.has(type) ||
    slot("activity").some(({ event, types = [event] }) => types.some((known) => known === type)) ||
    slot("content").some(({ kind }) => [...VERBS, "move"].some((verb) => type === `${kind}_${verb}`))
  );
}

/** Mounts the route that lists the types, for screens. */
export function mountEventTypes({ app, slot }: WebhooksContext): void {
  app.get(
    "/webhooks/events",
    () => {
      const declared = slot("activity").flatMap((source: { event: string; types?: readonly string[] }) => [
        ...(source.types ?? [source.event]),
      ]);
      const ofContent = slot("content").flatMap(({ kind, parents }) =>
        (parents.length > 0 ? [...VERBS, "move"] : VERBS).map((verb) => `${kind}_${verb}`),
      );
      const types = [...new Set<string>([...ofContent, ...PHRASED, ...declared])];
      const content = slot("content");
      const activity = slot("activity");
      return {
        events: types.map((type) => {
          const { label, section } = activityDescription({ activity, content }, type) ?? {};
          const text = label ?? phraseOf(type, { activity, content });
          return { type, text, ...(section !== undefined && !TYPES.has(type) && { section }) };
        }),
      };
    },
    {
      permit: "settings-manage",
      response: eventTypesSchema,
      ...endpoint("webhooks", "events", { about: about.events }),
    },
  );
}
