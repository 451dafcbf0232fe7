/**
 * A plugin with a part in each slot that tests drive. A part returns what it should until `whileFailing` names it; then it throws,
 * rejects, never answers or returns what its reader cannot use, so that a test sees what each failure does. Parts of slots that
 * hold data alone are not here.
 */
import { definePlugin, html, sql } from "lectern/core";

/** The ways in which a contribution fails. */
export type How = "throws" | "rejects" | "hangs" | "is unusable";
/** What fails now, and how. */
let failing: { readonly part: string; readonly how: How } | undefined;

/** What a contribution returns: what it should, or as `failing` says. */
function from<T>(part: string, fine: T, unusable: unknown = { no: "sense" }): T {
  if (failing?.part !== part) return fine;
  if (failing.how === "throws") throw new Error(`${part} is out of order`);
  // The types of contributions do not allow what is tested here.
  const others = { rejects: () => Promise.reject(new Error("rejected")), hangs: () => new Promise(() => {}) };
  return (failing.how === "is unusable" ? unusable : others[failing.how]()) as T;
}

/** Is in whatever its parts show. */
export const MARK = "mark-of-trouble";
const fieldsOf = (ids: readonly number[]) => new Map(ids.map((id) => [id, { trouble: MARK }]));
const circular: Record<string, unknown> = {};
circular.self = circular;
const failingJson = {
  toJSON() {
    throw new Error("cannot be written");
  },
};
/** Fields that cannot be answered. */
const UNUSABLE = { read: { trouble: circular }, listed: { trouble: failingJson }, saved: "text" };

/** A plugin with a part in each slot, which fails as it is told. */
export const trouble = definePlugin({
  name: "trouble",
  setup({ contribute, app }) {
    // A menu shows what is served.
    app.site.get(`/${MARK}`, () => "here", { permit: "public" });
    contribute("screen_part", { at: "book/below", draw: () => from("screen_part", html`<p>${MARK}</p>`) });
    contribute("screen_part", {
      ...{ at: "reading/book/after", order: 1 },
      draw: () => from("view_part", html`<i>${MARK}</i>`),
    });
    contribute("view_replacement", {
      name: "layout/footer",
      draw:
        ({ next }) =>
        (data) =>
          from("view_replacement", html`${next(data)}<b>${MARK}</b>`),
    });
    contribute("document_head", { draw: () => from("document_head", html`<meta name="${MARK}">`) });
    contribute("screen_head", {
      meta: () => from("screen_head", { [`head-${MARK}`]: "x" }, { robots: { no: "text" } }),
    });
    contribute("screen_part", {
      ...{ at: "book/toolbar", text: "Trouble", icon: "book" },
      path: () => from("toolbar_entry", `/tool-${MARK}`),
    });
    contribute("screen_part", {
      ...{ at: "system/figures", label: "Troubles" },
      read: async () => from("screen_figure", `figure-${MARK}`),
    });
    contribute("screen_part", {
      ...{ at: "menu/main", path: `/${MARK}`, icon: "book", permit: "public" },
      get text() {
        return from("menu", "Trouble");
      },
    });
    contribute("screen_redirect", {
      find: async (path) => (path === "/books/nowhere" ? from("screen_redirect", `/moved-${MARK}`) : undefined),
    });
    for (const moment of ["read", "listed", "saved"] as const)
      contribute("response_fields", {
        ...{ kind: "book", moment },
        add: async (ids) => from(moment, fieldsOf(ids), new Map(ids.map((id) => [id, UNUSABLE[moment]]))),
      });
    contribute("response_fields", {
      ...{ kind: "chapter", moment: "read" },
      select: (id) =>
        // Divides by zero for a chapter named "Broken".
        sql`json_build_object('trouble', ${MARK}::text, 'length', 1 / length(replace(
          (select named.name from chapters as named where named.id = ${id}), 'Broken', '')))`,
      add: async (ids) => fieldsOf(ids),
      present: async (selected) => from("present", selected, { big: 1n }),
    });
    contribute("dashboard_figure", {
      ...{ name: "trouble_count", about: "Troubles" },
      read: async () => from("dashboard_figure", 7, Number.NaN),
    });
    contribute("metric", {
      ...{ name: "lectern_trouble", help: "Troubles.", type: "gauge" },
      read: async () => from("metric", [{ value: 41 }], [{ value: "many" }]),
    });
    contribute("instance_setting", {
      ...{ name: "trouble", group: "appearance", label: "Trouble", control: "text", default: "" },
      rules: { trouble: ["string", "max:40"] },
      check: () => from("instance_setting", undefined),
    });
    contribute("dependents", { kind: "book", destroy: async () => from("dependents", undefined) });
    contribute("page_pictures", {
      dependsOn: [{ table: "pages", column: "id" }],
      find: async (addresses) => {
        const forms = [200, 400].map((width) => ({ address: `/${MARK}-${width}.png`, width }));
        const picture = { row: 0, original: "/trouble.png", forms, width: 400, height: 400, isLarge: false };
        const own = addresses.includes("/trouble.png") ? [["/trouble.png", picture] as const] : [];
        return from("page_pictures", new Map(own));
      },
    });
    contribute("page_content", {
      preStore: (text) => from("preStore", text),
      postRender: (text) => from("postRender", text),
    });
    contribute("screen_hook", {
      before: () => from("before", undefined),
      after: () => from("after", undefined),
    });
    contribute("markdown_converter", { configure: (converter) => from("markdown_converter", converter) });
    contribute("activity", { event: "book_create", activities: () => from("activity", []) });
    contribute("file_claims", { plugin: "trouble", used: async (keys) => from("file_claims", keys) });
    contribute("export_files", { named: async () => from("export_files", new Map()) });
    contribute("export_format", {
      ...{ name: "trouble", extension: "txt" },
      async *write() {
        yield from("export_format", MARK);
      },
    });
  },
});

declare module "lectern/contracts" {
  interface SettingValues {
    trouble: string;
  }
}

/** Runs something while a part fails. */
export async function whileFailing<T>(part: string, how: How, run: () => Promise<T>): Promise<T> {
  failing = { part, how };
  try {
    return await run();
  } finally {
    failing = undefined;
  }
}
