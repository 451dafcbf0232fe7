import { acceptWebSocket, endpoint, type PluginContext, t } from "lectern/core";

/** Mounts the WebSocket of agents. It only stays open: agents that cannot connect to it try again for ever. */
export function mountWebSocket({ app }: Pick<PluginContext, "app">): void {
  const about = "Holds a WebSocket open for agents that want one. No command is ever sent on it.";
  app.get("/v1/agents/ws", () => acceptWebSocket(), {
    permit: "access-api",
    response: { 101: t.Void() },
    ...endpoint("agents", "ws", { about }),
  });
}
