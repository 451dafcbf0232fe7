/**
 * What plugins share on the root of the server, although each has an Elysia instance of its own: global hooks, schemas of guards,
 * wrappers, headers, and the names of decorators, states and models. The boot refuses a plugin whose part would apply to others.
 */
import type { AnyElysia } from "elysia";
import { modelsOf } from "./input_schemas.ts";

/**
 * Runs `mount`, which adds an app to the root. Returns what would apply to the routes of other plugins, as the text of an error;
 * undefined if there is nothing.
 */
export function leakOf(app: AnyElysia, root: AnyElysia, mount: () => void): string | undefined {
  for (const kind of ["decorator", "store"] as const) {
    const [own, taken] = [app[kind], root[kind]] as readonly Record<string, unknown>[];
    const name = Object.keys(own ?? {}).find((key) => taken && key in taken && taken[key] !== own?.[key]);
    if (name !== undefined)
      return `its "${name}" would be that of another plugin; names of decorate() and state() are shared`;
  }
  const [models, known] = [modelsOf(app), modelsOf(root)];
  const model = Object.keys(models).find((name) => name in known && !Bun.deepEquals(models[name], known[name]));
  if (model !== undefined) return `its model "${model}" would be that of another plugin; names of model() are shared`;
  const before = sharedParts(root);
  mount();
  const leaked = sharedParts(root).find(
    ({ name, count }) => count > (before.find((one) => one.name === name)?.count ?? 0),
  );
  return leaked && `its "${leaked.name}" would apply to the routes of other plugins; hooks must be local`;
}

/** The global hooks, schemas, wrappers and headers of an app, counted by kind. */
function sharedParts(app: object): { readonly name: string; readonly count: number }[] {
  const { event, validator, standaloneValidator, extender, setHeaders } = app as {
    event: Readonly<Record<string, unknown>>;
    validator: GuardSchemas<object>;
    standaloneValidator: GuardSchemas<readonly object[]>;
    extender: { readonly higherOrderFunctions: readonly unknown[] };
    setHeaders?: object;
  };
  const hooks = Object.entries(event).map(([name, list]) => ({ name, count: Array.isArray(list) ? list.length : 0 }));
  // The root has no schemas of its own: local ones are the scoped ones of a plugin.
  const schemas = [validator.global, validator.scoped, validator.local].flatMap((schema) =>
    Object.values(schema ?? {}).filter((part) => part !== undefined),
  );
  const standalone = [standaloneValidator.global, standaloneValidator.scoped, standaloneValidator.local].flat();
  return [
    ...hooks,
    { name: "guard", count: schemas.length + standalone.filter((schema) => schema).length },
    { name: "wrap", count: extender.higherOrderFunctions.length },
    { name: "headers", count: Object.keys(setHeaders ?? {}).length },
  ];
}

interface GuardSchemas<Schema> {
  readonly global?: Schema | null;
  readonly scoped?: Schema | null;
  readonly local?: Schema | null;
}
