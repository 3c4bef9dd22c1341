// Completes the names of schemas and venue systems while the user of an agent types.

import type { CompleteRequestParams } from '@modelcontextprotocol/server';
import type { ToolServerContext } from '../run/tool-server.ts';
import { PROMPT } from './prompt.ts';
import { RESOURCE_TEMPLATES } from './resources.ts';

const MAX_COMPLETIONS = 100;

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
  return { values: found.slice(0, MAX_COMPLETIONS), total: found.length, hasMore: found.length > MAX_COMPLETIONS };
}
