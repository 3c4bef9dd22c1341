// The list of tools as an agent reads it. An agent loads the list at every start, so it is small: the schemas are the
// published ones without examples, and an output is an outline that names the resource with the full schema.

import type { Tool as Described } from '@modelcontextprotocol/server';
import type { Registry, Schema } from '../base/schema/registry.ts';
import { type Tool, tools } from '../run/operations/tools.ts';

const FAILURE_PROPERTIES = {
  error: { type: 'object', description: 'Only when isError: everyshare://schemas/error.' },
  errors: { type: 'array', items: { type: 'object' }, description: 'Every problem, with its pointer.' },
};

export function describeTools(registry: Registry): Described[] {
  return tools.map((tool) => describeTool(registry, tool));
}

function describeTool(registry: Registry, tool: Tool): Described {
  const { name, title, description, hints, output: gives } = tool;
  return {
    name,
    title,
    description,
    inputSchema: inputSchemaOf(registry, tool),
    outputSchema: {
      type: 'object',
      properties: { ...FAILURE_PROPERTIES, ...gives } as Record<string, Record<string, unknown>>,
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

function inputSchemaOf(registry: Registry, { input, listedKeywords: listed = {} }: Tool): Described['inputSchema'] {
  const published = typeof input === 'string' ? registry.published(input, '') : input;
  const schema = compact(published) as { readonly properties?: Readonly<Record<string, object>> };
  const extended = Object.entries(listed).map(([name, more]) => [name, { ...schema.properties?.[name], ...more }]);
  const properties = { ...schema.properties, ...Object.fromEntries(extended) };
  return { ...schema, type: 'object', properties } as Described['inputSchema'];
}

/** Keywords that validate nothing and repeat the description. */
const OMITTED_KEYWORDS = new Set(['examples', '$schema', '$id', 'title']);

function compact(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(compact);
  if (typeof node !== 'object' || node === null) return node;
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node as Schema)) {
    // The keys below these two are names of members and definitions, not keywords.
    if (key === 'properties') copy[key] = mapMembers(value as Schema, compact);
    else if (key === '$defs')
      copy[key] = mapMembers(value as Schema, (part) => compact(withoutDescription(part as Schema)));
    else if (!OMITTED_KEYWORDS.has(key)) copy[key] = key === 'enum' || key === 'const' ? value : compact(value);
  }
  return copy;
}

function mapMembers(members: Schema, change: (part: unknown) => unknown): Schema {
  return Object.fromEntries(Object.entries(members).map(([name, part]) => [name, change(part)]));
}

/** The description of a reference replaces that of the definition. */
function withoutDescription({ description, ...rest }: Schema): Schema {
  return rest;
}
