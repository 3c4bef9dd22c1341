// The tool server: POST /mcp, stateless. It authorizes the caller as every route does; it parses the message before
// that, because the message decides how the call is counted. Then it checks size, JSON and protocol, and serves the
// message. A batch, which only the oldest version has, is served message by message.

import { Problem } from '../base/errors.ts';
import { packageVersion } from '../base/package-root.ts';
import type { RateLimit } from '../run/admission.ts';
import { authorize } from '../run/authorize.ts';
import { isJson } from '../run/check-input.ts';
import type { AuthResult } from '../run/incoming-request.ts';
import { toolServerOperation } from '../run/operations/agents.ts';
import { isToolRefusal, type Tool, toolNamed } from '../run/operations/tools.ts';
import { asProblem, toHttpProblem } from '../run/problem.ts';
import type { ToolRequest, ToolResponse, ToolServer, ToolServerContext } from '../run/tool-server.ts';
import { retryAfterOf, stringMembers, type ToolCall, type ToolOutcome } from './call-tool.ts';
import { CODES, type Message, type ParsedPost, parsePost, protocolProblem, type RpcError } from './messages.ts';
import { isForeignOrigin } from './origin-check.ts';
import { openProtocol, type Protocol, type ProtocolResponse } from './protocol.ts';

/** Not counted against the rate limit of a valid key; neither are notifications and responses. */
const UNCOUNTED_METHODS = ['initialize', 'ping'];

export async function open(server: ToolServerContext): Promise<ToolServer> {
  const version = packageVersion();
  const protocol = openProtocol(server, version);
  return (request) => answerPost(server, protocol, request);
}

async function answerPost(server: ToolServerContext, protocol: Protocol, request: ToolRequest): Promise<ToolResponse> {
  const parsed = parsePost(request);
  const first = messageOf(parsed.messages[0]);
  const authResult = await authorizeMessage(server, request, first);
  const tool = parsed.isBatch ? null : toolOf(first);
  const outcome = new PostOutcome(authResult.rateLimit);
  const refusal = httpRefusalOf(request, authResult, tool !== null || parsed.isBatch);
  const served = refusal === null ? await serve({ server, protocol, request, parsed, outcome }, authResult) : null;
  return {
    caller: authResult.caller,
    operation: tool === null ? 'callTool' : `callTool ${tool.name}`,
    refusal,
    status: refusal?.status ?? served?.status ?? 202,
    json: served?.json ?? null,
    rateLimit: outcome.rateLimit,
    toolStatus: outcome.status,
    toolProblem: outcome.problem,
    posted: {
      tool: tool === null ? null : { name: tool.name, operation: tool.operation.id },
      arguments: first?.params.arguments,
      isReplayed: outcome.isReplayed,
    },
    retryAfter: outcome.retryAfter,
  };
}

/** What the messages of a POST have led to so far, for headers, metrics and log. */
class PostOutcome {
  rateLimit: RateLimit | null;
  status: number | null = null;
  problem: Problem | null = null;
  isReplayed = false;
  retryAfter: number | null = null;

  constructor(rateLimit: RateLimit | null) {
    this.rateLimit = rateLimit;
  }

  readonly record = ({ status, problem, isReplayed, retryAfter }: ToolOutcome): void => {
    this.status = Math.max(status, this.status ?? 0);
    this.problem ??= problem;
    this.isReplayed ||= isReplayed === true;
    if (retryAfter !== null) this.retryAfter = Math.max(retryAfter, this.retryAfter ?? 0);
  };
}

/**
 * The refusal that is an HTTP error, in the order of every route. A tool or a message of a batch carries its own
 * refusals.
 */
function httpRefusalOf(
  { body, headers }: ToolRequest,
  { refusal, caller }: AuthResult,
  carriesRefusals: boolean,
): Problem | null {
  if (refusal !== null && (!carriesRefusals || caller === null || !isToolRefusal(refusal))) return refusal;
  if (!Buffer.isBuffer(body)) return body;
  return body.length > 0 && !isJson(String(headers['content-type'] ?? ''))
    ? new Problem('unsupported_media_type')
    : null;
}

interface PostContext {
  readonly server: ToolServerContext;
  readonly protocol: Protocol;
  readonly request: ToolRequest;
  readonly parsed: ParsedPost;
  readonly outcome: PostOutcome;
}

/** Null: there is no message to answer. */
async function serve(post: PostContext, authResult: AuthResult): Promise<ProtocolResponse | null> {
  const { parsed } = post;
  if (parsed.error !== null) return refusedByProtocol(post, parsed.error);
  const [first] = parsed.messages;
  if (!parsed.isBatch) return first === undefined ? null : serveOne(post, first, authResult);
  const answers: string[] = [];
  for (const [index, message] of parsed.messages.entries()) {
    const served = await serveInBatch(post, message, index === 0 ? authResult : null);
    if (served !== null) answers.push(served.json);
  }
  return answers.length === 0 ? null : { status: 200, json: `[${answers.join(',')}]` };
}

/**
 * An error is the answer to this message alone: other messages of the batch may have run, and their answers must be
 * sent.
 */
async function serveInBatch(
  post: PostContext,
  message: Message | RpcError,
  knownAuth: AuthResult | null,
): Promise<ProtocolResponse | null> {
  const { server, request, outcome } = post;
  try {
    const authResult = knownAuth ?? (await authorizeMessage(server, request, messageOf(message)));
    outcome.rateLimit = authResult.rateLimit ?? outcome.rateLimit;
    return await serveOne(post, message, authResult);
  } catch (error) {
    const problem = asProblem(error);
    server.app.log.error(
      { request_id: request.requestId, operation: 'callTool', code: problem.code, err: error },
      'the server could not answer a request',
    );
    return message.kind === 'request' ? refusedMessage(post, message, problem) : null;
  }
}

async function serveOne(
  post: PostContext,
  message: Message | RpcError,
  { caller, refusal }: AuthResult,
): Promise<ProtocolResponse | null> {
  const { protocol, request, parsed, outcome } = post;
  if (message.kind === 'error') return refusedByProtocol(post, message);
  if (message.kind !== 'request') return null;
  const tool = toolOf(message);
  if (refusal !== null && (tool === null || !isToolRefusal(refusal))) return refusedMessage(post, message, refusal);
  const { requestId } = request;
  const toolArguments = message.params.arguments;
  const { pointedArguments } = message;
  const call: ToolCall | null =
    tool === null ? null : { tool, toolArguments, pointedArguments, caller, refusal, requestId };
  const context = { call, requestId, reportOutcome: outcome.record };
  return parsed.isStateless
    ? protocol.serveStateless(message, context, protocolHeaders(request))
    : protocol.serve(message, context);
}

/** The answer to a message of a batch that a POST of its own would answer with an HTTP error. */
function refusedMessage(
  { server, request, outcome }: PostContext,
  { id }: Message,
  problem: Problem,
): ProtocolResponse {
  outcome.record({ status: problem.status, problem, retryAfter: retryAfterOf(problem) });
  const data = JSON.parse(toHttpProblem(problem, request.requestId, server.app.address.base).json) as unknown;
  return { status: 200, json: errorJson({ kind: 'error', id, code: CODES.refused, message: problem.message, data }) };
}

function refusedByProtocol({ outcome }: PostContext, error: RpcError): ProtocolResponse {
  outcome.record({ status: 400, problem: protocolProblem(error.code, error.message), retryAfter: null });
  return { status: 400, json: errorJson(error) };
}

function errorJson({ id, code, message, data }: RpcError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } });
}

function messageOf(message: Message | RpcError | undefined): Message | null {
  return message === undefined || message.kind === 'error' ? null : message;
}

function toolOf(message: Message | null): Tool | null {
  return message?.kind === 'request' && message.method === 'tools/call' ? toolNamed(message.params.name) : null;
}

function authorizeMessage(
  { app: context, admit }: ToolServerContext,
  request: ToolRequest,
  message: Message | null,
): Promise<AuthResult> {
  const { headers, address, requestId } = request;
  const tool = toolOf(message);
  return authorize(context, admit, {
    operation: tool?.operation ?? toolServerOperation,
    params: tool?.argumentsAs === 'params' ? stringMembers(message?.params.arguments) : {},
    authorization: headers.authorization === undefined ? undefined : String(headers.authorization),
    origin: undefined,
    address,
    requestId,
    via: 'mcp',
    isUncounted: message !== null && (message.kind !== 'request' || UNCOUNTED_METHODS.includes(message.method)),
    isForeignOrigin: isForeignOrigin(context, request),
  });
}

/** The headers that the stateless revision compares with the body; the SDK gets no others. */
function protocolHeaders({ headers }: ToolRequest): Headers {
  const forwarded = new Headers({ 'content-type': 'application/json' });
  for (const name of ['mcp-protocol-version', 'mcp-method', 'mcp-name']) {
    const value = headers[name];
    if (typeof value === 'string') forwarded.set(name, value);
  }
  return forwarded;
}
