/** Which name a theme may listen to, by a context that only notes what is done with it. */
import { expect, test } from "bun:test";
import { type AnyContext, definePlugin } from "lectern/core";
import type { ThemeHook } from "./contract.ts";
import { listenerOf } from "./listen.ts";

const plugins = [definePlugin({ name: "podium", events: ["app_boot"], setup() {} })];

function opened(hooks: readonly { name: string; attach: (handler: unknown) => void }[]) {
  const warnings: unknown[] = [];
  const handled: string[] = [];
  const context = {
    slot: () => hooks as unknown as ThemeHook[],
    log: { warn: (_: string, { event }: { event: string }) => void warnings.push(event) },
    on: (event: string) => void handled.push(event),
  };
  // The members that `listen` uses.
  return { listen: listenerOf(context as unknown as AnyContext, plugins), warnings, handled };
}

test("hooks are attached by who contributed them, events get a filter, and hooks of features that are absent warn", () => {
  const attached: unknown[] = [];
  const hook = (name: string) => ({ name, attach: (handler: unknown) => void attached.push([name, handler]) });
  const { listen, warnings, handled } = opened([hook("podium_raised"), hook("oidc_auth_pre_redirect")]);
  const handler = () => 1;
  for (const name of ["podium_raised", "oidc_auth_pre_redirect", "app_boot", "auth_register", "routes_register_web"])
    listen(name, handler);
  expect(attached).toEqual([
    ["podium_raised", handler],
    ["oidc_auth_pre_redirect", handler],
  ]);
  expect(handled).toEqual(["app_boot"]);
  expect(warnings).toEqual(["auth_register", "routes_register_web"]);
});

test("an unknown name is refused with the closest one, and a hook has one owner", () => {
  const hook = { name: "podium_raised", attach: () => {} };
  expect(() => opened([hook]).listen("podium_rised", () => 1)).toThrow(
    'There is no hook or event "podium_rised"; did you mean "podium_raised"?',
  );
  expect(() => opened([hook]).listen("nothing_like_any", () => 1)).toThrow(
    /^There is no hook or event "nothing_like_any"$/,
  );
  expect(() => opened([hook, hook])).toThrow('Two plugins contribute the theme hook "podium_raised"; one must go');
});
