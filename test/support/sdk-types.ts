// Type-checks values against the types of the installed `stripe` package, as if they were constants in a source file.
// The package's open enums are closed, so that a value which its API version does not have is a problem.

import { join } from 'node:path';
import ts from 'typescript';
import { packageRoot } from '../../src/base/package-root.ts';

/** A constant of this type. `Stripe` is the default export of the package. */
export interface TypedValue {
  readonly label: string;
  readonly type: string;
  readonly value: unknown;
}

/** A call of the SDK, such as `paymentIntents.create`, with the arguments that it was given. */
export interface TypedCall {
  readonly label: string;
  readonly call: string;
  readonly args: readonly unknown[];
}

export interface TypeProblem {
  readonly label: string;
  /** Where in the value, such as `data.object.status`; empty: the value itself. */
  readonly path: string;
  readonly reason: string;
}

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ['node'],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
};

/** Never written to the disk. It has a path so that the compiler finds the package from there. */
const FILE = join(packageRoot, 'test', 'payments', 'recorded-conversation.ts');

/** What the API sends is the object; the SDK adds `lastResponse`. */
const HEADER = [
  "import Stripe from 'stripe';",
  'declare const stripe: Stripe;',
  'declare const lastResponse: never;',
  'export type RawError = NonNullable<ConstructorParameters<typeof Stripe.errors.StripeCardError>[0]>;',
  "export type ErrorCode = NonNullable<Stripe.PaymentIntent.LastPaymentError['code']>;",
];

const OPEN_ENUM = 'export type OtherString = string & Record<never, never>;';

let previous: ts.Program | undefined;

/** The problems of all values and calls, in their order. */
export function checkSdkTypes(items: readonly (TypedValue | TypedCall)[]): TypeProblem[] {
  const lines = items.map((item, index) =>
    'call' in item
      ? `export const _${index} = stripe.${item.call}(${item.args.map((arg) => literalOf(arg)).join(', ')});`
      : `export const _${index}: ${item.type} = ${literalOf(item.value)};`,
  );
  const program = compile([...HEADER, ...lines].join('\n'));
  const file = program.getSourceFile(FILE);
  if (file === undefined) throw new Error('the compiler did not read the recorded conversation');
  const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
  return found.map((diagnostic) => {
    const start = diagnostic.start ?? 0;
    const line = file.getLineAndCharacterOfPosition(start).line - HEADER.length;
    const reason = ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ').replaceAll(/\s+/g, ' ');
    return { label: items[line]?.label ?? 'the types', path: pathAt(file, start), reason: shortened(reason) };
  });
}

const MAX_REASON_LENGTH = 900;

function shortened(text: string): string {
  return text.length <= MAX_REASON_LENGTH ? text : `${text.slice(0, MAX_REASON_LENGTH)}…`;
}

function compile(text: string): ts.Program {
  const host = ts.createCompilerHost(OPTIONS);
  const { readFile, fileExists, getSourceFile } = host;
  host.fileExists = (name) => name === FILE || fileExists(name);
  host.readFile = (name) => {
    if (name === FILE) return text;
    const content = readFile(name);
    return name.endsWith('/stripe/esm/shared.d.ts') && content !== undefined ? closeEnums(content) : content;
  };
  // Parsing the package takes most of the time, and its files do not change between two checks.
  host.getSourceFile = (name, ...rest) =>
    (name === FILE ? undefined : previous?.getSourceFile(name)) ?? getSourceFile(name, ...rest);
  previous = ts.createProgram({ rootNames: [FILE], options: OPTIONS, host });
  return previous;
}

/** Every open enum of the package is a union with `OtherString`, so without it they are all closed. */
function closeEnums(content: string): string {
  const closed = content.replace(OPEN_ENUM, 'export type OtherString = never;');
  if (closed === content) throw new Error('the stripe package declares its open enums in another way than before');
  return closed;
}

/** The value as an expression on one line. */
export function literalOf(value: unknown): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (value === undefined) return 'undefined';
  if (Array.isArray(value)) return `[${value.map((item) => literalOf(item)).join(', ')}]`;
  if (value instanceof WithLastResponse) return literalOf(value.body).replace(/\}$/, ', lastResponse }');
  if (typeof value !== 'object') throw new Error(`a ${typeof value} cannot be recorded`);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined && typeof field !== 'function');
  return `{ ${fields.map(([name, field]) => `${nameOf(name)}: ${literalOf(field)}`).join(', ')} }`;
}

const nameOf = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));

/** An object as the SDK returns it. */
export class WithLastResponse {
  readonly body: object;

  constructor(body: object) {
    this.body = body;
  }
}

function pathAt(file: ts.SourceFile, position: number): string {
  const parts: string[] = [];
  const visit = (node: ts.Node): void =>
    ts.forEachChild(node, (child) => {
      if (position < child.getStart(file) || position >= child.end) return;
      if (ts.isPropertyAssignment(child)) parts.push(child.name.getText(file).replaceAll('"', ''));
      if (ts.isArrayLiteralExpression(node)) parts.push(String(node.elements.indexOf(child as ts.Expression)));
      const argument = ts.isCallExpression(node) ? node.arguments.indexOf(child as ts.Expression) : -1;
      if (argument >= 0) parts.push(`argument ${argument + 1}`);
      visit(child);
    });
  visit(file);
  return parts.join('.');
}
