// The protocol itself is the official SDK's: negotiation, the shape of every request and answer, both eras. What stands here is
// what we put into it, and a transport that carries one message in and its answer out, since an answer is one JSON document.

import {
  createMcpHandler,
  isInitializeRequest,
  isJSONRPCErrorResponse,
  type JSONRPCMessage,
  ProtocolError,
  ResourceNotFoundError,
  Server,
  type Transport,
} from '@modelcontextprotocol/server';
import type { Inside } from '../run/tool-server.ts';
import { callTool, type ToolCall } from './call-tool.ts';
import { completionsFor } from './complete.ts';
import { describeTools } from './describe-tools.ts';
import { CODES, type Message, OLDER } from './messages.ts';
import { connectVenue, PROMPT } from './prompt.ts';
import { listResources, RESOURCE_TEMPLATES, readResource } from './resources.ts';

export interface Served {
  readonly status: number;
  readonly json: string;
}

export interface Protocol {
  /** `call` is there when the message calls a tool that exists. */
  serve(message: Message, call: ToolCall | null): Promise<Served>;
  /** The same for the stateless revision, whose headers have to agree with the body. */
  serveModern(message: Message, call: ToolCall | null, headers: Headers): Promise<Served>;
}

const INSTRUCTIONS =
  'Everyshare: a party books at a venue and each guest pays their own share. Call describe_venue first: it tells the venue, the mode and the order of work. Try things with validate before you send them.';

/** Nothing that is listed changes while a server runs, and it is the same for everybody who holds a key. */
const KEPT_FOR = { ttlMs: 300_000, cacheScope: 'private' } as const;

export function openProtocol(inside: Inside, version: string): Protocol {
  const lists = { tools: describeTools(inside.house.registry), resources: listResources(inside) };
  const serverFor = (call: ToolCall | null, isModern: boolean): Server =>
    makeServer({ inside, lists, version, call, isModern });
  const modern = createMcpHandler(
    ({ authInfo }) => serverFor((authInfo?.extra?.call ?? null) as ToolCall | null, true),
    {
      legacy: 'reject',
      onerror: (error) => inside.house.log.debug({ err: error }, 'a message was refused by the protocol'),
    },
  );
  return {
    serve: async (message, call) => {
      if (message.method === 'initialize' && !isInitializeRequest(message.value)) {
        return refused(200, message, CODES.params, 'initialize needs protocolVersion, capabilities and clientInfo.');
      }
      const answer = await exchange(serverFor(call, false), message);
      return { status: 200, json: JSON.stringify(inOlderCodes(message, answer)) };
    },
    serveModern: async (message, call, headers) => {
      // The SDK would open a stream; an answer is one document, and nothing here ever changes for anybody to be told of.
      if (message.method === 'subscriptions/listen') return refused(404, message, CODES.method, 'Method not found');
      const request = new Request('http://localhost/mcp', { method: 'POST', headers });
      const authInfo = { token: '', clientId: '', scopes: [], extra: { call } };
      const response = await modern.fetch(request, { parsedBody: message.value, authInfo });
      return { status: response.status, json: await response.text() };
    },
  };
}

interface Parts {
  readonly inside: Inside;
  readonly lists: { tools: ReturnType<typeof describeTools>; resources: ReturnType<typeof listResources> };
  readonly version: string;
  readonly call: ToolCall | null;
  readonly isModern: boolean;
}

function makeServer({ inside, lists, version, call, isModern }: Parts): Server {
  const server = new Server(
    { name: 'everyshare', title: 'Everyshare', version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      instructions: INSTRUCTIONS,
      supportedProtocolVersions: [...OLDER],
    },
  );
  const kept = isModern ? KEPT_FOR : {};
  server.setRequestHandler('tools/list', async () => ({ tools: lists.tools, ...kept }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    if (call === null) throw new ProtocolError(CODES.params, `Unknown tool: ${params.name.slice(0, 100)}`);
    return callTool(inside, call);
  });
  server.setRequestHandler('resources/list', async () => ({ resources: lists.resources, ...kept }));
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: RESOURCE_TEMPLATES,
    ...kept,
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const found = readResource(inside, uri);
    if (found !== null) return { ...found, ...kept };
    throw new ResourceNotFoundError(uri);
  });
  server.setRequestHandler('prompts/list', async () => ({ prompts: [PROMPT], ...kept }));
  server.setRequestHandler('prompts/get', async ({ params }) => {
    if (params.name !== PROMPT.name)
      throw new ProtocolError(CODES.params, `Unknown prompt: ${params.name.slice(0, 100)}`);
    const found = connectVenue(inside, params.arguments ?? {});
    if (found === null) throw new ProtocolError(CODES.params, 'connect_venue needs the argument "venue".');
    return found;
  });
  server.setRequestHandler('completion/complete', async ({ params }) => ({
    completion: completionsFor(inside, params),
  }));
  return server;
}

function refused(status: number, { id }: Message, code: number, message: string): Served {
  return { status, json: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }) };
}

/** The SDK says by the stateless revision's code that there is no such resource; the older ones have one of their own. */
function inOlderCodes({ method }: Message, answer: JSONRPCMessage): JSONRPCMessage {
  const isMissing = method === 'resources/read' && isJSONRPCErrorResponse(answer) && answer.error.data !== undefined;
  return isMissing ? { ...answer, error: { ...answer.error, code: CODES.resource } } : answer;
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
