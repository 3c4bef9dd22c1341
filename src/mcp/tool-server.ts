// The tool server: POST /mcp, stateless. Who it is and what it counts as is asked at the same gate as everywhere (the message is
// read first, since that decides what it counts as); then sizes, JSON and the protocol; then the message itself. A batch, which
// only the oldest version has, is answered message by message.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isUnavailable } from '../base/db.ts';
import { Problem } from '../base/errors.ts';
import { packageRoot } from '../base/package-root.ts';
import type { RateLimit } from '../run/admission.ts';
import { type AuthResult, authorize } from '../run/authorize.ts';
import { isJson } from '../run/check-input.ts';
import { toolServerOperation } from '../run/operations/agents.ts';
import { isOfTool, type Tool, toolNamed } from '../run/operations/tools.ts';
import { asProblem, toHttpProblem } from '../run/problem.ts';
import type { ToolRequest, ToolResponse, ToolServer, ToolServerContext } from '../run/tool-server.ts';
import { retryAfterOf, type Told, type ToolCall, textsOf } from './call-tool.ts';
import { CODES, type Fault, type Mail, type Message, readMail } from './messages.ts';
import { isForeign } from './origin-check.ts';
import { openProtocol, type Protocol, type Served } from './protocol.ts';

/** Messages of the protocol itself take nothing from the hour, nor does what is not answered. */
const FREE = ['initialize', 'ping'];

export async function open(server: ToolServerContext): Promise<ToolServer> {
  const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string };
  const protocol = openProtocol(server, version);
  return (post) => answer(server, protocol, post);
}

async function answer(server: ToolServerContext, protocol: Protocol, post: ToolRequest): Promise<ToolResponse> {
  const mail = readMail(post);
  const first = messageOf(mail.messages[0]);
  const authResult = await who(server, post, first);
  const tool = mail.batch ? null : toolOf(first);
  const course = new Course(authResult.rateLimit);
  const refusal = refusalOf(post, authResult, tool !== null || mail.batch);
  const served = refusal === null ? await serve({ inside: server, protocol, post, mail, course }, authResult) : null;
  return {
    caller: authResult.caller,
    operation: tool === null ? 'callTool' : `callTool ${tool.name}`,
    refusal,
    status: refusal?.status ?? served?.status ?? 202,
    json: served?.json ?? null,
    rateLimit: course.allowance,
    toolStatus: course.status,
    retryAfter: course.retryAfter,
  };
}

/** What has come of a POST so far, beside its answer. */
class Course {
  allowance: RateLimit | null;
  status: number | null = null;
  retryAfter: number | null = null;

  constructor(rateLimit: RateLimit | null) {
    this.allowance = rateLimit;
  }

  readonly tell = ({ status, retryAfter }: Told): void => {
    this.status = Math.max(status, this.status ?? 0);
    if (retryAfter !== null) this.retryAfter = Math.max(retryAfter, this.retryAfter ?? 0);
  };
}

/** What is answered as on every route, in the one order; what is about a tool, or one message of a batch, is told there. */
function refusalOf({ body, headers }: ToolRequest, { refusal, caller }: AuthResult, hasPlace: boolean): Problem | null {
  if (refusal !== null && (!hasPlace || caller === null || !isOfTool(refusal))) return refusal;
  if (!Buffer.isBuffer(body)) return body;
  return body.length > 0 && !isJson(String(headers['content-type'] ?? ''))
    ? new Problem('unsupported_media_type')
    : null;
}

interface Serving {
  readonly inside: ToolServerContext;
  readonly protocol: Protocol;
  readonly post: ToolRequest;
  readonly mail: Mail;
  readonly course: Course;
}

/** Null: there is nothing to answer. */
async function serve(serving: Serving, authResult: AuthResult): Promise<Served | null> {
  const { mail } = serving;
  if (mail.fault !== null) return { status: 400, json: faultJson(mail.fault) };
  const [first] = mail.messages;
  if (!mail.batch) return first === undefined ? null : serveOne(serving, first, authResult);
  const answers: string[] = [];
  for (const [index, message] of mail.messages.entries()) {
    const served = await serveInBatch(serving, message, index === 0 ? authResult : null);
    if (served !== null) answers.push(served.json);
  }
  return answers.length === 0 ? null : { status: 200, json: `[${answers.join(',')}]` };
}

/** Others of its batch are done already, and their answers have to get back: whatever happens here is this message's own. */
async function serveInBatch(
  serving: Serving,
  message: Message | Fault,
  judged: AuthResult | null,
): Promise<Served | null> {
  const { inside: server, post, course } = serving;
  try {
    const authResult = judged ?? (await who(server, post, messageOf(message)));
    course.allowance = authResult.rateLimit ?? course.allowance;
    return await serveOne(serving, message, authResult);
  } catch (error) {
    const problem = isUnavailable(error)
      ? new Problem('service_unavailable', { headers: { 'retry-after': '1' }, cause: error })
      : asProblem(error);
    server.app.log.error({ request_id: post.requestId, operation: 'callTool', err: error }, problem.code);
    return message.kind === 'request' ? refusedAlone(serving, message, problem) : null;
  }
}

async function serveOne(
  serving: Serving,
  message: Message | Fault,
  { caller, refusal }: AuthResult,
): Promise<Served | null> {
  const { protocol, post, mail, course } = serving;
  if (message.kind === 'fault') return { status: 400, json: faultJson(message) };
  if (message.kind !== 'request') return null;
  const tool = toolOf(message);
  if (refusal !== null && (tool === null || !isOfTool(refusal))) return refusedAlone(serving, message, refusal);
  const { requestId } = post;
  const given = message.params.arguments;
  const call: ToolCall | null = tool === null ? null : { tool, given, caller, refusal, requestId };
  const turn = { call, requestId, tell: course.tell };
  return mail.modern ? protocol.serveModern(message, turn, protocolHeaders(post)) : protocol.serve(message, turn);
}

/** One message of a batch, where a POST of its own would have had the answer of a route. */
function refusedAlone({ inside: server, post, course }: Serving, { id }: Message, problem: Problem): Served {
  course.tell({ status: problem.status, retryAfter: retryAfterOf(problem) });
  const data = JSON.parse(toHttpProblem(problem, post.requestId, server.app.address.base).json) as unknown;
  return { status: 200, json: faultJson({ kind: 'fault', id, code: CODES.refused, message: problem.message, data }) };
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

function who(
  { app: context, admit }: ToolServerContext,
  post: ToolRequest,
  message: Message | null,
): Promise<AuthResult> {
  const { headers, address, requestId } = post;
  const tool = toolOf(message);
  return authorize(context, admit, {
    operation: tool?.operation ?? toolServerOperation,
    params: tool?.takes === 'params' ? textsOf(message?.params.arguments) : {},
    authorization: headers.authorization === undefined ? undefined : String(headers.authorization),
    origin: undefined,
    address,
    requestId,
    via: 'mcp',
    isUncounted: message !== null && (message.kind !== 'request' || FREE.includes(message.method)),
    isForeignOrigin: isForeign(context, post),
  });
}

/** What the stateless revision compares with the body; nothing else reaches the SDK. */
function protocolHeaders({ headers }: ToolRequest): Headers {
  const kept = new Headers({ 'content-type': 'application/json' });
  for (const name of ['mcp-protocol-version', 'mcp-method', 'mcp-name']) {
    const value = headers[name];
    if (typeof value === 'string') kept.set(name, value);
  }
  return kept;
}
