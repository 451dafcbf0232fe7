/**
 * The five routes of a resource and what is the same for all of them: the order of checks the wire contract gives
 * (content-api 1.5), the events around each change, the answers. What differs is in the handlers the plugin mounts with:
 * they read, write and show rows. A resource that needs an eighth option writes that route by hand.
 */
import type { FieldsById } from "../contracts/content.ts";
import { denied, notFound } from "../errors.ts";
import type { EventTransaction } from "../events/event_bus.ts";
import { type EndpointSpec, endpoint } from "../http/endpoint.ts";
import type { InputObject } from "../input/body_parsing.ts";
import type { AnyContext } from "../runtime/plugin.ts";
import type { EventName, Permit } from "../runtime/registry.ts";
import type { Input, Rules } from "../validation/validate.ts";
import type { Viewer } from "../viewer.ts";
import type { ListSpec } from "./listing.ts";

/** The events of a resource, such as book_create, book_update and book_delete. */
export type ResourceEvents<Name extends string, Create, Update, Row> = {
  [E in `${Name}_create`]: { draft: Create; result: Row };
} & { [E in `${Name}_update`]: { draft: { row: Row; draft: Update }; result: Row } } & {
  [E in `${Name}_delete`]: { draft: Row; result: Row };
};

/** The five routes of a resource. */
export type ResourceAction = "list" | "create" | "read" | "update" | "delete";

/** What a resource is. */
export interface ResourceSpec<C extends Rules, U extends Rules> {
  /** As events and permissions spell it: "book". */
  readonly name: string;
  /** As messages spell it: "Book" in "Book not found". */
  readonly noun: string;
  /** Below /api: "/books". */
  readonly path: string;
  readonly create: C;
  readonly update: U;
  /** Fields of an urlencoded body whose empty text means null, such as a nullable file. */
  readonly emptyAsNull?: readonly string[];
  /** Whether a body is validated before the item is looked up and its permission asked, as for pages and roles. */
  readonly bodyFirst: boolean;
  readonly list: ListSpec;
  /** Asked before anything else, so that nobody without it learns which items exist; use of the API by default. */
  readonly permit?: Permit;
  /** Where single routes ask for something else than `permit`. */
  readonly permits?: Readonly<Partial<Record<ResourceAction, Permit>>>;
  /** Sentences for the documentation, by method: list, create, read, update, delete. */
  readonly about: Readonly<Record<ResourceAction, string>>;
  /** Samples for the documentation. */
  readonly examples?: Readonly<Partial<Record<ResourceAction, NonNullable<EndpointSpec["example"]>>>>;
}

/** What the plugin does for its resource. `Row` is its own choice. */
export interface ResourceHandlers<Row extends { id: number }, C extends Rules, U extends Rules, Place> {
  /** The row if the viewer may see it. */
  find(viewer: Viewer, id: number): Promise<Row | undefined>;
  /** Whether the viewer may do this to a row they see. */
  may(viewer: Viewer, verb: "update" | "delete", row: Row): Promise<boolean>;
  /**
   * Asks whether the viewer may create, and where. Body-first resources are given the judged draft and answer with the
   * parent (404 or 403 by throwing); the others are asked before the body is judged.
   */
  place(viewer: Viewer, draft: Input<C> | undefined): Promise<Place>;
  /** Checks what an update needs beyond the right to update, such as the right to move. */
  arrange?(viewer: Viewer, row: Row, draft: Input<U>): Promise<void>;
  insert(draft: Input<C>, tx: EventTransaction, place: Place): Promise<Row>;
  change(row: Row, draft: Input<U>, tx: EventTransaction): Promise<Row>;
  remove(row: Row, tx: EventTransaction): Promise<void>;
  /** A row of a listing, or several at once where that is cheaper. */
  listed(records: readonly Record<string, unknown>[], viewer: Viewer): Promise<unknown[]> | unknown[];
  /**
   * Begins to read what a full answer shows beside the row, while the row is being found; thrown away where it is not
   * there, or not for this viewer.
   */
  ahead?(viewer: Viewer, id: number): Promise<FieldsById>;
  /** The item as answers show it after a save, and in full when read; `ahead` is there for reads alone. */
  show(row: Row, viewer: Viewer, moment: "saved" | "read", ahead?: Promise<FieldsById>): Promise<unknown>;
}

/** The largest id a column of ours holds. */
const MAX_ID = 2_147_483_647;

/** The id in a path. Anything that can be no id is a missing item: throws the 404 of that noun (content-api 1.1). */
export function idOf(param: string, noun: string): number {
  const id = /^[1-9]\d{0,9}$/.test(param) ? Number(param) : 0;
  if (id === 0 || id > MAX_ID) throw notFound(noun);
  return id;
}

/** Mounts the five routes of a resource on a plugin's context. */
export function mountResource<Row extends { id: number }, C extends Rules, U extends Rules, Place>(
  context: Pick<AnyContext, "app" | "list" | "validate" | "perform">,
  spec: ResourceSpec<C, U>,
  handlers: ResourceHandlers<Row, C, U, Place>,
): void {
  const { app, list, validate } = context;
  const { noun, path, permit = "access-api" } = spec;
  const described = (action: ResourceAction, more: Pick<EndpointSpec, "rules"> = {}) => {
    const example = spec.examples?.[action];
    const facts = { about: spec.about[action], ...(example && { example }), ...more };
    return { permit: spec.permits?.[action] ?? permit, ...endpoint(path.slice(1), action, facts) };
  };
  const emptyAsNull = spec.emptyAsNull && { emptyAsNull: spec.emptyAsNull };
  // Event names are made from the resource's name, which the compiler cannot follow.
  const perform = <D>(
    verb: string,
    viewer: Viewer,
    draft: D,
    action: (draft: D, tx: EventTransaction) => Promise<Row>,
  ): Promise<Row> =>
    context.perform(`${spec.name}_${verb}` as EventName, viewer, draft as never, action as never) as Promise<Row>;
  const found = async (viewer: Viewer, param: string): Promise<Row> => {
    const row = await handlers.find(viewer, idOf(param, noun));
    if (!row) throw notFound(noun);
    return row;
  };
  const allowed = async (viewer: Viewer, verb: "update" | "delete", param: string): Promise<Row> => {
    const row = await found(viewer, param);
    if (!(await handlers.may(viewer, verb, row))) throw denied();
    return row;
  };
  const create = async (viewer: Viewer, input: InputObject): Promise<Row> => {
    const early = spec.bodyFirst ? undefined : await handlers.place(viewer, undefined);
    const draft = await validate(spec.create, input, viewer);
    const place = (early ?? (await handlers.place(viewer, draft))) as Place;
    return perform("create", viewer, draft, (final, tx) => handlers.insert(final, tx, place));
  };
  const update = async (viewer: Viewer, param: string, input: InputObject): Promise<Row> => {
    const early = spec.bodyFirst ? await validate(spec.update, input, viewer) : undefined;
    const row = await allowed(viewer, "update", param);
    const draft = early ?? (await validate(spec.update, input, viewer));
    await handlers.arrange?.(viewer, row, draft);
    return perform("update", viewer, { row, draft }, (final, tx) => handlers.change(final.row, final.draft, tx));
  };

  app.get(
    path,
    async ({ viewer, asked }) => {
      const { data, total } = await list<Record<string, unknown>>(spec.list, viewer, asked);
      return { data: await handlers.listed(data, viewer), total };
    },
    described("list"),
  );

  app.post(path, async ({ viewer, input }) => handlers.show(await create(viewer, input), viewer, "saved"), {
    ...described("create", { rules: spec.create }),
    ...emptyAsNull,
  });

  app.get(
    `${path}/:id`,
    async ({ viewer, params }) => {
      const ahead = handlers.ahead?.(viewer, idOf(params.id, noun));
      ahead?.catch(() => {
        // Whoever needs it waits for it, and is told.
      });
      return handlers.show(await found(viewer, params.id), viewer, "read", ahead);
    },
    described("read"),
  );

  app.put(
    `${path}/:id`,
    async ({ viewer, params, input }) => handlers.show(await update(viewer, params.id, input), viewer, "saved"),
    { ...described("update", { rules: spec.update }), ...emptyAsNull },
  );

  app.delete(
    `${path}/:id`,
    async ({ viewer, params, set }) => {
      const row = await allowed(viewer, "delete", params.id);
      await perform("delete", viewer, row, async (final, tx) => {
        await handlers.remove(final, tx);
        return final;
      });
      set.status = 204;
    },
    described("delete"),
  );
}
