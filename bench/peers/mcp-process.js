// A tool server of the official SDK without sessions, as its examples build one: a server and a transport for each
// request. Its results are those of our server, read from the file RESULTS.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const results = JSON.parse(readFileSync(process.env.RESULTS ?? '', 'utf8'));

async function answer(request, response) {
  const server = new Server({ name: 'peer', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => results['tools/list']);
  server.setRequestHandler(CallToolRequestSchema, () => results['tools/call']);
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  response.on('close', () => {
    transport.close();
    server.close();
  });
  await server.connect(transport);
  await transport.handleRequest(request, response);
}

createServer((request, response) => {
  if (request.method === 'GET') response.end('ready');
  else answer(request, response).catch((error) => response.destroy(error));
}).listen(Number(process.env.PORT), '127.0.0.1');
