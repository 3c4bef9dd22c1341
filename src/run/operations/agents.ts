// The tool server for agents (MCP).

import type { ToolServerOperation } from '../../base/operation.ts';
import type { AppOperation } from '../app-operation.ts';

const MESSAGE = { type: 'object', properties: {} } as const;
const ONE_OR_SEVERAL = { oneOf: [MESSAGE, { type: 'array', minItems: 1, maxItems: 50, items: MESSAGE }] } as const;

/** Of the protocol; or ours, where it is not even HTTP. */
const FAILURE = {
  anyOf: [
    {
      type: 'object',
      properties: {
        jsonrpc: { type: 'string', const: '2.0', description: 'The version of JSON-RPC.' },
        id: {
          type: ['string', 'integer', 'null'],
          description: 'Of the message; null where it has none that can be read.',
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
    'MCP Streamable HTTP, stateless: each POST carries the key and is answered with one JSON-RPC message, or with 202 and nothing. Counts as a write for the four tools that write, as nothing for `initialize`, `ping` and notifications, else as a read.',
  auth: 'secret',
  effect: 'read',
  responses: {
    200: { description: 'One JSON-RPC message; to a batch, a list of them.', schema: ONE_OR_SEVERAL },
    202: { description: 'There is nothing to answer: notifications and responses alone.' },
    400: { description: 'Not JSON, not JSON-RPC, or a protocol version that is not spoken here.', schema: FAILURE },
    404: { description: 'In version 2026-07-28: there is no such method.', schema: FAILURE },
  },
  errors: ['origin_not_allowed'],
};

export const agents: readonly AppOperation[] = [toolServerOperation];
