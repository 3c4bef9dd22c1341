// Sends a request of an owner about objects, to a route or to a tool, and reads the response.

import type { AppOperation } from '../../src/run/app-operation.ts';
import { callConsole } from '../support/console-client.ts';
import type { HttpResponse } from '../support/test-world.ts';
import { type IsolationFixture, type Owner, SITE } from './isolation-fixture.ts';
import type { MatrixRow, Values } from './operation-matrix.ts';

export interface ObservedResponse {
  readonly status: number;
  readonly code?: string;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape.
  readonly json: any;
}

export type SendRequest = (
  owner: Owner,
  values: Values,
  headers?: Readonly<Record<string, string>>,
) => Promise<ObservedResponse>;

export function pathWith(template: string, values: Values, query: Readonly<Record<string, string>> = {}): string {
  const path = template.replaceAll(/\{([a-z_]+)\}/g, (_, name) => encodeURIComponent(values[`path ${name}`] ?? 'none'));
  const inQuery = Object.entries(values).flatMap(([place, value]) =>
    place.startsWith('query ') ? [[place.slice('query '.length), value] as [string, string]] : [],
  );
  const search = new URLSearchParams([...Object.entries(query), ...inQuery]).toString();
  return search === '' ? path : `${path}?${search}`;
}

export function requestFor(fixture: IsolationFixture, operation: AppOperation, row: MatrixRow): SendRequest {
  return async (owner, values, headers = {}) => {
    const path = pathWith(operation.path, { ...row.words, ...values }, row.query?.());
    const body = row.body?.(values, owner, fixture);
    if (row.as === 'account') {
      const { venueId: venue, mode, account } = owner;
      const call = { token: account.token, venue, mode, headers, ...(body === undefined ? {} : { body }) };
      return observe(await callConsole(fixture.world, operation.method, path, call));
    }
    const key = keyOf(owner, row.as);
    const response = await fixture.world.call(operation.method, path, {
      key,
      headers: { ...(row.as === 'publishable' ? { origin: SITE } : {}), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    return observe(response);
  };
}

function keyOf(owner: Owner, as: MatrixRow['as']): string {
  if (as === 'publishable') return owner.publishable;
  if (as === 'newcomer') return owner.newcomer;
  return as === 'member' ? owner.member.token : owner.secret;
}

function observe({ status, headers, text, json }: HttpResponse): ObservedResponse {
  const code = json?.error?.code;
  return { status, headers, text, json, ...(code === undefined ? {} : { code }) };
}

/** A tool reports an error inside an HTTP 200; the status here is the one that its route would answer. */
export function toolRequestFor(fixture: IsolationFixture, name: string, row: MatrixRow): SendRequest {
  return async (owner, values) => {
    const args = row.body?.(values, owner, fixture) ?? {};
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
    const { json, headers, text: whole } = await fixture.world.call('POST', '/mcp', { key: owner.secret, body });
    const { structuredContent: content, isError } = json?.result ?? {};
    if (content === undefined) throw new Error(`${name} gave no result: ${whole}`);
    const code = isError === true ? content.error.code : undefined;
    const text = JSON.stringify(content);
    return { status: statusOf(code), headers, text, json: content, ...(code === undefined ? {} : { code }) };
  };
}

function statusOf(code: string | undefined): number {
  if (code === undefined) return 200;
  return code === 'not_found' ? 404 : 422;
}
