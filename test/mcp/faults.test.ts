// Internal errors while an agent is served: the agent gets an error with the request id, the log has the cause, metrics
// count it, and a batch answers what it has done. Each fault has a TestWorld of its own.

import { afterEach, expect, it, vi } from 'vitest';
import { isDistributed } from '../support/distributed.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { checkoutBody, offeringBody, post, request, SITE } from './json-rpc-client.ts';

const worlds: TestWorld[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const world of worlds.splice(0)) await world.close();
});
async function openWorld(): Promise<{ world: TestWorld; key: string }> {
  const world = await openTestWorld();
  worlds.push(world);
  return { world, key: (await world.venue({ origins: [SITE] })).secretTest };
}

const linesOf = (world: TestWorld, id: string): Record<string, unknown>[] =>
  world.logs.map((line) => JSON.parse(line)).filter(({ request_id }) => request_id === id);

it('an error outside a tool is answered with only the request id, and the log has its cause', async () => {
  const { world, key } = await openWorld();
  await post(world, request('ping'), { key });
  // Worlds share the registry: afterEach restores it.
  vi.spyOn(world.context.registry, 'published').mockImplementation(() => {
    throw new Error('the folder /etc/secret is gone');
  });
  const sent = request('resources/read', { uri: 'everyshare://schemas/offering' });
  for (const version of ['2025-03-26', '2025-11-25', '2026-07-28']) {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const isModern = version === '2026-07-28';
    const { params } = sent as { params: object };
    const body = isModern ? { ...sent, params: { ...params, _meta: meta } } : sent;
    const headers: Record<string, string> = isModern
      ? { 'mcp-method': 'resources/read', 'mcp-name': 'everyshare://schemas/offering' }
      : {};
    const response = await post(world, body, { key, version, headers });
    const id = response.headers.get('x-request-id') ?? '';
    expect(response.json.error).toEqual({ code: -32603, message: 'Internal error', data: { request_id: id } });
    const lines = linesOf(world, id);
    expect(lines.some(({ err }) => JSON.stringify(err ?? '').includes('/etc/secret'))).toBe(true);
    expect(lines.at(-1)).toMatchObject({ msg: 'request', status: 200, tool_status: 500 });
  }
});

it('a failed tool is counted and logged with the status that its route would have', async () => {
  const { world, key } = await openWorld();
  const statusOf = async (name: string, args: object): Promise<unknown> => {
    const response = await post(world, request('tools/call', { name, arguments: args }), { key });
    expect(response.status).toBe(200);
    return linesOf(world, response.headers.get('x-request-id') ?? '').at(-1)?.tool_status;
  };
  expect(await statusOf('upsert_offerings', { offerings: [offeringBody()] })).toBe(200);
  expect(await statusOf('upsert_offerings', { offerings: [] })).toBe(422);
  await world.db.query('alter table offerings rename to offerings_gone');
  expect(await statusOf('upsert_offerings', { offerings: [offeringBody('other')] })).toBe(500);
  const metrics = await world.call('GET', '/metrics', { key: world.operatorToken });
  for (const status of [200, 422, 500]) {
    const name = `everyshare_http_requests_total{operation="callTool upsert_offerings",status="${status}"}`;
    expect(metrics.text).toContain(`${name} 1`);
  }
});

it.skipIf(isDistributed)(
  'a batch that fails midway answers each message: the results before, and an error for each one after',
  async () => {
    const { world, key } = await openWorld();
    // Admission fails as soon as the first message has committed.
    await world.db.query(`create function lose_keys() returns trigger language plpgsql as $$
    begin
      execute 'alter table keys rename to keys_gone';
      return null;
    end $$`);
    await world.db.query(
      'create trigger lose_keys after insert on checkouts for each row execute function lose_keys()',
    );
    const batch = [
      request('tools/call', { name: 'create_checkout', arguments: checkoutBody() }, 'made'),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      request('tools/call', { name: 'describe_venue' }, 'lost'),
      request('ping', {}, 'too'),
    ];
    const response = await post(world, batch, { key });
    expect(response.status).toBe(200);
    const [created, ...failed] = response.json;
    expect([created.id, created.result.structuredContent.replayed]).toEqual(['made', false]);
    // biome-ignore lint/suspicious/noExplicitAny: responses of every shape.
    expect(failed.map(({ id, error }: any) => [id, error.code, error.data.error.code])).toEqual([
      ['lost', -32000, 'internal_error'],
      ['too', -32000, 'internal_error'],
    ]);
    expect(response.text).not.toContain('keys');
    expect(linesOf(world, response.headers.get('x-request-id') ?? '').at(-1)).toMatchObject({
      status: 200,
      tool_status: 500,
    });
  },
);
