// Two venues with two modes each: four owners, each without access to the other three. The objects of an owner carry
// its mark, so that a leak into another owner's answer shows. digestDatabase() detects any write.

import { expect } from 'vitest';
import type { Mode } from '../../src/base/config.ts';
import type { Db } from '../../src/base/db.ts';
import { SCOPES } from '../../src/domain/keys/key.ts';
import { createMember } from '../../src/domain/members/create-member.ts';
import { createAccount, createSession } from '../support/console-client.ts';
import { startHttpsReceiver } from '../support/test-receivers.ts';
import { type CallOptions, type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';

export const SITE = 'https://harbor.example';
export const HIGH_LIMITS = { writesPerHour: 1_000_000, readsPerHour: 1_000_000 };

export interface Owner {
  /** Part of the text of every object of the owner. */
  readonly mark: string;
  readonly venueId: string;
  readonly mode: Mode;
  readonly secret: string;
  readonly publishable: string;
  /** The organizer of the owner's parties. */
  readonly member: Member;
  /** The token of a member without any share. */
  readonly newcomer: string;
  /** A person who is the venue's owner in the console; each owner of this fixture has one. */
  readonly account: { readonly id: string; readonly email: string; readonly token: string };
}

interface Member {
  readonly id: string;
  readonly token: string;
}

export interface IsolationFixture {
  readonly world: TestWorld;
  readonly owners: readonly Owner[];
  /** The receiver of the webhook endpoints of all owners. */
  readonly receiverUrl: string;
  /** How many requests the receiver got. */
  readonly receivedCount: () => number;
  call(owner: Owner, method: string, path: string, call?: CallOptions): Promise<HttpResponse>;
  /** Calls and expects success. */
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
    for (const mode of ['test', 'live'] as const) owners.push(await createOwner(world, venue.id, name, mode));
  }
  const call: IsolationFixture['call'] = (owner, method, path, options = {}) =>
    world.call(method, path, { key: owner.secret, ...options });
  return {
    world,
    owners,
    receiverUrl: `https://127.0.0.1:${receiver.port}`,
    receivedCount: () => posts,
    call,
    async callOk(owner, method, path, body) {
      const response = await call(owner, method, path, body === undefined ? {} : { body });
      expect(response.status, `${method} ${path}: ${response.text}`).toBeLessThan(300);
      return response;
    },
    async close() {
      await world.close();
      await receiver.close();
    },
  };
}

let memberCount = 0;

async function createOwner(world: TestWorld, venueId: string, name: string, mode: Mode): Promise<Owner> {
  const { key: secret } = await world.key(venueId, { mode, scopes: mode === 'live' ? SCOPES : [], ...HIGH_LIMITS });
  const { key: publishable } = await world.key(venueId, { mode, kind: 'publishable' });
  const mark = `${name}-${mode}`;
  const { token: newcomer } = await newMember(world);
  const email = `${mark}@people.example`;
  const id = await createAccount(world.context, email, [[venueId, 'owner']]);
  const { token } = await createSession(world.context, id);
  const account = { id, email, token };
  return { mark, venueId, mode, secret, publishable, member: await newMember(world), newcomer, account };
}

async function newMember(world: TestWorld): Promise<Member> {
  const phone = `+1213555${String(memberCount++).padStart(4, '0')}`;
  const { id } = await world.db.transaction((tx) => createMember(tx, world.command(), { phone, name: null }));
  return { id, token: await world.context.tokens.sign(id) };
}

/** Rate limits count refused calls too, and a read of the health stores its figures; all other tables must stay the same. */
const CHANGING_TABLES = ['limit_windows', 'limit_calls', 'figures'];

/** For each table the number of rows and a checksum over their content that does not depend on their order. */
export async function digestDatabase(db: Db): Promise<Record<string, string>> {
  const tables = await db.query<{ name: string }>(
    `select relname as "name" from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by relname`,
    [],
  );
  const selects = tables
    .filter(({ name }) => !CHANGING_TABLES.includes(name))
    .map(
      ({ name }) => `select '${name}' as name, count(*) || ' rows, ' ||
        coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) as sum from ${name} t`,
    );
  const rows = await db.query<{ name: string; sum: string }>(selects.join(' union all '), []);
  return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]));
}
