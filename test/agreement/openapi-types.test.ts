// What a partner does with /v1/openapi.json: generate types with openapi-typescript and compile a client that uses them.

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';

/** Each `@ts-expect-error` fails the build if the type is too wide to notice the mistake. */
const CLIENT = `
import type { components, operations, paths, webhooks } from './api.js';

type CheckoutCreate = components['schemas']['checkout_create'];
type Created = paths['/v1/checkouts']['post']['responses'][201]['content']['application/json'];
type BodyOf<Type extends keyof webhooks> = webhooks[Type]['post']['requestBody']['content']['application/json'];
type WebhookEvent = { [Type in keyof webhooks]: BodyOf<Type> }[keyof webhooks];

export async function createCheckout(base: string, key: string, body: CheckoutCreate): Promise<Created> {
  const response = await fetch(base + '/v1/checkouts', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status !== 201) {
    const { error } = (await response.json()) as components['schemas']['error'];
    throw new Error(error.code + ': ' + error.message);
  }
  return (await response.json()) as Created;
}

export const unpaid = ({ shares }: Created): string[] =>
  shares.filter(({ status }) => status === 'invited').map(({ display_name, amount }) => (display_name ?? '?') + amount);

/** A slot's fees refer to those of a price tier: a pointer through \`items\`, which once made types that did not compile. */
export const isTax = (fee: components['schemas']['slot']['prices'][number]['fees'][number]): boolean => fee.type === 'tax';

export function receive(event: WebhookEvent, headers: operations['onShareHeld']['parameters']['header']): string {
  if (headers['Service-Signature'] === '') return 'refuse';
  switch (event.type) {
    case 'checkout.completed':
      return event.data.object.external_booking_id;
    case 'checkout.expired':
      return event.data.object.shares[0]?.id ?? '';
    default:
      return event.type;
  }
}

// @ts-expect-error an amount is a number
export const wrongAmount: CheckoutCreate['amount'] = '24000';
// @ts-expect-error there is no such state
export const wrongStatus: Created['status'] = 'paid';
// @ts-expect-error there is no such event
export const wrongType: WebhookEvent['type'] = 'checkout.paid';
// @ts-expect-error there is no such type of fee
export const wrongFee: components['schemas']['slot']['prices'][number]['fees'][number]['type'] = 'tip';
// @ts-expect-error an operation of the operator is not in the partners' document
export type Internal = paths['/internal/activity'];
`;

const document = JSON.parse(readFileSync(join(packageRoot, 'schemas/openapi.gen.json'), 'utf8'));
const program = (path: string): string => join(packageRoot, 'node_modules', path);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'everyshare-openapi-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What the program prints, if it fails. */
function failureOf(path: string, args: readonly string[]): string {
  try {
    execFileSync(process.execPath, [program(path), ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
    return '';
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return `${stdout}${stderr}`;
  }
}

function refsOf(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string' ? [value] : key === 'examples' ? [] : refsOf(value),
  );
}

describe('the OpenAPI document', () => {
  it('refers only to whole components, never to the inside of one', () => {
    const refs = refsOf(document);
    expect(refs.length).toBeGreaterThan(100);
    expect(refs.filter((ref) => !/^#\/components\/(schemas|headers|responses)\/[A-Za-z0-9_-]+$/.test(ref))).toEqual([]);
    for (const ref of new Set(refs)) {
      const [, , kind = '', name = ''] = ref.split('/');
      expect(document.components[kind], ref).toHaveProperty(name);
    }
  });

  it('gives openapi-typescript types with which a partner’s client compiles', {
    tags: ['slow'],
    timeout: 120_000,
  }, () => {
    copyFileSync(join(packageRoot, 'schemas/openapi.gen.json'), join(folder, 'openapi.json'));
    writeFileSync(join(folder, 'client.ts'), CLIENT);
    // A .ts file, because compilers skip the errors of .d.ts files.
    const generated = ['openapi.json', '--output', 'api.ts'];
    expect(failureOf('openapi-typescript/bin/cli.js', generated)).toBe('');
    const compiled = ['client.ts', '--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext'];
    expect(failureOf('typescript-7/bin/tsc', compiled)).toBe('');
  });

  it('describes a webhook for each type of event that an endpoint can subscribe to, with its signature', () => {
    const subscribed = document.components.schemas.subscribed_events.items.enum;
    expect(Object.keys(document.webhooks).sort()).toEqual([...subscribed].sort());
    for (const [type, { post }] of Object.entries<{ post: never }>(document.webhooks)) {
      const { parameters, requestBody, responses } = post as {
        parameters: { name: string; required: boolean }[];
        requestBody: { content: { 'application/json': { example: { type: string } } } };
        responses: object;
      };
      expect(parameters.map(({ name }) => name)).toEqual([
        'Service-Signature',
        'webhook-id',
        'webhook-timestamp',
        'webhook-signature',
        'User-Agent',
      ]);
      expect(requestBody.content['application/json'].example.type).toBe(type);
      expect(Object.keys(responses)).toEqual(['2XX', 'default']);
    }
  });

  it('leaves out the operations of the operator and their token', () => {
    expect(Object.keys(document.paths).filter((path) => !/^\/(v1\/|mcp$)/.test(path))).toEqual([]);
    expect(document.components.securitySchemes).not.toHaveProperty('operatorToken');
    expect(document.components.schemas).not.toHaveProperty('activity');
  });
});
