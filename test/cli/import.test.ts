// Imports by the operator: files of any size are split into objects, chunks are committed one by one, a stopped import
// resumes, and failed objects are reported. The splitter is tested alone; everything else on a real database.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { JsonSplitter, JsonStreamError, splitJson } from '../../src/cli/json-stream.ts';
import { ProgressBar } from '../../src/cli/progress-bar.ts';
import { recordStream } from '../support/record-logs.ts';
import { type CommandLine, commandLine } from '../support/run-command.ts';
import { openSharedWorld, type TestWorld } from '../support/test-world.ts';

const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000';

interface ImportReport {
  readonly total: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly resumed_at: number | null;
  readonly errors: {
    readonly index: number;
    readonly external_id: string | null;
    readonly errors: { code: string; field: string }[];
  }[];
}

function boat(index: number, overrides: object = {}) {
  return {
    external_id: `boat-${index}`,
    name: `Second Wind ${index}`,
    type: 'catamaran',
    length_ft: 42,
    capacity: 12,
    captain: 'included',
    location: { city: 'Miami' },
    pricing: [{ duration_hours: 4, amount: 120000, currency: 'usd' }],
    photo_urls: ['https://cdn.fleet.example/1.jpg'],
    ...overrides,
  };
}

function offering(index: number, overrides: object = {}) {
  return {
    external_id: `cabana-${index}`,
    kind: 'cabana',
    title: `Cabana ${index}`,
    tiers: [{ amount: 25000, currency: 'usd', unit: 'per_group' }],
    ...overrides,
  };
}

const repeat = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const lines = (objects: readonly unknown[]): string => objects.map((object) => `${JSON.stringify(object)}\n`).join('');

describe('the splitter', () => {
  function split(chunks: readonly Buffer[], splitter = new JsonSplitter('boats')): unknown[] {
    const found: unknown[] = [];
    const take = (texts: Iterable<{ bytes: Buffer }>) => {
      for (const { bytes } of texts) found.push(JSON.parse(bytes.toString()));
    };
    for (const chunk of chunks) take(splitter.push(chunk));
    take(splitter.end());
    return found;
  }

  /** The text in chunks of these lengths. */
  function inChunks(text: string, lengths: readonly number[]): Buffer[] {
    const bytes = Buffer.from(text);
    const chunks: Buffer[] = [];
    let position = 0;
    for (const length of lengths) {
      chunks.push(bytes.subarray(position, position + length));
      position += length;
    }
    return [...chunks, bytes.subarray(position)];
  }

  function errorOf(text: string): { index: number; offset: number; message: string } {
    try {
      split([Buffer.from(text)]);
    } catch (error) {
      if (error instanceof JsonStreamError) return error;
      throw error;
    }
    throw new Error('the splitter found nothing wrong');
  }

  const values = fc.array(fc.jsonValue({ maxDepth: 4 }));
  const indents = fc.constantFrom('', '\t', '  ');
  const lengths = fc.oneof(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 200 }), fc.constant([5000, 1, 70]));

  it('the splitter agrees with JSON.parse on any list of JSON values, with any layout and in any chunks', {
    tags: ['slow'],
  }, () => {
    fc.assert(
      fc.property(values, indents, lengths, fc.boolean(), (list, indent, sizes, wrapped) => {
        const text = JSON.stringify(wrapped ? { boats: list } : list, null, indent);
        expect(split(inChunks(text, sizes))).toEqual(JSON.parse(JSON.stringify(list)));
      }),
      { numRuns: 500 },
    );
  });

  it('the splitter agrees with JSON.parse on which lists are not JSON', { tags: ['slow'] }, () => {
    const mark = fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', ' ', '1', 'n', '');
    fc.assert(
      fc.property(values, fc.nat(), mark, fc.boolean(), lengths, (list, place, inserted, replace, sizes) => {
        const whole = JSON.stringify(list);
        const position = 1 + (place % whole.length);
        const text = whole.slice(0, position) + inserted + whole.slice(position + (replace ? 1 : 0));
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          expect(() => split(inChunks(text, sizes))).toThrow();
          return;
        }
        expect(split(inChunks(text, sizes))).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it('the splitter agrees with JSON.parse on every line of JSON lines', { tags: ['slow'] }, () => {
    const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 1 });
    fc.assert(
      fc.property(objects, lengths, fc.constantFrom('\n', '\r\n', '\n \n'), fc.boolean(), (list, sizes, end, last) => {
        const text = list.map((object) => JSON.stringify(object)).join(end) + (last ? end : '');
        expect(split(inChunks(text, sizes))).toEqual(JSON.parse(JSON.stringify(list)));
      }),
      { numRuns: 500 },
    );
  });

  it('the splitter recognizes a list, a named list and lines, after a byte order mark and white space', () => {
    for (const text of ['[{"a":1},{"a":2}]', '{"a":1}\n{"a":2}', '{ "boats" : [{"a":1},\n{"a":2}] }\n', '[] ']) {
      const expected = text === '[] ' ? [] : [{ a: 1 }, { a: 2 }];
      for (const before of ['', '\ufeff', ' \r\n\t']) expect(split([Buffer.from(before + text)])).toEqual(expected);
    }
  });

  it.each([
    ['', 0, 0, 'it is empty'],
    ['boat', 0, 0, 'it must begin with [ or {'],
    ['{"offerings": [{}]}', 0, 0, 'it contains offerings, not boats'],
    ['[1, 2', 1, 4, 'it ends in the middle of this object'],
    ['[1, 2,', 2, 6, 'it ends before the end of the list'],
    ['{"boats": [1]', 1, 13, 'it ends before the }'],
    ['[1,, 2]', 1, 3, 'expected an object, found ,'],
    ['[1, 2,]', 2, 6, 'expected an object, found ]'],
    ['[1, 2}', 1, 5, 'this } has no matching {'],
    ['[1, 2] 3', 2, 7, 'nothing may follow the end of the list'],
    ['{"boats": [1], "more": 1}', 1, 13, 'nothing may follow the end of the list'],
  ])('the error for %j names the object and the byte', (text, index, offset, message) => {
    expect(errorOf(text)).toMatchObject({ index, offset, message: expect.stringContaining(message) });
  });

  it('each text has its offset in bytes', () => {
    const splitter = new JsonSplitter('boats');
    const text = '[ {"a": "ü"} ,\n 17, "x" ]';
    const offsets = inChunks(
      text,
      repeat(40, () => 1),
    ).flatMap((chunk) => [...splitter.push(chunk)].map(({ offset }) => offset));
    expect([...offsets, ...[...splitter.end()].map(({ offset }) => offset)]).toEqual([2, 17, 21]);
  });

  it('an object that never ends is refused at the size limit', () => {
    const endless = Buffer.from(`[{"name": "${'x'.repeat(70_000)}`);
    const splitter = new JsonSplitter('boats', 100_000);
    expect(() => {
      for (const chunk of [endless, endless, endless]) for (const _ of splitter.push(chunk));
    }).toThrow(/longer than 100000 bytes, or a quote or a bracket/);
    expect(() => split([Buffer.from(`{"a": "${'x'.repeat(2_000_000)}"}\n`)])).toThrow(/longer than 1048576 bytes/);
  });

  it.each(['list', 'lines'])(
    'the splitter holds at most one object and one chunk of 200,000 objects in a %s of 30 MB',
    { tags: ['slow'] },
    async (form) => {
      const CHUNK = 65_536;
      let longest = 0;
      let bytes = 0;
      async function* source(): AsyncGenerator<Buffer> {
        let text = form === 'list' ? '[' : '';
        for (let index = 0; index < 200_000; index++) {
          const object = JSON.stringify({ external_id: `boat-${index}`, name: 'x'.repeat(index % 240) });
          longest = Math.max(longest, object.length);
          text += form === 'list' ? `${index === 0 ? '' : ',\n'}${object}` : `${object}\n`;
          if (text.length < CHUNK) continue;
          bytes += CHUNK;
          yield Buffer.from(text.slice(0, CHUNK));
          text = text.slice(CHUNK);
        }
        bytes += text.length + 1;
        yield Buffer.from(`${text}${form === 'list' ? ']' : '\n'}`);
      }
      const splitter = new JsonSplitter('boats');
      let count = 0;
      for await (const text of splitJson(source(), splitter)) {
        if (count % 20_000 === 0) expect(JSON.parse(text.bytes.toString()).external_id).toBe(`boat-${count}`);
        count += 1;
      }
      expect(count).toBe(200_000);
      expect(bytes).toBeGreaterThan(30_000_000);
      expect(splitter.bytesRead).toBe(bytes);
      expect(splitter.maxBytesHeld).toBeGreaterThan(CHUNK);
      expect(splitter.maxBytesHeld).toBeLessThanOrEqual(CHUNK + longest + 2);
    },
  );
});

describe('the progress bar', () => {
  it('draws objects, speed and share on a terminal, not too often, and clears itself at the end', () => {
    const written: string[] = [];
    let now = 0;
    const bar = new ProgressBar('boats', { now: () => now }, { isTTY: true, write: (text) => written.push(text) });
    now = 1000;
    bar.show(700, 500, 0.5);
    now = 1050;
    bar.show(800, 600, 0.6);
    now = 2000;
    bar.show(1700, 1500, null);
    bar.end();
    expect(written).toEqual([
      `\r\u001b[Kboats  700  500/s  [${'#'.repeat(15)}${'-'.repeat(15)}] 50%`,
      '\r\u001b[Kboats  1700  750/s',
      '\r\u001b[K',
    ]);
  });

  it('draws only the share when nothing is counted', () => {
    const written: string[] = [];
    const bar = new ProgressBar('dropping', { now: () => 0 }, { isTTY: true, write: (text) => written.push(text) });
    bar.showShare(0.25);
    expect(written).toEqual([`\r\u001b[Kdropping  [${'#'.repeat(7)}${'-'.repeat(23)}] 25%`]);
  });

  it('writes nothing without a terminal', () => {
    const write = () => {
      throw new Error('something was written');
    };
    const bar = new ProgressBar('boats', { now: () => 0 }, { write });
    bar.printLine('Going on.');
    bar.show(1, 1, 1);
    bar.end();
  });
});

describe('an import', () => {
  let world: TestWorld;
  let cli: CommandLine;
  let folder: string;
  beforeAll(async () => {
    world = await openSharedWorld();
    cli = commandLine(world);
    folder = mkdtempSync(join(tmpdir(), 'everyshare-import-'));
  });
  afterAll(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  let files = 0;
  function file(text: string | Buffer, extension = 'json'): string {
    const path = join(folder, `objects-${files++}.${extension}`);
    writeFileSync(path, text);
    return path;
  }
  async function venueArgs(mode: 'test' | 'live' = 'test'): Promise<string[]> {
    const { venue } = await world.venue();
    return ['--venue', venue.id, '--mode', mode];
  }
  async function rows(table: 'boats' | 'offerings', venue: readonly string[]) {
    return world.db.query<{ external_id: string; status: string; mode: string; created_at: string }>(
      `select external_id, status, mode, created_at from ${table} where venue_id = $1 order by created_at`,
      [venue[1]],
    );
  }
  /** Runs an import in which objects fail: exit code 1, one line, and the report. */
  async function runWithFailures(...argv: string[]): Promise<ImportReport & { line: string }> {
    const output = await cli.run(...argv, '--json');
    expect(output.exit).toBe(1);
    expect(output.err).toMatch(/^everyshare: [^\n]+\n$/);
    return { ...JSON.parse(output.out), line: output.err.slice('everyshare: '.length, -1) };
  }
  const progressOf = (path: string) => JSON.parse(readFileSync(`${path}.progress.json`, 'utf8'));

  /** 250 boats, of which 5 fail: three by the contract, one by a repeated id, one that is not an object. */
  const boatsWithFailures = (): unknown[] =>
    repeat(250, (index) => {
      if (index === 7) return boat(index, { capacity: 0, nmae: 'x' });
      if (index === 120) return boat(index, { name: 'half \ud800' });
      if (index === 121) return 17;
      if (index === 199) return boat(150);
      if (index === 249) return boat(index, { external_id: undefined });
      return boat(index);
    });

  it.each([
    ['JSON lines', (fleet: unknown[]) => lines(fleet)],
    ['a list', (fleet: unknown[]) => JSON.stringify(fleet, null, 2)],
    ['a named list', (fleet: unknown[]) => JSON.stringify({ boats: fleet })],
  ])('an import of 250 boats as %s writes the valid ones and reports the others', async (_form, write) => {
    const venue = await venueArgs();
    const path = file(write(boatsWithFailures()));
    const response = await runWithFailures('import', 'boats', path, ...venue);
    expect(response).toMatchObject({
      type: 'boats',
      venue_id: venue[1],
      mode: 'test',
      dry_run: false,
      ...{ total: 250, created: 245, updated: 0, unchanged: 0, failed: 5, resumed_at: null },
      line: '5 of 250 boats failed: fix them and import them again.',
    });
    expect(
      response.errors.map(({ index, external_id, errors }) => [
        index,
        external_id,
        ...errors.map(({ code, field }) => `${code} ${field}`),
      ]),
    ).toEqual([
      [7, 'boat-7', 'out_of_range /capacity', 'unknown_field /nmae'],
      [120, 'boat-120', 'invalid_format /name'],
      [121, null, 'invalid_type '],
      [199, 'boat-150', 'not_unique /external_id'],
      [249, null, 'missing_field /external_id'],
    ]);
    const stored = await rows('boats', venue);
    expect(stored).toHaveLength(245);
    expect(stored.slice(0, 9).map(({ external_id }) => external_id)).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 8, 9].map((index) => `boat-${index}`),
    );
    expect(new Set(stored.map(({ status }) => status))).toEqual(new Set(['pending']));
    expect(existsSync(`${path}.progress.json`)).toBe(false);
    expect(await runWithFailures('import', 'boats', path, ...venue)).toMatchObject({
      created: 0,
      unchanged: 245,
      failed: 5,
    });
  });

  it('an import of offerings writes every valid one and updates what changed', async () => {
    const venue = await venueArgs('live');
    const endless = {
      timezone: 'UTC',
      recurring: [{ starts_at: '2027-01-01T00:00:00Z', rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' }],
    };
    const all = [
      ...repeat(60, (index) => offering(index)),
      offering(60, { tiers: [] }),
      offering(61, { availability: endless }),
      offering(3, { title: 'Garden cabana' }),
    ];
    const response = await runWithFailures('import', 'offerings', file(lines(all)), ...venue);
    expect(response).toMatchObject({ type: 'offerings', mode: 'live', total: 63, created: 60, updated: 0, failed: 3 });
    expect(response.errors.map(({ index, errors }) => [index, errors[0]?.field])).toEqual([
      [60, '/tiers'],
      [61, '/availability/recurring/0/rrule'],
      [62, '/external_id'],
    ]);
    const stored = await rows('offerings', venue);
    expect([stored.length, new Set(stored.map(({ mode }) => mode))]).toEqual([60, new Set(['live'])]);
    const changed = file(JSON.stringify([offering(3, { title: 'Garden cabana' }), offering(4)]));
    const repeated = await cli.json('import', 'offerings', changed, ...venue);
    expect(repeated).toMatchObject({ total: 2, created: 0, updated: 1, unchanged: 1, failed: 0, errors: [] });
  });

  it('a person sees the counts and the first twenty failures; --report writes all of them', async () => {
    const venue = await venueArgs();
    const report = join(folder, 'report.jsonl');
    const fleet = repeat(130, (index) => boat(index, index < 30 ? { capacity: 0, length_ft: 1 } : {}));
    const path = file(lines(fleet));
    const output = await cli.run('import', 'boats', path, ...venue, '--report', report);
    expect(output.exit).toBe(1);
    expect(output.err).toBe('everyshare: 30 of 130 boats failed: fix them and import them again.\n');
    expect(output.out).toContain(`boats      130 of ${path}\nvenue      ${venue[1]} (Harbor Club), test\n`);
    expect(output.out).toMatch(/created +100\nupdated +0\nunchanged +0\nfailed +30\nreport +/);
    expect(output.out).toMatch(/OBJECT +EXTERNAL ID +FIELD +CODE +PROBLEM\n0 +boat-0 +\/length_ft +out_of_range +\S/);
    expect(output.out).toMatch(/\n19 +boat-19 +\/capacity .*\n\n10 more failed: all of them are in /);
    expect(output.out).not.toMatch(/^20 /m);
    const reported = readFileSync(report, 'utf8').trimEnd().split('\n');
    expect(reported).toHaveLength(30);
    expect(JSON.parse(reported[29] ?? '')).toMatchObject({
      index: 29,
      external_id: 'boat-29',
      errors: [{ field: '/length_ft' }, { field: '/capacity' }],
    });
  });

  it('an import commits the objects before a broken place, and resumes there when the file is fixed', async () => {
    const venue = await venueArgs();
    const report = join(folder, 'broken.jsonl');
    const whole = lines(boatsWithFailures());
    const position = Buffer.byteLength(lines(boatsWithFailures().slice(0, 230))) + 40;
    const bytes = Buffer.from(whole);
    bytes[position] = 0x01;
    const path = file(bytes, 'jsonl');
    const line = await cli.line(1, 'import', 'boats', path, ...venue, '--report', report);
    expect(line).toContain(`${path} is not valid at object 230 (byte ${position}): `);
    expect(line).toContain('230 objects are done (created 226, updated 0, unchanged 0, failed 4)');
    expect(await rows('boats', venue)).toHaveLength(226);
    expect(progressOf(path)).toMatchObject({ next: 230, broken: { index: 230, byte: position } });

    writeFileSync(path, whole);
    utimesSync(path, 1, 1);
    const response = await runWithFailures('import', 'boats', path, ...venue, '--report', report);
    expect(response).toMatchObject({ total: 250, created: 245, updated: 0, unchanged: 0, failed: 5, resumed_at: 230 });
    expect(response.errors.map(({ index }) => index)).toEqual([7, 120, 121, 199, 249]);
    expect(await rows('boats', venue)).toHaveLength(245);
    expect(readFileSync(report, 'utf8').trimEnd().split('\n')).toHaveLength(5);
    expect(existsSync(`${path}.progress.json`)).toBe(false);
  });

  it('an import of a truncated list resumes, and says so', async () => {
    const venue = await venueArgs();
    const whole = JSON.stringify(repeat(120, (index) => boat(index)));
    const path = file(whole.slice(0, -40));
    expect(await cli.line(1, 'import', 'boats', path, ...venue)).toMatch(
      /object 119 \(byte \d+\): it ends in the middle/,
    );
    writeFileSync(path, whole);
    const output = await cli.run('import', 'boats', path, ...venue);
    expect(output).toMatchObject({ exit: 0, err: '' });
    expect(output.out).toMatch(/resumed +at object 119, where the last run stopped\ncreated +120\n/);
  });

  it('an import that the database interrupts resumes after the last commit', async () => {
    const venue = await venueArgs();
    const path = file(lines(repeat(250, (index) => boat(index))));
    await world.db.query(
      `create function refuse_boat() returns trigger language plpgsql as
       $$ begin if new.external_id = 'boat-210' then raise 'the disk is full'; end if; return new; end $$`,
    );
    await world.db.query(
      'create trigger refuse_boat before insert on boats for each row execute function refuse_boat()',
    );
    try {
      expect(await cli.line(1, 'import', 'boats', path, ...venue)).toMatch(
        /^the disk is full 200 objects are done .*: run the same command again, and it resumes there\.$/,
      );
    } finally {
      await world.db.query('drop function refuse_boat cascade');
    }
    expect(await rows('boats', venue)).toHaveLength(200);
    expect(await cli.json('import', 'boats', path, ...venue)).toMatchObject({
      ...{ total: 250, created: 250, unchanged: 0, resumed_at: 200 },
    });
  });

  it('an import that crashed between a commit and its progress file finds those objects unchanged', async () => {
    const venue = await venueArgs();
    const fleet = repeat(250, (index) => boat(index));
    const path = file(`${lines(fleet)}{`);
    await cli.line(1, 'import', 'boats', path, ...venue);
    const stored = progressOf(path);
    expect(stored).toMatchObject({ next: 250, counts: { created: 250 } });
    // The state after the first chunk of another run.
    const first = file(`${lines(fleet.slice(0, 100))}{`);
    await cli.line(1, 'import', 'boats', first, ...(await venueArgs()));
    const { next, digest, counts } = progressOf(first);
    writeFileSync(`${path}.progress.json`, JSON.stringify({ ...stored, next, digest, counts }));
    writeFileSync(path, lines(fleet));
    expect(await cli.json('import', 'boats', path, ...venue)).toMatchObject({
      ...{ total: 250, created: 100, unchanged: 150, failed: 0, resumed_at: 100 },
    });
    expect(await rows('boats', venue)).toHaveLength(250);
  });

  describe('an interrupted import', () => {
    /** A file of which 100 objects are imported, as after a kill behind the first chunk. */
    async function interrupted(): Promise<{ path: string; venue: string[] }> {
      const venue = await venueArgs();
      const path = file(`${lines(repeat(100, (index) => boat(index)))}{`);
      await cli.line(1, 'import', 'boats', path, ...venue);
      writeFileSync(path, lines(repeat(150, (index) => boat(index))));
      const { size, mtimeMs } = statSync(path);
      const killed = { ...progressOf(path), broken: null, source: { size, mtime_ms: mtimeMs } };
      writeFileSync(`${path}.progress.json`, JSON.stringify(killed));
      return { path, venue };
    }

    it('resumes if its file is the same', async () => {
      const { path, venue } = await interrupted();
      expect(await cli.json('import', 'boats', path, ...venue)).toMatchObject({ created: 150, resumed_at: 100 });
    });

    it('does not resume if its file has changed, and starts again with --restart', async () => {
      const { path, venue } = await interrupted();
      writeFileSync(path, lines(repeat(151, (index) => boat(index))));
      const line = await cli.line(1, 'import', 'boats', path, ...venue);
      expect(line).toMatch(
        /^the file has changed since its first 100 objects were imported: start again with --restart/,
      );
      expect(await rows('boats', venue)).toHaveLength(100);
      const response = await cli.json('import', 'boats', path, ...venue, '--restart');
      expect(response).toMatchObject({ total: 151, created: 51, unchanged: 100, resumed_at: null });
    });

    it('does not resume if a fixed file differs in the imported part', async () => {
      const { path, venue } = await interrupted();
      const stored = { ...progressOf(path), broken: { index: 100, byte: 1 } };
      writeFileSync(`${path}.progress.json`, JSON.stringify(stored));
      const fleet = lines(repeat(150, (index) => boat(index)));
      for (const text of [fleet.replace('Second Wind 50"', 'Third Wind 50"'), lines([boat(0)]), '[']) {
        writeFileSync(path, text);
        expect(await cli.line(1, 'import', 'boats', path, ...venue)).toContain('the file has changed since');
      }
    });

    it('does not resume another import, and leaves a file that is not a progress file unchanged', async () => {
      const { path, venue } = await interrupted();
      expect(await cli.line(1, 'import', 'boats', path, ...(await venueArgs()))).toContain(
        `belongs to another import (boats into venue ${venue[1]}, test)`,
      );
      const notes = file('{"my": "notes"}');
      for (const flags of [[], ['--restart']]) {
        const line = await cli.line(1, 'import', 'boats', path, ...venue, '--progress', notes, ...flags);
        expect(line).toContain(`${notes} is not a progress file of an import`);
      }
      expect(readFileSync(notes, 'utf8')).toBe('{"my": "notes"}');
    });
  });

  it('a dry run validates everything and writes nothing', async () => {
    const venue = await venueArgs();
    const path = file(lines(boatsWithFailures()));
    const response = await runWithFailures('import', 'boats', path, ...venue, '--dry-run');
    expect(response).toMatchObject({ dry_run: true, total: 250, created: 245, updated: 0, unchanged: 0, failed: 5 });
    const output = await cli.run('import', 'boats', path, ...venue, '--dry-run');
    expect(output.out).toMatch(/to create +245\nto update +0\nunchanged +0\nfailed +5\n/);
    expect(output.out).toContain('Nothing was written: this was a dry run.');
    const broken = file(`${lines([boat(1), boat(2, { capacity: 0 })])}{"a"`);
    expect(await cli.line(1, 'import', 'boats', broken, ...venue, '--dry-run')).toMatch(
      /object 2 .* The 2 objects before it were checked, 1 of them failed\.$/,
    );
    expect(await rows('boats', venue)).toEqual([]);
    expect([existsSync(`${path}.progress.json`), existsSync(`${broken}.progress.json`)]).toEqual([false, false]);
    const ticks = await world.db.query('select 1 from venue_timestamps where venue_id = $1', [venue[1]]);
    expect(ticks).toEqual([]);
  });

  it.each(['boats', 'offerings'] as const)(
    'a dry run of %s says what would be created, updated and left unchanged, as the import then does',
    async (kind) => {
      const venue = await venueArgs();
      const one = (index: number, overrides = {}) =>
        kind === 'boats' ? boat(index, overrides) : offering(index, overrides);
      const title = kind === 'boats' ? 'name' : 'title';
      await cli.json('import', kind, file(lines([one(0), one(1), one(2)])), ...venue);
      const path = file(lines([one(0), one(1, { [title]: 'Changed' }), one(3), one(4), one(5)]));
      const counts = { total: 5, created: 3, updated: 1, unchanged: 1, failed: 0 };
      const before = await rows(kind, venue);
      expect(await cli.json('import', kind, path, ...venue, '--dry-run')).toMatchObject({ dry_run: true, ...counts });
      expect(await rows(kind, venue)).toEqual(before);
      expect(await cli.json('import', kind, path, ...venue)).toMatchObject({ dry_run: false, ...counts });
    },
  );

  it('an amount written with a point or an exponent fails alone', async () => {
    const venue = await venueArgs();
    const pointed = JSON.stringify(boat(1)).replace(/"amount":(\d+)/, '"amount":$1.0');
    expect(pointed).toContain('.0');
    const response = await runWithFailures('import', 'boats', file(`${lines([boat(0)])}${pointed}\n`), ...venue);
    expect(response).toMatchObject({ created: 1, failed: 1 });
    expect(response.errors).toMatchObject([{ errors: [{ code: 'invalid_type', field: '/pricing/0/amount' }] }]);
  });

  it('an object with a repeated member name fails alone', async () => {
    const venue = await venueArgs();
    const double = JSON.stringify(boat(1)).replace('{', '{"name":"First",');
    const response = await runWithFailures(
      'import',
      'boats',
      file(`${lines([boat(0)])}${double}\n${lines([boat(2)])}`),
      ...venue,
    );
    expect(response).toMatchObject({ created: 2, failed: 1 });
    expect(response.errors).toMatchObject([
      { index: 1, external_id: 'boat-1', errors: [{ code: 'invalid_json', field: '' }] },
    ]);
  });

  it('the built program imports from standard input and exits with code 1 if an object failed', {
    tags: ['slow'],
  }, async () => {
    const { venue } = await world.venue();
    const argv = ['import', 'boats', '-', '--venue', venue.id, '--mode', 'test', '--json'];
    const child = spawn(process.execPath, [join(packageRoot, 'bin', 'everyshare.js'), ...argv], {
      cwd: packageRoot,
      env: {
        PATH: process.env.PATH,
        DATA_DIR: folder,
        DATABASE_URL: world.context.config.databaseUrl ?? '',
        ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      },
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    recordStream(child.stderr);
    child.stdin.end(lines([boat(0), boat(1, { capacity: 0 })]));
    const exit = await new Promise((resolve) => child.on('close', resolve));
    expect([exit, err]).toEqual([1, 'everyshare: 1 of 2 boats failed: fix them and import them again.\n']);
    expect(JSON.parse(out)).toMatchObject({ total: 2, created: 1, failed: 1 });
  });

  it('an import into a revoked, unlinked or unknown venue is refused', async () => {
    const path = file(lines([boat(0)]));
    const { venue: sandbox } = await world.venue({ sandbox: true });
    expect(await cli.line(1, 'import', 'boats', path, '--venue', sandbox.id, '--mode', 'live')).toContain(
      `link it first with "everyshare venue link ${sandbox.id}"`,
    );
    expect(await cli.json('import', 'boats', path, '--venue', sandbox.id, '--mode', 'test')).toMatchObject({
      created: 1,
    });
    await cli.json('venue', 'revoke', sandbox.id);
    expect(await cli.line(1, 'import', 'boats', path, '--venue', sandbox.id, '--mode', 'test')).toContain('is revoked');
    expect(await cli.line(1, 'import', 'boats', path, '--venue', UNKNOWN_ID, '--mode', 'test')).toContain(
      `there is no venue ${UNKNOWN_ID}`,
    );
  });

  it('a wrong command line or an unreadable file is refused before the database is opened', async () => {
    const withoutDatabase = commandLine(null);
    const path = file('[]');
    const venue = ['--venue', UNKNOWN_ID, '--mode', 'test'];
    expect(await withoutDatabase.line(2, 'import', 'boats', ...venue)).toContain('"import boats" needs FILE');
    expect(await withoutDatabase.line(2, 'import', 'boats', path, '--mode', 'test')).toContain('--venue is missing');
    expect(await withoutDatabase.line(2, 'import', 'boats', path, '--venue', UNKNOWN_ID, '--mode', 'prod')).toContain(
      '--mode is',
    );
    expect(await withoutDatabase.line(2, 'import', 'yachts', path, ...venue)).toContain(
      'there is no command "import yachts"',
    );
    expect(await withoutDatabase.line(2, 'import', 'boats', path, ...venue, '--report', path)).toContain(
      '--report and FILE are the same file',
    );
    expect(await withoutDatabase.line(1, 'import', 'boats', join(folder, 'none.json'), ...venue)).toContain('(ENOENT)');
    expect(await withoutDatabase.line(1, 'import', 'boats', folder, ...venue)).toContain('is a folder');
  });

  it('an import that cannot save its progress writes nothing', async () => {
    const venue = await venueArgs();
    const progress = join(folder, 'no-such-folder', 'progress.json');
    expect(await cli.line(1, 'import', 'boats', file(lines([boat(0)])), ...venue, '--progress', progress)).toContain(
      `progress cannot be saved in ${progress} (ENOENT)`,
    );
    expect(await rows('boats', venue)).toEqual([]);
  });
});
