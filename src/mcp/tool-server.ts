// The tool server: POST /mcp, stateless. Who it is and what it counts as is asked at the same gate as everywhere (the message is
// read first, since that decides what it counts as); then sizes, JSON and the protocol; then the message itself. A batch, which
// only the oldest version has, is answered message by message.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from '../base/errors.ts';
import type { Operation } from '../base/operation.ts';
import { packageRoot } from '../base/package-root.ts';
import type { Caller } from '../domain/keys/caller.ts';
import { isOfTool, type Tool, toolNamed } from '../run/operations/tools.ts';
import { operations } from '../run/operations.ts';
import { onTheWire } from '../run/problem.ts';
import { isJson } from '../run/received.ts';
import type { Inside, Post, PostAnswer, ToolServer } from '../run/tool-server.ts';
import { judge, type Verdict } from '../run/who.ts';
import { type ToolCall, textsOf } from './call-tool.ts';
import { isForeign } from './foreign.ts';
import { CODES, type Fault, type Mail, type Message, readMail } from './messages.ts';
import { openProtocol, type Protocol, type Served } from './protocol.ts';

/** Messages of the protocol itself take nothing from the hour, nor does what is not answered. */
const FREE = ['initialize', 'ping'];

export async function open(inside: Inside): Promise<ToolServer> {
  const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string };
  const protocol = openProtocol(inside, version);
  return (post) => answer(inside, protocol, post);
}

async function answer(inside: Inside, protocol: Protocol, post: Post): Promise<PostAnswer> {
  const mail = readMail(post);
  const first = messageOf(mail.messages[0]);
  const tool = toolOf(first);
  const verdict = await who(inside, post, first, tool);
  const told: Omit<PostAnswer, 'status' | 'json' | 'refusal'> = {
    caller: verdict.caller,
    allowance: verdict.allowance,
    did: tool === null ? 'callTool' : `callTool ${tool.name}`,
  };
  const refusal = refusalOf(post, verdict, tool);
  if (refusal !== null) return { ...told, refusal, status: refusal.status, json: null };
  const served = await serve(inside, protocol, post, mail, verdict);
  return { ...told, refusal: null, status: served?.status ?? 202, json: served?.json ?? null };
}

/** What is answered as on every route, in the one order; what is about the tool alone is the tool's to tell. */
function refusalOf({ body, headers }: Post, { refusal }: Verdict, tool: Tool | null): Problem | null {
  if (refusal !== null && (tool === null || !isOfTool(refusal))) return refusal;
  if (!Buffer.isBuffer(body)) return body;
  return body.length > 0 && !isJson(String(headers['content-type'] ?? ''))
    ? new Problem('unsupported_media_type')
    : null;
}

/** Null: there is nothing to answer. */
async function serve(
  inside: Inside,
  protocol: Protocol,
  post: Post,
  mail: Mail,
  verdict: Verdict,
): Promise<Served | null> {
  if (mail.fault !== null) return { status: 400, json: faultJson(mail.fault) };
  const [first] = mail.messages;
  if (!mail.batch) return first === undefined ? null : serveOne(inside, protocol, post, mail, first, verdict);
  const answers: string[] = [];
  for (const [index, message] of mail.messages.entries()) {
    const mine = index === 0 ? verdict : await who(inside, post, messageOf(message), toolOf(messageOf(message)));
    const served = await serveOne(inside, protocol, post, mail, message, mine);
    if (served !== null) answers.push(served.json);
  }
  return answers.length === 0 ? null : { status: 200, json: `[${answers.join(',')}]` };
}

async function serveOne(
  { house }: Inside,
  protocol: Protocol,
  post: Post,
  { modern }: Mail,
  message: Message | Fault,
  { caller, refusal }: Verdict,
): Promise<Served | null> {
  if (message.kind === 'fault') return { status: 400, json: faultJson(message) };
  if (message.kind !== 'request') return null;
  const tool = toolOf(message);
  if (refusal !== null && (tool === null || !isOfTool(refusal))) {
    // Of a batch, part of which is done already: this one alone is refused.
    const data = JSON.parse(onTheWire(refusal, post.requestId, house.address.base).json) as unknown;
    const fault: Fault = { kind: 'fault', id: message.id, code: CODES.refused, message: refusal.message, data };
    return { status: 200, json: faultJson(fault) };
  }
  const { requestId } = post;
  const call: ToolCall | null =
    tool === null ? null : { tool, given: message.params.arguments, caller, refusal, requestId };
  return modern ? protocol.serveModern(message, call, protocolHeaders(post)) : protocol.serve(message, call);
}

function faultJson({ id, code, message, data }: Fault): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } });
}

function messageOf(message: Message | Fault | undefined): Message | null {
  return message === undefined || message.kind === 'fault' ? null : message;
}

function toolOf(message: Message | null): Tool | null {
  return message?.kind === 'request' && message.method === 'tools/call' ? toolNamed(message.params.name) : null;
}

function theDoor(): Operation<Caller> {
  const found = operations.find(({ byTools }) => byTools === true);
  if (found === undefined) throw new Error('no operation is answered by the tool server');
  return found;
}

const DOOR = theDoor();

function who({ house, gate }: Inside, post: Post, message: Message | null, tool: Tool | null): Promise<Verdict> {
  const { headers, address, requestId } = post;
  return judge(house, gate, {
    operation: tool?.operation ?? DOOR,
    params: tool?.takes === 'params' ? textsOf(message?.params.arguments) : {},
    authorization: headers.authorization === undefined ? undefined : String(headers.authorization),
    origin: undefined,
    address,
    requestId,
    via: 'mcp',
    free: message !== null && (message.kind !== 'request' || FREE.includes(message.method)),
    foreign: isForeign(house, post),
  });
}

/** What the stateless revision compares with the body; nothing else reaches the SDK. */
function protocolHeaders({ headers }: Post): Headers {
  const kept = new Headers({ 'content-type': 'application/json' });
  for (const name of ['mcp-protocol-version', 'mcp-method', 'mcp-name']) {
    const value = headers[name];
    if (typeof value === 'string') kept.set(name, value);
  }
  return kept;
}
