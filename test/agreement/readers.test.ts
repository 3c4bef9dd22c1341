// The reader files agree with their schema, with the mappings, and with the code that runs them.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Reader } from '../../schemas/types.gen.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { DAY_NAMES } from '../../src/domain/hooks/readers/read-days.ts';
import { openSharedWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openSharedWorld();
});
afterAll(() => world.close());

const folder = join(packageRoot, 'schemas', 'v1', 'readers');
const readers = readdirSync(folder).map((file) => {
  const reader = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Reader;
  return [file, reader] as const;
});

it.each(readers)('%s is valid against its schema and is named after its provider', (file, reader) => {
  const candidate = { value: reader as never, text: JSON.stringify(reader), badTexts: [] };
  expect(world.context.validator.problems('reader', candidate)).toEqual([]);
  expect(file).toBe(`${reader.provider}.json`);
});

it.each(readers)('%s names events, objects and entries that exist, and no name twice', (_file, reader) => {
  const events = world.context.mappings.get(reader.provider)?.events.map(({ name }) => name) ?? [];
  const reserved = ['ping', 'credentials', 'token', 'cursor', ...DAY_NAMES];
  for (const read of reader.reads) {
    expect(events).toEqual(expect.arrayContaining([...read.events]));
    expect(reader.objects.map(({ name }) => name)).toContain(read.object);
    const collected = read.steps.flatMap(({ collect }) => Object.keys(collect ?? {}));
    const joined = (read.join ?? []).flatMap(({ to, name }) => (to === undefined ? [name] : []));
    const steps = read.steps.map(({ name }) => name);
    const names = [...reserved, ...steps, ...collected, ...joined, ...Object.keys(read.variables)];
    expect(new Set(names).size).toBe(names.length);
  }
  expect(reader.reads.map(({ name }) => name)).toContain(reader.catalogue.read);
});

it.each(readers)(
  '%s names variables and fields that exist where an object is gone or of another account',
  (_file, reader) => {
    const fields = reader.credentials.map(({ name }) => name);
    for (const { variables, gone, gone_ids, offering, object, same_account, whole_list } of reader.reads) {
      const { each, order } = reader.objects.find(({ name }) => name === object) ?? {};
      if (gone_ids !== undefined) {
        expect(gone).toBe('cancel');
        expect(Object.keys(variables)).toEqual(expect.arrayContaining([...gone_ids]));
        expect(gone_ids).toHaveLength(order?.id.length ?? 0);
      }
      // A list has no ids of its own: only an object without one can be found by its variables.
      if (gone === 'cancel' && each === undefined) expect(gone_ids).toBeDefined();
      if (whole_list === true) expect(each).toBeDefined();
      if (offering !== undefined) expect(Object.keys(variables)).toContain(offering);
      expect(Object.keys(variables)).toEqual(expect.arrayContaining(Object.keys(same_account ?? {})));
      expect(fields).toEqual(expect.arrayContaining(Object.values(same_account ?? {})));
    }
  },
);

it.each(readers)('%s uses only values that it has, and its patterns are regular expressions', (_file, reader) => {
  const fields = reader.credentials.map(({ name }) => `credentials.${name}`);
  const used = (value: unknown): string[] =>
    [...JSON.stringify(value).matchAll(/\{([A-Za-z0-9_.@[\]|]+)\}/g)].flatMap(([, path = '']) => path.split('|'));
  for (const path of used({ headers: reader.headers, token: reader.token })) {
    if (path !== 'token') expect(fields).toContain(path);
  }
  for (const read of reader.reads) {
    const known = new Set([...Object.keys(read.variables), 'token', 'cursor', ...DAY_NAMES]);
    for (const step of read.steps) {
      for (const path of used(step)) {
        if (path.startsWith('credentials.')) expect(fields).toContain(path);
        else expect([...known, ...Object.keys(step.values ?? {})]).toContain(path.split(/[.[]/)[0]);
      }
      known.add(step.name);
      for (const { to, name } of read.join ?? []) if (to === undefined) known.add(name);
    }
    for (const { matches } of Object.values(read.variables)) {
      if (matches !== undefined) expect(new RegExp(matches)).toBeInstanceOf(RegExp);
    }
  }
});

it.each(readers)(
  '%s joins by a list and a condition, or by rows, and says for how many days its slots are',
  (_file, reader) => {
    for (const { from, where, only, rows } of reader.reads.flatMap(({ join = [] }) => join))
      expect([from !== undefined, (where ?? only) !== undefined, rows !== undefined]).toEqual(
        rows === undefined ? [true, true, false] : [false, false, true],
      );
    for (const { each_slot, each_slot_days } of reader.objects)
      expect(each_slot === undefined).toBe(each_slot_days === undefined);
  },
);
