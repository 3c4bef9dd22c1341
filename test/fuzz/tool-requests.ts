// Draws messages to the tool server: every method of the protocol and every listed tool, valid, or with broken
// JSON-RPC, arguments, versions, batches or headers.

import { drawBrokenText, drawDamagedBody } from './broken-body.ts';
import type { Schema } from './contract.ts';
import { isOwnName } from './fixture.ts';
import { HOSTILE_VALUES, type Json } from './mutations.ts';
import { realisticBody } from './realistic-body.ts';
import {
  addOddHeader,
  clientAddress,
  type Draft,
  drawId,
  finishDraft,
  type RequestContext,
  type Tool,
  wrongBearer,
} from './request-draft.ts';
import type { Request, RpcCall } from './send.ts';
import { drawValue, varyExample } from './values.ts';

const OLDER_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'];
const STATELESS_VERSION = '2026-07-28';
const ODD_VERSIONS = ['', '1', 'x'.repeat(500), '2024-11-05', '2099-01-01', '\xff', '2025-06-18, 2025-03-26'];

interface Message {
  readonly [name: string]: Json;
}

export function drawToolRequest(context: RequestContext): Request {
  const { random, fixture, number } = context;
  const version = random.weighed([
    [5, null],
    [8, random.pick(OLDER_VERSIONS)],
    [3, STATELESS_VERSION],
    [1, random.pick(ODD_VERSIONS)],
  ]);
  const isBatch = random.often(0.08);
  const count = isBatch ? random.pick([0, 1, 2, 5, 50, 51]) : 1;
  const messages = Array.from({ length: count }, (_, n) => drawMessage(context, n, version));
  const whole: Json = isBatch ? messages : (messages[0] ?? null);
  const draft: Draft = {
    label: labelOf(context, messages),
    method: 'POST',
    path: random.often(0.95) ? '/mcp' : '/mcp/',
    query: random.often(0.97) ? '' : 'x=%ff',
    headers: {
      'x-forwarded-for': clientAddress(number),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${random.often(0.9) ? fixture.keys.test : fixture.keys.live}`,
      ...(version === null ? {} : { 'mcp-protocol-version': version }),
    },
    body: Buffer.from(JSON.stringify(whole)),
    rpc: callsById(context, messages),
  };
  if (version === STATELESS_VERSION && random.often(0.8)) describeInHeaders(messages[0] ?? {}, draft);
  if (random.often(0.45)) damage(context, draft, whole);
  return finishDraft(context, draft);
}

export const labelOfTool = (name: string): string => `tool:${name}`;
export const isLabelOfTool = (label: string): boolean => label.startsWith(labelOfTool(''));

/** A call of one tool has that tool's label; batches and all other messages have the tool server's. */
function labelOf(context: RequestContext, messages: readonly Message[]): string {
  const [first] = messages;
  const tool = messages.length === 1 && first !== undefined ? toolOf(context, first) : null;
  return tool === null ? 'callTool' : labelOfTool(tool);
}

function callsById(context: RequestContext, messages: readonly Message[]): NonNullable<Draft['rpc']> {
  const calls = new Map<unknown, RpcCall | null>();
  for (const message of messages) {
    const { id = null, method } = message;
    calls.set(id, calls.has(id) ? null : { method: String(method), tool: toolOf(context, message) });
  }
  return calls;
}

function toolOf({ tools }: RequestContext, { method, params }: Message): string | null {
  if (method !== 'tools/call') return null;
  const { name } = (params ?? {}) as { name?: Json };
  return tools.find((tool) => tool.name === name)?.name ?? null;
}

/** The stateless revision of the protocol repeats method and name in headers. */
function describeInHeaders({ method, params }: Message, draft: Draft): void {
  draft.headers['mcp-method'] = String(method).replaceAll(/[^\x21-\x7e]/g, '~');
  const { name, uri } = (params ?? {}) as { name?: Json; uri?: Json };
  const named = name ?? uri;
  if (named !== undefined)
    draft.headers['mcp-name'] = String(named)
      .slice(0, 500)
      .replaceAll(/[^\x21-\x7e]/g, '~');
}

function damage(context: RequestContext, draft: Draft, whole: Json): void {
  const { random, contract, limitOf } = context;
  delete draft.rpc;
  const way = random.below(10);
  if (way <= 5) draft.body = Buffer.from(drawBrokenText(random, contract, whole, {}));
  else if (way === 6) {
    const sent = drawDamagedBody(random, JSON.stringify(whole), limitOf('callTool'));
    draft.body = sent.body;
    Object.assign(draft.headers, sent.headers ?? {});
    if (sent.isTooLarge === true) draft.mustBeRefused = true;
  } else if (way === 7) {
    const bearer = wrongBearer(context);
    if (bearer === null) delete draft.headers.authorization;
    else draft.headers.authorization = bearer;
  } else if (way === 8) addOddHeader(context, draft);
  else {
    const [name, value] = random.pick([
      ['mcp-session-id', 'x'],
      ['mcp-session-id', '\xff'],
      ['last-event-id', '1'],
      ['mcp-method', 'ping'],
      ['mcp-name', '\xff'],
      ['origin', 'https://evil.example'],
      ['host', 'evil.example'],
      ['accept', 'text/event-stream'],
      ['mcp-protocol-version', random.pick([...ODD_VERSIONS, STATELESS_VERSION, ...OLDER_VERSIONS])],
    ]) as [string, string];
    draft.headers[name] = value;
  }
}

const METHODS = [
  'initialize',
  'ping',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'notifications/initialized',
  'notifications/cancelled',
  'resources/subscribe',
  'subscriptions/listen',
  'server/discover',
  'sampling/createMessage',
  'elicitation/create',
  'roots/list',
  'tasks/list',
  'tasks/get',
  '__proto__',
  'toString',
  '',
  'x'.repeat(300),
];

function drawMessage(context: RequestContext, n: number, version: string | null): Message {
  const { random, number } = context;
  const id = random.weighed<Json | undefined>([
    [20, number * 100 + n],
    [6, `id-${number}-${n}`],
    [1, 0],
    [1, random.pick([null, 1.5, -1, '', 'x'.repeat(2000), 2 ** 60, true, {}, []] as Json[])],
    [1, undefined],
  ]);
  const isCall = random.often(0.6);
  const method = isCall ? 'tools/call' : random.pick(METHODS);
  const params = isCall ? drawCall(context) : drawParams(context, method);
  const meta =
    version === STATELESS_VERSION && random.often(0.9)
      ? {
          'io.modelcontextprotocol/protocolVersion': STATELESS_VERSION,
          'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        }
      : null;
  const whole = meta === null ? params : { ...(params as object), _meta: meta };
  return {
    jsonrpc: random.often(0.98) ? '2.0' : random.pick(['1.0', 2, null] as Json[]),
    ...(id === undefined ? {} : { id }),
    method,
    ...(random.often(0.97) ? { params: whole as Json } : {}),
  };
}

function drawCall(context: RequestContext): Json {
  const { random, contract, tools } = context;
  const tool = random.pick(tools);
  const schema = inputSchemaOf(tool);
  const examples = (schema.examples ?? []) as Json[];
  const drawn =
    examples.length > 0 && random.often(0.7)
      ? varyExample(random, contract, random.pick(examples), schema)
      : drawValue(random, contract, schema);
  const args = withFixtureValues(context, tool.name, realisticBody(context, tool.name, drawn));
  const broken = random.often(0.35) ? parseOrText(drawBrokenText(random, contract, args, schema)) : args;
  const name = random.often(0.97) ? tool.name : random.pick(['', 'x', '__proto__', `${tool.name}s`, 'x'.repeat(5000)]);
  return { name, ...(random.often(0.98) ? { arguments: broken } : {}) };
}

const inputs = new WeakMap<Tool, Schema>();

/**
 * A tool's input schema with its own definitions inlined, because the contract resolves only those of the OpenAPI
 * document.
 */
function inputSchemaOf(tool: Tool): Schema {
  const cached = inputs.get(tool);
  if (cached !== undefined) return cached;
  const { $defs = {}, ...schema } = tool.inputSchema as { $defs?: Members };
  const inlined = inlineDefinitions(schema, $defs) as unknown as Schema;
  inputs.set(tool, inlined);
  return inlined;
}

function inlineDefinitions(node: Json, defs: Members): Json {
  if (Array.isArray(node)) return node.map((one) => inlineDefinitions(one, defs));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref, ...own } = node;
  const definition = typeof $ref === 'string' ? defs[$ref.replace('#/$defs/', '')] : undefined;
  const whole = { ...(definition === undefined ? {} : (inlineDefinitions(definition, defs) as Members)), ...own };
  return Object.fromEntries(Object.entries(whole).map(([name, one]) => [name, inlineDefinitions(one, defs)]));
}

/** Replaces arguments by ids and bodies of the fixture, which a tool's schema does not describe. */
function withFixtureValues(context: RequestContext, tool: string, value: Json): Json {
  const { random, contract } = context;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (tool === 'get_checkout') return { ...value, id: decodeURIComponent(decodable(drawId(context, 'checkouts'))) };
  const operationOfTool: Readonly<Record<string, string>> = {
    upsert_offerings: 'upsertOfferings',
    create_checkout: 'createCheckout',
    validate: 'upsertOfferings',
    set_price_tiers: 'upsertOfferings',
    set_availability: 'upsertOfferings',
  };
  const of = contract.operations.find(({ id }) => id === operationOfTool[tool])?.body;
  if (of == null || random.often(0.3)) return value;
  const body = realisticBody(context, tool, varyExample(random, contract, random.pick(of.examples), of.schema));
  if (tool === 'create_checkout') return body;
  const [offering = {}] = offeringsIn(body);
  if (tool === 'validate') return { ...value, object: offering };
  return tool === 'upsert_offerings' ? { offerings: offeringsIn(body) } : withPartOf(context, value, offering);
}

type Members = { [name: string]: Json };

/** A route accepts one offering or a list, a tool only a list. */
function offeringsIn(body: Json): Members[] {
  const { offerings } = body as { offerings?: Json };
  return (Array.isArray(offerings) ? offerings : [body]) as Members[];
}

/** Gives an existing offering the tiers or the availability of another. */
function withPartOf({ random, fixture }: RequestContext, value: Members, { tiers, availability }: Members): Json {
  const names = (fixture.own.offerings ?? []).filter(isOwnName);
  return {
    ...value,
    ...(names.length > 0 ? { offering_external_id: random.pick(names) } : {}),
    ...(value.tiers !== undefined && tiers !== undefined ? { tiers } : {}),
    ...(value.availability !== undefined && availability !== undefined ? { availability } : {}),
  };
}

/** The text if decodeURIComponent accepts it, else `x`. */
const decodable = (text: string): string => (/^(?:[^%]|%[0-7][0-9a-f])*$/i.test(text) ? text : 'x');

/** Text that is not valid JSON becomes a string; another damage breaks the text of the whole message. */
function parseOrText(text: string): Json {
  // JSON.stringify of a value this deep would overflow the fuzzer's stack, so it stays text.
  if (/(\[|\{"a":){300}/.test(text)) return text.slice(0, 2_000);
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text.slice(0, 2_000);
  }
}

function drawParams({ random }: RequestContext, method: string): Json {
  const hostile = (): Json => parseOrText(random.pick(HOSTILE_VALUES));
  if (method === 'initialize')
    return {
      protocolVersion: random.pick([...OLDER_VERSIONS, STATELESS_VERSION, '1', hostile()]),
      capabilities: random.often(0.9) ? {} : hostile(),
      clientInfo: random.often(0.9) ? { name: 'fuzz', version: '1' } : hostile(),
    };
  if (method === 'resources/read')
    return {
      uri: random.pick([
        'everyshare://schemas/offering',
        'everyshare://mappings/square',
        'everyshare://schemas/../x',
        'everyshare://',
        'file:///etc/passwd',
        'x',
        hostile(),
      ]),
    };
  if (method === 'prompts/get')
    return {
      name: random.often(0.9) ? 'connect_venue' : hostile(),
      arguments: random.pick<Json>([
        { venue: 'Square' },
        { venue: '' },
        {},
        { venue: 'x'.repeat(5000) },
        { venue: hostile() },
        hostile(),
      ]),
    };
  if (method === 'completion/complete')
    return {
      ref: random.pick<Json>([
        { type: 'ref/prompt', name: 'connect_venue' },
        { type: 'ref/resource', uri: 'everyshare://schemas/{name}' },
        hostile(),
      ]),
      argument: random.pick<Json>([
        { name: 'venue', value: 's' },
        { name: 'name', value: '' },
        { name: 'name', value: '__proto__' },
        hostile(),
      ]),
    };
  return random.often(0.6) ? {} : random.often(0.5) ? { cursor: hostile() } : hostile();
}
