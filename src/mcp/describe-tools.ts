// The list of tools as an agent reads it. It is read into the agent's memory at every start, so it is kept small: the schemas
// are the published ones without their examples, and answers are described by their outline, with the resource to read.

import type { Tool as Described } from '@modelcontextprotocol/server';
import type { Registry, Schema } from '../base/schema/registry.ts';
import { type Tool, tools } from '../run/operations/tools.ts';

const FAILED = {
  error: { type: 'object', description: 'Only when isError: everyshare://schemas/error.' },
  errors: { type: 'array', items: { type: 'object' }, description: 'Every problem, with its pointer.' },
};

export function describeTools(registry: Registry): Described[] {
  return tools.map((tool) => describeTool(registry, tool));
}

function describeTool(registry: Registry, tool: Tool): Described {
  const { name, title, description, hints, gives } = tool;
  return {
    name,
    title,
    description,
    inputSchema: inputOf(registry, tool),
    outputSchema: {
      type: 'object',
      properties: { ...FAILED, ...gives } as Record<string, Record<string, unknown>>,
      anyOf: [{ required: Object.keys(gives) }, { required: ['error'] }],
    },
    annotations: {
      title,
      readOnlyHint: hints.readOnly,
      destructiveHint: hints.replaces,
      idempotentHint: hints.idempotent,
      openWorldHint: false,
    },
  };
}

function inputOf(registry: Registry, { input, listed = {} }: Tool): Described['inputSchema'] {
  const whole = typeof input === 'string' ? registry.published(input, '') : input;
  const told = compact(whole) as { readonly properties?: Readonly<Record<string, object>> };
  const also = Object.entries(listed).map(([name, more]) => [name, { ...told.properties?.[name], ...more }]);
  const properties = { ...told.properties, ...Object.fromEntries(also) };
  return { ...told, type: 'object', properties } as Described['inputSchema'];
}

/** Keywords that validate nothing, and that a description says already. */
const LEFT_OUT = new Set(['examples', '$schema', '$id', 'title']);

function compact(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(compact);
  if (typeof node !== 'object' || node === null) return node;
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node as Schema)) {
    // Under these two, names are names of members and definitions.
    if (key === 'properties') copy[key] = mapped(value as Schema, compact);
    else if (key === '$defs') copy[key] = mapped(value as Schema, (part) => compact(undescribed(part as Schema)));
    else if (!LEFT_OUT.has(key)) copy[key] = key === 'enum' || key === 'const' ? value : compact(value);
  }
  return copy;
}

function mapped(members: Schema, change: (part: unknown) => unknown): Schema {
  return Object.fromEntries(Object.entries(members).map(([name, part]) => [name, change(part)]));
}

/** Whatever refers to a definition says what it is for. */
function undescribed({ description, ...rest }: Schema): Schema {
  return rest;
}
