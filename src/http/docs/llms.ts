// /llms.txt: the list of the documentation for programs that read text (llmstxt.org). Each link leads to a page as
// Markdown.

import { GUIDE_GROUPS } from './site-map.ts';
import { firstSentence, type SitePage } from './site-pages.ts';

export function renderLlms(pages: readonly SitePage[], base: string): string {
  const line = ({ path, title, summary }: SitePage): string =>
    `- [${title}](${base}${path}.md): ${firstSentence(summary)}`;
  const groups = GUIDE_GROUPS.map(
    ({ title }) =>
      `## ${title}\n\n${pages
        .filter(({ kind, group }) => kind === 'guide' && group === title)
        .map(line)
        .join('\n')}`,
  );
  const lists = pages.filter(({ kind }) => kind === 'list' || kind === 'file').map(line);
  const calls = pages.filter(({ kind }) => kind === 'reference').map(line);
  return `# Everyshare

> Group payments for venues: a group books, each guest pays their own share with a card hold, and no card is charged until every share is held.

Agents can call the service with tools: the MCP server is at ${base}/mcp. The OpenAPI document is ${base}/v1/openapi.json, and the JSON Schemas are
listed at ${base}/schemas/v1/index.json.

${groups.join('\n\n')}

## Look up

${lists.join('\n')}

## API reference

${calls.join('\n')}
`;
}
