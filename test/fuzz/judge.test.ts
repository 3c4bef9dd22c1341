// The judges of the fuzzer bite: what is wrong with a file, with what a tool gives, with memory or with a run that never got deep is
// told, and what is right is not.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { Contract, type Document } from './contract.ts';
import { faultsOfCsv } from './csv.ts';
import { hasSucceeded, ToolBook } from './judge-tools.ts';
import { judgeMemory, type Sample } from './memory.ts';
import type { Answer, Request } from './send.ts';
import { Tally } from './tally.ts';

describe('a file of comma-separated values', () => {
  it('is one with names, CRLF and as many cells in each line, whatever is in its quotes', () => {
    expect(faultsOfCsv('id,amount\r\n')).toEqual([]);
    expect(faultsOfCsv('id,text\r\n1,"a, ""b""\r\nc"\r\n-2,\r\n')).toEqual([]);
  });

  it.each([
    ['nothing', '', 'no line of names'],
    ['a line without an end', 'id,amount\r\n1,2', 'not CSV'],
    ['a line that ends with LF alone', 'id,amount\n1,2\n', 'not CSV'],
    ['a quote that is not closed', 'id\r\n"a\r\n', 'not CSV'],
    ['a cell too many', 'id,amount\r\n1,2,3\r\n', 'line 2 of the CSV has 3 cells'],
    ['a name that is none', 'id,\r\n', 'are not names'],
    ['a formula', 'id\r\n=1+1\r\n', 'formula'],
  ])('is none with %s', (_what, text, fault) => {
    expect(faultsOfCsv(text).join()).toContain(fault);
  });
});

describe('what a tool gives', () => {
  const document = readFileSync(join(packageRoot, 'schemas', 'openapi.gen.json'), 'utf8');
  const contract = new Contract(JSON.parse(document) as Document);
  const checkout = { type: 'object', description: 'everyshare://schemas/checkout.', required: ['id'] };
  const book = new ToolBook(contract, 'http://x', [
    { name: 'one', inputSchema: {}, outputSchema: { type: 'object', properties: { checkout }, required: ['n'] } },
    { name: 'get_checkout', inputSchema: {}, outputSchema: { type: 'object' } },
  ]);
  const right = contract.operations.find(({ id }) => id === 'getCheckout') as never as { path: string };
  const [example] = examplesOf(document, right.path);

  const asked = (tool: string): Request =>
    ({ rpc: new Map([[1, { method: 'tools/call', tool }]]) }) as unknown as Request;
  const response = (given: object, more: object = {}): Answer => {
    const content = ['Done.', JSON.stringify(given)].map((text) => ({ type: 'text', text }));
    const result = { content, structuredContent: given, ...more };
    return { status: 200, text: JSON.stringify({ jsonrpc: '2.0', id: 1, result }) } as Answer;
  };
  const faults = (tool: string, given: object, more: object = {}) =>
    book.faults(asked(tool), response(given, more)).join('; ');

  it('is as its outputSchema, the schema that it names and the route of its operation say', () => {
    expect(faults('one', { n: 1, checkout: example })).toBe('');
    expect(faults('get_checkout', example as object)).toBe('');
    expect(faults('one', { checkout: example })).toContain('one is not as its outputSchema says');
    expect(faults('one', { n: 1, checkout: { id: 'chk_1' } })).toContain('one: the body is not as documented');
    expect(faults('get_checkout', { id: 'chk_1' })).toContain('get_checkout: the body is not as documented');
  });

  it('says the same as text, and a failure has the one shape, and is none of ours', () => {
    expect(faults('one', { n: 1 }, { content: [{ type: 'text', text: 'Done.' }] })).toContain('says another thing');
    const error = { code: 'not_found', message: 'There is none.', request_id: 'req_1' };
    expect(faults('one', { error }, { isError: true })).toBe('');
    expect(faults('one', { error: { code: 'x' } }, { isError: true })).toContain('not as documented');
    const ours = { error: { ...error, code: 'internal_error' } };
    expect(faults('one', ours, { isError: true })).toContain('a tool says: internal_error');
    expect(hasSucceeded(response({ error }, { isError: true }))).toBe(false);
    expect(hasSucceeded(response({ n: 1 }))).toBe(true);
  });

  it('answers what was asked', () => {
    const answer = response({ n: 1 });
    expect(book.faults({ rpc: new Map() } as unknown as Request, answer).join()).toContain('which nobody asked');
  });
});

describe('memory', () => {
  const sampled = (count: number, each: number, heap: (requests: number, n: number) => number): Sample[] =>
    Array.from({ length: count }, (_, n) => ({ requests: (n + 1) * each, heap: heap((n + 1) * each, n), rss: 0 }));
  const MB = 2 ** 20;

  it('is flat when it is, though a sample is large by chance and the beginning is warm-up', () => {
    const heap = (requests: number, n: number) =>
      70 * MB + (n % 9 === 0 ? 5 * MB : 0) - 20 * MB * Math.exp(-requests / 9_000);
    expect(judgeMemory(sampled(130, 1_500, heap))).toMatchObject({ isFlat: true });
  });

  it('is not flat when a request leaves 40 bytes behind', () => {
    const heap = (requests: number, n: number) => 70 * MB + 40 * requests + (n % 2) * MB;
    expect(judgeMemory(sampled(130, 1_500, heap))).toMatchObject({ isFlat: false });
  });

  it('is not flat when a short run doubles it, and is not judged by a few samples', () => {
    const heap = (requests: number) => 70 * MB + 20_000 * requests;
    expect(judgeMemory(sampled(12, 400, heap))).toMatchObject({ slope: null, isFlat: false });
    expect(judgeMemory(sampled(4, 400, heap))).toMatchObject({ isFlat: null });
  });
});

describe('a run', () => {
  it('says what was never asked, and what never took anything', () => {
    const tally = new Tally();
    tally.expect(['asked', 'taken', 'forgotten']);
    tally.count('asked', { status: 422, ms: 1 } as Answer, false);
    tally.count('taken', { status: 200, ms: 1 } as Answer, true);
    expect(tally.untried).toEqual(['forgotten']);
    expect(tally.neverTaken).toEqual(['asked', 'forgotten']);
  });
});

/** The document's own example of what an operation answers. */
function examplesOf(document: string, path: string): unknown[] {
  const { paths } = JSON.parse(document);
  const { example, examples } = paths[path].get.responses['200'].content['application/json'];
  return example === undefined
    ? Object.values(examples ?? {}).map((one) => (one as { value: unknown }).value)
    : [example];
}
