// Makes the generated part of the SDK from the operations and the schemas: the types of every body and answer, and a
// class with one method for each operation. The rest of the SDK is written by hand in sdk/src.

import type { Auth, BodyChoice, ResponseShape } from '../src/base/operation.ts';
import type { Registry, Schema } from '../src/base/schema/registry.ts';
import { CSV_METHOD_NAMES, METHOD_NAMES, REPEATABLE, RESULT_OF_MANY, TYPE_NAMES } from './sdk-names.ts';
import { declareType, type TypeSource, typeName, typeOf } from './types.ts';

/** What the SDK reads of an operation. */
export interface SdkOperation {
  readonly id: string;
  readonly kind: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly auth: Auth;
  readonly scopes?: readonly string[];
  readonly idempotent?: true;
  readonly query?: Schema;
  readonly body?: readonly BodyChoice[];
  readonly responses: Readonly<Record<number, ResponseShape>>;
  readonly csv?: object;
}

const HEADER = 'Generated from the operations and schemas/v1 by `npm run generate`. Do not edit.';

/** The types of every schema that a body or an answer of an operation uses, and every error code that is given. */
export function makeSdkTypes(
  operations: readonly SdkOperation[],
  registry: Registry,
  errorCodes: readonly string[],
): string {
  const used = new Set<string>(['error']);
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    else if (typeof node === 'object' && node !== null)
      for (const [key, value] of Object.entries(node)) {
        if (key === '$ref') follow(String(value));
        else if (key !== 'examples') visit(value);
      }
  };
  const follow = (ref: string): void => {
    const name = /^(?!fields)([a-z_]+)\.json/.exec(ref)?.[1];
    if (name === undefined) visit(registry.at(ref));
    else if (!used.has(name)) {
      used.add(name);
      visit(registry.get(name));
    }
  };
  for (const { body = [], responses } of operations) {
    for (const { schema } of body) follow(`${schema}.json`);
    for (const { schema } of Object.values(responses)) {
      if (typeof schema === 'string') follow(`${schema}.json`);
      else visit(schema);
    }
  }
  const source: TypeSource = { registry, renamed: TYPE_NAMES };
  const types = registry.names.filter((name) => used.has(name)).map((name) => declareType(source, name));
  const codes = errorCodes.map((code) => `  | '${code}'`).join('\n');
  const errorType = `/** The code of an error; each has its page under /docs/errors. */\nexport type ErrorCode =\n${codes};\n`;
  const text = [`// ${HEADER}\n`, ...types, ...(errorCodes.length > 0 ? [errorType] : [])].join('\n');
  // The schema leaves each boat to the command, which validates them one by one.
  return text.replace('readonly boats: readonly unknown[];', 'readonly boats: readonly Boat[];');
}

/** A class of the SDK: its methods, and its fields that are classes themselves. */
interface Resource {
  readonly methods: string[];
  readonly children: Map<string, Resource>;
}

const emptyResource = (): Resource => ({ methods: [], children: new Map() });

/** Where the generated classes are, and what they are called. */
interface Target {
  /** The operation's method, as a path from the class. */
  readonly methodOf: (operation: SdkOperation, asCsv: boolean) => string | undefined;
  readonly rootClass: string;
  /** The folder of the SDK's hand-written modules, as the generated file imports it. */
  readonly sdk: string;
}

/** A class for each resource, and the class `Resources` that holds them all. */
export function makeSdkResources(operations: readonly SdkOperation[], registry: Registry): string {
  return makeClasses(operations, registry, {
    methodOf: ({ id }, asCsv) => (asCsv ? CSV_METHOD_NAMES : METHOD_NAMES)[id],
    rootClass: 'Resources',
    sdk: '.',
  });
}

/** One class with a method for each operation of the console, called as the operation is. */
export function makeConsoleClient(operations: readonly SdkOperation[], registry: Registry): string {
  return makeClasses(operations, registry, {
    methodOf: ({ id }, asCsv) => (asCsv ? `${id}Csv` : id),
    rootClass: 'ConsoleOperations',
    sdk: '../../../sdk/src',
  });
}

function makeClasses(operations: readonly SdkOperation[], registry: Registry, target: Target): string {
  const source: TypeSource = { registry, renamed: { ...TYPE_NAMES, webhook_event: 'WebhookEvent' } };
  const root = emptyResource();
  const parameters: string[] = [];
  const place = (path: string, methodOf: (name: string) => string): void => {
    const words = path.split('.');
    const name = words.pop() ?? '';
    let resource = root;
    for (const word of words) {
      const child = resource.children.get(word) ?? emptyResource();
      resource.children.set(word, child);
      resource = child;
    }
    resource.methods.push(methodOf(name));
  };
  for (const operation of operations) {
    const path = target.methodOf(operation, false);
    if (path === undefined) throw new Error(`name the operation ${operation.id} in schemas/sdk-names.ts`);
    const queryType = declareQuery(source, operation, path, parameters);
    place(path, (name) => methodText(source, operation, name, queryType, false));
    if (operation.csv === undefined) continue;
    const csvPath = target.methodOf(operation, true);
    if (csvPath === undefined) throw new Error(`name the CSV of ${operation.id} in schemas/sdk-names.ts`);
    place(csvPath, (name) => methodText(source, operation, name, queryType, true));
  }
  const body = [...parameters, ...classesOf(target.rootClass, '', root)].join('\n');
  return [`// ${HEADER}\n`, importsFor(target.sdk, body), body].join('\n');
}

export function makeSdkDefaults(version: string, baseUrl: string): string {
  return `// ${HEADER}\n\nexport const VERSION = '${version}';\nexport const DEFAULT_BASE_URL = '${baseUrl}';\n`;
}

/** Imports the names that the text uses. */
function importsFor(sdk: string, text: string): string {
  const words = new Set(text.match(/\b[A-Z]\w+/g));
  const own = new Set([...text.matchAll(/export (?:class|interface|type) (\w+)/g)].map(([, name]) => name));
  const elsewhere: Readonly<Record<string, string>> = {
    Api: `${sdk}/api.ts`,
    ApiPromise: `${sdk}/api-promise.ts`,
    EventStream: `${sdk}/event-stream.ts`,
    PagePromise: `${sdk}/page.ts`,
    RawBody: `${sdk}/api.ts`,
    RequestOptions: `${sdk}/api.ts`,
    StreamOptions: `${sdk}/event-stream.ts`,
    WebhookEvent: `${sdk}/events.ts`,
  };
  const files = new Map<string, string[]>();
  for (const word of [...words].sort()) {
    if (own.has(word) || /^(Promise|Uint8Array|[A-Z_]+)$/.test(word) || !text.match(typeUse(word))) continue;
    const file = elsewhere[word] ?? './types.gen.ts';
    files.set(file, [...(files.get(file) ?? []), word]);
  }
  const lines = [...files].sort().map(([file, names]) => `import type { ${names.join(', ')} } from '${file}';`);
  return `${lines.join('\n')}\n`;
}

/** A word outside comments, in the place of a type. */
const typeUse = (word: string): RegExp => new RegExp(`^(?! *(/\\*\\*|\\*)).*[:<|(] *(readonly )?${word}\\b`, 'm');

function declareQuery(source: TypeSource, operation: SdkOperation, path: string, declared: string[]): string | null {
  if (operation.query === undefined) return null;
  const name = `${path.split('.').map(capitalized).join('')}Params`;
  declared.push(`export type ${name} = ${typeOf(source, operation.query, '')};\n`);
  return name;
}

const capitalized = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
const camelCase = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Not the bare name: `Me` and `Analytics` are types of the answers. */
const className = (root: string, path: string): string => (path === '' ? root : `${path}Resource`);

function classesOf(root: string, path: string, resource: Resource): string[] {
  const fields = [...resource.children.keys()];
  const classes = fields.flatMap((name) =>
    classesOf(root, `${path}${capitalized(name)}`, resource.children.get(name) ?? emptyResource()),
  );
  const lines = [
    `export class ${className(root, path)} {`,
    ...(resource.methods.length > 0 ? ['  readonly #api: Api;'] : []),
    ...fields.map((name) => `  readonly ${name}: ${className(root, path + capitalized(name))};`),
    '  constructor(api: Api) {',
    ...(resource.methods.length > 0 ? ['    this.#api = api;'] : []),
    ...fields.map((name) => `    this.${name} = new ${className(root, path + capitalized(name))}(api);`),
    '  }',
    ...resource.methods,
    '}\n',
  ];
  return [...classes, lines.join('\n')];
}

interface Answer {
  /** The type that the method returns. */
  readonly type: string;
  readonly isList: boolean;
  readonly fields: readonly string[];
}

function answerOf(source: TypeSource, schema: ResponseShape['schema']): Answer {
  if (schema === undefined) return { type: 'ApiPromise<undefined>', isList: false, fields: [] };
  if (typeof schema === 'string') return { type: `ApiPromise<${typeName(source, schema)}>`, isList: false, fields: [] };
  const whole = typeOf(source, schema, '  ');
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  const { data, ...more } = properties;
  if (data?.type === 'array') {
    const item = typeOf(source, (data.items ?? {}) as Schema, '  ');
    const next = Object.keys(more).find((name) => name.startsWith('next_'));
    const fields = next === undefined ? [] : [`cursor: '${next.slice('next_'.length)}'`];
    const isPlain = next === 'next_before' && Object.keys(more).length === 1;
    return { type: `PagePromise<${item}${isPlain ? '' : `, ${whole}`}>`, isList: true, fields };
  }
  if (data !== undefined && Object.keys(more).length === 0)
    return { type: `ApiPromise<${typeOf(source, data, '  ')}>`, isList: false, fields: ['isWrapped: true'] };
  return { type: `ApiPromise<${whole}>`, isList: false, fields: [] };
}

function methodText(
  source: TypeSource,
  operation: SdkOperation,
  name: string,
  queryType: string | null,
  asCsv: boolean,
): string {
  const words = [...operation.path.matchAll(/\{([a-z_]+)\}/g)].map(([, word = '']) => camelCase(word));
  const params = words.map((word) => `${word}: string`);
  const query = queryType === null ? [] : [`query${isRequired(operation.query) ? '' : '?'}: ${queryType}`];
  const comment = commentOf(operation, asCsv);
  if (operation.kind === 'stream') return comment + streamText(source, operation, name, words);
  const [, response] = Object.entries(operation.responses).find(([status]) => Number(status) < 300) ?? [];
  const answers = bodyTypes(source, operation).map((body) => ({
    body: body.parameter,
    answer: asCsv ? CSV : answerOf(source, body.isMany ? RESULT_OF_MANY[body.schema] : singleSchema(response)),
  }));
  const empty = isSometimesEmpty(operation) ? ' | undefined' : '';
  const [first] = answers;
  if (first === undefined) throw new Error(`${operation.id} has no answer`);
  const signatures = answers.map(
    ({ body, answer }) =>
      `${name}(${[...params, ...(body === null ? [] : [body]), ...query, 'options?: RequestOptions'].join(', ')}): ${answer.type.replace(/>$/, `${empty}>`)}`,
  );
  const fields = [
    ...(words.length > 0 ? [`params: [${words.join(', ')}]`] : []),
    ...(first.body === null ? [] : ['body']),
    ...(query.length > 0 ? ['query'] : []),
    ...first.answer.fields,
    ...flagsOf(operation, asCsv),
  ];
  const request = `{ method: '${operation.method}', path: '${operation.path}'${fields.map((field) => `, ${field}`).join('')} }`;
  const call = `    return this.#api.${first.answer.isList ? 'list' : 'send'}(${request}, options);\n  }`;
  if (signatures.length === 1) return `${comment}  ${signatures[0]} {\n${call}`;
  const bodies = answers.map(({ body }) => body?.split(': ')[1]).join(' | ');
  const all = `${name}(${[...params, `body: ${bodies}`, 'options?: RequestOptions'].join(', ')}): ApiPromise<never>`;
  return `${signatures.map((signature) => `${comment}  ${signature};\n`).join('')}  ${all} {\n${call}`;
}

/** Has a success with a body and one without. */
function isSometimesEmpty({ responses }: SdkOperation): boolean {
  const successes = Object.entries(responses).filter(([status]) => Number(status) < 300);
  const empty = successes.filter(([, { schema }]) => schema === undefined);
  return empty.length > 0 && empty.length < successes.length;
}

/** A stream about one checkout ends with it. */
function streamText(source: TypeSource, operation: SdkOperation, name: string, words: readonly string[]): string {
  const options = 'options?: StreamOptions';
  if (operation.auth !== 'guest')
    return `  ${name}(${options}): EventStream {\n    return this.#api.stream({ path: '${operation.path}' }, options);\n  }`;
  const type = answerOf(source, singleSchema(operation.responses[200])).type.replace('ApiPromise', 'EventStream');
  const parameters = [...words.map((word) => `${word}: string`), options].join(', ');
  const address = `{ path: '${operation.path}', params: [${words.join(', ')}] }`;
  const isLast = "({ status }) => ['completed', 'expired', 'canceled'].includes(status)";
  return `  ${name}(${parameters}): ${type} {\n    return this.#api.stream(${address}, options, ${isLast});\n  }`;
}

const CSV: Answer = { type: 'ApiPromise<string>', isList: false, fields: [] };

const isRequired = (schema: Schema | undefined): boolean => schema?.required !== undefined;

/** The bodies that get an answer of their own; null: the operation takes none. */
function bodyTypes(source: TypeSource, operation: SdkOperation) {
  if (operation.kind === 'intake') return [{ parameter: 'body: RawBody', isMany: false, schema: '' }];
  if (operation.kind === 'tool server') return [{ parameter: 'body: object', isMany: false, schema: '' }];
  const choices = (operation.body ?? []).map(({ schema }) => schema);
  if (choices.length === 0) return [{ parameter: null, isMany: false, schema: '' }];
  const many = choices.filter((schema) => RESULT_OF_MANY[schema] !== undefined);
  const single = choices.filter((schema) => !many.includes(schema));
  const isOptional = single.every((schema) => !isRequired(source.registry.get(schema)));
  const types = single.map((schema) => typeName(source, schema)).join(' | ');
  return [
    { parameter: `body${isOptional ? '?' : ''}: ${types}`, isMany: false, schema: single[0] ?? '' },
    ...many.map((schema) => ({ parameter: `body: ${typeName(source, schema)}`, isMany: true, schema })),
  ];
}

/** Of an answer that depends on the body, the one to a single object. */
function singleSchema(response: ResponseShape | undefined): ResponseShape['schema'] {
  const schema = response?.schema;
  const [first] = typeof schema === 'object' && Array.isArray(schema.oneOf) ? (schema.oneOf as Schema[]) : [];
  return first ?? schema;
}

function flagsOf({ id, kind, auth, idempotent }: SdkOperation, asCsv: boolean): string[] {
  const flags: string[] = [];
  if (idempotent === true) flags.push('takesKey: true');
  if (REPEATABLE[id] !== undefined) flags.push(`isRepeatable: ${REPEATABLE[id]}`);
  if (auth === 'open' || auth === 'hook') flags.push('isOpen: true');
  if (asCsv) flags.push("accept: 'text/csv'");
  if (kind === 'tool server') flags.push("accept: 'application/json, text/event-stream'");
  return flags;
}

const CALLERS: Readonly<Record<Auth, string>> = {
  open: 'Needs no key.',
  secret: '',
  guest: 'Needs a publishable key, or the token of a signed-in member, as `apiKey`.',
  member: 'Needs the token of a signed-in member as `apiKey`.',
  account: '',
  team: '',
  desk: '',
  hook: 'Needs no key: the token in the address is the credential.',
  operator: '',
};

function commentOf(operation: SdkOperation, asCsv: boolean): string {
  const scopes = (operation.scopes ?? []).map((scope) => `\`${scope}\``).join(' or ');
  const lines = [
    `${operation.summary}${asCsv ? ', as CSV' : ''}. ${operation.description ?? ''}`.trim(),
    CALLERS[operation.auth],
    scopes === '' ? '' : `Scope: ${scopes}.`,
    `\`${operation.method} ${operation.path}\``,
  ].filter((line) => line !== '');
  return `  /**\n${lines.map((line) => `   * ${line.replaceAll('*/', '* /')}\n`).join('')}   */\n`;
}
