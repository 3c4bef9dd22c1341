// The API reference as Markdown, made from the OpenAPI document: a page for each operation, and an index by tag. Like
// every other page it needs no script. /docs/explorer sends requests from the browser.

import type { Schema } from '../../base/schema/registry.ts';
import type { ApiDocument, DocumentedOperation, Response } from './api-document.ts';
import { exampleRequest } from './reference-examples.ts';
import { cell, describeValue, fieldTable, makeResolve } from './reference-fields.ts';
import type { SiteLink } from './site-map.ts';

export interface ReferencePage extends SiteLink {
  readonly tag: string;
  /** "POST". */
  readonly method: string;
  readonly markdown: string;
}

export function referencePages(document: ApiDocument): ReferencePage[] {
  const resolve = makeResolve(document.components.schemas);
  const base = document.servers[0]?.url ?? '';
  const pages = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([name, operation]) => {
      const method = name.toUpperCase();
      return {
        path: `/docs/reference/${operation.operationId}`,
        title: operation.summary,
        tag: operation.tags[0] ?? '',
        method,
        markdown: operationPage({ base, method, path, operation, resolve }),
      };
    }),
  );
  // In the order of the index, so that "next" leads down the list.
  return document.tags.flatMap(({ name }) => pages.filter(({ tag }) => tag === name));
}

export function referenceIndex(document: ApiDocument, pages: readonly ReferencePage[]): string {
  const groups = document.tags.map(({ name, description }) => {
    const rows = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { tags }]) => tags[0] === name)
        .map(
          ([method, { operationId, summary }]) =>
            `| [${cell(summary)}](reference/${operationId}.md) | \`${method.toUpperCase()} ${path}\` |`,
        ),
    );
    return [`## ${name}`, '', description, '', '| Call | Address |', '| --- | --- |', ...rows, ''].join('\n');
  });
  return `# API reference

Every call of the API: what it takes, what it answers, and how it fails. ${pages.length} calls, by what they are about.

Send requests from your browser in the [explorer](/docs/explorer). Programs read the [OpenAPI document](/v1/openapi.json) and the
[JSON Schemas](/schemas/v1/index.json). What spans more than one call is in the [guides](/docs).

${groups.join('\n')}`;
}

interface Described {
  readonly base: string;
  readonly method: string;
  readonly path: string;
  readonly operation: DocumentedOperation;
  readonly resolve: (schema: Schema) => Schema;
}

function operationPage(described: Described): string {
  const { method, path, operation } = described;
  return [
    `# ${operation.summary}`,
    `\`${method} ${path}\``,
    operation.description,
    exampleRequest(described.base, method, path, operation),
    parameterTable(described),
    bodyFields(described),
    ...Object.entries(operation.responses)
      .filter(([status]) => status < '400')
      .map(([status, response]) => answer(status, response, described)),
    errorTable(operation),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function parameterTable({ operation, resolve }: Described): string {
  const rows = (operation.parameters ?? []).map((one) => {
    const note = one.required === true ? '' : ', optional';
    return `| \`${one.name}\` | ${one.in} | ${cell(describeValue(resolve(one.schema), resolve))}${note} | ${cell(one.description ?? String(one.schema.description ?? ''))} |`;
  });
  if (rows.length === 0) return '';
  return ['## Parameters', '', '| Name | In | Value | What it is |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function bodyFields({ operation, resolve }: Described): string {
  const schema = operation.requestBody?.content['application/json']?.schema;
  const table = schema === undefined ? '' : fieldTable(schema, resolve);
  return table === '' ? '' : `## Body\n\n${table}`;
}

function answer(status: string, { description, content }: Response, { resolve }: Described): string {
  const json = content?.['application/json'];
  const stream = content?.['text/event-stream']?.example;
  const example = json?.example === undefined ? '' : `\n\n\`\`\`json\n${JSON.stringify(json.example, null, 2)}\n\`\`\``;
  const shown = typeof stream === 'string' ? `\n\n\`\`\`text\n${stream.trimEnd()}\n\`\`\`` : example;
  const table = json?.schema === undefined ? '' : fieldTable(json.schema, resolve);
  return `## Answer ${status}\n\n${description}${shown}${table === '' ? '' : `\n\n${table}`}`;
}

function errorTable({ responses }: DocumentedOperation): string {
  const rows = Object.entries(responses)
    .filter(([status]) => status >= '400')
    .map(([status, { description }]) => {
      const linked = description.replace(/^`(\w+)`/gm, '[`$1`](../errors/$1.md)').replaceAll('\n\n', ' · ');
      return `| ${status} | ${cell(linked)} |`;
    });
  return [
    '## Errors',
    '',
    'How to read them: [Reading errors](../guides/errors.md).',
    '',
    '| Status | Codes |',
    '| --- | --- |',
    ...rows,
  ].join('\n');
}
