// The official SDK of the protocol with our handlers: the SDK negotiates versions and checks the shape of every request
// and answer. Our transport hands it one message and takes one answer, because the answer to a POST is one JSON
// document.

import {
  type CompleteRequestParams,
  createMcpHandler,
  isInitializeRequest,
  isJSONRPCErrorResponse,
  type JSONRPCMessage,
  ProtocolError,
  ResourceNotFoundError,
  Server,
  type Transport,
} from '@modelcontextprotocol/server';
import { asProblem } from '../run/problem.ts';
import type { ToolServerContext } from '../run/tool-server.ts';
import { callTool, escapeControlCharacters, type ToolCall, type ToolOutcome } from './call-tool.ts';
import { completionsFor } from './complete.ts';
import { describeTools } from './describe-tools.ts';
import { CODES, INITIALIZED_VERSIONS, type Message, protocolProblem } from './messages.ts';
import { describeInvalidParams } from './params.ts';
import { connectVenue, PROMPT } from './prompt.ts';
import { listResources, RESOURCE_TEMPLATES, readResource } from './resources.ts';

export interface ProtocolResponse {
  readonly status: number;
  readonly json: string;
}

/** What the handlers of one message need. */
export interface MessageContext {
  /** Null: the message calls no tool, or an unknown one. */
  readonly call: ToolCall | null;
  readonly requestId: string;
  /** Takes the status of a tool or an error, which the HTTP status 200 does not show. */
  readonly reportOutcome: (outcome: ToolOutcome) => void;
}

export interface Protocol {
  serve(message: Message, context: MessageContext): Promise<ProtocolResponse>;
  /** The same for the stateless revision, whose headers must agree with the body. */
  serveStateless(message: Message, context: MessageContext, headers: Headers): Promise<ProtocolResponse>;
}

const INSTRUCTIONS =
  'Everyshare: a party books at a venue and each guest pays their own share. Call describe_venue first: it describes the venue, the mode and the order of work. Check objects with validate before you send them.';

/** The lists do not change while a server runs, and are the same for every key. */
const CACHE_HINTS = { ttlMs: 300_000, cacheScope: 'private' } as const;

export function openProtocol(toolServer: ToolServerContext, version: string): Protocol {
  const lists = { tools: describeTools(toolServer.app.registry), resources: listResources(toolServer) };
  const serverFor = (messageContext: MessageContext, isStateless: boolean): Server =>
    makeServer({ toolServer, lists, version, messageContext, isStateless });
  const stateless = createMcpHandler(({ authInfo }) => serverFor(authInfo?.extra?.context as MessageContext, true), {
    legacy: 'reject',
    onerror: (error) => toolServer.app.log.debug({ err: error }, 'the protocol refused a message'),
  });
  return {
    serve: async (message, context) => {
      if (message.method === 'initialize' && !isInitializeRequest(message.value)) {
        const response = errorResponse(200, message, CODES.params, describeInvalidParams(message));
        reportProtocolError(context, JSON.parse(response.json) as JSONRPCMessage);
        return response;
      }
      const answer = withPlainMessage(message, await exchange(serverFor(context, false), message));
      reportProtocolError(context, answer);
      return { status: 200, json: JSON.stringify(withOlderErrorCode(message, answer)) };
    },
    serveStateless: async (message, context, headers) => {
      // The SDK would open a stream for changes, and the lists never change.
      if (message.method === 'subscriptions/listen')
        return errorResponse(404, message, CODES.method, 'Method not found');
      const request = new Request('http://localhost/mcp', { method: 'POST', headers });
      const authInfo = { token: '', clientId: '', scopes: [], extra: { context } };
      const response = await stateless.fetch(request, { parsedBody: message.value, authInfo });
      const answer = withPlainMessage(message, (await response.json()) as JSONRPCMessage);
      reportProtocolError(context, answer);
      return { status: response.status, json: JSON.stringify(answer) };
    },
  };
}

/** For metrics and the request log: an error of the protocol is answered with the HTTP status 200. */
function reportProtocolError({ reportOutcome }: MessageContext, answer: JSONRPCMessage): void {
  if (!isJSONRPCErrorResponse(answer)) return;
  const problem = protocolProblem(answer.error.code, answer.error.message);
  reportOutcome({ status: problem.status, problem, retryAfter: null });
}

interface ServerOptions {
  readonly toolServer: ToolServerContext;
  readonly lists: { tools: ReturnType<typeof describeTools>; resources: ReturnType<typeof listResources> };
  readonly version: string;
  readonly messageContext: MessageContext;
  readonly isStateless: boolean;
}

function makeServer({ toolServer, lists, version, messageContext, isStateless }: ServerOptions): Server {
  const server = new Server(
    { name: 'everyshare', title: 'Everyshare', version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      instructions: INSTRUCTIONS,
      supportedProtocolVersions: [...INITIALIZED_VERSIONS],
    },
  );
  const cacheHints = isStateless ? CACHE_HINTS : {};
  const safely = <P, R>(handler: (params: P) => R | Promise<R>) =>
    withErrorsReported(toolServer, messageContext, handler);
  const listing = <R extends object>(found: R) =>
    safely(({ cursor }: { cursor?: string | undefined } = {}) => {
      if (cursor !== undefined) throw new ProtocolError(CODES.params, 'Invalid params: params.cursor is not known.');
      return { ...found, ...cacheHints };
    });
  server.setRequestHandler('tools/list', listing({ tools: lists.tools }));
  server.setRequestHandler('resources/list', listing({ resources: lists.resources }));
  server.setRequestHandler('resources/templates/list', listing({ resourceTemplates: RESOURCE_TEMPLATES }));
  server.setRequestHandler('prompts/list', listing({ prompts: [PROMPT] }));
  server.setRequestHandler(
    'tools/call',
    safely(({ name }: { name: string }) => {
      const { call, reportOutcome } = messageContext;
      if (call !== null) return callTool(toolServer, call, reportOutcome);
      throw new ProtocolError(CODES.params, `Unknown tool: ${shortName(name)}`);
    }),
  );
  server.setRequestHandler(
    'resources/read',
    safely(({ uri }: { uri: string }) => {
      const found = readResource(toolServer, uri);
      if (found !== null) return { ...found, ...cacheHints };
      throw new ResourceNotFoundError(uri);
    }),
  );
  server.setRequestHandler(
    'prompts/get',
    safely((params: { name: string; arguments?: Record<string, string> | undefined }) => {
      if (params.name !== PROMPT.name)
        throw new ProtocolError(CODES.params, `Unknown prompt: ${shortName(params.name)}`);
      const found = connectVenue(toolServer, params.arguments ?? {});
      if (found !== null) return found;
      throw new ProtocolError(CODES.params, 'connect_venue needs the argument "venue".');
    }),
  );
  server.setRequestHandler(
    'completion/complete',
    safely((params: CompleteRequestParams) => ({ completion: completionsFor(toolServer, params) })),
  );
  return server;
}

function shortName(name: string): string {
  return escapeControlCharacters(name.slice(0, 100));
}

/**
 * A ProtocolError goes to the agent. Any other error is a bug or an outage of the server: the log has it, and the agent
 * gets "Internal error".
 */
function withErrorsReported<P, R>(
  { app: context }: ToolServerContext,
  { requestId, reportOutcome }: MessageContext,
  handler: (params: P) => R | Promise<R>,
): (request: { params?: P | undefined }) => Promise<R> {
  return async ({ params }) => {
    try {
      return await handler(params as P);
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      context.log.error(
        { request_id: requestId, code: 'internal_error', err: error },
        'the server could not answer a request',
      );
      reportOutcome({ status: 500, problem: asProblem(error), retryAfter: null });
      throw new ProtocolError(CODES.internal, 'Internal error', { request_id: requestId });
    }
  };
}

function errorResponse(status: number, { id }: Message, code: number, message: string): ProtocolResponse {
  return { status, json: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }) };
}

/** For a missing resource the SDK sends the code of the stateless revision; older versions have a code of their own. */
function withOlderErrorCode({ method }: Message, answer: JSONRPCMessage): JSONRPCMessage {
  if (method !== 'resources/read' || !isJSONRPCErrorResponse(answer)) return answer;
  const { code, data } = answer.error;
  const isMissing = code === CODES.params && data !== undefined;
  return isMissing ? { ...answer, error: { ...answer.error, code: CODES.resource } } : answer;
}

/**
 * The SDK reports invalid params as an internal error, or as -32602 with a page of its validator's output: the agent
 * gets -32602 with one line. The two differ: an internal error of the server has `data` with the request id.
 */
function withPlainMessage(message: Message, answer: JSONRPCMessage): JSONRPCMessage {
  if (!isJSONRPCErrorResponse(answer)) return answer;
  const { code, message: sdkMessage, data } = answer.error;
  const isRefused = code === CODES.internal ? data === undefined : code === CODES.params && sdkMessage.includes('\n');
  if (!isRefused) return answer;
  return { ...answer, error: { code: CODES.params, message: describeInvalidParams(message) } };
}

/** Hands the server one message and resolves with its answer. */
async function exchange(server: Server, { value }: Message): Promise<JSONRPCMessage> {
  let resolveAnswer: (answer: JSONRPCMessage) => void = () => undefined;
  const answered = new Promise<JSONRPCMessage>((resolve) => {
    resolveAnswer = resolve;
  });
  const transport: Transport = {
    start: async () => undefined,
    send: async (answer) => resolveAnswer(answer),
    close: async () => transport.onclose?.(),
  };
  await server.connect(transport);
  transport.onmessage?.(value as unknown as JSONRPCMessage);
  try {
    return await answered;
  } finally {
    await server.close();
  }
}
