/** A route for those who are signed in, and who they are, as a plugin of an operator says it: `hello.ts` measures what that costs beside `hello_plugin.ts`. */
import { definePlugin, frozenViewer } from "lectern/core";

const CREDENTIALS = "Hello bench";
const READER = frozenViewer({
  ...{ id: 1, name: "Reader", slug: "reader", roles: [1], permissions: new Set(["access-api"]) },
  ...{ admin: false, via: "key" as const },
});

export default definePlugin({
  name: "hello_members",
  grants: { auth: true },
  setup({ app, auth }) {
    auth((request) => (request.headers.get("authorization") === CREDENTIALS ? READER : undefined));
    app.get("/hello/members", () => ({ hello: "world" }), { permit: "access-api" });
  },
});
