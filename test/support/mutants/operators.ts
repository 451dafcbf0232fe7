/**
 * The mutants of a source file: each is one small change of its text that a test should notice. The operators work on the syntax
 * tree, so types, imports and comments have no mutants. Left out are what is no behaviour that a test should pin down: texts
 * and details of errors and of lines of the log, descriptions of settings and routes, tagged templates (SQL, HTML) as a whole,
 * and `await`, whose removal shows by chance alone. Left out as well are functions that remove files or end processes: with a
 * mutant they would take the wrong ones. Nothing is type-checked, so a mutant that the compiler refuses counts like any other.
 */
import ts from "typescript5";

/** One change of a source file. */
export interface Mutant {
  /** The file's path. */
  readonly path: string;
  /** The line where it begins, from 1. */
  readonly line: number;
  /** The name of the operator. */
  readonly operator: string;
  /** The offsets of the text that is replaced. */
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

/** What an operator makes of a node: its texts instead of that of a node, by default the same one. */
type Change = readonly [operator: string, after: string, of?: ts.Node];

/** Functions that contain a call of one of these are left alone. */
const DANGEROUS =
  /^(?:kill|rm|rmSync|rmdir|rmdirSync|unlink|unlinkSync|rename|renameSync|truncate|truncateSync|chown|chownSync|chmod|chmodSync)$/;
/** Properties with texts that people read. */
const DESCRIPTIVE = /^(?:description|summary|title|example|examples)$/;
const LOGS =
  /(?:^|[.#])(?:log|console)(?:\?)?\.(?:debug|info|warn|error|log)$|^(?:log|warn|print)$|(?:stdout|stderr)\.write$/;
/** Numbers up to this one are changed by one; greater ones, mostly limits and times, would behave alike and become 0. */
const SMALL = 16;

const SWAPS: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.LessThanToken, "<="],
  [ts.SyntaxKind.LessThanEqualsToken, "<"],
  [ts.SyntaxKind.GreaterThanToken, ">="],
  [ts.SyntaxKind.GreaterThanEqualsToken, ">"],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, "!=="],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, "==="],
  [ts.SyntaxKind.AmpersandAmpersandToken, "||"],
  [ts.SyntaxKind.BarBarToken, "&&"],
  [ts.SyntaxKind.PlusToken, "-"],
  [ts.SyntaxKind.MinusToken, "+"],
  [ts.SyntaxKind.AsteriskToken, "/"],
  [ts.SyntaxKind.SlashToken, "*"],
  [ts.SyntaxKind.PlusEqualsToken, "-="],
  [ts.SyntaxKind.MinusEqualsToken, "+="],
  [ts.SyntaxKind.QuestionQuestionEqualsToken, "="],
  [ts.SyntaxKind.PlusPlusToken, "--"],
  [ts.SyntaxKind.MinusMinusToken, "++"],
]);
const CALLS: Readonly<Record<string, string>> = {
  some: "every",
  every: "some",
  min: "max",
  max: "min",
  startsWith: "endsWith",
  endsWith: "startsWith",
};

/** All mutants of a file, in the order of the text. */
export function mutantsOf(path: string, text: string): Mutant[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  const found: Mutant[] = [];
  const visit = (node: ts.Node) => {
    if (isLeftOut(node)) return;
    for (const [operator, after, of = node] of changesOf(node)) {
      const [start, end] = [of.getStart(source), of.getEnd()];
      const line = source.getLineAndCharacterOfPosition(start).line + 1;
      found.push({ path, line, operator, start, end, before: text.slice(start, end), after });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found.sort((a, b) => a.start - b.start || a.end - b.end || (a.after < b.after ? -1 : 1));
}

/** The text of the file with a mutant. */
export function apply(text: string, { start, end, before, after }: Mutant): string {
  if (text.slice(start, end) !== before)
    throw new Error(`Cannot apply a mutant: the text at ${start} is not "${before}"`);
  return text.slice(0, start) + after + text.slice(end);
}

const transpiler = new Bun.Transpiler({ loader: "ts" });

/** Whether the file can be read with a mutant, and differs in more than its text. */
export function isValid(text: string, mutant: Mutant): boolean {
  try {
    return transpiler.transformSync(apply(text, mutant)) !== transpiler.transformSync(text);
  } catch {
    // A mutant that no engine reads is none.
    return false;
  }
}

/** Nodes whose whole subtree has no mutants. */
function isLeftOut(node: ts.Node): boolean {
  if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true;
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isModuleDeclaration(node)) return true;
  if (ts.isThrowStatement(node)) return true;
  if (ts.isNewExpression(node)) return /(?:Error|Refused|Exception)$/.test(node.expression.getText());
  if (ts.isCallExpression(node)) return LOGS.test(node.expression.getText()) || DANGEROUS.test(nameOfCall(node));
  if (ts.isPropertyAssignment(node)) return DESCRIPTIVE.test(node.name.getText());
  return ts.isFunctionLike(node) && contains(node, isDangerous);
}

/** Whether a function itself, without those in it, has a node of a kind. */
function contains(of: ts.Node, wanted: (node: ts.Node) => boolean): boolean {
  let isFound = false;
  const visit = (node: ts.Node) => {
    isFound ||= wanted(node);
    if (!isFound && !ts.isFunctionLike(node)) ts.forEachChild(node, visit);
  };
  ts.forEachChild(of, visit);
  return isFound;
}

function isDangerous(node: ts.Node): boolean {
  return ts.isCallExpression(node) && DANGEROUS.test(nameOfCall(node));
}

function nameOfCall({ expression }: ts.CallExpression): string {
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText();
}

function changesOf(node: ts.Node): Change[] {
  if (ts.isIfStatement(node)) return negated(node.expression);
  if (ts.isConditionalExpression(node)) return negated(node.condition);
  if (ts.isBinaryExpression(node)) return ofBinary(node);
  if (ts.isPrefixUnaryExpression(node)) return ofPrefix(node);
  if (ts.isPostfixUnaryExpression(node)) return [["counting", `${node.operand.getText()}${SWAPS.get(node.operator)}`]];
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [["boolean", "false"]];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [["boolean", "true"]];
  if (ts.isNumericLiteral(node)) return ofNumber(node);
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return ofText(node);
  if (ts.isTemplateExpression(node)) return isTagged(node) ? [] : [["text", '""']];
  if (ts.isArrayLiteralExpression(node)) return ofList(node);
  if (ts.isReturnStatement(node)) return ofReturn(node);
  if (ts.isExpressionStatement(node)) return ofStatement(node);
  if (ts.isCallExpression(node)) return ofCall(node);
  return ofFunction(node);
}

function negated(condition: ts.Expression): Change[] {
  // `!x` and comparisons have an operator of their own.
  if (ts.isPrefixUnaryExpression(condition) || isSwapped(condition, COMPARISONS)) return [];
  return [["condition", `!(${condition.getText()})`, condition]];
}

const COMPARISONS: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
]);

function isSwapped(node: ts.Expression, kinds: ReadonlySet<ts.SyntaxKind>): boolean {
  return ts.isBinaryExpression(node) && kinds.has(node.operatorToken.kind);
}

function ofBinary(node: ts.BinaryExpression): Change[] {
  const { left, right, operatorToken } = node;
  if (operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken)
    return [
      ["default", left.getText()],
      ["default", right.getText()],
    ];
  const swapped = SWAPS.get(operatorToken.kind);
  // Texts are only ever joined.
  if (swapped === undefined || (/[-+]/.test(swapped) && [left, right].some(isText))) return [];
  return [["operator", swapped, operatorToken]];
}

function isText(node: ts.Expression): boolean {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

function ofPrefix(node: ts.PrefixUnaryExpression): Change[] {
  if (node.operator === ts.SyntaxKind.ExclamationToken) return [["condition", node.operand.getText()]];
  if (node.operator === ts.SyntaxKind.MinusToken) return [["operator", node.operand.getText()]];
  const swapped = SWAPS.get(node.operator);
  return swapped === undefined ? [] : [["counting", `${swapped}${node.operand.getText()}`]];
}

function ofNumber(node: ts.NumericLiteral): Change[] {
  const value = Number(node.text);
  if (isName(node)) return [];
  if (!Number.isInteger(value) || value > SMALL) return [["number", "0"]];
  return value === 0
    ? [["number", "1"]]
    : [
        ["number", String(value + 1)],
        ["number", String(value - 1)],
      ];
}

function ofText(node: ts.StringLiteralLike): Change[] {
  if (node.text === "" || isName(node) || isTagged(node)) return [];
  return [["text", '""']];
}

function isTagged(node: ts.Node): boolean {
  return ts.isTaggedTemplateExpression(node.parent);
}

/** Whether a literal is the name of a property or member. */
function isName(node: ts.Node): boolean {
  return (node.parent as { name?: ts.Node }).name === node;
}

function ofList(node: ts.ArrayLiteralExpression): Change[] {
  const isPattern = ts.isBinaryExpression(node.parent) && node.parent.left === node;
  return node.elements.length === 0 || isPattern || ts.isForOfStatement(node.parent) ? [] : [["list", "[]"]];
}

function ofReturn({ expression }: ts.ReturnStatement): Change[] {
  // Literals have an operator of their own.
  if (!expression || isConstant(expression)) return [];
  return [["result", "undefined", expression]];
}

function isConstant(node: ts.Expression): boolean {
  return /^(?:true|false|undefined|null|""|\[\]|-?\d+)$/.test(node.getText());
}

function ofStatement(node: ts.ExpressionStatement): Change[] {
  const inner = ts.isAwaitExpression(node.expression) ? node.expression.expression : node.expression;
  const isSetUp = ts.isBinaryExpression(inner) && node.parent.parent?.kind === ts.SyntaxKind.Constructor;
  return isLeftOut(inner) || isSetUp ? [] : [["statement", ";"]];
}

function ofCall({ expression }: ts.CallExpression): Change[] {
  if (!ts.isPropertyAccessExpression(expression)) return [];
  const other = CALLS[expression.name.text];
  return other === undefined ? [] : [["method", other, expression.name]];
}

/** A function that returns nothing does nothing; an arrow function without a block returns nothing. A constructor stays as it is. */
function ofFunction(node: ts.Node): Change[] {
  if (!ts.isFunctionLike(node) || ts.isConstructorDeclaration(node) || !("body" in node)) return [];
  const body = node.body as ts.Node | undefined;
  if (!body) return [];
  if (!ts.isBlock(body)) return isConstant(body as ts.Expression) ? [] : [["result", "undefined", body]];
  const returns = contains(body, (inner) => ts.isReturnStatement(inner) && inner.expression !== undefined);
  return body.statements.length === 0 || returns ? [] : [["body", "{}", body]];
}
