// Completes what an agent's user types: the names of schemas and venue systems.

import type { CompleteRequestParams } from '@modelcontextprotocol/server';
import type { ToolServerContext } from '../run/tool-server.ts';
import { PROMPT } from './prompt.ts';
import { RESOURCE_TEMPLATES } from './resources.ts';

const MOST = 100;

export function completionsFor(
  { app: context }: ToolServerContext,
  { ref, argument }: CompleteRequestParams,
): { values: string[]; total: number; hasMore: boolean } {
  const systems = [...context.mappings.keys()];
  const template =
    ref.type === 'ref/resource' ? RESOURCE_TEMPLATES.find(({ uriTemplate }) => uriTemplate === ref.uri) : null;
  const isSystem = ref.type === 'ref/prompt' && ref.name === PROMPT.name && argument.name === 'system';
  const byTemplate = template?.name === 'schema' ? context.registry.names : template == null ? [] : systems;
  const found = (isSystem ? systems : byTemplate).filter((name) => name.startsWith(argument.value.toLowerCase()));
  return { values: found.slice(0, MOST), total: found.length, hasMore: found.length > MOST };
}
