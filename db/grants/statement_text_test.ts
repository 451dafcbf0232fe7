import { expect, test } from "bun:test";
import { isSeveral, isTableChange, readStatement, statementsOf, wordsOf } from "./statement_text.ts";

/** Statements, their kind, and the table that they write; without a kind a plugin may not run them. */
const STATEMENTS: readonly [text: string, kind?: string, target?: string][] = [
  ["select * from boxes", "select"],
  ["values (1), (2)", "select"],
  ["table boxes", "select"],
  ["(select 1) union (select 2)", "select"],
  ["  /* delete from boxes; /* nested */ */ -- update boxes\n select 1", "select"],
  ["lock table boxes in share mode", "lock"],
  ["insert into boxes values (1)", "insert", "boxes"],
  ["INSERT INTO public.boxes (id) select 1", "insert", "boxes"],
  ['insert into "Odd ""boxes""" values (1)', "insert", 'Odd "boxes"'],
  ['insert into "own schema"."boxes" values (1)', "insert", "boxes"],
  ["update only boxes set id = 1", "update", "boxes"],
  ["delete from boxes where id in (select id from crates)", "delete", "boxes"],
  ["merge into boxes using crates on true when matched then delete", "merge", "boxes"],
  ["with gone as (delete from boxes returning id) select * from gone", "select"],
  ["with found as (select 1 as id) insert into boxes select id from found", "insert", "boxes"],
  ["with recursive a as (select 1), b (id) as (values (2)) update boxes set id = 2", "update", "boxes"],
  ["with a as materialized (select '(' as word, $$ insert into x $$ as text) delete from boxes", "delete", "boxes"],
  ["set role none"],
  ["do $$ begin delete from boxes; end $$"],
  ["declare c cursor for select 1"],
  ["explain analyze delete from boxes"],
  ["'select'"],
  ['"select" 1'],
  ["with"],
  [""],
];

test("the kind of a statement and the table it writes are read from its text", () => {
  for (const [text, kind, target] of STATEMENTS) {
    const found = readStatement(text);
    expect([text, found.kind, found.target]).toEqual([text, kind, target]);
  }
});

test("a text is cut at its parameters, and nowhere else", () => {
  const cut = (text: string) => {
    const { texts, parameters } = readStatement(text);
    return texts.flatMap((piece, at) => [piece, ...(parameters[at] === undefined ? [] : [parameters[at]])]);
  };
  expect(cut("select $1, $12::text from a where b=$2")).toEqual([
    "select ",
    1,
    ", ",
    12,
    "::text from a where b=",
    2,
    "",
  ]);
  for (const text of [
    "select '$1', '''$1', E'\\'$1', B'$1'",
    'select 1 as "$1", 2 as "a""$1", a$1 from b',
    "select $$ $1 $$, $x$ $$ $1 $x $x$",
    "select 1 -- $1\n, 2 /* $1 /* $2 */ $3 */",
    "select 1 /* $1",
    "select $$ $1",
  ])
    expect(cut(text)).toEqual([text]);
  expect(cut("select $a$ $1 $b$ $2 $a$ || $3 -- '\n|| $4")).toEqual([
    "select $a$ $1 $b$ $2 $a$ || ",
    3,
    " -- '\n|| ",
    4,
    "",
  ]);
});

test("a text holds several statements where something follows the end of one", () => {
  for (const text of ["select 1", "select 1;", "select ';'; -- select 2\n;", "select $$;$$", ""])
    expect([text, isSeveral(text)]).toEqual([text, false]);
  for (const text of ["select 1; select 2", ";;'x'"]) expect([text, isSeveral(text)]).toEqual([text, true]);
});

test("words are cut as PostgreSQL cuts them", () => {
  const cut: readonly [text: string, ...words: string[]][] = [
    ["a\u00a0$x$ b $x$", "a\u00a0$x$", "b"],
    ["1..a$x$ b", ".", ".", "a$x$", "b"],
    ["E'' \n'\\' a' b", "b"],
    ["E'a'-- c\n\t--'d\n'\\' e' f", "f"],
    ["'a' 'b\\' c", "c"],
    ["E'a' 'b\\' c", "c"],
  ];
  for (const [text, ...words] of cut) expect([text, ...wordsOf(text)]).toEqual([text, ...words]);
});

test("a text is cut into its statements where PostgreSQL cuts it", () => {
  const atomic =
    "create function f() returns int language sql BEGIN ATOMIC select case when 1 > 0 then 1 end; select 2; END";
  expect(statementsOf(`${atomic}; create table t (id int);`)).toEqual([atomic, " create table t (id int)"]);
  expect(statementsOf("select ';'; select $$;$$ -- ;\n; /* ; */ ;")).toEqual(["select ';'", " select $$;$$ -- ;\n"]);
  expect(statementsOf("begin; select case when true then 1 end; end")).toHaveLength(3);
  expect(statementsOf(" ; -- nothing")).toEqual([]);
});

test("statements that make or alter a table are told from others", () => {
  const changes = ["create table t ()", "/* a */ CREATE unlogged TABLE t ()", "alter table only t add a int"];
  const others = [
    "create view t as select 1",
    "alter type t add value 'a'",
    "do $$ create table t () $$",
    "",
    "select 1",
  ];
  expect([...changes, ...others].map(isTableChange)).toEqual([...changes.map(() => true), ...others.map(() => false)]);
});
