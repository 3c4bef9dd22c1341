// The walls between venues and between modes, for every operation and every tool: what is not yours looks exactly like what
// does not exist, nothing is written and nothing is sent. The matrix is made from the lists of operations and tools; whatever
// is new there fails here until it is placed.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tools } from '../../src/run/operations/tools.ts';
import { operations } from '../../src/run/operations.ts';
import { digestDatabase, type IsolationFixture, type Owner, openIsolationFixture } from './isolation-fixture.ts';
import { referencesIn, referencesInSchema } from './object-references.ts';
import { type Form, uniqueName, unusedIds } from './objects.ts';
import { type MatrixRow, type Outcome, operationMatrix, toolMatrix, type Values } from './operation-matrix.ts';
import { type ObservedResponse, requestFor, type SendRequest, toolRequestFor } from './requests.ts';

let fixture: IsolationFixture;
beforeAll(async () => {
  fixture = await openIsolationFixture();
});
afterAll(() => fixture.close());

const NOT_FOUND: Outcome = [404, 'not_found'];
/** What no id can be. */
const STRANGE = ['nonsense', '0', '\u00e9/../x'];

interface Probe {
  readonly what: string;
  readonly place: string;
  readonly values: Values;
  readonly expected: Outcome;
}

/** Every object of everybody else in every place, one at a time and all at once; the first place is told of. */
function probes(row: MatrixRow, own: Values, others: readonly (readonly [Owner, Values])[]): Probe[] {
  const places = Object.keys(row.names ?? {});
  return others.flatMap(([{ mark }, theirs]) => {
    const one = places.map((place) => ({ place, changed: [place] }));
    const all = places.length > 1 ? [{ place: places[0] as string, changed: places }] : [];
    return [...one, ...all].map(({ place, changed }) => ({
      what: `${changed.join(' and ')} of ${mark}`,
      place,
      values: { ...own, ...Object.fromEntries(changed.map((name) => [name, theirs[name] as string])) },
      expected: row.refused?.[place] ?? NOT_FOUND,
    }));
  });
}

/** What was heard, without what names the request or repeats what was asked. */
function stable({ status, headers, text }: ObservedResponse, values: Values): unknown {
  let plain = text.replaceAll(/"request_id":"[^"]*"/g, '"request_id":""');
  for (const value of Object.values(values)) plain = plain.replaceAll(value, 'ID');
  const changing = ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'content-length'];
  return { status, plain, headers: [...headers].filter(([name]) => !changing.includes(name)) };
}

const shown = ({ status, code }: ObservedResponse): Outcome => (code === undefined ? [status] : [status, code]);

/** Nobody's object in a place, in the form that its ids have. */
function nobodysIn(row: MatrixRow, own: Values, place: string): Values {
  const form = (row.names?.[place] ?? 'own') as Form;
  return { ...own, [place]: unusedIds[form](fixture) };
}

async function expectWalls(
  row: MatrixRow,
  ask: SendRequest,
  make: NonNullable<MatrixRow['make']>[number],
  testOnly: boolean,
) {
  const owned: (readonly [Owner, Values])[] = [];
  for (const owner of fixture.owners) owned.push([owner, await make(fixture, owner)]);
  const places = Object.keys(row.names ?? {});
  const before = { rows: await digestDatabase(fixture.world.db), posts: fixture.receivedCount() };
  for (const [caller, own] of owned.slice(0, testOnly ? 1 : 2)) {
    const missing = new Map<string, unknown>();
    for (const place of places) {
      const values = nobodysIn(row, own, place);
      const heard = await ask(caller, values);
      const expected = row.unknownId?.[place]?.expected ?? row.refused?.[place] ?? NOT_FOUND;
      expect(shown(heard), `nobody’s ${place}: ${heard.text}`).toEqual(expected);
      missing.set(place, stable(heard, values));
      const strange = place.startsWith('path ') ? STRANGE : [];
      const answers = await Promise.all(strange.map((text) => ask(caller, { ...own, [place]: text })));
      for (const answer of answers) expect(stable(answer, {}), place).toEqual(stable(heard, {}));
    }
    const others = owned.filter(([owner]) => owner !== caller);
    await Promise.all(
      probes(row, own, others).map(async ({ what, place, values, expected }) => {
        const heard = await ask(caller, values);
        expect(shown(heard), `${what}: ${heard.text}`).toEqual(expected);
        if (row.unknownId?.[place] === undefined) expect(stable(heard, values), what).toEqual(missing.get(place));
      }),
    );
  }
  expect({ rows: await digestDatabase(fixture.world.db), posts: fixture.receivedCount() }).toEqual(before);
  await expectOwnersServed(ask, owned, testOnly);
}

/** The same calls, by those whose objects they are: they were all there, and are as they were. */
async function expectOwnersServed(ask: SendRequest, owned: readonly (readonly [Owner, Values])[], testOnly: boolean) {
  const everybodys = uniqueName('the-same-for-everybody');
  for (const [owner, values] of owned) {
    const heard = await ask(owner, values, { 'idempotency-key': everybodys });
    if (testOnly && owner.mode === 'live') {
      expect(shown(heard)).toEqual([403, 'mode_not_available']);
      continue;
    }
    expect(heard.status, heard.text).toBeLessThan(300);
    expect(heard.headers.get('idempotent-replayed')).toBe(null);
    for (const [other, theirs] of owned) {
      if (other === owner) continue;
      for (const text of [other.mark, ...Object.values(theirs)]) expect(heard.text).not.toContain(text);
    }
  }
}

describe('every operation', () => {
  it('stands in the matrix, with every name of an object that it can be handed', () => {
    const { registry } = fixture.world.context;
    const names = Object.fromEntries(operations.map((operation) => [operation.id, referencesIn(operation, registry)]));
    const inMatrix = Object.entries(operationMatrix).map(([id, row]) => {
      const places = [...Object.keys(row.names ?? {}), ...Object.keys(row.free ?? {})];
      return [id, places.sort()] as const;
    });
    expect(Object.fromEntries(inMatrix)).toEqual(names);
  });

  it.each(
    operations
      .filter(({ id }) => operationMatrix[id]?.make !== undefined)
      .map((operation) => [operation.id, operation] as const),
  )('%s tells of nobody else’s object', async (id, operation) => {
    const row = operationMatrix[id] as MatrixRow;
    for (const make of row.make ?? [])
      await expectWalls(row, requestFor(fixture, operation, row), make, operation.testOnly === true);
  });

  it.each(
    operations
      .filter(({ id }) => operationMatrix[id]?.lists !== undefined)
      .map((operation) => [operation.id, operation] as const),
  )('%s lists what is the caller’s own, and nothing else', async (id, operation) => {
    await expectLists(
      operationMatrix[id] as MatrixRow,
      requestFor(fixture, operation, operationMatrix[id] as MatrixRow),
      id === 'getMe',
    );
  });

  it.each(
    operations
      .filter(({ id }) => operationMatrix[id]?.claims !== undefined)
      .map((operation) => [operation.id, operation] as const),
  )('%s takes a name that others use as well, and each has their own by it', async (id, operation) => {
    const name = uniqueName('same');
    const made = [];
    for (const owner of fixture.owners) {
      const row = { body: () => operationMatrix[id]?.claims?.(name, owner) };
      const heard = await requestFor(fixture, operation, row)(owner, {});
      expect(heard.status, heard.text).toBe(201);
      expect(heard.text).toContain(owner.mark);
      made.push(heard.json.id ?? heard.json.data.id);
    }
    expect(new Set(made).size).toBe(fixture.owners.length);
  });
});

async function expectLists(row: MatrixRow, ask: SendRequest, ofVenue: boolean): Promise<void> {
  const shownTo = new Map<Owner, string>();
  for (const owner of fixture.owners) shownTo.set(owner, (await row.lists?.(fixture, owner)) ?? '');
  for (const owner of fixture.owners) {
    const { status, text } = await ask(owner, {});
    expect(status, text).toBe(200);
    for (const [other, what] of shownTo) {
      // Both modes are of the one venue.
      const isTheirs = other === owner || (ofVenue && other.venueId === owner.venueId);
      expect(text.includes(what), `${what} of ${other.mark}, shown to ${owner.mark}`).toBe(isTheirs);
    }
  }
}

describe('every tool', () => {
  it('stands in the matrix, with every name of an object that it can be handed', () => {
    const { registry } = fixture.world.context;
    const names = Object.fromEntries(tools.map(({ name, input }) => [name, referencesInSchema(input, registry)]));
    const inMatrix = Object.entries(toolMatrix).map(([name, row]) => {
      // What `validate` is handed may be anything, and its schema says so.
      const places = name === 'validate' ? [] : [...Object.keys(row.names ?? {}), ...Object.keys(row.free ?? {})];
      return [name, places.sort()] as const;
    });
    expect(Object.fromEntries(inMatrix)).toEqual(names);
  });

  it.each(tools.filter(({ name }) => toolMatrix[name]?.make !== undefined).map((tool) => [tool.name, tool] as const))(
    '%s tells of nobody else’s object',
    async (name) => {
      const row = toolMatrix[name] as MatrixRow;
      for (const make of row.make ?? []) await expectWalls(row, toolRequestFor(fixture, name, row), make, false);
    },
  );

  it.each(tools.filter(({ name }) => toolMatrix[name]?.lists !== undefined).map((tool) => [tool.name, tool] as const))(
    '%s lists what is the caller’s own, and nothing else',
    async (name) => {
      const row = toolMatrix[name] as MatrixRow;
      await expectLists(row, toolRequestFor(fixture, name, row), name === 'describe_venue');
    },
  );

  it.each(
    Object.entries(toolMatrix).flatMap(([name, { route }]) => (route === undefined ? [] : [[name, route] as const])),
  )('%s says of somebody else’s object what its route %s says', async (name, route) => {
    const [tool, row] = [toolMatrix[name] as MatrixRow, operationMatrix[route] as MatrixRow];
    const operation = operations.find(({ id }) => id === route);
    if (operation === undefined) throw new Error(`there is no operation ${route}`);
    const [mine, , theirs] = fixture.owners as [Owner, Owner, Owner, Owner];
    const [value = ''] = Object.values((await tool.make?.[0]?.(fixture, theirs)) ?? {});
    const under = (places: MatrixRow): Values => ({ [Object.keys(places.names ?? {})[0] ?? '']: value });
    const byTool = await toolRequestFor(fixture, name, tool)(mine, under(tool));
    const byRoute = await requestFor(fixture, operation, row)(mine, under(row));
    const response = (heard: ObservedResponse) => stable({ ...heard, headers: new Headers() }, { value });
    expect(response(byTool)).toEqual(response(byRoute));
  });
});
