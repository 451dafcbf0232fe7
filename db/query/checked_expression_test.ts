import { expect, test } from "bun:test";
import { type Expression, expressionBuilder, type OperationNode, sql } from "kysely";
import { checkedExpression } from "./checked_expression.ts";
import { ExpressionRefused, GrantError } from "./errors.ts";
import { flatten } from "./query.ts";

interface Store {
  books: { id: number; name: string; slug: string; deleted_at: string | null; owned_by: number };
  loans: { id: number; book_id: number; until: string };
  users: { id: number; email: string; password: string };
}

const eb = expressionBuilder<Store, "books">();
const PLACE = {
  plugin: "lending",
  grants: { read: ["books", "loans"], write: [], columns: { users: ["id", "email"] } },
  over: ["books"],
  schema: "wiki",
};
const checked = (given: Expression<unknown>) => flatten(checkedExpression(given, PLACE));
/** Any node, as a plugin can make it without Kysely. */
const forged = (node: object) => ({ toOperationNode: () => node as OperationNode }) as Expression<unknown>;
const name = (one: string) => ({ kind: "IdentifierNode", name: one });
const value = (one: unknown, immediate?: boolean) => ({ kind: "ValueNode", value: one, immediate });
const cast = (dataType: string) => ({
  kind: "CastNode",
  expression: value("users"),
  dataType: { kind: "DataTypeNode", dataType },
});
const table = (one: string, schema?: string) => ({
  kind: "TableNode",
  table: { kind: "SchemableIdentifierNode", identifier: name(one), ...(schema && { schema: name(schema) }) },
});
const reference = (of: string, column: string) => ({
  kind: "ReferenceNode",
  table: table(of),
  column: { kind: "ColumnNode", column: name(column) },
});

const PASSED: readonly [title: string, Expression<unknown>, text: string, parameters?: unknown[]][] = [
  ["a comparison", eb("books.deleted_at", "is", null), '("books"."deleted_at" is null)'],
  ["values", eb("books.name", "in", ["a", "$1"]), '("books"."name" in ($1, $2))', ["a", "$1"]],
  [
    "alternatives, which the parentheses keep together",
    eb.or([eb("books.id", "=", 1), eb("books.id", "=", 2)]),
    '(("books"."id" = $1 or "books"."id" = $2))',
    [1, 2],
  ],
  [
    "nothing",
    eb.not(eb.exists(eb.selectFrom("loans").select("loans.id"))),
    '(not exists (select "loans"."id" from "wiki"."loans" as "loans"))',
  ],
  [
    "functions and texts, with their schema and type",
    eb.fn("concat", [sql.lit("/books/"), eb.fn("lower", ["books.slug"]), eb.val("it's")]),
    `(pg_catalog.concat(cast('/books/' as text), pg_catalog.lower("books"."slug"), cast($1 as text)))`,
    ["it's"],
  ],
  ["a function of Lectern", eb.fn("text_key", ["books.name"]), '("wiki".text_key("books"."name"))'],
  ["words", eb("books.deleted_at", "<", sql<string>`now()`), '("books"."deleted_at" < now())'],
  [
    "a subselect over granted columns and the table around it",
    eb.exists(
      eb
        .selectFrom("loans as l")
        .innerJoin("users", "users.id", "l.book_id")
        .select("l.id")
        .whereRef("l.book_id", "=", "books.id")
        .where("users.email", "=", "a"),
    ),
    '(exists (select "l"."id" from "wiki"."loans" as "l" inner join "wiki"."users" as "users" on "users"."id" = "l"."book_id" ' +
      'where "l"."book_id" = "books"."id" and "users"."email" = $1))',
    ["a"],
  ],
  [
    "a table that is selected from, an order and a limit",
    eb
      .selectFrom(eb.selectFrom("loans").select(["loans.id", "loans.until as late"]).as("found"))
      .select((of) => of.fn.count("found.id").as("n"))
      .orderBy("found.late", "desc")
      .limit(3),
    '(select pg_catalog.count("found"."id") as "n" from (select "loans"."id", "loans"."until" as "late" from "wiki"."loans" as "loans") ' +
      'as "found" order by "found"."late" desc limit $1)',
    [3],
  ],
  [
    "a case with a cast",
    eb.case().when("books.id", "=", 1).then(eb.cast("books.name", "text")).else("no").end(),
    '(case when "books"."id" = $1 then cast("books"."name" as text) else $2 end)',
    [1, "no"],
  ],
];

test.each(PASSED)("an expression of %s is written as it was checked", (_title, given, text, parameters = []) => {
  expect(checked(given)).toMatchObject({ sql: text, parameters });
});

const REFUSED: readonly [title: string, Expression<unknown>][] = [
  ["a template", sql`books.deleted_at is null`],
  ["a template without tables", sql`true or true`],
  ["a template around a column", sql`lower(${sql.ref("books.name")})`],
  ["raw SQL", sql.raw("select password from users")],
  ["a template within an expression", eb("books.name", "=", sql<string>`(select password from users)`)],
  ["a function that reads files", eb.fn("pg_read_file", [sql.lit("/etc/passwd")])],
  ["a function with its schema", eb.fn("pg_catalog.pg_read_file", [sql.lit("/etc/passwd")])],
  ["a function that runs SQL", eb.fn("query_to_xml", [sql.lit("select * from users")])],
  ["another connection", eb.fn("dblink", [sql.lit("host=/tmp"), sql.lit("select 1")])],
  ["a large object", eb.fn("lo_import", [sql.lit("/etc/passwd")])],
  ["a setting", eb.fn("set_config", [sql.lit("role"), sql.lit("none"), sql.lit(false)])],
  ["a wait", eb.fn("pg_sleep", [sql.lit(10)])],
  ["text as the name of a function", eb.fn("lower(password), upper", ["books.name"])],
  ["an aggregate beyond the list", eb.fn.agg("query_to_xml", ["books.name"])],
  ["a cast to the name of a table", forged(cast("regclass"))],
  ["text as a type", forged(cast("int) or (1"))],
  ["a column without its table", eb("deleted_at" as never, "is", null)],
  ["a column of the statement around it", eb("users.password" as never, "is", null)],
  [
    "a table with a schema",
    eb.exists(sql`x` && eb.selectFrom("pg_catalog.pg_authid" as never).select("rolname" as never)),
  ],
  ["all columns", eb.exists(eb.selectFrom("loans").selectAll())],
  [
    "a clause with",
    eb.exists(
      expressionBuilder<Store, never>()
        .selectFrom("loans")
        .select("loans.id")
        .$call((query) => forgedWith(query)),
    ),
  ],
  ["a lock", eb.exists(eb.selectFrom("loans").select("loans.id").forUpdate())],
  [
    "a lateral join",
    eb.exists(
      eb
        .selectFrom("loans")
        .innerJoinLateral("books as b", (on) => on.onTrue())
        .select("loans.id"),
    ),
  ],
  ["a union", eb.exists(eb.selectFrom("loans").select("loans.id").union(eb.selectFrom("books").select("books.id")))],
  ["a window", forged({ kind: "AggregateFunctionNode", func: "count", aggregated: [], over: { kind: "OverNode" } })],
  ["a minus before a minus, which begins a comment", eb.neg(eb.neg(eb.ref("books.id")))],
  [
    "an operator that is none",
    forged({
      kind: "BinaryOperationNode",
      leftOperand: value(1),
      operator: { kind: "OperatorNode", operator: "= 1 or 1 =" },
      rightOperand: value(1),
    }),
  ],
  ["an operator as text", eb("books.id", sql`= 1 or 1 =` as never, 1)],
  ["a literal that ends early", sql.lit("\\'; select 1 --")],
  ["a name with a quote", forged(reference("books", 'id" or "1'))],
  ["a value that brings SQL", forged(value(sql`(select password from users)`))],
  [
    "a list of values that brings SQL",
    forged({ kind: "PrimitiveValueListNode", values: [{ toOperationNode: () => value(1) }] }),
  ],
  [
    "a node in the place of a column",
    forged({ ...reference("books", "id"), column: { kind: "RawNode", sqlFragments: ["1 or 1"], parameters: [] } }),
  ],
  ["a member that Kysely does not make", forged({ ...value(1), more: 1 })],
  ["a table where a value is wanted", forged(table("users"))],
  ["a write", forged({ kind: "DeleteQueryNode", from: { kind: "FromNode", froms: [table("users")] } })],
  ["no node", forged(undefined as never)],
  ["a kind that every object has", forged({ kind: "constructor" })],
];

function forgedWith(query: Expression<unknown>) {
  const node = { ...(query.toOperationNode() as object), with: { kind: "WithNode", expressions: [] } };
  return forged(node) as never;
}

test.each(REFUSED)("%s is refused", (_title, given) => {
  expect(() => checked(given)).toThrow(ExpressionRefused);
});

test("the refusal says what was found and what to write instead", () => {
  expect(() => checked(sql`books.deleted_at is null`)).toThrow(
    'Plugin "lending" cannot give this SQL to statements of others: found the text "books.deleted_at is null" of a template of sql, ' +
      'wanted an expression that is built with expressionBuilder of lectern/core, over columns of "books" with the table before each',
  );
});

const UNGRANTED: readonly [title: string, Expression<unknown>, message: string][] = [
  [
    "a table",
    eb.exists(expressionBuilder<{ roles: { id: number } }, never>().selectFrom("roles").select("roles.id")),
    'cannot read table "roles"',
  ],
  [
    "a column of a table that is granted by column",
    eb.exists(eb.selectFrom("users").select("users.id").where("users.password", "like", "a%")),
    'cannot read column "password" of table "users"',
  ],
  [
    "the row of one",
    eb.exists(eb.selectFrom("users").select("users.to_jsonb" as never)),
    'column "to_jsonb" of table "users"',
  ],
  [
    "such a column by another name",
    eb.selectFrom("users as u").select("u.password"),
    'column "password" of table "users"',
  ],
];

test.each(UNGRANTED)("%s that was not granted is refused", (_title, given, message) => {
  expect(() => checked(given)).toThrow(GrantError);
  expect(() => checked(given)).toThrow(message);
});

test("the table that an expression is over has to be granted too", () => {
  const users = expressionBuilder<Store, "users">();
  const place = { ...PLACE, grants: { read: ["books"], write: [] }, over: ["users"] };
  expect(() => checkedExpression(users("users.id", "=", 1), place)).toThrow('cannot read table "users"');
});

test("what was checked stays as it is, whatever its maker changes", () => {
  const node = { kind: "ValueNode", value: [1] };
  const made = checkedExpression(forged(node), PLACE);
  node.kind = "RawNode";
  node.value.push(2);
  expect(flatten(made)).toMatchObject({ sql: "($1)", parameters: [[1]] });
});
