/**
 * Sign-ins of tests: single sign-on by a made-up provider, as a stranger's plugin would do it, and browsers that keep cookies.
 */
import { type AnyPlugin, definePlugin } from "lectern/core";
import type { TestRuntime } from "./test_runtime.ts";

/** The password of a person whom `browserOf` signs in. */
export const PASSWORD = "long enough";
const SAME_SITE = { "sec-fetch-site": "same-origin" };

/** Single sign-on that believes the request. */
export const sso: AnyPlugin = definePlugin({
  name: "sso",
  requires: ["sessions"],
  grants: { auth: true },
  setup({ app, routeScope, contracts }) {
    // A provider may send its answer by POST, which screens refuse from another site.
    routeScope("/sso", { outside: true });
    app.site.post(
      "/sso/consume",
      async ({ request, address, input }) => {
        const options = { method: "saml", returnTo: String(input.RelayState) };
        return (await contracts.sessions.begin(Number(input.user), { request, address }, options)).response();
      },
      { permit: "public" },
    );
    app.site.get(
      "/sso/callback",
      async ({ request, address, query }) => {
        const options = { method: query.method ?? "oidc", returnTo: query.next };
        return (await contracts.sessions.begin(Number(query.user), { request, address }, options)).response();
      },
      { permit: "public" },
    );
  },
});

/** A browser that keeps cookies. */
export function browserOf(of: TestRuntime) {
  const jar = new Map<string, string>();
  const send = async (method: string, path: string, form?: Record<string, string>, headers = {}) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await of.ask(method, path, {
      as: null,
      ...(form ? { form } : {}),
      headers: { accept: "text/html", ...SAME_SITE, ...(cookie === "" ? {} : { cookie }), ...headers },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") jar.delete(name);
      else jar.set(name, value);
    }
    return { ...answer, location: answer.headers.get("location") };
  };
  return {
    jar,
    send,
    go: (path: string, headers = {}) => send("GET", path, undefined, headers),
    signIn: (email: string, next = "/books") => send("POST", "/login", { email, password: PASSWORD, next }),
    code: (code: string) => send("POST", "/login/code", { code }, { accept: "application/json" }),
    /** The status of a request that needs a session. */
    me: async () => (await send("GET", "/api/users/me", undefined, { accept: "application/json" })).status,
  };
}
