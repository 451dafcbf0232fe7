/**
 * Reads the text of an SQL statement as far as roles need it: what kind of statement it is, which table it writes, and where
 * its parameters stand. The text is cut at strings, quoted names, dollar quotes and nested comments as PostgreSQL cuts it
 * with `standard_conforming_strings` on. A misread text cannot add anything to the statement: values are never put into it.
 */

/** The kind of a statement that a plugin may run; undefined for any other, such as `set` or `declare`. */
export type StatementKind = "select" | "insert" | "update" | "delete" | "merge" | "lock";

/** What was read. */
export interface StatementText {
  readonly kind: StatementKind | undefined;
  /** The table that the statement itself writes, without its schema; undefined for reads and where it was not found. */
  readonly target: string | undefined;
  /** The text, cut at its parameters. */
  readonly texts: readonly string[];
  /** The numbers of the parameters between `texts`, such as 1 for $1. */
  readonly parameters: readonly number[];
}

/** A quoted text goes on after a line end and further blanks and comments; that of E'…' keeps its backslashes there. */
const CONTINUED = /[ \t\f\v]*(?:--[^\n\r]*)?[\n\r](?:[ \t\n\r\f\v]|--[^\n\r]*[\n\r])*'(?:[^'\\]|\\[\s\S]|'')*'/y;
/** Every character from U+0080 is a letter to PostgreSQL, also what is a blank elsewhere; digits end where a letter begins. */
const TOKEN =
  /(?<space>[ \t\n\r\f\v]+|--[^\n\r]*|\/\*)|(?<escaped>[eE]'(?:[^'\\]|\\[\s\S]|'')*')|(?<text>(?:[uU]&|[bBxXnN])?'(?:[^']|'')*')|(?<name>(?:[uU]&)?"(?:[^"]|"")*")|\$(?<parameter>\d+)|(?<dollar>\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$)|(?<word>[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)|(?<number>\d+)|(?<other>[\s\S])/y;
const MAIN: ReadonlySet<string> = new Set(["select", "values", "table", "insert", "update", "delete", "merge"]);
const READS: ReadonlySet<string> = new Set(["select", "values", "table"]);
/** Words between the command and the table that it writes. */
const BEFORE_TARGET: ReadonlySet<string> = new Set(["into", "from", "only"]);

/** Reads a statement. */
export function readStatement(text: string): StatementText {
  const texts: string[] = [];
  const parameters: number[] = [];
  const words = new WordReader();
  let start = 0;
  for (const { space, parameter, word, name, other, at, end } of tokensOf(text)) {
    if (parameter !== undefined) {
      texts.push(text.slice(start, at));
      parameters.push(Number(parameter));
      start = end;
    }
    if (space === undefined) words.take(word?.toLowerCase() ?? name ?? other ?? "'");
  }
  texts.push(text.slice(start));
  return { kind: words.kind, target: words.target, texts, parameters };
}

/**
 * The words of a text in lower case, its names in quotes, and its signs, without what is in strings, dollar quotes and comments, and
 * without numbers.
 */
export function wordsOf(text: string): string[] {
  return [...tokensOf(text)].flatMap(({ word, name, other }) => word?.toLowerCase() ?? name ?? other ?? []);
}

/** Whether a text holds several statements. */
export function isSeveral(text: string): boolean {
  let hasEnded = false;
  for (const { space, other } of tokensOf(text)) {
    if (hasEnded && space === undefined && other !== ";") return true;
    hasEnded ||= other === ";";
  }
  return false;
}

/**
 * The statements of a text. One with `begin atomic` has others in it, and `case` has an end of its own there.
 * @example
 * const [first, second] = statementsOf("select 1; select ';'"); // "select 1" and " select ';'"
 */
export function statementsOf(text: string): string[] {
  const cuts: number[] = [];
  let depth = 0;
  let before: string | undefined;
  for (const { space, word, other, at } of tokensOf(text)) {
    if (space !== undefined) continue;
    const name = word?.toLowerCase();
    if ((name === "atomic" && before === "begin") || (depth > 0 && name === "case")) depth += 1;
    else if (depth > 0 && name === "end") depth -= 1;
    else if (depth === 0 && other === ";") cuts.push(at);
    before = name;
  }
  const parts = [-1, ...cuts].map((cut, at) => text.slice(cut + 1, cuts[at]));
  return parts.filter((part) => wordsOf(part).length > 0);
}

/** Whether a statement makes or alters a table. */
export function isTableChange(text: string): boolean {
  const [first, second, third] = wordsOf(text);
  if (first !== "create" && first !== "alter") return false;
  return second === "table" || (second === "unlogged" && third === "table");
}

/** The groups of `TOKEN`, of which each token has one, and where it stands. */
type Token = Readonly<Partial<Record<"space" | "parameter" | "word" | "name" | "other", string>>> & {
  readonly at: number;
  readonly end: number;
};

/** The tokens of a text by their kind; what is in comments and dollar quotes is left out. */
function* tokensOf(text: string): Generator<Token> {
  for (let at = 0; at < text.length; ) {
    TOKEN.lastIndex = at;
    // The last alternative takes any character.
    const groups = (TOKEN.exec(text) as RegExpExecArray).groups as Record<string, string | undefined>;
    const { space, dollar, escaped } = groups;
    let end = TOKEN.lastIndex;
    if (space === "/*") end = endOfComment(text, end);
    if (escaped !== undefined) end = endOfContinued(text, end);
    if (dollar !== undefined) {
      const close = text.indexOf(dollar, end);
      end = close < 0 ? text.length : close + dollar.length;
    }
    yield { ...groups, at, end };
    at = end;
  }
}

/** Where the parts end that continue a quoted text with escapes. */
function endOfContinued(text: string, at: number): number {
  for (let end = at; ; end = CONTINUED.lastIndex) {
    CONTINUED.lastIndex = end;
    if (!CONTINUED.test(text)) return end;
  }
}

/** Where a comment that began before `at` ends; comments nest. */
function endOfComment(text: string, at: number): number {
  for (let depth = 1, next = at; ; ) {
    const open = text.indexOf("/*", next);
    const close = text.indexOf("*/", next);
    if (close < 0) return text.length;
    if (open >= 0 && open < close) {
      depth += 1;
      next = open + 2;
    } else {
      depth -= 1;
      next = close + 2;
      if (depth === 0) return next;
    }
  }
}

/** Finds the command and the table it writes among the words of a statement. */
class WordReader {
  kind: StatementKind | undefined;
  target: string | undefined;
  #depth = 0;
  #state: "start" | "with" | "target" | "after" | "done" = "start";

  take(token: string): void {
    if (this.#state === "start") this.#first(token);
    else if (this.#state === "with") this.#inWith(token);
    else if (this.#state !== "done") this.#writes(token);
    if (token === "(") this.#depth += 1;
    else if (token === ")") this.#depth -= 1;
  }

  #first(token: string): void {
    if (token === "(") this.#found("select");
    else if (token === "with") this.#state = "with";
    else if (MAIN.has(token) || token === "lock") this.#found(token);
    else this.#state = "done";
  }

  #inWith(token: string): void {
    if (this.#depth === 0 && MAIN.has(token)) this.#found(token);
  }

  #found(command: string): void {
    this.kind = READS.has(command) ? "select" : (command as StatementKind);
    this.#state = this.kind === "select" || this.kind === "lock" ? "done" : "target";
  }

  /** The name after the command, or after its schema. */
  #writes(token: string): void {
    if (this.#state === "after" && token !== ".") this.#state = "done";
    else if (token === ".") this.#state = "target";
    else if (!BEFORE_TARGET.has(token)) {
      this.target = token.startsWith('"') ? token.slice(1, -1).replaceAll('""', '"') : token;
      this.#state = "after";
    }
  }
}
