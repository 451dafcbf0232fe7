/** The plugin whose routes `hello.ts` measures: one for everybody, one for those who are signed in, as by a plugin of an operator. */
import { definePlugin, frozenViewer } from "lectern/core";

const CREDENTIALS = "Hello bench";
const READER = frozenViewer({
  ...{ id: 1, name: "Reader", slug: "reader", roles: [1], permissions: new Set(["access-api"]) },
  ...{ admin: false, via: "key" as const },
});

export default definePlugin({
  name: "hello",
  grants: { auth: true },
  setup({ app, auth }) {
    auth((request) => (request.headers.get("authorization") === CREDENTIALS ? READER : undefined));
    app.get("/hello", () => ({ hello: "world" }), { permit: "public" });
    app.get("/hello/members", () => ({ hello: "world" }), { permit: "access-api" });
  },
});
