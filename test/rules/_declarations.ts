/**
 * Types as the sources declare them, found by name from the file that uses them, through its imports and the re-exports of the doors.
 * The parser of TypeScript 5 reads them, so columns and shapes are as written: computed types are not worked out.
 */
import ts from "typescript5";
import { readDoc } from "./_contracts.ts";
import { readSources } from "./_source.ts";
import { targetOf } from "./_tests.ts";

type TypeNode = ts.InterfaceDeclaration | ts.TypeAliasDeclaration;

/** The declaration of a type. */
export interface Declaration {
  readonly path: string;
  readonly line: number;
  /** Its docstring without examples, in one line. */
  readonly doc: string;
  readonly examples: readonly string[];
  /** Its source without its docstring and examples. */
  readonly text: string;
}

/** A column of a table's type. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly doc: string;
}

/** What `lectern/NAME` is. */
const DOORS: Readonly<Record<string, string>> = {
  "lectern/core": "core/mod.ts",
  "lectern/contracts": "plugins/contracts/mod.ts",
  "lectern/db": "db/mod.ts",
};

const files = new Map<string, ts.SourceFile>();

function parsed(path: string): ts.SourceFile {
  const text = readSources().find((source) => source.path === path)?.text ?? "";
  const file = files.get(path) ?? ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  files.set(path, file);
  return file;
}

/** The declaration of a type that a file declares or imports; undefined for others, such as `string`. */
export function declarationAt(path: string, type: string): Declaration | undefined {
  const found = declarationOf(path, nameIn(type));
  if (!found) return undefined;
  const { file, node } = found;
  const { text, examples } = docOf(node);
  const source = node.getText().replace(/\n *\* @example\b[\s\S]*?(?=\n *\*\/)/g, "");
  return {
    path: file.fileName,
    line: file.getLineAndCharacterOfPosition(node.getStart()).line + 1,
    doc: text.replace(/\s+/g, " "),
    examples,
    text: source,
  };
}

/** The sources of the types that a declaration names and its file declares, and of those that these name, in order. */
export function relatedTo({ path, text }: Declaration): readonly string[] {
  const found = new Map<string, string>();
  const add = (source: string) => {
    for (const [name] of source.replace(/\/\*\*[\s\S]*?\*\//g, "").matchAll(/\b[A-Z]\w+/g)) {
      const declared = declarationAt(path, name);
      if (declared?.path !== path || found.has(name) || declared.text === text) continue;
      found.set(name, `/** ${declared.doc} */\n${declared.text}`);
      add(declared.text);
    }
  };
  add(text);
  return [...found.values()];
}

/** The columns of a table's type, those of the interfaces that it extends first. */
export function columnsOf(path: string, type: string): readonly Column[] {
  const found = type.startsWith("{") ? inline(path, type) : declarationOf(path, nameIn(type));
  if (!found) return [];
  const { file, node } = found;
  const columns = new Map<string, Column>();
  const add = (members: ts.NodeArray<ts.TypeElement>) => {
    for (const member of members)
      if (ts.isPropertySignature(member) && member.type) {
        const name = member.name.getText();
        columns.set(name, { name, type: member.type.getText(), doc: docOf(member).text.replace(/\s+/g, " ") });
      }
  };
  const inherit = (name: string) => {
    for (const column of columnsOf(file.fileName, name)) columns.set(column.name, column);
  };
  if (ts.isInterfaceDeclaration(node)) {
    for (const clause of node.heritageClauses ?? [])
      for (const each of clause.types) inherit(each.expression.getText());
    add(node.members);
  } else {
    const visit = (each: ts.TypeNode): void => {
      if (ts.isTypeLiteralNode(each)) add(each.members);
      else if (ts.isTypeReferenceNode(each)) inherit(each.typeName.getText());
      else if (ts.isIntersectionTypeNode(each)) each.types.forEach(visit);
    };
    visit(node.type);
  }
  return [...columns.values()];
}

/** A type that is written where it is used. */
function inline(path: string, type: string): ReturnType<typeof declarationOf> {
  const file = ts.createSourceFile(path, `type Inline = ${type};`, ts.ScriptTarget.Latest, true);
  const [node] = file.statements;
  return node && ts.isTypeAliasDeclaration(node) ? { file, node } : undefined;
}

function nameIn(type: string): string {
  return /^\w+/.exec(type)?.[0] ?? type;
}

function docOf(node: ts.Node) {
  const comment = ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc);
  return readDoc(comment?.getText() ?? "");
}

/** The declaration, followed through imports and re-exports. */
function declarationOf(
  path: string,
  name: string,
): { readonly file: ts.SourceFile; readonly node: TypeNode } | undefined {
  const file = parsed(path);
  for (const statement of file.statements) {
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
    if (isType && statement.name.text === name) return { file, node: statement };
    const from = namesFrom(statement, name);
    const target = from && (DOORS[from] ?? (from.startsWith(".") ? targetOf(path, from) : undefined));
    if (target) return declarationOf(target, name);
  }
  return undefined;
}

/** The module that a statement takes a name from, by an import or a re-export. */
function namesFrom(statement: ts.Statement, name: string): string | undefined {
  const isImport = ts.isImportDeclaration(statement);
  if (!isImport && !ts.isExportDeclaration(statement)) return undefined;
  const { moduleSpecifier } = statement;
  const bindings = isImport ? statement.importClause?.namedBindings : statement.exportClause;
  if (!moduleSpecifier || !ts.isStringLiteral(moduleSpecifier) || !bindings) return undefined;
  const has =
    (ts.isNamedImports(bindings) || ts.isNamedExports(bindings)) &&
    bindings.elements.some((each) => each.name.text === name);
  return has ? moduleSpecifier.text : undefined;
}
