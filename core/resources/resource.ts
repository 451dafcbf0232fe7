/**
 * The five routes of a resource, with the order of checks of the wire contract (content-api 1.5) and an event around each
 * change. The plugin's handlers read, write and show rows. A route that differs further is written by hand.
 */
import type { Static, TSchema } from "@sinclair/typebox";
import { denied, notFound } from "../errors.ts";
import type { Action, EventTransaction } from "../events/event_bus.ts";
import { listingSchema, noContent } from "../http/answer_types.ts";
import { type EndpointSpec, endpoint } from "../http/endpoint.ts";
import type { PluginApp } from "../http/plugin_app.ts";
import type { InputObject } from "../input/body_parsing.ts";
import { idOf } from "../input/path_id.ts";
import type { Draft, EventName, Result, RoutePermit } from "../registry.ts";
import type { JsonBytes } from "../std/json_bytes.ts";
import type { Input, Lookups, Rules } from "../validation/validate.ts";
import type { Viewer } from "../viewer.ts";
import type { Listing, ListSpec } from "./list_spec.ts";

/** The events of a resource, such as book_create, book_update and book_delete. */
export type ResourceEvents<Name extends string, Create, Update, Row> = {
  [E in `${Name}_create`]: { draft: Create; result: Row };
} & { [E in `${Name}_update`]: { draft: { row: Row; draft: Update }; result: Row } } & {
  [E in `${Name}_delete`]: { draft: Row; result: Row };
};

/** What the routes of a resource need of the context of its plugin. */
export interface ResourceContext {
  /** Elysia with the prefix /api. Handlers get `viewer` and `input`; each route names its `permit`. */
  readonly app: PluginApp;
  perform<E extends EventName, A extends Result<E>>(
    name: E,
    viewer: Viewer,
    draft: Draft<E>,
    action: Action<E, A>,
  ): Promise<A>;
  /** Runs a listing request over the rows that the viewer sees. */
  list<Row>(spec: ListSpec, viewer: Viewer, query: InputObject): Promise<Listing<Row>>;
  /** Validates input. Throws ApiError 422 with every error by field, in the viewer's language. */
  validate<const R extends Rules>(rules: R, input: InputObject, viewer: Viewer, lookups?: Lookups): Promise<Input<R>>;
}

/** The five routes of a resource. */
export type ResourceAction = "list" | "create" | "read" | "update" | "delete";

/** The schemas of a resource's answers. */
export interface ResourceAnswers {
  /** A row of the listing. */
  readonly listed: TSchema;
  /** The item after a create or an update. */
  readonly saved: TSchema;
  /** The item in full. */
  readonly read: TSchema;
}

/** What handlers return for an answer with a schema; anything without one. */
type Shown<A, Name extends keyof ResourceAnswers> = A extends ResourceAnswers ? Static<A[Name]> : unknown;

type Answered<T> = Promise<T> | T;

/** The names, rules and permits of a resource. */
export interface ResourceSpec<C extends Rules, U extends Rules, A = undefined> {
  /** As in events and permissions: "book". */
  readonly name: string;
  /** As in messages: "Book" in "Book not found". */
  readonly noun: string;
  /** Below /api: "/books". */
  readonly path: string;
  readonly create: C;
  readonly update: U;
  /** Fields of an urlencoded body whose empty text means null, such as a nullable file. */
  readonly emptyAsNull?: readonly string[];
  /** Whether a body is validated before the item is found and its permission checked. */
  readonly bodyFirst: boolean;
  readonly list: ListSpec;
  /** Checked first, so that viewers without it do not learn which items exist; "access-api" by default. */
  readonly permit?: RoutePermit;
  /** Permits of single routes in place of `permit`. */
  readonly permits?: Readonly<Partial<Record<ResourceAction, RoutePermit>>>;
  /** Types what the handlers show; also for the documentation, and the check of answers in tests. */
  readonly answers?: A;
  /** Descriptions for the documentation. */
  readonly about: Readonly<Record<ResourceAction, string>>;
  /** Errors of single routes, for the documentation, as in `EndpointSpec`. */
  readonly errors?: Readonly<Partial<Record<ResourceAction, readonly number[]>>>;
  /** Samples for the documentation. */
  readonly examples?: Readonly<Partial<Record<ResourceAction, NonNullable<EndpointSpec["example"]>>>>;
}

/** What the plugin does for its resource; `Row` is its own type. */
export interface ResourceHandlers<Row extends { id: number }, C extends Rules, U extends Rules, Place, A = undefined> {
  /** The row if the viewer sees it. */
  find(viewer: Viewer, id: number): Promise<Row | undefined>;
  /** Whether the viewer may do this to a visible row. */
  may(viewer: Viewer, verb: "update" | "delete", row: Row): Promise<boolean>;
  /** Checks whether the viewer may create and returns where; throws 404 or 403. `draft` is there with `bodyFirst` alone. */
  place(viewer: Viewer, draft: Input<C> | undefined): Promise<Place>;
  /** Checks permissions of an update beyond "update", such as to move the item. */
  arrange?(viewer: Viewer, row: Row, draft: Input<U>): Promise<void>;
  insert(draft: Input<C>, tx: EventTransaction, place: Place): Promise<Row>;
  change(row: Row, draft: Input<U>, tx: EventTransaction): Promise<Row>;
  remove(row: Row, tx: EventTransaction): Promise<void>;
  /** The rows of a listing as the answer shows them; as they are selected without this handler, which costs less. */
  listed?(
    records: readonly Record<string, unknown>[],
    viewer: Viewer,
  ): Promise<Shown<A, "listed">[]> | Shown<A, "listed">[];
  /** The item in full if the viewer sees it, or its JSON, where that takes less than `find` and `show`. */
  read?(viewer: Viewer, id: number): Answered<Shown<A, "read"> | JsonBytes | undefined>;
  /** The item as the answer shows it: after a save, or in full for "read". A Response is one with such JSON. */
  show(row: Row, viewer: Viewer, moment: "saved" | "read"): Answered<Shown<A, "saved"> | Shown<A, "read"> | Response>;
}

/**
 * Mounts the five routes of a resource on a plugin's context.
 * @example
 * mountResource(context, noteResource, noteHandlers);
 */
export function mountResource<
  Row extends { id: number },
  C extends Rules,
  U extends Rules,
  Place,
  A extends ResourceAnswers | undefined = undefined,
>(context: ResourceContext, spec: ResourceSpec<C, U, A>, handlers: ResourceHandlers<Row, C, U, Place, A>): void {
  const { app, list, validate } = context;
  const { noun, path, permit = "access-api" } = spec;
  const answers = spec.answers && answersByAction(spec.answers);
  const described = (action: ResourceAction, more: Pick<EndpointSpec, "rules"> = {}) => {
    const example = spec.examples?.[action];
    const errors = spec.errors?.[action];
    const facts = { about: spec.about[action], ...(example && { example }), ...(errors && { errors }), ...more };
    const response = answers?.[action];
    return {
      permit: spec.permits?.[action] ?? permit,
      ...endpoint(path.slice(1), action, facts),
      ...(response && { response }),
    };
  };
  const emptyAsNull = spec.emptyAsNull && { emptyAsNull: spec.emptyAsNull };
  // The compiler cannot follow event names made of the resource's name.
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
    async ({ viewer, nestedQuery }) => {
      const listing = await list<Record<string, unknown>>(spec.list, viewer, nestedQuery);
      if (!handlers.listed) return listing;
      return { data: await handlers.listed(listing.data, viewer), total: listing.total };
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
      if (!handlers.read) return handlers.show(await found(viewer, params.id), viewer, "read");
      const read = handlers.read(viewer, idOf(params.id, noun));
      // A cached answer is there, and not waited for.
      const item = read instanceof Promise ? await read : read;
      if (item === undefined) throw notFound(noun);
      return item;
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
    { ...described("delete"), response: noContent },
  );
}

function answersByAction({ listed, saved, read }: ResourceAnswers): Partial<Record<ResourceAction, TSchema>> {
  return { list: listingSchema(listed), create: saved, read, update: saved };
}
