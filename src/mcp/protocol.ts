// The protocol itself is the official SDK's: negotiation, the shape of every request and answer, both eras. What stands here is
// what we put into it, and a transport that carries one message in and its answer out, since an answer is one JSON document.

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
import type { ToolServerContext } from '../run/tool-server.ts';
import { callTool, onOneLine, type Told, type ToolCall } from './call-tool.ts';
import { completionsFor } from './complete.ts';
import { describeTools } from './describe-tools.ts';
import { CODES, type Message, OLDER } from './messages.ts';
import { whatIsWrongWith } from './params.ts';
import { connectVenue, PROMPT } from './prompt.ts';
import { listResources, RESOURCE_TEMPLATES, readResource } from './resources.ts';

export interface Served {
  readonly status: number;
  readonly json: string;
}

/** One message's turn. */
export interface Turn {
  /** There when the message calls a tool that exists. */
  readonly call: ToolCall | null;
  readonly requestId: string;
  /** How it went, where the protocol's own answer does not say so: a failure within stands in an HTTP 200. */
  readonly tell: (told: Told) => void;
}

export interface Protocol {
  serve(message: Message, turn: Turn): Promise<Served>;
  /** The same for the stateless revision, whose headers have to agree with the body. */
  serveModern(message: Message, turn: Turn, headers: Headers): Promise<Served>;
}

const INSTRUCTIONS =
  'Everyshare: a party books at a venue and each guest pays their own share. Call describe_venue first: it tells the venue, the mode and the order of work. Try things with validate before you send them.';

/** Nothing that is listed changes while a server runs, and it is the same for everybody who holds a key. */
const KEPT_FOR = { ttlMs: 300_000, cacheScope: 'private' } as const;

export function openProtocol(server: ToolServerContext, version: string): Protocol {
  const lists = { tools: describeTools(server.app.registry), resources: listResources(server) };
  const serverFor = (turn: Turn, isModern: boolean): Server =>
    makeServer({ inside: server, lists, version, turn, isModern });
  const modern = createMcpHandler(({ authInfo }) => serverFor(authInfo?.extra?.turn as Turn, true), {
    legacy: 'reject',
    onerror: (error) => server.app.log.debug({ err: error }, 'a message was refused by the protocol'),
  });
  return {
    serve: async (message, turn) => {
      if (message.method === 'initialize' && !isInitializeRequest(message.value)) {
        return refused(200, message, CODES.params, whatIsWrongWith(message));
      }
      const answer = inOurWords(message, await exchange(serverFor(turn, false), message));
      return { status: 200, json: JSON.stringify(inOlderCodes(message, answer)) };
    },
    serveModern: async (message, turn, headers) => {
      // The SDK would open a stream; an answer is one document, and nothing here ever changes for anybody to be told of.
      if (message.method === 'subscriptions/listen') return refused(404, message, CODES.method, 'Method not found');
      const request = new Request('http://localhost/mcp', { method: 'POST', headers });
      const authInfo = { token: '', clientId: '', scopes: [], extra: { turn } };
      const response = await modern.fetch(request, { parsedBody: message.value, authInfo });
      const answer = inOurWords(message, (await response.json()) as JSONRPCMessage);
      return { status: response.status, json: JSON.stringify(answer) };
    },
  };
}

interface Parts {
  readonly inside: ToolServerContext;
  readonly lists: { tools: ReturnType<typeof describeTools>; resources: ReturnType<typeof listResources> };
  readonly version: string;
  readonly turn: Turn;
  readonly isModern: boolean;
}

function makeServer({ inside, lists, version, turn, isModern }: Parts): Server {
  const server = new Server(
    { name: 'everyshare', title: 'Everyshare', version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      instructions: INSTRUCTIONS,
      supportedProtocolVersions: [...OLDER],
    },
  );
  const kept = isModern ? KEPT_FOR : {};
  const safely = <P, R>(handler: (params: P) => R | Promise<R>) => guarded(inside, turn, handler);
  const listing = <R extends object>(found: R) =>
    safely(({ cursor }: { cursor?: string | undefined } = {}) => {
      if (cursor !== undefined) throw new ProtocolError(CODES.params, 'Invalid params: params.cursor is not known.');
      return { ...found, ...kept };
    });
  server.setRequestHandler('tools/list', listing({ tools: lists.tools }));
  server.setRequestHandler('resources/list', listing({ resources: lists.resources }));
  server.setRequestHandler('resources/templates/list', listing({ resourceTemplates: RESOURCE_TEMPLATES }));
  server.setRequestHandler('prompts/list', listing({ prompts: [PROMPT] }));
  server.setRequestHandler(
    'tools/call',
    safely(({ name }: { name: string }) => {
      if (turn.call !== null) return callTool(inside, turn.call, turn.tell);
      throw new ProtocolError(CODES.params, `Unknown tool: ${shortened(name)}`);
    }),
  );
  server.setRequestHandler(
    'resources/read',
    safely(({ uri }: { uri: string }) => {
      const found = readResource(inside, uri);
      if (found !== null) return { ...found, ...kept };
      throw new ResourceNotFoundError(uri);
    }),
  );
  server.setRequestHandler(
    'prompts/get',
    safely((params: { name: string; arguments?: Record<string, string> | undefined }) => {
      if (params.name !== PROMPT.name)
        throw new ProtocolError(CODES.params, `Unknown prompt: ${shortened(params.name)}`);
      const found = connectVenue(inside, params.arguments ?? {});
      if (found !== null) return found;
      throw new ProtocolError(CODES.params, 'connect_venue needs the argument "venue".');
    }),
  );
  server.setRequestHandler(
    'completion/complete',
    safely((params: CompleteRequestParams) => ({ completion: completionsFor(inside, params) })),
  );
  return server;
}

function shortened(name: string): string {
  return onOneLine(name.slice(0, 100));
}

/** What the protocol refuses passes; whatever else goes wrong is our own fault: the log learns it, and the agent that it was so. */
function guarded<P, R>(
  { app: context }: ToolServerContext,
  { requestId, tell }: Turn,
  handler: (params: P) => R | Promise<R>,
): (request: { params?: P | undefined }) => Promise<R> {
  return async ({ params }) => {
    try {
      return await handler(params as P);
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      context.log.error({ request_id: requestId, err: error }, 'internal_error');
      tell({ status: 500, retryAfter: null });
      throw new ProtocolError(CODES.internal, 'Internal error', { request_id: requestId });
    }
  };
}

function refused(status: number, { id }: Message, code: number, message: string): Served {
  return { status, json: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }) };
}

/** The SDK says by the stateless revision's code that there is no such resource; the older ones have one of their own. */
function inOlderCodes({ method }: Message, answer: JSONRPCMessage): JSONRPCMessage {
  if (method !== 'resources/read' || !isJSONRPCErrorResponse(answer)) return answer;
  const { code, data } = answer.error;
  const isMissing = code === CODES.params && data !== undefined;
  return isMissing ? { ...answer, error: { ...answer.error, code: CODES.resource } } : answer;
}

/**
 * Params that do not fit are the SDK's internal error, or -32602 with its validator's pages: here they are -32602 with one line. A
 * fault of ours says which request it was, and so is known from these.
 */
function inOurWords(message: Message, answer: JSONRPCMessage): JSONRPCMessage {
  if (!isJSONRPCErrorResponse(answer)) return answer;
  const { code, message: words, data } = answer.error;
  const isRefused = code === CODES.internal ? data === undefined : code === CODES.params && words.includes('\n');
  if (!isRefused) return answer;
  return { ...answer, error: { code: CODES.params, message: whatIsWrongWith(message) } };
}

/** One message in, its answer out. */
async function exchange(server: Server, { value }: Message): Promise<JSONRPCMessage> {
  let tell: (answer: JSONRPCMessage) => void = () => undefined;
  const answered = new Promise<JSONRPCMessage>((resolve) => {
    tell = resolve;
  });
  const transport: Transport = {
    start: async () => undefined,
    send: async (answer) => tell(answer),
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
