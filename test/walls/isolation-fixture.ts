// Two venues with two modes each: four owners, each of whom is a stranger to the three others. What they make carries their
// mark, so that an answer to somebody else would show it. Also the digest of the whole database, by which nothing is written
// unseen.

import { expect } from 'vitest';
import type { Mode } from '../../src/base/config.ts';
import type { Db } from '../../src/base/db.ts';
import { SCOPES } from '../../src/domain/keys/key.ts';
import { createMember } from '../../src/domain/members/create-member.ts';
import { startHttpsReceiver } from '../support/test-receivers.ts';
import { type CallOptions, type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';

export const SITE = 'https://harbor.example';
export const HIGH_LIMITS = { writesPerHour: 1_000_000, readsPerHour: 1_000_000 };

export interface Owner {
  /** In the text of whatever is theirs. */
  readonly mark: string;
  readonly venueId: string;
  readonly mode: Mode;
  readonly secret: string;
  readonly publishable: string;
  /** Who organizes their parties. */
  readonly member: Member;
  /** The token of somebody who has no share anywhere yet. */
  readonly newcomer: string;
}

interface Member {
  readonly id: string;
  readonly token: string;
}

export interface IsolationFixture {
  readonly world: TestWorld;
  readonly owners: readonly Owner[];
  /** Where the endpoints of all four are. */
  readonly receiverUrl: string;
  /** How often that was posted to. */
  readonly receivedCount: () => number;
  call(owner: Owner, method: string, path: string, call?: CallOptions): Promise<HttpResponse>;
  /** The same, of which nothing but success is expected. */
  callOk(owner: Owner, method: string, path: string, body?: unknown): Promise<HttpResponse>;
  close(): Promise<void>;
}

export async function openIsolationFixture(servers = 1): Promise<IsolationFixture> {
  const world = await openTestWorld({
    servers,
    env: { ALLOW_INSECURE_TARGETS: '1', TRUSTED_PROXIES: '127.0.0.1' },
  });
  let posts = 0;
  const receiver = await startHttpsReceiver((_request, response) => {
    posts += 1;
    response.end('ok');
  });
  const owners: Owner[] = [];
  for (const name of ['anchor', 'breeze']) {
    const { venue } = await world.venue({ name: `The ${name}`, origins: [SITE] });
    for (const mode of ['test', 'live'] as const) owners.push(await owner(world, venue.id, name, mode));
  }
  const call: IsolationFixture['call'] = (one, method, path, more = {}) =>
    world.call(method, path, { key: one.secret, ...more });
  return {
    world,
    owners,
    receiverUrl: `https://127.0.0.1:${receiver.port}`,
    receivedCount: () => posts,
    call,
    async callOk(one, method, path, body) {
      const response = await call(one, method, path, body === undefined ? {} : { body });
      expect(response.status, `${method} ${path}: ${response.text}`).toBeLessThan(300);
      return response;
    },
    async close() {
      await world.close();
      await receiver.close();
    },
  };
}

let people = 0;

async function owner(world: TestWorld, venueId: string, name: string, mode: Mode): Promise<Owner> {
  const { key: secret } = await world.key(venueId, { mode, scopes: mode === 'live' ? SCOPES : [], ...HIGH_LIMITS });
  const { key: publishable } = await world.key(venueId, { mode, kind: 'publishable' });
  const mark = `${name}-${mode}`;
  const { token: newcomer } = await memberOf(world);
  return { mark, venueId, mode, secret, publishable, member: await memberOf(world), newcomer };
}

async function memberOf(world: TestWorld): Promise<Member> {
  const phone = `+1555030${String(people++).padStart(4, '0')}`;
  const { id } = await world.db.transaction((tx) => createMember(tx, world.command(), { phone, name: null }));
  return { id, token: await world.context.tokens.sign(id) };
}

/** The rolling hour counts whoever is refused too; nothing else may. */
const COUNTED = ['limit_windows', 'limit_calls'];

/** Each table's rows and a sum over all that is in them, whatever their order. */
export async function digestDatabase(db: Db): Promise<Record<string, string>> {
  const tables = await db.query<{ name: string }>(
    `select relname as "name" from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by relname`,
    [],
  );
  const parts = tables
    .filter(({ name }) => !COUNTED.includes(name))
    .map(
      ({ name }) => `select '${name}' as name, count(*) || ' rows, ' ||
        coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) as sum from ${name} t`,
    );
  const rows = await db.query<{ name: string; sum: string }>(parts.join(' union all '), []);
  return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]));
}
