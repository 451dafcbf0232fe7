/** What webhooks can be told of, so that people choose from a list: everything that the log of this server tells. */
import { endpoint, type PluginContext } from "lectern/core";
import { PHRASED, phraseOf } from "./phrases.ts";

const VERBS = ["create", "update", "delete"];

/** Mounts the route of the list. */
export function mountEvents({ app, slot }: Pick<PluginContext, "app" | "slot">): void {
  app.get(
    "/webhooks/events",
    () => {
      // An entry may name the types of its rows, where they are others than its event.
      const declared = slot("activity").flatMap((source: { event: string; types?: readonly string[] }) => [
        ...(source.types ?? [source.event]),
      ]);
      const content = slot("content").flatMap(({ kind, parents }) =>
        (parents.length > 0 ? [...VERBS, "move"] : VERBS).map((verb) => `${kind}_${verb}`),
      );
      const types = [...new Set<string>([...content, ...PHRASED, ...declared])];
      return { events: types.map((type) => ({ type, text: phraseOf(type) })) };
    },
    {
      permit: "settings-manage",
      ...endpoint("webhooks", "events", { about: "Lists the types of events that webhooks can be told of." }),
    },
  );
}
