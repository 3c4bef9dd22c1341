// Messages to the tool server: every method of the protocol and every tool it lists, right, and broken as JSON-RPC, as arguments,
// by version, in batches and by header.

import { brokenText, damagedBytes } from './breaks.ts';
import type { Schema } from './contract.ts';
import {
  addOddHeader,
  addressOf,
  type Draft,
  finished,
  idFor,
  type RequestContext,
  type Tool,
  wrongBearer,
} from './draw.ts';
import { isOwnName } from './fixture.ts';
import { type Json, NASTY } from './mutations.ts';
import { realisticBody } from './realistic-body.ts';
import type { Asked, Request } from './send.ts';
import { valueFor, varied } from './values.ts';

const OLDER = ['2025-11-25', '2025-06-18', '2025-03-26'];
const MODERN = '2026-07-28';
const STRANGE_VERSIONS = ['', '1', 'x'.repeat(500), '2024-11-05', '2099-01-01', '\xff', '2025-06-18, 2025-03-26'];

interface Message {
  readonly [name: string]: Json;
}

export function askTools(drawing: RequestContext): Request {
  const { random, fixture, number } = drawing;
  const version = random.weighed([
    [5, null],
    [8, random.pick(OLDER)],
    [3, MODERN],
    [1, random.pick(STRANGE_VERSIONS)],
  ]);
  const isBatch = random.often(0.08);
  const count = isBatch ? random.pick([0, 1, 2, 5, 50, 51]) : 1;
  const messages = Array.from({ length: count }, (_, n) => messageOf(drawing, n, version));
  const whole: Json = isBatch ? messages : (messages[0] ?? null);
  const draft: Draft = {
    label: labelOf(drawing, messages),
    method: 'POST',
    path: random.often(0.95) ? '/mcp' : '/mcp/',
    query: random.often(0.97) ? '' : 'x=%ff',
    headers: {
      'x-forwarded-for': addressOf(number),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${random.often(0.9) ? fixture.keys.test : fixture.keys.live}`,
      ...(version === null ? {} : { 'mcp-protocol-version': version }),
    },
    body: Buffer.from(JSON.stringify(whole)),
    rpc: askedBy(drawing, messages),
  };
  if (version === MODERN && random.often(0.8)) describeInHeaders(messages[0] ?? {}, draft);
  if (random.often(0.45)) damage(drawing, draft, whole);
  return finished(drawing, draft);
}

export const labelOfTool = (name: string): string => `tool:${name}`;
export const isLabelOfTool = (label: string): boolean => label.startsWith(labelOfTool(''));

/** A call of one tool counts as that tool's; a batch, and everything else, as the tool server's. */
function labelOf(drawing: RequestContext, messages: readonly Message[]): string {
  const [first] = messages;
  const tool = messages.length === 1 && first !== undefined ? toolOf(drawing, first) : null;
  return tool === null ? 'callTool' : labelOfTool(tool);
}

function askedBy(drawing: RequestContext, messages: readonly Message[]): NonNullable<Draft['rpc']> {
  const asked = new Map<unknown, Asked | null>();
  for (const message of messages) {
    const { id = null, method } = message;
    asked.set(id, asked.has(id) ? null : { method: String(method), tool: toolOf(drawing, message) });
  }
  return asked;
}

function toolOf({ tools }: RequestContext, { method, params }: Message): string | null {
  if (method !== 'tools/call') return null;
  const { name } = (params ?? {}) as { name?: Json };
  return tools.find((tool) => tool.name === name)?.name ?? null;
}

/** What the stateless revision wants to see in headers too. */
function describeInHeaders({ method, params }: Message, draft: Draft): void {
  draft.headers['mcp-method'] = String(method).replaceAll(/[^\x21-\x7e]/g, '~');
  const { name, uri } = (params ?? {}) as { name?: Json; uri?: Json };
  const named = name ?? uri;
  if (named !== undefined)
    draft.headers['mcp-name'] = String(named)
      .slice(0, 500)
      .replaceAll(/[^\x21-\x7e]/g, '~');
}

function damage(drawing: RequestContext, draft: Draft, whole: Json): void {
  const { random, contract, limitOf } = drawing;
  delete draft.rpc;
  const way = random.below(10);
  if (way <= 5) draft.body = Buffer.from(brokenText(random, contract, whole, {}));
  else if (way === 6) {
    const sent = damagedBytes(random, JSON.stringify(whole), limitOf('callTool'));
    draft.body = sent.body;
    Object.assign(draft.headers, sent.headers ?? {});
    if (sent.isTooLarge === true) draft.isHopeless = true;
  } else if (way === 7) {
    const bearer = wrongBearer(drawing);
    if (bearer === null) delete draft.headers.authorization;
    else draft.headers.authorization = bearer;
  } else if (way === 8) addOddHeader(drawing, draft);
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
      ['mcp-protocol-version', random.pick([...STRANGE_VERSIONS, MODERN, ...OLDER])],
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

function messageOf(drawing: RequestContext, n: number, version: string | null): Message {
  const { random, number } = drawing;
  const id = random.weighed<Json | undefined>([
    [20, number * 100 + n],
    [6, `id-${number}-${n}`],
    [1, 0],
    [1, random.pick([null, 1.5, -1, '', 'x'.repeat(2000), 2 ** 60, true, {}, []] as Json[])],
    [1, undefined],
  ]);
  const isCall = random.often(0.6);
  const method = isCall ? 'tools/call' : random.pick(METHODS);
  const params = isCall ? callOf(drawing) : paramsOf(drawing, method);
  const meta =
    version === MODERN && random.often(0.9)
      ? {
          'io.modelcontextprotocol/protocolVersion': MODERN,
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

function callOf(drawing: RequestContext): Json {
  const { random, contract, tools } = drawing;
  const tool = random.pick(tools);
  const schema = inputOf(tool);
  const examples = (schema.examples ?? []) as Json[];
  const drawn =
    examples.length > 0 && random.often(0.7)
      ? varied(random, contract, random.pick(examples), schema)
      : valueFor(random, contract, schema);
  const given = aboutThisTown(drawing, tool.name, realisticBody(drawing, tool.name, drawn));
  const broken = random.often(0.35) ? parsed(brokenText(random, contract, given, schema)) : given;
  const name = random.often(0.97) ? tool.name : random.pick(['', 'x', '__proto__', `${tool.name}s`, 'x'.repeat(5000)]);
  return { name, ...(random.often(0.98) ? { arguments: broken } : {}) };
}

const inputs = new WeakMap<Tool, Schema>();

/** What a tool takes, with its own definitions in their places: the contract knows only the document's. */
function inputOf(tool: Tool): Schema {
  const known = inputs.get(tool);
  if (known !== undefined) return known;
  const { $defs = {}, ...schema } = tool.inputSchema as { $defs?: Members };
  const made = inPlace(schema, $defs) as unknown as Schema;
  inputs.set(tool, made);
  return made;
}

function inPlace(node: Json, defs: Members): Json {
  if (Array.isArray(node)) return node.map((one) => inPlace(one, defs));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref, ...own } = node;
  const meant = typeof $ref === 'string' ? defs[$ref.replace('#/$defs/', '')] : undefined;
  const whole = { ...(meant === undefined ? {} : (inPlace(meant, defs) as Members)), ...own };
  return Object.fromEntries(Object.entries(whole).map(([name, one]) => [name, inPlace(one, defs)]));
}

/** What a tool's own schema leaves open. */
function aboutThisTown(drawing: RequestContext, tool: string, value: Json): Json {
  const { random, contract } = drawing;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (tool === 'get_checkout') return { ...value, id: decodeURIComponent(safe(idFor(drawing, 'checkouts'))) };
  const wanted: Readonly<Record<string, string>> = {
    upsert_offerings: 'upsertOfferings',
    create_checkout: 'createCheckout',
    validate: 'upsertOfferings',
    set_price_tiers: 'upsertOfferings',
    set_availability: 'upsertOfferings',
  };
  const of = contract.operations.find(({ id }) => id === wanted[tool])?.body;
  if (of == null || random.often(0.3)) return value;
  const body = realisticBody(drawing, tool, varied(random, contract, random.pick(of.examples), of.schema));
  if (tool === 'create_checkout') return body;
  const [offering = {}] = offeringsIn(body);
  if (tool === 'validate') return { ...value, object: offering };
  return tool === 'upsert_offerings' ? { offerings: offeringsIn(body) } : partOf(drawing, value, offering);
}

type Members = { [name: string]: Json };

/** A route takes one offering or a list of them, a tool the list. */
function offeringsIn(body: Json): Members[] {
  const { offerings } = body as { offerings?: Json };
  return (Array.isArray(offerings) ? offerings : [body]) as Members[];
}

/** Of an offering that is there, what another one has. */
function partOf({ random, fixture }: RequestContext, value: Members, { tiers, availability }: Members): Json {
  const names = (fixture.own.offerings ?? []).filter(isOwnName);
  return {
    ...value,
    ...(names.length > 0 ? { offering_external_id: random.pick(names) } : {}),
    ...(value.tiers !== undefined && tiers !== undefined ? { tiers } : {}),
    ...(value.availability !== undefined && availability !== undefined ? { availability } : {}),
  };
}

const safe = (word: string): string => (/^(?:[^%]|%[0-7][0-9a-f])*$/i.test(word) ? word : 'x');

/** What cannot be said as a JSON value stands as a string; broken text of a whole message is another damage. */
function parsed(text: string): Json {
  // So deep that writing it down again would be the fuzzer's own end: as text alone.
  if (/(\[|\{"a":){300}/.test(text)) return text.slice(0, 2_000);
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text.slice(0, 2_000);
  }
}

function paramsOf({ random }: RequestContext, method: string): Json {
  const nasty = (): Json => parsed(random.pick(NASTY));
  if (method === 'initialize')
    return {
      protocolVersion: random.pick([...OLDER, MODERN, '1', nasty()]),
      capabilities: random.often(0.9) ? {} : nasty(),
      clientInfo: random.often(0.9) ? { name: 'fuzz', version: '1' } : nasty(),
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
        nasty(),
      ]),
    };
  if (method === 'prompts/get')
    return {
      name: random.often(0.9) ? 'connect_venue' : nasty(),
      arguments: random.pick<Json>([
        { venue: 'Square' },
        { venue: '' },
        {},
        { venue: 'x'.repeat(5000) },
        { venue: nasty() },
        nasty(),
      ]),
    };
  if (method === 'completion/complete')
    return {
      ref: random.pick<Json>([
        { type: 'ref/prompt', name: 'connect_venue' },
        { type: 'ref/resource', uri: 'everyshare://schemas/{name}' },
        nasty(),
      ]),
      argument: random.pick<Json>([
        { name: 'venue', value: 's' },
        { name: 'name', value: '' },
        { name: 'name', value: '__proto__' },
        nasty(),
      ]),
    };
  return random.often(0.6) ? {} : random.often(0.5) ? { cursor: nasty() } : nasty();
}
