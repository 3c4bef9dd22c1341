// The OpenAPI 3.1 document, made from the list of operations and the published schemas: every path, status, header,
// security scheme and example. It is written to schemas/openapi.gen.json (a test keeps it current) and served.

import { catalogue, type ErrorCode } from '../base/errors.ts';
import type { Auth, ResponseShape } from '../base/operation.ts';
import { sample } from '../base/schema/describe.ts';
import type { Registry } from '../base/schema/registry.ts';
import type { AppOperation, AppStreamOperation } from '../run/app-operation.ts';
import { asSchema, Components, mergeExample, type Source } from './openapi-components.ts';
import { describeWebhooks } from './openapi-webhooks.ts';

type Json = Record<string, unknown>;

const TAGS: Readonly<Record<string, string>> = {
  Account: 'The venue of a key and what the key may do.',
  Offerings: 'What a venue sells repeatedly, with tiers, availability and policy in one upsert.',
  Experiences: 'Dated events, submitted for review.',
  Boats: 'Boats and whole fleets.',
  Checkouts: 'A party’s whole total, divided over shares that are held and then captured at once.',
  Payouts: 'The money that the venue receives.',
  'Webhook endpoints': 'The addresses to which the service sends its signed events.',
  Events: 'The log of events.',
  Integrations: 'Venue systems that send their changes to the service.',
  Analytics: 'The figures of a venue’s listings.',
  Guests: 'The operations of the organizer and the guests, from a browser.',
  Agents: 'The tool server for AI agents (MCP).',
  'Going live': 'The checklist of a venue that goes live. For the pages of the console alone.',
  Desk: 'The work of operators: review, money, venues. For the pages of the desk alone.',
  Console: 'The accounts, sessions and people of the console. For its own pages alone.',
  'Test helpers': 'Bring a test checkout into any state. For test keys only.',
};

const SECURITY: Readonly<Record<Auth, readonly Json[]>> = {
  open: [],
  secret: [{ secretKey: [] }],
  guest: [{ publishableKey: [] }, { memberToken: [] }],
  member: [{ memberToken: [] }],
  account: [{ consoleSession: [] }],
  team: [{ consoleSession: [] }],
  desk: [{ consoleSession: [] }],
  hook: [],
  operator: [{ operatorToken: [] }],
};

const SECURITY_SCHEMES: Json = {
  secretKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'A secret key, `svc_test_…` or `svc_live_…`, sent from a server.',
  },
  publishableKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'A publishable key, `pk_test_…` or `pk_live_…`, from a registered origin.',
  },
  memberToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The token of a signed-in member.' },
  consoleSession: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-everyshare_console',
    description:
      'The cookie of a signed-in person, from the console’s own origin. Over plain http its name has no prefix `__Host-`.',
  },
  operatorToken: { type: 'http', scheme: 'bearer', description: 'The operator’s own token (OPERATOR_TOKEN).' },
};

const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
const headerRef = (name: string): Json => ({ $ref: `#/components/headers/${name}` });

const HEADERS: Json = {
  'X-Request-Id': {
    description: 'The id of this request, to quote to support.',
    schema: { type: 'string', examples: ['req_01k9z8w3v5r6t7y8m9n0p1q2s3'] },
  },
  'X-RateLimit-Limit': {
    description: 'Calls allowed in a rolling hour.',
    schema: { type: 'integer', examples: [600] },
  },
  'X-RateLimit-Remaining': {
    description: 'Calls left in the present hour.',
    schema: { type: 'integer', examples: [599] },
  },
  'X-RateLimit-Reset': {
    description: 'The second (Unix time) at which the oldest counted call leaves the window.',
    schema: { type: 'integer', examples: [1812790800] },
  },
  'Retry-After': {
    description: 'Seconds until one more call will be accepted.',
    schema: { type: 'integer', examples: [12] },
  },
  'Idempotent-Replayed': {
    description: '`true` when this is the stored answer to the first call.',
    schema: { type: 'string', const: 'true' },
  },
  Link: {
    description: 'For a page of CSV that is not the last: the address of the next page, `rel="next"`.',
    schema: {
      type: 'string',
      examples: ['<https://api.everyshare.example/v1/payouts?before=2027-06-12T13:30:00Z>; rel="next"'],
    },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    schema: { type: 'string', examples: ['Bearer realm="everyshare"'] },
  },
};

export function makeOpenApi(operations: readonly AppOperation[], registry: Registry, baseUrl: string): Json {
  const used = new Set(operations.map(({ tag }) => tag));
  const source: Source = { registry, components: new Components(registry) };
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const path = paths[operation.path] ?? {};
    path[operation.method.toLowerCase()] = describeOperation(operation, source);
    paths[operation.path] = path;
  }
  const webhooks = used.has('Webhook endpoints') ? { webhooks: describeWebhooks(source) } : {};
  const responses = errorResponses(operations, source);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Everyshare',
      version: '1.0.0',
      summary: 'Group payments for venues.',
      description:
        'A venue tells the service what it sells; a group books; each guest pays their own share as a card hold; nothing is captured until every share is held.\n\nMoney is an integer in minor units. Times are ISO 8601 with an offset. Unknown fields are refused.',
      license: { name: 'Proprietary', identifier: 'LicenseRef-Everyshare' },
    },
    servers: [{ url: baseUrl, description: 'This server' }],
    tags: Object.entries(TAGS)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
    paths,
    ...webhooks,
    components: {
      schemas: source.components.schemas(),
      headers: usedHeaders({ paths, responses }),
      securitySchemes: securitySchemes(operations),
      responses,
    },
  };
}

/** The headers that one of these parts refers to. */
function usedHeaders(parts: Json): Json {
  const text = JSON.stringify(parts);
  return Object.fromEntries(
    Object.entries(HEADERS).filter(([name]) => text.includes(`"#/components/headers/${name}"`)),
  );
}

/** The schemes that one of these operations takes. */
function securitySchemes(operations: readonly AppOperation[]): Json {
  const used = new Set(operations.flatMap(({ auth }) => SECURITY[auth].flatMap(Object.keys)));
  return Object.fromEntries(Object.entries(SECURITY_SCHEMES).filter(([name]) => used.has(name)));
}

function describeOperation(operation: AppOperation, source: Source): Json {
  const responses: Json = {};
  for (const status of errorStatuses(operation)) responses[String(status)] = errorReference(operation, status);
  // A status that the operation declares replaces the common one: the tool server has failures in a shape of its own.
  for (const [status, answer] of Object.entries(operation.responses))
    responses[status] = describeResponse(operation, answer, source);
  const parameters = [...pathParameters(operation), ...queryParameters(operation), ...headerParameters(operation)];
  const scopes =
    operation.scopes === undefined ? '' : `\n\nScope: ${operation.scopes.map((scope) => `\`${scope}\``).join(' or ')}.`;
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: `${operation.description ?? `${operation.summary}.`}${scopes}`,
    security: SECURITY[operation.auth],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...bodyOf(operation, source),
    responses,
  };
}

function describeResponse(operation: AppOperation, answer: ResponseShape, source: Source): Json {
  const limited = operation.auth === 'operator' ? [] : RATE_HEADERS;
  const names = ['X-Request-Id', ...limited, ...(operation.idempotent === true ? ['Idempotent-Replayed'] : [])];
  if (operation.csv?.isPage === true) names.push('Link');
  const stated = {
    description: answer.description,
    headers: Object.fromEntries(names.map((name) => [name, headerRef(name)])),
  };
  if (answer.schema === undefined) return stated;
  const schema = source.components.schemaOf(answer.schema);
  const ofSchema = sample(source.registry, asSchema(answer.schema));
  const example = answer.exampleWith === undefined ? ofSchema : mergeExample(ofSchema, answer.exampleWith);
  const json = { schema, ...(isCompleteExample(example) ? { example } : {}) };
  if (operation.kind === 'stream') return { ...stated, content: { 'text/event-stream': streamOf(operation, example) } };
  return {
    ...stated,
    content: { 'application/json': json, ...(operation.csv === undefined ? {} : { 'text/csv': csvOf(operation.csv) }) },
  };
}

function csvOf({ lines }: NonNullable<AppOperation['csv']>): Json {
  return {
    schema: {
      type: 'string',
      description: `With \`Accept: text/csv\`: CSV by RFC 4180, with a header line. The lines are ${lines}. A text that a spreadsheet would take for a formula begins with an apostrophe.`,
    },
  };
}

/** OpenAPI has no schema for the messages of a stream: their data is the object whose example is shown. */
function streamOf({ message: { data, id, event } }: AppStreamOperation, example: unknown): Json {
  return {
    schema: {
      type: 'string',
      description: `Server-sent events. The \`data\` of each is one line of JSON: ${data}.`,
    },
    example: `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(example)}\n\n`,
  };
}

/** Incomplete when the schemas have no example for a member: such an example is left out. */
function isCompleteExample(example: unknown): boolean {
  return (
    example !== null && typeof example === 'object' && Object.values(example).every((value) => value !== undefined)
  );
}

function bodyOf(operation: AppOperation, source: Source): Json {
  if (operation.kind === 'intake' || operation.kind === 'tool server') {
    return { requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } } };
  }
  return operation.body === undefined ? {} : { requestBody: requestBody(operation, source) };
}

function requestBody(operation: AppOperation, { registry, components }: Source): Json {
  const choices = (operation.body ?? []).map(({ schema }) => schema);
  const refs = choices.map((name) => components.schemaOf(name));
  const examples: Json = {};
  for (const name of choices) {
    (registry.get(name).examples as unknown[]).forEach((value, index) => {
      examples[index === 0 ? name : `${name}_${index + 1}`] = { value };
    });
  }
  const schema = refs.length === 1 ? refs[0] : { anyOf: refs };
  return {
    required: choices.some((name) => registry.get(name).required !== undefined || registry.get(name).type !== 'object'),
    content: { 'application/json': { schema, examples } },
  };
}

function pathParameters(operation: AppOperation): Json[] {
  return [...operation.path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: name === 'id' ? 'The id of the object.' : `The ${String(name).replaceAll('_', ' ')}.`,
    schema: { type: 'string' },
  }));
}

function queryParameters(operation: AppOperation): Json[] {
  const properties = (operation.query?.properties ?? {}) as Record<string, Json>;
  const required = (operation.query?.required ?? []) as string[];
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    schema,
  }));
}

const TEAM_HEADERS: readonly Json[] = [
  {
    name: 'Everyshare-Venue',
    in: 'header',
    required: true,
    description: 'The id of the venue, a sandbox too.',
    schema: { type: 'string', format: 'uuid', examples: ['0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d10'] },
  },
  {
    name: 'Everyshare-Mode',
    in: 'header',
    required: true,
    description: 'The mode.',
    schema: { type: 'string', enum: ['test', 'live'], examples: ['test'] },
  },
];

function headerParameters(operation: AppOperation): Json[] {
  if (operation.auth === 'team') return [...TEAM_HEADERS];
  if (operation.kind === 'stream' && operation.auth === 'secret') {
    return [
      {
        name: 'Last-Event-ID',
        in: 'header',
        required: false,
        description: 'The id of the last event that you received: the stream goes on after it.',
        schema: { type: 'string', examples: ['evt_01jz3k8q7v5m2n9t4w6x8y0abc'] },
      },
    ];
  }
  if (operation.idempotent !== true) return [];
  return [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'A key of your own for this request. A second call with the same key gets the first answer and changes nothing. Stored for 30 days.',
      schema: { type: 'string', minLength: 1, maxLength: 255, examples: ['booking-8121-attempt-1'] },
    },
  ];
}

/** The errors that every operation of this kind can answer, and its own. */
function errorCodes(operation: AppOperation): ErrorCode[] {
  const codes: ErrorCode[] = [...(operation.errors ?? []), 'invalid_request', 'internal_error', 'service_unavailable'];
  if (operation.auth !== 'operator') codes.push('rate_limited');
  if (operation.auth !== 'open') codes.push('unauthorized');
  if (operation.auth === 'secret') codes.push('wrong_key_kind', 'mode_not_available', 'ip_not_allowed');
  if (operation.auth === 'guest')
    codes.push('wrong_key_kind', 'mode_not_available', 'ip_not_allowed', 'origin_not_allowed');
  if (operation.auth === 'member') codes.push('wrong_key_kind');
  if (operation.audience !== undefined) codes.push('origin_not_allowed');
  if (operation.auth === 'team') codes.push('not_found', 'mode_not_available', 'venue_not_linked', 'role_not_allowed');
  if (operation.auth === 'desk') codes.push('role_not_allowed');
  if (operation.audience !== undefined && operation.stepUp !== undefined) codes.push('step_up_required');
  if (operation.scopes !== undefined) codes.push('insufficient_scope');
  if (operation.linkedOnly === true) codes.push('venue_not_linked');
  if (operation.method !== 'GET') codes.push('payload_too_large', 'unsupported_media_type', 'invalid_json');
  return [...new Set(codes)];
}

const statusOf = (code: ErrorCode): number => catalogue[code].status;

function errorStatuses(operation: AppOperation): number[] {
  return [...new Set(errorCodes(operation).map(statusOf))].sort((a, b) => a - b);
}

/** Describes an error status of this operation by its own codes; for 422, the list of problems. */
function errorReference(operation: AppOperation, status: number): Json {
  const own = errorCodes(operation).filter((code) => statusOf(code) === status);
  const description =
    status === 422 ? FIELD_PROBLEMS : own.map((code) => `\`${code}\`: ${catalogue[code].message}`).join('\n\n');
  return { $ref: `#/components/responses/Error${status}`, description };
}

const FIELD_PROBLEMS =
  'One or more fields are wrong. `errors[]` lists every problem with its code, pointer, what was expected and a value that would pass; `error` is the first.';

function errorResponses(operations: readonly AppOperation[], { components }: Source): Json {
  const responses: Json = {};
  for (const status of new Set(operations.flatMap(errorStatuses))) {
    const codes = Object.entries(catalogue).filter(([, entry]) => entry.status === status);
    const more = status === 429 || status === 503 ? ['Retry-After'] : status === 401 ? ['WWW-Authenticate'] : [];
    const names = ['X-Request-Id', ...RATE_HEADERS, ...more];
    const [code, entry] = codes[0] ?? ['internal_error', catalogue.internal_error];
    responses[`Error${status}`] = {
      description: codes.map(([name, { message }]) => `\`${name}\`: ${message}`).join('\n\n'),
      headers: Object.fromEntries(names.map((name) => [name, headerRef(name)])),
      content: {
        'application/json': {
          schema: components.schemaOf('error'),
          example: status === 422 ? EXAMPLE_422 : { error: { code, message: entry.message, request_id: REQUEST_ID } },
        },
      },
    };
  }
  return responses;
}

const REQUEST_ID = 'req_01k9z8w3v5r6t7y8m9n0p1q2s3';
const EXAMPLE_PROBLEM = {
  code: 'invalid_type',
  message: 'amount must be an integer from 100 to 99999999, not a string.',
  field: '/amount',
};
const EXAMPLE_422: Json = {
  error: { ...EXAMPLE_PROBLEM, request_id: REQUEST_ID },
  errors: [
    {
      ...EXAMPLE_PROBLEM,
      expected: 'an integer from 100 to 99999999',
      example_fix: 24000,
      doc_url: 'https://api.everyshare.example/docs/errors/invalid_type',
    },
  ],
};
