// Isolation between venues and between modes, for every operation and every tool: an object of another owner looks
// exactly like one that does not exist, nothing is written and nothing is sent. A new operation or tool fails here
// until it has a row in the matrix.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { tools } from '../../src/run/operations/tools.ts';
import { operations } from '../../src/run/operations.ts';
import { digestDatabase, type IsolationFixture, type Owner, openIsolationFixture } from './isolation-fixture.ts';
import { referencesIn, referencesInSchema } from './object-references.ts';
import { type IdForm, uniqueName, unusedIds } from './objects.ts';
import { type MatrixRow, type Outcome, operationMatrix, toolMatrix, type Values } from './operation-matrix.ts';
import { type ObservedResponse, requestFor, type SendRequest, toolRequestFor } from './requests.ts';

// Sends every operation as every kind of caller.
vi.setConfig({ testTimeout: 60_000 });

let fixture: IsolationFixture;
beforeAll(async () => {
  fixture = await openIsolationFixture();
});
afterAll(() => fixture.close());

const NOT_FOUND: Outcome = [404, 'not_found'];
/** Texts that are no valid id. */
const MALFORMED_IDS = ['nonsense', '0', '\u00e9/../x'];

interface Probe {
  readonly description: string;
  readonly place: string;
  readonly values: Values;
  readonly expected: Outcome;
}

/**
 * Puts the objects of every other owner in every place, one place at a time and all at once; the first place decides.
 */
function probes(row: MatrixRow, own: Values, others: readonly (readonly [Owner, Values])[]): Probe[] {
  const places = Object.keys(row.references ?? {});
  return others.flatMap(([{ mark }, theirs]) => {
    const single = places.map((place) => ({ place, changed: [place] }));
    const combined = places.length > 1 ? [{ place: places[0] as string, changed: places }] : [];
    return [...single, ...combined].map(({ place, changed }) => ({
      description: `${changed.join(' and ')} of ${mark}`,
      place,
      values: { ...own, ...Object.fromEntries(changed.map((name) => [name, theirs[name] as string])) },
      expected: row.refused?.[place] ?? NOT_FOUND,
    }));
  });
}

/** The response without what differs for each request: its id, its times, and the ids that were sent. */
function comparable({ status, headers, text }: ObservedResponse, values: Values): unknown {
  let body = text.replaceAll(/"request_id":"[^"]*"/g, '"request_id":""');
  for (const value of Object.values(values)) body = body.replaceAll(value, 'ID');
  const varying = ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'content-length'];
  return { status, body, headers: [...headers].filter(([name]) => !varying.includes(name)) };
}

const outcomeOf = ({ status, code }: ObservedResponse): Outcome => (code === undefined ? [status] : [status, code]);

/** The values with an id in this place that is well formed and unused. */
function withUnusedId(row: MatrixRow, own: Values, place: string): Values {
  const form = (row.references?.[place] ?? 'own') as IdForm;
  return { ...own, [place]: unusedIds[form](fixture) };
}

async function expectIsolation(
  row: MatrixRow,
  send: SendRequest,
  make: NonNullable<MatrixRow['make']>[number],
  testOnly: boolean,
) {
  const owned: (readonly [Owner, Values])[] = [];
  for (const owner of fixture.owners) owned.push([owner, await make(fixture, owner)]);
  const places = Object.keys(row.references ?? {});
  const digestBefore = { rows: await digestDatabase(fixture.world.db), posts: fixture.receivedCount() };
  for (const [caller, own] of owned.slice(0, testOnly ? 1 : 2)) {
    const missing = new Map<string, unknown>();
    for (const place of places) {
      const values = withUnusedId(row, own, place);
      const response = await send(caller, values);
      const expected = row.unknownId?.[place]?.expected ?? row.refused?.[place] ?? NOT_FOUND;
      expect(outcomeOf(response), `unused ${place}: ${response.text}`).toEqual(expected);
      missing.set(place, comparable(response, values));
      const malformed = place.startsWith('path ') ? MALFORMED_IDS : [];
      const responses = await Promise.all(malformed.map((text) => send(caller, { ...own, [place]: text })));
      for (const answer of responses) expect(comparable(answer, {}), place).toEqual(comparable(response, {}));
    }
    const isShared = (owner: Owner): boolean => row.ofVenue === true && owner.venueId === caller.venueId;
    const others = owned.filter(([owner]) => owner !== caller && !isShared(owner));
    await Promise.all(
      probes(row, own, others).map(async ({ description, place, values, expected }) => {
        const response = await send(caller, values);
        expect(outcomeOf(response), `${description}: ${response.text}`).toEqual(expected);
        if (row.unknownId?.[place] === undefined)
          expect(comparable(response, values), description).toEqual(missing.get(place));
      }),
    );
  }
  expect({ rows: await digestDatabase(fixture.world.db), posts: fixture.receivedCount() }).toEqual(digestBefore);
  await expectOwnersServed(send, owned, testOnly);
}

/** The same calls by the owners: every object exists and is unchanged. */
async function expectOwnersServed(send: SendRequest, owned: readonly (readonly [Owner, Values])[], testOnly: boolean) {
  const idempotencyKey = uniqueName('the-same-for-every-owner');
  for (const [owner, values] of owned) {
    const response = await send(owner, values, { 'idempotency-key': idempotencyKey });
    if (testOnly && owner.mode === 'live') {
      expect(outcomeOf(response)).toEqual([403, 'mode_not_available']);
      continue;
    }
    expect(response.status, response.text).toBeLessThan(300);
    expect(response.headers.get('idempotent-replayed')).toBe(null);
    for (const [other, theirs] of owned) {
      if (other === owner) continue;
      for (const text of [other.mark, ...Object.values(theirs)]) expect(response.text).not.toContain(text);
    }
  }
}

describe('every operation', () => {
  it('is in the matrix, with every reference to an object that it accepts', () => {
    const { registry } = fixture.world.context;
    const names = Object.fromEntries(operations.map((operation) => [operation.id, referencesIn(operation, registry)]));
    const inMatrix = Object.entries(operationMatrix).map(([id, row]) => {
      const places = [...Object.keys(row.references ?? {}), ...Object.keys(row.unguarded ?? {})];
      return [id, places.sort()] as const;
    });
    expect(Object.fromEntries(inMatrix)).toEqual(names);
  });

  it.each(
    operations
      .filter(({ id }) => operationMatrix[id]?.make !== undefined)
      .map((operation) => [operation.id, operation] as const),
  )('%s reveals no object of another owner', async (id, operation) => {
    const row = operationMatrix[id] as MatrixRow;
    for (const make of row.make ?? [])
      await expectIsolation(row, requestFor(fixture, operation, row), make, operation.testOnly === true);
  });

  it.each(
    operations
      .filter(({ id }) => operationMatrix[id]?.createListed !== undefined)
      .map((operation) => [operation.id, operation] as const),
  )('%s lists only objects of the caller', async (id, operation) => {
    await expectLists(
      operationMatrix[id] as MatrixRow,
      requestFor(fixture, operation, operationMatrix[id] as MatrixRow),
      id === 'getMe' || operationMatrix[id]?.ofVenue === true,
    );
  });

  it.each(
    operations
      .filter(({ id }) => operationMatrix[id]?.bodyWithName !== undefined)
      .map((operation) => [operation.id, operation] as const),
  )('%s accepts a name that other owners use, and each owner has their own object', async (id, operation) => {
    const name = uniqueName('same');
    const ids = [];
    for (const owner of fixture.owners) {
      const row = { body: () => operationMatrix[id]?.bodyWithName?.(name, owner) };
      const response = await requestFor(fixture, operation, row)(owner, {});
      expect(response.status, response.text).toBe(201);
      expect(response.text).toContain(owner.mark);
      ids.push(response.json.id ?? response.json.data.id);
    }
    expect(new Set(ids).size).toBe(fixture.owners.length);
  });
});

async function expectLists(row: MatrixRow, send: SendRequest, showsWholeVenue: boolean): Promise<void> {
  const listedFor = new Map<Owner, string>();
  for (const owner of fixture.owners) listedFor.set(owner, (await row.createListed?.(fixture, owner)) ?? '');
  for (const owner of fixture.owners) {
    const { status, text } = await send(owner, {});
    expect(status, text).toBe(200);
    for (const [other, description] of listedFor) {
      // Both modes belong to the same venue.
      const isVisible = other === owner || (showsWholeVenue && other.venueId === owner.venueId);
      expect(text.includes(description), `${description} of ${other.mark}, shown to ${owner.mark}`).toBe(isVisible);
    }
  }
}

describe('every tool', () => {
  it('is in the matrix, with every reference to an object that it accepts', () => {
    const { registry } = fixture.world.context;
    const names = Object.fromEntries(tools.map(({ name, input }) => [name, referencesInSchema(input, registry)]));
    const inMatrix = Object.entries(toolMatrix).map(([name, row]) => {
      // The schema of `validate` accepts any object.
      const places =
        name === 'validate' ? [] : [...Object.keys(row.references ?? {}), ...Object.keys(row.unguarded ?? {})];
      return [name, places.sort()] as const;
    });
    expect(Object.fromEntries(inMatrix)).toEqual(names);
  });

  it.each(tools.filter(({ name }) => toolMatrix[name]?.make !== undefined).map((tool) => [tool.name, tool] as const))(
    '%s reveals no object of another owner',
    async (name) => {
      const row = toolMatrix[name] as MatrixRow;
      for (const make of row.make ?? []) await expectIsolation(row, toolRequestFor(fixture, name, row), make, false);
    },
  );

  it.each(
    tools.filter(({ name }) => toolMatrix[name]?.createListed !== undefined).map((tool) => [tool.name, tool] as const),
  )('%s lists only objects of the caller', async (name) => {
    const row = toolMatrix[name] as MatrixRow;
    await expectLists(row, toolRequestFor(fixture, name, row), name === 'describe_venue');
  });

  it.each(
    Object.entries(toolMatrix).flatMap(([name, { route }]) => (route === undefined ? [] : [[name, route] as const])),
  )('%s answers for an object of another owner as its route %s does', async (name, route) => {
    const [tool, row] = [toolMatrix[name] as MatrixRow, operationMatrix[route] as MatrixRow];
    const operation = operations.find(({ id }) => id === route);
    if (operation === undefined) throw new Error(`there is no operation ${route}`);
    const [owner, , theirs] = fixture.owners as [Owner, Owner, Owner, Owner];
    const [value = ''] = Object.values((await tool.make?.[0]?.(fixture, theirs)) ?? {});
    const valuesFor = (places: MatrixRow): Values => ({ [Object.keys(places.references ?? {})[0] ?? '']: value });
    const byTool = await toolRequestFor(fixture, name, tool)(owner, valuesFor(tool));
    const byRoute = await requestFor(fixture, operation, row)(owner, valuesFor(row));
    const response = (response: ObservedResponse) => comparable({ ...response, headers: new Headers() }, { value });
    expect(response(byTool)).toEqual(response(byRoute));
  });
});
