// The walls between venues and between modes, for every operation and every tool: what is not yours looks exactly like what
// does not exist, nothing is written and nothing is sent. The matrix is made from the lists of operations and tools; whatever
// is new there fails here until it is placed.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tools } from '../../src/run/operations/tools.ts';
import { operations } from '../../src/run/operations.ts';
import { digest, type Owner, openStreet, type Street } from './isolation-fixture.ts';
import { namesIn, namesInSchema } from './object-references.ts';
import { type Form, fresh, nobodys } from './objects.ts';
import { type Outcome, type Placed, placed, placedTools, type Values } from './operation-matrix.ts';
import { type Ask, asks, askTool, type Heard } from './requests.ts';

let street: Street;
beforeAll(async () => {
  street = await openStreet();
});
afterAll(() => street.close());

const NOT_FOUND: Outcome = [404, 'not_found'];
/** What no id can be. */
const STRANGE = ['nonsense', '0', '\u00e9/../x'];

interface Probe {
  readonly what: string;
  readonly place: string;
  readonly values: Values;
  readonly told: Outcome;
}

/** Every object of everybody else in every place, one at a time and all at once; the first place is told of. */
function probes(row: Placed, own: Values, others: readonly (readonly [Owner, Values])[]): Probe[] {
  const places = Object.keys(row.names ?? {});
  return others.flatMap(([{ mark }, theirs]) => {
    const one = places.map((place) => ({ place, changed: [place] }));
    const all = places.length > 1 ? [{ place: places[0] as string, changed: places }] : [];
    return [...one, ...all].map(({ place, changed }) => ({
      what: `${changed.join(' and ')} of ${mark}`,
      place,
      values: { ...own, ...Object.fromEntries(changed.map((name) => [name, theirs[name] as string])) },
      told: row.refused?.[place] ?? NOT_FOUND,
    }));
  });
}

/** What was heard, without what names the request or repeats what was asked. */
function stable({ status, headers, text }: Heard, values: Values): unknown {
  let plain = text.replaceAll(/"request_id":"[^"]*"/g, '"request_id":""');
  for (const value of Object.values(values)) plain = plain.replaceAll(value, 'ID');
  const changing = ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'content-length'];
  return { status, plain, headers: [...headers].filter(([name]) => !changing.includes(name)) };
}

const shown = ({ status, code }: Heard): Outcome => (code === undefined ? [status] : [status, code]);

/** Nobody's object in a place, in the form that its ids have. */
function nobodysIn(row: Placed, own: Values, place: string): Values {
  const form = (row.names?.[place] ?? 'own') as Form;
  return { ...own, [place]: nobodys[form](street) };
}

async function expectWalls(row: Placed, ask: Ask, make: NonNullable<Placed['make']>[number], testOnly: boolean) {
  const owned: (readonly [Owner, Values])[] = [];
  for (const owner of street.owners) owned.push([owner, await make(street, owner)]);
  const places = Object.keys(row.names ?? {});
  const before = { rows: await digest(street.world.db), posts: street.posted() };
  for (const [caller, own] of owned.slice(0, testOnly ? 1 : 2)) {
    const missing = new Map<string, unknown>();
    for (const place of places) {
      const values = nobodysIn(row, own, place);
      const heard = await ask(caller, values);
      const told = row.nobodys?.[place]?.told ?? row.refused?.[place] ?? NOT_FOUND;
      expect(shown(heard), `nobody’s ${place}: ${heard.text}`).toEqual(told);
      missing.set(place, stable(heard, values));
      const strange = place.startsWith('path ') ? STRANGE : [];
      const answers = await Promise.all(strange.map((text) => ask(caller, { ...own, [place]: text })));
      for (const answer of answers) expect(stable(answer, {}), place).toEqual(stable(heard, {}));
    }
    const others = owned.filter(([owner]) => owner !== caller);
    await Promise.all(
      probes(row, own, others).map(async ({ what, place, values, told }) => {
        const heard = await ask(caller, values);
        expect(shown(heard), `${what}: ${heard.text}`).toEqual(told);
        if (row.nobodys?.[place] === undefined) expect(stable(heard, values), what).toEqual(missing.get(place));
      }),
    );
  }
  expect({ rows: await digest(street.world.db), posts: street.posted() }).toEqual(before);
  await expectOwnersServed(ask, owned, testOnly);
}

/** The same calls, by those whose objects they are: they were all there, and are as they were. */
async function expectOwnersServed(ask: Ask, owned: readonly (readonly [Owner, Values])[], testOnly: boolean) {
  const everybodys = fresh('the-same-for-everybody');
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
    const { registry } = street.world.context;
    const names = Object.fromEntries(operations.map((operation) => [operation.id, namesIn(operation, registry)]));
    const inMatrix = Object.entries(placed).map(([id, row]) => {
      const places = [...Object.keys(row.names ?? {}), ...Object.keys(row.free ?? {})];
      return [id, places.sort()] as const;
    });
    expect(Object.fromEntries(inMatrix)).toEqual(names);
  });

  it.each(
    operations
      .filter(({ id }) => placed[id]?.make !== undefined)
      .map((operation) => [operation.id, operation] as const),
  )('%s tells of nobody else’s object', async (id, operation) => {
    const row = placed[id] as Placed;
    for (const make of row.make ?? [])
      await expectWalls(row, asks(street, operation, row), make, operation.testOnly === true);
  });

  it.each(
    operations
      .filter(({ id }) => placed[id]?.lists !== undefined)
      .map((operation) => [operation.id, operation] as const),
  )('%s lists what is the caller’s own, and nothing else', async (id, operation) => {
    await expectLists(placed[id] as Placed, asks(street, operation, placed[id] as Placed), id === 'getMe');
  });

  it.each(
    operations
      .filter(({ id }) => placed[id]?.claims !== undefined)
      .map((operation) => [operation.id, operation] as const),
  )('%s takes a name that others use as well, and each has their own by it', async (id, operation) => {
    const name = fresh('same');
    const made = [];
    for (const owner of street.owners) {
      const row = { body: () => placed[id]?.claims?.(name, owner) };
      const heard = await asks(street, operation, row)(owner, {});
      expect(heard.status, heard.text).toBe(201);
      expect(heard.text).toContain(owner.mark);
      made.push(heard.json.id ?? heard.json.data.id);
    }
    expect(new Set(made).size).toBe(street.owners.length);
  });
});

async function expectLists(row: Placed, ask: Ask, ofVenue: boolean): Promise<void> {
  const shownTo = new Map<Owner, string>();
  for (const owner of street.owners) shownTo.set(owner, (await row.lists?.(street, owner)) ?? '');
  for (const owner of street.owners) {
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
    const { registry } = street.world.context;
    const names = Object.fromEntries(tools.map(({ name, input }) => [name, namesInSchema(input, registry)]));
    const inMatrix = Object.entries(placedTools).map(([name, row]) => {
      // What `validate` is handed may be anything, and its schema says so.
      const places = name === 'validate' ? [] : [...Object.keys(row.names ?? {}), ...Object.keys(row.free ?? {})];
      return [name, places.sort()] as const;
    });
    expect(Object.fromEntries(inMatrix)).toEqual(names);
  });

  it.each(tools.filter(({ name }) => placedTools[name]?.make !== undefined).map((tool) => [tool.name, tool] as const))(
    '%s tells of nobody else’s object',
    async (name) => {
      const row = placedTools[name] as Placed;
      for (const make of row.make ?? []) await expectWalls(row, askTool(street, name, row), make, false);
    },
  );

  it.each(tools.filter(({ name }) => placedTools[name]?.lists !== undefined).map((tool) => [tool.name, tool] as const))(
    '%s lists what is the caller’s own, and nothing else',
    async (name) => {
      const row = placedTools[name] as Placed;
      await expectLists(row, askTool(street, name, row), name === 'describe_venue');
    },
  );

  it.each(
    Object.entries(placedTools).flatMap(([name, { route }]) => (route === undefined ? [] : [[name, route] as const])),
  )('%s says of somebody else’s object what its route %s says', async (name, route) => {
    const [tool, row] = [placedTools[name] as Placed, placed[route] as Placed];
    const operation = operations.find(({ id }) => id === route);
    if (operation === undefined) throw new Error(`there is no operation ${route}`);
    const [mine, , theirs] = street.owners as [Owner, Owner, Owner, Owner];
    const [value = ''] = Object.values((await tool.make?.[0]?.(street, theirs)) ?? {});
    const under = (places: Placed): Values => ({ [Object.keys(places.names ?? {})[0] ?? '']: value });
    const byTool = await askTool(street, name, tool)(mine, under(tool));
    const byRoute = await asks(street, operation, row)(mine, under(row));
    const told = (heard: Heard) => stable({ ...heard, headers: new Headers() }, { value });
    expect(told(byTool)).toEqual(told(byRoute));
  });
});
