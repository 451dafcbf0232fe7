/**
 * The contracts and the slots of replaceable services as the sources declare them: interface, docstrings, examples, members and
 * the types that they refer to. The pages of the handbook and the rule of examples are made of these. The parser of TypeScript 5
 * reads the declarations, since TypeScript 7 has no programming interface.
 */
import ts from "typescript5";
import { declaredIn } from "./_hooks.ts";
import { readSources } from "./_source.ts";
import { targetOf } from "./_tests.ts";

/** The slots whose contribution stands in for a service of Lectern. */
export const SERVICE_SLOTS: readonly string[] = [
  "file_store",
  "mail_transport",
  "metric",
  "search_engine",
  "self_check",
  "sign_in_step",
];

/** A docstring without its marks. */
export interface Doc {
  /** Paragraphs, with their lines joined. */
  readonly text: string;
  readonly examples: readonly string[];
}

/** A method or property of an interface. */
export interface Member extends Doc {
  readonly name: string;
  /** Its declaration as formatted, without its docstring. */
  readonly signature: string;
}

/** A type that a service refers to. */
export interface RelatedType {
  readonly name: string;
  /** The file that declares it, or the package. */
  readonly from: string;
  /** Its declaration with docstrings, where it is in the file of the service or the service extends it; else undefined. */
  readonly declaration: string | undefined;
}

/** A contract, or a slot of `SERVICE_SLOTS`. */
export interface Service extends Doc {
  readonly name: string;
  readonly kind: "contract" | "slot";
  /** The interface that types it. */
  readonly type: string;
  readonly path: string;
  readonly line: number;
  readonly members: readonly Member[];
  readonly types: readonly RelatedType[];
}

type TypeDeclaration = ts.InterfaceDeclaration | ts.TypeAliasDeclaration;

/** Splits a docstring, marks included, into its text and its examples. */
export function readDoc(comment: string): Doc {
  const lines = comment
    .replace(/^\/\*\*|\*\/$/g, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, "").trimEnd());
  const [text = "", ...examples] = lines.join("\n").split(/^@example\b/m);
  const paragraphs = text.trim().split(/\n{2,}/);
  return {
    text: paragraphs.map((paragraph) => paragraph.replace(/\s+/g, " ").trim()).join("\n\n"),
    examples: examples.map((example) => (example.split(/^@/m)[0] ?? "").trim()),
  };
}

/** Every contract, then every slot of a replaceable service, by name. */
export function readServices(): readonly Service[] {
  const slots = declaredIn(readSources(), "Slots").filter(({ name }) => SERVICE_SLOTS.includes(name));
  return [
    ...declaredIn(readSources(), "Contracts").map((each) => serviceOf(each.name, "contract", each.type, each.path)),
    ...slots.map((each) => serviceOf(each.name, "slot", each.type, each.path)),
  ];
}

/**
 * The functions of every contract and of the contributions to every slot, by name: "pages.rewrite", "dependents.destroy"; those of an
 * object within one with its name: "response_fields.cached.onHit".
 */
export function readFunctions(kind: "Contracts" | "Slots"): readonly string[] {
  const declared = declaredIn(readSources(), kind).filter(({ path }) => /^(?:core|plugins)\//.test(path));
  return declared
    .flatMap(({ name, type, path }) => functionsOf(parsed(path), type).map((member) => `${name}.${member}`))
    .sort();
}

/** The functions of a type: of an interface, of those it extends, of an alias of an object or of a union of such, also by name. */
function functionsOf(file: ts.SourceFile, type: string): string[] {
  const found = resolved(file, type);
  if (!found) return [];
  const names = new Set<string>();
  const named = (name: string): void => {
    for (const each of functionsOf(found.file, name)) names.add(each);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isMethodSignature(node)) names.add(node.name.getText());
    else if (ts.isPropertySignature(node)) {
      const name = node.name.getText();
      if (isFunctionType(found.file, node.type)) names.add(name);
      for (const inner of innerFunctions(found.file, node.type)) names.add(`${name}.${inner}`);
    } else if (ts.isMappedTypeNode(node) && node.type && ts.isTypeReferenceNode(node.type))
      named(node.type.typeName.getText());
    else if (ts.isTypeReferenceNode(node)) named(node.typeName.getText());
    else ts.forEachChild(node, visit);
  };
  if (ts.isTypeAliasDeclaration(found.declared)) visit(found.declared.type);
  else {
    for (const member of found.declared.members) visit(member);
    for (const name of found.declared.heritageClauses?.flatMap((clause) => namesIn(clause)) ?? [])
      for (const inherited of functionsOf(found.file, name)) names.add(inherited);
  }
  return [...names];
}

function isFunctionType(file: ts.SourceFile, type: ts.TypeNode | undefined): boolean {
  if (!type) return false;
  if (ts.isFunctionTypeNode(type)) return true;
  if (ts.isParenthesizedTypeNode(type)) return isFunctionType(file, type.type);
  if (!ts.isTypeReferenceNode(type)) return false;
  const found = resolved(file, type.typeName.getText());
  return (
    found !== undefined && ts.isTypeAliasDeclaration(found.declared) && isFunctionType(found.file, found.declared.type)
  );
}

/** The functions of an object within another, where its interface is that of the same file. */
function innerFunctions(file: ts.SourceFile, type: ts.TypeNode | undefined): string[] {
  if (!type || !ts.isTypeReferenceNode(type)) return [];
  const declared = declarationOf(file, type.typeName.getText());
  return declared && ts.isInterfaceDeclaration(declared) ? functionsOf(file, declared.name.text) : [];
}

function resolved(
  file: ts.SourceFile,
  name: string,
): { readonly file: ts.SourceFile; readonly declared: TypeDeclaration } | undefined {
  const own = declarationOf(file, name);
  if (own) return { file, declared: own };
  const from = importedFrom(file, name);
  const other = from?.endsWith(".ts") ? parsed(from) : undefined;
  const declared = other && declarationOf(other, name);
  return other && declared && { file: other, declared };
}

function serviceOf(name: string, kind: Service["kind"], type: string, path: string): Service {
  const file = parsed(path);
  const declared = declarationOf(file, type);
  if (!declared || !ts.isInterfaceDeclaration(declared)) throw new Error(`${path} declares no interface "${type}"`);
  const line = file.getLineAndCharacterOfPosition(declared.getStart()).line + 1;
  const members = declared.members.map((member) => ({
    name: member.name?.getText() ?? "",
    signature: dedented(member.getText()),
    ...docOf(member),
  }));
  return { name, kind, type, path, line, ...docOf(declared), members, types: relatedTypes(file, declared) };
}

const files = new Map<string, ts.SourceFile>();

function parsed(path: string): ts.SourceFile {
  let file = files.get(path);
  if (!file) {
    const text = readSources().find((source) => source.path === path)?.text ?? "";
    file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    files.set(path, file);
  }
  return file;
}

function declarationOf(file: ts.SourceFile, name: string): TypeDeclaration | undefined {
  return file.statements.find(
    (statement): statement is TypeDeclaration =>
      (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) && statement.name.text === name,
  );
}

function docOf(node: ts.Node): Doc {
  const comment = ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc);
  return readDoc(comment?.getText() ?? "");
}

/** A member's later lines are indented like the member itself. */
function dedented(text: string): string {
  return text.replace(/^ {2}/gm, "");
}

/**
 * The types that a declaration names. Those of its file, and of the files whose interfaces it extends, are followed to the types that
 * they name; others are listed by name.
 */
function relatedTypes(file: ts.SourceFile, declared: ts.InterfaceDeclaration): RelatedType[] {
  const found = new Map<string, RelatedType>();
  const shown = new Set([file]);
  for (const name of declared.heritageClauses?.flatMap((clause) => namesIn(clause)) ?? []) {
    const from = importedFrom(file, name);
    if (from?.endsWith(".ts")) shown.add(parsed(from));
  }
  const waiting = namesIn(declared).map((name) => ({ name, within: file }));
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { name, within } = next;
    if (found.has(name) || name === declared.name.text) continue;
    const from = declarationOf(within, name) ? within.fileName : importedFrom(within, name);
    if (from === undefined) continue;
    const at = [...shown].find(({ fileName }) => fileName === from);
    const declaration = at && declarationOf(at, name);
    found.set(name, { name, from, declaration: declaration && withoutExamples(declaration) });
    if (at && declaration) waiting.push(...namesIn(declaration).map((each) => ({ name: each, within: at })));
  }
  return [...found.values()];
}

/** Names of types and of `typeof` within a node, in order. */
function namesIn(node: ts.Node): string[] {
  const names: string[] = [];
  const visit = (each: ts.Node): void => {
    if (ts.isTypeReferenceNode(each)) names.push(each.typeName.getText());
    if (ts.isExpressionWithTypeArguments(each)) names.push(each.expression.getText());
    if (ts.isTypeQueryNode(each)) names.push(each.exprName.getText());
    ts.forEachChild(each, visit);
  };
  visit(node);
  return names;
}

function importedFrom(file: ts.SourceFile, name: string): string | undefined {
  for (const statement of file.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const bindings = statement.importClause?.namedBindings;
    if (bindings && ts.isNamedImports(bindings) && bindings.elements.some((each) => each.name.text === name))
      return targetOf(file.fileName, statement.moduleSpecifier.text);
  }
  return undefined;
}

/** The text of a declaration with its docstrings, without their examples. */
function withoutExamples(declared: TypeDeclaration): string {
  return declared
    .getFullText()
    .trim()
    .replace(/\n *\* @example\b[\s\S]*?(?=\n *\*\/)/g, "");
}
