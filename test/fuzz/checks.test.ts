// Tests of the fuzzer's checks of CSV files, tool results, memory and coverage: each fault is found, and correct input
// has none.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { findCsvFaults } from './check-csv.ts';
import { checkMemory, type Sample } from './check-memory.ts';
import { hasSucceeded, ToolChecks } from './check-tool-response.ts';
import { Contract, type Document } from './contract.ts';
import { Coverage } from './coverage.ts';
import type { HttpResponse, Request } from './send.ts';

describe('the check of a CSV file', () => {
  it('accepts a header, CRLF and equally many cells in each line, with anything in quotes', () => {
    expect(findCsvFaults('id,amount\r\n')).toEqual([]);
    expect(findCsvFaults('id,text\r\n1,"a, ""b""\r\nc"\r\n-2,\r\n')).toEqual([]);
  });

  it.each([
    ['an empty file', '', 'no header line'],
    ['a line without an end', 'id,amount\r\n1,2', 'not CSV'],
    ['a line that ends with LF', 'id,amount\n1,2\n', 'not CSV'],
    ['a quote that is not closed', 'id\r\n"a\r\n', 'not CSV'],
    ['a cell too many', 'id,amount\r\n1,2,3\r\n', 'line 2 of the CSV has 3 cells'],
    ['an invalid name', 'id,\r\n', 'invalid names'],
    ['a formula', 'id\r\n=1+1\r\n', 'formula'],
  ])('finds %s', (_what, text, fault) => {
    expect(findCsvFaults(text).join()).toContain(fault);
  });
});

describe('the check of a tool result', () => {
  const document = readFileSync(join(packageRoot, 'schemas', 'openapi.gen.json'), 'utf8');
  const contract = new Contract(JSON.parse(document) as Document);
  const checkout = { type: 'object', description: 'everyshare://schemas/checkout.', required: ['id'] };
  const checks = new ToolChecks(contract, 'http://x', [
    { name: 'one', inputSchema: {}, outputSchema: { type: 'object', properties: { checkout }, required: ['n'] } },
    { name: 'get_checkout', inputSchema: {}, outputSchema: { type: 'object' } },
  ]);
  const right = contract.operations.find(({ id }) => id === 'getCheckout') as never as { path: string };
  const [example] = examplesOf(document, right.path);

  const callTo = (tool: string): Request =>
    ({ rpc: new Map([[1, { method: 'tools/call', tool }]]) }) as unknown as Request;
  const response = (given: object, more: object = {}): HttpResponse => {
    const content = ['Done.', JSON.stringify(given)].map((text) => ({ type: 'text', text }));
    const result = { content, structuredContent: given, ...more };
    return { status: 200, text: JSON.stringify({ jsonrpc: '2.0', id: 1, result }) } as HttpResponse;
  };
  const faults = (tool: string, given: object, more: object = {}) =>
    checks.findFaults(callTo(tool), response(given, more)).join('; ');

  it('compares it with its outputSchema, the schema that this names, and the route of its operation', () => {
    expect(faults('one', { n: 1, checkout: example })).toBe('');
    expect(faults('get_checkout', example as object)).toBe('');
    expect(faults('one', { checkout: example })).toContain('one does not match its outputSchema');
    expect(faults('one', { n: 1, checkout: { id: 'chk_1' } })).toContain('one: the body is not as documented');
    expect(faults('get_checkout', { id: 'chk_1' })).toContain('get_checkout: the body is not as documented');
  });

  it('compares its text with its data, and finds errors in another shape and internal errors', () => {
    expect(faults('one', { n: 1 }, { content: [{ type: 'text', text: 'Done.' }] })).toContain('differs from its data');
    const error = { code: 'not_found', message: 'There is none.', request_id: 'req_1' };
    expect(faults('one', { error }, { isError: true })).toBe('');
    expect(faults('one', { error: { code: 'x' } }, { isError: true })).toContain('not as documented');
    const ours = { error: { ...error, code: 'internal_error' } };
    expect(faults('one', ours, { isError: true })).toContain('a tool returned internal_error');
    expect(hasSucceeded(response({ error }, { isError: true }))).toBe(false);
    expect(hasSucceeded(response({ n: 1 }))).toBe(true);
  });

  it('finds an answer to a call that was not made', () => {
    const answer = response({ n: 1 });
    expect(checks.findFaults({ rpc: new Map() } as unknown as Request, answer).join()).toContain('which no call has');
  });
});

describe('memory', () => {
  const sampled = (count: number, each: number, heap: (requests: number, n: number) => number): Sample[] =>
    Array.from({ length: count }, (_, n) => ({ requests: (n + 1) * each, heap: heap((n + 1) * each, n), rss: 0 }));
  const MB = 2 ** 20;

  it('is flat despite single large samples and growth during warm-up', () => {
    const heap = (requests: number, n: number) =>
      70 * MB + (n % 9 === 0 ? 5 * MB : 0) - 20 * MB * Math.exp(-requests / 9_000);
    expect(checkMemory(sampled(130, 1_500, heap))).toMatchObject({ isFlat: true });
  });

  it('is not flat if each request leaves 40 bytes', () => {
    const heap = (requests: number, n: number) => 70 * MB + 40 * requests + (n % 2) * MB;
    expect(checkMemory(sampled(130, 1_500, heap))).toMatchObject({ isFlat: false });
  });

  it('is not flat if a short run doubles it, and is not checked with few samples', () => {
    const heap = (requests: number) => 70 * MB + 20_000 * requests;
    expect(checkMemory(sampled(12, 400, heap))).toMatchObject({ slope: null, isFlat: false });
    expect(checkMemory(sampled(4, 400, heap))).toMatchObject({ isFlat: null });
  });
});

describe('the coverage of a run', () => {
  it('lists labels without a request, and labels without an accepted request', () => {
    const coverage = new Coverage();
    coverage.expect(['refused', 'accepted', 'forgotten']);
    coverage.count('refused', { status: 422, ms: 1 } as HttpResponse, false);
    coverage.count('accepted', { status: 200, ms: 1 } as HttpResponse, true);
    expect(coverage.untriedLabels).toEqual(['forgotten']);
    expect(coverage.neverAccepted).toEqual(['refused', 'forgotten']);
  });
});

/** The document's example of an operation's response. */
function examplesOf(document: string, path: string): unknown[] {
  const { paths } = JSON.parse(document);
  const { example, examples } = paths[path].get.responses['200'].content['application/json'];
  return example === undefined
    ? Object.values(examples ?? {}).map((one) => (one as { value: unknown }).value)
    : [example];
}
