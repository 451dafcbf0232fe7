import { expect, test } from "bun:test";
import { refusedWord } from "./function_text.ts";

const N = "\u00a0";
/** Texts of functions, and the word that is refused; none passes. */
const TEXTS: readonly [source: string, word?: string][] = [
  ["begin update a set b = 1; delete from c; return new; end"],
  ["begin insert into a values (1) on conflict do /* as ever */ nothing; end"],
  ["begin insert into a values (1) on conflict (id) do update set b = 1; end"],
  ["begin update a as begins set b = 1; end"],
  ["begin update a x set (b, c) = (1, 2) where d = 'drop it'; end -- then create another"],
  ["begin raise exception 'no dollars: $ and \\'; end"],
  ["begin raise exception 'cannot execute'; end"],
  ["begin EXECUTE 'x'; end", "execute"],
  ["begin for a in execute b loop null; end loop; end", "execute"],
  ["do $$ begin end $$", "do"],
  ["begin set local a = 1; end", "set"],
  ["begin if true then reset a; end if; end", "reset"],
  ["begin <<label>> set a = 1; end", "set"],
  ["set a = 1", "set"],
  ["begin perform set_config('a', 'b', true); end", "set_config"],
  ["begin perform pg_catalog.\"set_config\"('a', 'b', true); end", '"set_config"'],
  ['begin perform U&"\\0073et_config"(); end', 'U&"\\0073et_config"'],
  // Each hides the word from who cuts the text in another way than PostgreSQL.
  [`declare ${N}$x$ integer; begin execute 'a'; ${N}$x$ := 1; end`, "execute"],
  ["begin for i in 1..a$x$ loop execute 'a'; end loop; a$x$ := 1; end", "execute"],
  ["begin t := E'' \n'\\' || '; execute b; --'\n; end", "execute"],
  ["begin t := E'' -- a\n -- b\n '\\' || '; execute b; --'\n; end", "execute"],
  // They cannot be cut in two ways, but whoever reads them need not know.
  ["begin raise exception 'cannot execute $1'; end", "execute"],
];

test("the text of a function has no statement that undoes what is done to the function", () => {
  for (const [source, word] of TEXTS) expect([source, refusedWord(source)]).toEqual([source, word as string]);
});
