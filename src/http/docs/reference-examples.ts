// The example of a call in the reference, in tabs: curl, the SDK, and the tool of an agent where there is one. All are
// made from the examples of the OpenAPI document.

import { METHOD_NAMES } from '../../../schemas/sdk-names.ts';
import type { Schema } from '../../base/schema/registry.ts';
import { tools } from '../../run/operations/tools.ts';
import type { DocumentedOperation, Parameter } from './api-document.ts';

interface Call {
  readonly base: string;
  readonly method: string;
  readonly path: string;
  readonly operation: DocumentedOperation;
  /** Undefined: the call has no body. */
  readonly body: unknown;
  /** Of the address, in its order, with an example each. */
  readonly ids: readonly (readonly [name: string, value: string])[];
  /** The parameters that must be sent. */
  readonly query: readonly (readonly [name: string, value: string])[];
}

/** The names of the shell's variable, and of the environment's, that holds what the caller proves itself with. */
const VARIABLES: Readonly<Record<string, string>> = { secretKey: 'KEY', memberToken: 'TOKEN' };
/** A browser sends the origin with it; a program outside a browser uses one of the others. */
const PUBLISHABLE = 'publishableKey';
const ORIGIN_HEADER = "-H 'Origin: https://example.com'";

export function exampleRequest(base: string, method: string, path: string, operation: DocumentedOperation): string {
  const body = Object.values(operation.requestBody?.content['application/json']?.examples ?? {})[0]?.value;
  const parameters = operation.parameters ?? [];
  const examplesIn = (place: Parameter['in']) =>
    parameters
      .filter((one) => one.in === place && one.required === true)
      .map(({ name, schema }) => [name, exampleOf(schema, name)] as const);
  const call = { base, method, path, operation, body, ids: examplesIn('path'), query: examplesIn('query') };
  const program = typeScript(call);
  const tool = toolCall(call);
  return [
    `\`\`\`sh tab=curl\n${curl(call)}\n\`\`\``,
    ...(program === null ? [] : [`\`\`\`ts tab=TypeScript\n${program}\n\`\`\``]),
    ...(tool === null ? [] : [`\`\`\`json tab=agent\n${tool}\n\`\`\``]),
  ].join('\n\n');
}

function exampleOf(schema: Schema, name: string): string {
  const examples = schema.examples as readonly unknown[] | undefined;
  return String(examples?.[0] ?? name.toUpperCase());
}

function variableOf({ security }: DocumentedOperation): string | undefined {
  return security
    .flatMap(Object.keys)
    .map((scheme) => VARIABLES[scheme])
    .find((name) => name !== undefined);
}

function curl({ base, method, path, operation, body, ids, query }: Call): string {
  const filled = ids.reduce((done, [name, value]) => done.replace(`{${name}}`, encodeURIComponent(value)), path);
  const search = query.map(([name, value]) => `${name}=${value}`).join('&');
  const address = search === '' ? `${base}${filled}` : `"${base}${filled}?${search}"`;
  const isImplied = method === 'GET' || (method === 'POST' && body !== undefined);
  const isPublishable = operation.security.some((scheme) => PUBLISHABLE in scheme);
  const variable = isPublishable ? 'PUBLISHABLE_KEY' : variableOf(operation);
  return [
    `curl ${isImplied ? '' : `-X ${method} `}${address}`,
    ...(variable === undefined ? [] : [`-H "Authorization: Bearer $${variable}"`]),
    ...(isPublishable ? [ORIGIN_HEADER] : []),
    ...(body === undefined
      ? []
      : [
          "-H 'Content-Type: application/json'",
          `-d '${indented(JSON.stringify(body, null, 2)).replaceAll("'", "'\\''")}'`,
        ]),
  ].join(' \\\n  ');
}

/** Operations that a program does not call by itself: a venue system delivers, an agent calls tools. */
const WITHOUT_PROGRAM = ['receiveHook', 'callTool'];

function typeScript({ base, operation, body, ids, query }: Call): string | null {
  const name = METHOD_NAMES[operation.operationId];
  if (name === undefined || WITHOUT_PROGRAM.includes(operation.operationId)) return null;
  const sent = body ?? (query.length > 0 ? Object.fromEntries(query) : undefined);
  const values = [...ids.map(([, value]) => value), ...(sent === undefined ? [] : [sent])].map(literal);
  const call = `everyshare.${name}(${values.join(', ')})`;
  const isPaged = operation.parameters?.some((one) => one.name === 'before') === true;
  const isStream = operation.responses['200']?.content?.['text/event-stream'] !== undefined;
  return `import { Everyshare } from '@everyshare/sdk';

const everyshare = new Everyshare({ apiKey: process.env.${variableOf(operation) ?? 'KEY'} ?? '', baseUrl: '${base}' });
${isPaged || isStream ? `for await (const one of ${call}) console.log(one);` : `console.log(await ${call});`}`;
}

/** A JSON value as TypeScript is usually written. */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .replace(/^( *)"(\w+)":/gm, '$1$2:')
    .replace(/"([^"'\\]*)"/g, "'$1'");
}

function toolCall({ operation, body, ids }: Call): string | null {
  const tool = tools.find((one) => one.operation.id === operation.operationId);
  if (tool === undefined) return null;
  const given = { body, params: Object.fromEntries(ids), query: {}, nothing: {} }[tool.argumentsAs];
  return JSON.stringify({ name: tool.name, arguments: given }, null, 2);
}

const indented = (text: string): string => text.replaceAll('\n', '\n  ');
