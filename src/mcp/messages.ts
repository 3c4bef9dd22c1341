// Parses a POST into its JSON-RPC messages: strict JSON, the protocol version of the header, single or batch. Pure. It
// reports errors and refuses nothing: the tool server answers an error after the caller is authorized.

import {
  CLIENT_CAPABILITIES_META_KEY,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import { Problem } from '../base/errors.ts';
import { type BadText, type JsonValue, parseStrictJson } from '../base/json/parse.ts';
import type { ToolRequest } from '../run/tool-server.ts';

/**
 * Versions that begin with `initialize`, newest first: the first is offered to a client that asks for an unsupported
 * one.
 */
export const INITIALIZED_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'];
const STATELESS_VERSION = '2026-07-28';
const VERSIONS = [STATELESS_VERSION, ...INITIALIZED_VERSIONS];
/** The one version that has batches. Its clients send no version header. */
const BATCH_VERSION = '2025-03-26';
const MAX_BATCH_SIZE = 50;

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

/** An error of the protocol as metrics and the request log name it. */
export function protocolProblem(code: number, message: string): Problem {
  if (code === CODES.internal) return new Problem('internal_error', { message });
  const isUnknown = code === CODES.method || code === CODES.resource;
  return new Problem(isUnknown ? 'not_found' : 'malformed_request', { message, reason: 'protocol_error' });
}

export interface Message {
  readonly kind: 'request' | 'notification' | 'response';
  readonly id: string | number | null;
  readonly method: string;
  readonly params: Readonly<Record<string, JsonValue>>;
  readonly value: JsonValue;
  /** What only the text of the arguments tells: whole numbers that are written with a point or an exponent. */
  readonly pointedArguments: readonly BadText[];
}

export interface RpcError {
  readonly kind: 'error';
  readonly id: string | number | null;
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface ParsedPost {
  /** The messages follow the stateless revision of the protocol. */
  readonly isStateless: boolean;
  readonly isBatch: boolean;
  readonly messages: readonly (Message | RpcError)[];
  /** An error of the whole POST, answered with 400. */
  readonly error: RpcError | null;
}

export function parsePost({ body, headers }: ToolRequest): ParsedPost {
  const parsed = Buffer.isBuffer(body) ? parseStrictJson(body) : null;
  if (parsed === null || !parsed.ok) {
    return postWithError(
      makeRpcError(null, CODES.parse, `Parse error: ${parsed?.message ?? 'the body is too large.'}`),
    );
  }
  const { value } = parsed;
  const isBatch = Array.isArray(value);
  const messages = (Array.isArray(value) ? value.slice(0, MAX_BATCH_SIZE) : [value]).map((one, index) =>
    parseMessage(one, isBatch, pointedBelow(parsed.badTexts, `${isBatch ? `/${index}` : ''}/params/arguments`)),
  );
  const version = headers['mcp-protocol-version'];
  const isStateless = version === STATELESS_VERSION || messages.some(isStatelessMessage);
  const [first] = messages;
  const id = isBatch || first === undefined ? null : first.id;
  const post = { isStateless, isBatch, messages, error: null };
  if (version !== undefined && !VERSIONS.includes(String(version))) {
    const data = { supported: VERSIONS, requested: String(version).slice(0, 100) };
    return {
      ...post,
      error: makeRpcError(id, CODES.version, `Unsupported protocol version: use ${VERSIONS.join(', ')}.`, data),
    };
  }
  if (isBatch && (isStateless || (version ?? BATCH_VERSION) !== BATCH_VERSION)) {
    return {
      ...post,
      error: makeRpcError(null, CODES.request, `Batches are for protocol version ${BATCH_VERSION} alone.`),
    };
  }
  if (isBatch && (value.length === 0 || value.length > MAX_BATCH_SIZE)) {
    return { ...post, error: makeRpcError(null, CODES.request, `A batch has 1 to ${MAX_BATCH_SIZE} messages.`) };
  }
  return !isBatch && first?.kind === 'error' ? { ...post, error: first } : post;
}

function postWithError(error: RpcError): ParsedPost {
  return { isStateless: false, isBatch: false, messages: [], error };
}

function makeRpcError(id: RpcError['id'], code: number, message: string, data?: unknown): RpcError {
  return { kind: 'error', id, code, message, ...(data === undefined ? {} : { data }) };
}

/** The pointers lead into the arguments. */
function pointedBelow(badTexts: readonly BadText[], at: string): BadText[] {
  const pointed = badTexts.filter(({ field, problem }) => problem === 'pointed' && field.startsWith(`${at}/`));
  return pointed.map((bad) => ({ problem: bad.problem, field: bad.field.slice(at.length) }));
}

function parseMessage(value: JsonValue, inBatch: boolean, pointedArguments: readonly BadText[]): Message | RpcError {
  const shape = (typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}) as MessageMembers;
  const id = typeof shape.id === 'string' || Number.isSafeInteger(shape.id) ? (shape.id as string | number) : null;
  const method = typeof shape.method === 'string' ? shape.method : '';
  const message = { id, method, params: shape.params ?? {}, value, pointedArguments };
  if (inBatch && method === 'initialize') return makeRpcError(id, CODES.request, 'initialize must not be in a batch.');
  if (id !== null && isJSONRPCRequest(value)) return { kind: 'request', ...message };
  if (!('id' in shape) && isJSONRPCNotification(value)) return { kind: 'notification', ...message };
  if (isJSONRPCResponse(value) || isErrorWithoutId(shape)) return { kind: 'response', ...message };
  return makeRpcError(id, CODES.request, 'Invalid request: not a JSON-RPC 2.0 request, notification or response.');
}

/** A JSON-RPC error for an unreadable message: its id is null. */
function isErrorWithoutId({ id, ...rest }: MessageMembers): boolean {
  return id === null && isJSONRPCResponse({ ...rest, id: 0 }) && 'error' in rest;
}

interface MessageMembers {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: Readonly<Record<string, JsonValue>>;
}

function isStatelessMessage(message: Message | RpcError): boolean {
  const meta = message.kind === 'error' ? undefined : message.params._meta;
  const isObject = typeof meta === 'object' && meta !== null;
  return isObject && (PROTOCOL_VERSION_META_KEY in meta || CLIENT_CAPABILITIES_META_KEY in meta);
}
