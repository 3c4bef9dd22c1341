// The way to the console's page: a browser gets there from the address of the service, a program does not.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

const get = (path: string, accept: string): Promise<Response> =>
  fetch(`${world.urls[0]}${path}`, { headers: { accept }, redirect: 'manual' });

describe('GET /', () => {
  it('leads a browser to the console', async () => {
    const answer = await get('/', 'text/html,application/xhtml+xml,*/*;q=0.8');
    expect([answer.status, answer.headers.get('location'), answer.headers.get('vary')]).toEqual([
      302,
      '/console',
      'accept',
    ]);
  });

  it.each(['*/*', 'application/json', ''])('answers a program that accepts "%s" with 404', async (accept) => {
    const answer = await get('/', accept);
    expect([answer.status, answer.headers.get('vary')]).toEqual([404, 'accept']);
    expect(((await answer.json()) as { error: { code: string } }).error.code).toBe('not_found');
  });
});

describe('an address under /console/api', () => {
  it.each(['/console/api', '/console/api/', '/console/api/nothing', '/console/%61pi/nothing'])(
    '%s that is no call gets a problem, not the page',
    async (path) => {
      const answer = await get(path, 'text/html');
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
      expect(answer.headers.has('x-ratelimit-limit')).toBe(true);
    },
  );

  it('that takes another method says which one', async () => {
    const answer = await get('/console/api/sign_in', 'text/html');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });
});
