// From a POST to its JSON-RPC messages: strict JSON, the protocol version of the header, single or batch. Pure, and it refuses
// nothing by itself: what is wrong is told when it is known who sent it.

import {
  CLIENT_CAPABILITIES_META_KEY,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import { type JsonValue, parseStrictJson } from '../base/json/parse.ts';
import type { ToolRequest } from '../run/tool-server.ts';

/** Versions that begin with `initialize`, newest first: the first is offered to whoever asks for one that we do not speak. */
export const OLDER = ['2025-11-25', '2025-06-18', '2025-03-26'];
const MODERN = '2026-07-28';
const VERSIONS = [MODERN, ...OLDER];
/** The one version that has batches, and that sends no header. */
const WITH_BATCHES = '2025-03-26';
const MOST_IN_BATCH = 50;

export const CODES = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  resource: -32002,
  version: -32022,
  refused: -32000,
};

export interface Message {
  readonly kind: 'request' | 'notification' | 'response';
  readonly id: string | number | null;
  readonly method: string;
  readonly params: Readonly<Record<string, JsonValue>>;
  readonly value: JsonValue;
}

export interface Fault {
  readonly kind: 'fault';
  readonly id: string | number | null;
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface Mail {
  /** Served by the rules of the stateless revision. */
  readonly modern: boolean;
  readonly batch: boolean;
  readonly messages: readonly (Message | Fault)[];
  /** What is wrong with all of it: answered with 400. */
  readonly fault: Fault | null;
}

export function readMail({ body, headers }: ToolRequest): Mail {
  const parsed = Buffer.isBuffer(body) ? parseStrictJson(body) : null;
  if (parsed === null || !parsed.ok) {
    return wrong(fault(null, CODES.parse, `Parse error: ${parsed?.message ?? 'the body is too large.'}`));
  }
  const { value } = parsed;
  const batch = Array.isArray(value);
  const messages = (Array.isArray(value) ? value.slice(0, MOST_IN_BATCH) : [value]).map((one) =>
    readMessage(one, batch),
  );
  const version = headers['mcp-protocol-version'];
  const modern = version === MODERN || messages.some(claimsModern);
  const [first] = messages;
  const id = batch || first === undefined ? null : first.id;
  const mail = { modern, batch, messages, fault: null };
  if (version !== undefined && !VERSIONS.includes(String(version))) {
    const data = { supported: VERSIONS, requested: String(version).slice(0, 100) };
    return {
      ...mail,
      fault: fault(id, CODES.version, `Unsupported protocol version: use ${VERSIONS.join(', ')}.`, data),
    };
  }
  if (batch && (modern || (version ?? WITH_BATCHES) !== WITH_BATCHES)) {
    return { ...mail, fault: fault(null, CODES.request, `Batches are for protocol version ${WITH_BATCHES} alone.`) };
  }
  if (batch && (value.length === 0 || value.length > MOST_IN_BATCH)) {
    return { ...mail, fault: fault(null, CODES.request, `A batch has 1 to ${MOST_IN_BATCH} messages.`) };
  }
  return !batch && first?.kind === 'fault' ? { ...mail, fault: first } : mail;
}

function wrong(told: Fault): Mail {
  return { modern: false, batch: false, messages: [], fault: told };
}

function fault(id: Fault['id'], code: number, message: string, data?: unknown): Fault {
  return { kind: 'fault', id, code, message, ...(data === undefined ? {} : { data }) };
}

function readMessage(value: JsonValue, inBatch: boolean): Message | Fault {
  const shape = (typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}) as Shape;
  const id = typeof shape.id === 'string' || Number.isSafeInteger(shape.id) ? (shape.id as string | number) : null;
  const method = typeof shape.method === 'string' ? shape.method : '';
  const message = { id, method, params: shape.params ?? {}, value };
  if (inBatch && method === 'initialize') return fault(id, CODES.request, 'initialize may not stand in a batch.');
  if (id !== null && isJSONRPCRequest(value)) return { kind: 'request', ...message };
  if (!('id' in shape) && isJSONRPCNotification(value)) return { kind: 'notification', ...message };
  if (isJSONRPCResponse(value) || isErrorOfNothing(shape)) return { kind: 'response', ...message };
  return fault(id, CODES.request, 'Invalid request: not a JSON-RPC 2.0 request, notification or response.');
}

/** JSON-RPC's answer to what could not be read: an error whose id is null. */
function isErrorOfNothing({ id, ...rest }: Shape): boolean {
  return id === null && isJSONRPCResponse({ ...rest, id: 0 }) && 'error' in rest;
}

interface Shape {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: Readonly<Record<string, JsonValue>>;
}

function claimsModern(message: Message | Fault): boolean {
  const meta = message.kind === 'fault' ? undefined : message.params._meta;
  const isObject = typeof meta === 'object' && meta !== null;
  return isObject && (PROTOCOL_VERSION_META_KEY in meta || CLIENT_CAPABILITIES_META_KEY in meta);
}
