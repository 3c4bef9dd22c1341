// The tool server for agents (MCP).

import type { ToolServerOperation } from '../../base/operation.ts';
import type { AppOperation } from '../app-operation.ts';

const MESSAGE = { type: 'object', properties: {} } as const;
const ONE_OR_SEVERAL = { oneOf: [MESSAGE, { type: 'array', minItems: 1, maxItems: 50, items: MESSAGE }] } as const;

/** An error of the protocol, or our error shape where the request fails before the protocol. */
const FAILURE = {
  anyOf: [
    {
      type: 'object',
      properties: {
        jsonrpc: { type: 'string', const: '2.0', description: 'The version of JSON-RPC.' },
        id: {
          type: ['string', 'integer', 'null'],
          description: 'The id of the message; null where none can be read.',
        },
        error: {
          type: 'object',
          description: 'What went wrong.',
          properties: {
            code: { type: 'integer', description: 'A code of JSON-RPC or of the protocol.', examples: [-32700] },
            message: { type: 'string', description: 'What went wrong, for a person.' },
            data: { description: 'More about it, for some codes.' },
          },
          required: ['code', 'message'],
          additionalProperties: false,
        },
      },
      required: ['jsonrpc', 'id', 'error'],
      additionalProperties: false,
    },
    { $ref: 'error.json' },
  ],
} as const;

export const toolServerOperation: ToolServerOperation = {
  id: 'callTool',
  kind: 'tool server',
  method: 'POST',
  path: '/mcp',
  tag: 'Agents',
  summary: 'The tool server',
  description:
    'MCP Streamable HTTP, stateless: each POST carries the key. The answer is one JSON-RPC message, or 202 without a body. The four tools that write count as writes; with a valid key `initialize`, `ping` and notifications are not counted; everything else counts as a read.',
  auth: 'secret',
  effect: 'read',
  responses: {
    200: { description: 'One JSON-RPC message; to a batch, a list of them.', schema: ONE_OR_SEVERAL },
    202: { description: 'No body: the POST held notifications and responses only.' },
    400: { description: 'Not JSON, not JSON-RPC, or an unsupported protocol version.', schema: FAILURE },
    404: { description: 'In version 2026-07-28: there is no such method.', schema: FAILURE },
  },
  errors: ['origin_not_allowed'],
};

export const agents: readonly AppOperation[] = [toolServerOperation];
