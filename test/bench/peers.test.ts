// The parts of the peers' benches that decide what is measured: the bytes of requests, the clock of a round of jobs, and
// which packages are missing.

import { describe, expect, it } from 'vitest';
import { getRequest, postRequest } from '../../bench/load.ts';
import { createCartRequest, databaseAddress, readCartRequest } from '../../bench/peers/medusa-requests.ts';
import { missingPackages } from '../../bench/peers/packages.ts';
import { timeJobs } from '../../bench/peers/time-jobs.ts';

const parse = (request: string): { head: string[]; body: string } => {
  const [head = '', body = ''] = request.split('\r\n\r\n');
  return { head: head.split('\r\n'), body };
};

describe('the requests of the load', () => {
  it('are complete, with the length of the body in bytes', () => {
    expect(getRequest('/v1/me', 'sk_1')).toBe(
      'GET /v1/me HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer sk_1\r\naccept: application/json\r\n\r\n',
    );
    const { head, body } = parse(postRequest('/v1/checkouts', 'sk_1', '{"description":"Cabana 3"}', 'attempt-1'));
    expect(body).toBe('{"description":"Cabana 3"}');
    expect(head).toEqual([
      'POST /v1/checkouts HTTP/1.1',
      'host: 127.0.0.1',
      'authorization: Bearer sk_1',
      'accept: application/json',
      'idempotency-key: attempt-1',
      'content-type: application/json',
      'content-length: 26',
    ]);
    expect(postRequest('/v1/checkouts', 'sk_1', '{}', null)).not.toContain('idempotency-key');
  });

  it('create a cart with one item or none, and read it, with the publishable key', () => {
    const { head, body } = parse(createCartRequest('pk_1', { regionId: 'reg_1', variantId: 'variant_1' }));
    expect(head).toContain('x-publishable-api-key: pk_1');
    expect(head).toContain(`content-length: ${Buffer.byteLength(body)}`);
    expect(JSON.parse(body)).toMatchObject({ region_id: 'reg_1', items: [{ variant_id: 'variant_1', quantity: 1 }] });
    const empty = parse(createCartRequest('pk_1', { regionId: 'reg_1', variantId: null }));
    expect(JSON.parse(empty.body)).not.toHaveProperty('items');
    expect(readCartRequest('pk_1', 'cart_1')).toMatch(/^GET \/store\/carts\/cart_1 HTTP\/1\.1\r\n[\s\S]*\r\n\r\n$/);
  });
});

describe('the clock of a round of jobs', () => {
  it('covers the time from the first job to the last record', async () => {
    const timer = timeJobs(3, () => new Promise((resolve) => setTimeout(resolve, 20)), 5_000);
    await timer.run('');
    timer.markRecorded();
    await Promise.all([timer.run(''), timer.run('')]);
    await timer.allRan;
    expect(() => timer.seconds()).toThrow('the last job was not recorded');
    timer.markRecorded();
    expect(timer.seconds()).toBeGreaterThan(0.035);
    expect(timer.seconds()).toBeLessThan(2);
  });

  it('is an error when a job ran twice or not at all', async () => {
    const timer = timeJobs(2, async () => undefined, 5_000);
    await timer.run('');
    timer.markRecorded();
    expect(() => timer.seconds()).toThrow('1 jobs began and 1 ended, not 2');
    await timer.run('');
    await timer.run('');
    timer.markRecorded();
    expect(() => timer.seconds()).toThrow('3 jobs began and 3 ended, not 2');
  });

  it('ends the wait when a job failed or the time is over', async () => {
    const failing = timeJobs(1, () => Promise.reject(new Error('the receiver answered 500')), 5_000);
    await expect(failing.run('')).rejects.toThrow('500');
    await expect(failing.allRan).rejects.toThrow('500');
    const late = timeJobs(2, async () => undefined, 10);
    await late.run('');
    await expect(late.allRan).rejects.toThrow('1 of 2 jobs');
    await expect(late.pause()).rejects.toThrow('1 of 2 jobs');
  });
});

it('packages are missing that are not installed or have another version', () => {
  const installed: Readonly<Record<string, string>> = { pg: '8.0.0', rrule: '2.8.1' };
  const wanted = { pg: '8.23.1', rrule: '2.8.1', fastify: '5.12.8' };
  expect(missingPackages(wanted, (name) => installed[name] ?? null)).toEqual(['pg', 'fastify']);
});

it('the address of another database has the folder of the socket as its host', () => {
  const query = 'host=%2Ftmp%2Fa%20b&port=5432&sslmode=disable';
  expect(databaseAddress(`postgres://me:a%2Fb@localhost/everyshare?${query}`, 'medusa')).toBe(
    'postgres://me:a%2Fb@%2Ftmp%2Fa%20b/medusa?port=5432&sslmode=disable',
  );
  expect(databaseAddress('postgres://me@127.0.0.1:5433/everyshare', 'medusa')).toBe(
    'postgres://me@127.0.0.1:5433/medusa',
  );
});
