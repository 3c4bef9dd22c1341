// The resources that an agent can read: every published schema and the mapping of every venue system. They are the
// documents under /schemas/v1, with addresses that do not depend on the server.

import type { ReadResourceResult, Resource, ResourceTemplateType } from '@modelcontextprotocol/server';
import type { ToolServerContext } from '../run/tool-server.ts';

const SCHEMAS = 'everyshare://schemas/';
const MAPPINGS = 'everyshare://mappings/';

export function listResources({ app: context }: ToolServerContext): Resource[] {
  const schemas = context.registry.names.map((name) => {
    const { title, description } = context.registry.get(name) as { title?: string; description?: string };
    return {
      uri: `${SCHEMAS}${name}`,
      name,
      title: `${title ?? name} schema`,
      ...(description === undefined ? {} : { description }),
      mimeType: 'application/schema+json',
    };
  });
  const mappings = [...context.mappings.values()].map(({ provider, name }) => ({
    uri: `${MAPPINGS}${provider}`,
    name: provider,
    title: `Mapping of ${name}`,
    description: `Which fields of a delivery from ${name} become which fields of an offering.`,
    mimeType: 'application/json',
  }));
  return [...schemas, ...mappings];
}

export const RESOURCE_TEMPLATES: ResourceTemplateType[] = [
  {
    uriTemplate: `${SCHEMAS}{name}`,
    name: 'schema',
    title: 'A published schema',
    description: 'JSON Schema 2020-12, with every definition that it needs.',
    mimeType: 'application/schema+json',
  },
  {
    uriTemplate: `${MAPPINGS}{provider}`,
    name: 'mapping',
    title: 'Mapping of a venue system',
    description: 'Which fields of its deliveries become which fields of an offering.',
    mimeType: 'application/json',
  },
];

/** Null: there is no such resource. */
export function readResource(server: ToolServerContext, uri: string): ReadResourceResult | null {
  const { registry, mappings } = server.app;
  const name = uri.startsWith(SCHEMAS) ? uri.slice(SCHEMAS.length) : '';
  if (registry.names.includes(name)) {
    return contents(uri, 'application/schema+json', registry.published(name, server.schemaUrl()));
  }
  const mapping = uri.startsWith(MAPPINGS) ? mappings.get(uri.slice(MAPPINGS.length)) : undefined;
  if (mapping === undefined) return null;
  return contents(uri, 'application/json', {
    ...mapping,
    $schema: `${server.schemaUrl()}/v1/mapping.json`,
    documentation: `${server.app.address.base}/docs/providers/${mapping.provider}`,
  });
}

function contents(uri: string, mimeType: string, value: unknown): ReadResourceResult {
  return { contents: [{ uri, mimeType, text: JSON.stringify(value) }] };
}
