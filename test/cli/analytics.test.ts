// `everyshare analytics`: the chart of a venue's figures, their recount, and dropping old events.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawBars } from '../../src/cli/plot.ts';
import { type CommandLine, commandLine } from '../support/run-command.ts';
import { openTestActivity, reportActivity, type TestActivity } from '../support/test-activity.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let app: TestActivity;
let cli: CommandLine;

beforeAll(async () => {
  world = await openTestWorld();
  app = await openTestActivity(world, 1, 'live');
  cli = commandLine(world);
  const events = Array.from({ length: 40 }, (_, i) => ({
    id: `e${i}`,
    type: i % 8 === 0 ? ('booking' as const) : ('view' as const),
    experience_id: app.experiences[0]?.id ?? '',
    member_id: `m${i % 5}`,
    at: new Date(Date.UTC(2026, 5, 1 + (i % 9), 12)).toISOString(),
    mode: 'live' as const,
    ...(i % 8 === 0 ? { amount: 124 } : {}),
  }));
  expect((await reportActivity(world, events)).json.accepted).toBe(40);
});
afterAll(() => world.close());

const JUNE = ['--from', '2026-06-01', '--to', '2026-07-01'];

describe('analytics show', () => {
  it('draws views and bookings by day within 80 columns, without colors', async () => {
    const { exit, out, err } = await cli.run('analytics', 'show', '--venue', app.venueId, ...JUNE);
    expect([exit, err]).toEqual([0, '']);
    expect(out).toContain('Views: 35 (a day)');
    expect(out).toContain('Bookings: 5 (a day)');
    expect(out).toMatch(/unique viewers +5\n/);
    expect(out).toMatch(/booked value +6\.20\n/);
    expect(out).not.toContain('--mode');
    expect(out).toContain('2026-06-01          2026-06-30');
    expect(out).not.toContain('\u001b');
    for (const line of out.split('\n')) expect([...line].length).toBeLessThanOrEqual(80);
  });

  it('names the other mode when a mode has no experiences', async () => {
    const { out } = await cli.run('analytics', 'show', '--venue', app.venueId, '--mode', 'test', ...JUNE);
    expect(out).toContain('No test experience of this venue is approved; --mode live shows those of live mode.');
  });

  it('gives the same figures as the API with --json', async () => {
    const output = await cli.json('analytics', 'show', '--venue', app.venueId, ...JUNE);
    const { json } = await app.get({ from: '2026-06-01T00:00:00Z', to: '2026-07-01T00:00:00Z' });
    expect(output).toEqual({ venue_id: app.venueId, mode: 'live', ...json.data });
  });

  it('refuses wrong arguments with one line', async () => {
    expect(await cli.line(2, 'analytics', 'show')).toContain('--venue is missing');
    expect(await cli.line(2, 'analytics', 'show', '--venue', app.venueId, '--from', 'May')).toContain(
      '--from is "May"',
    );
    const tooLong = ['--from', '2024-01-01', '--to', '2026-01-01'];
    expect(await cli.line(1, 'analytics', 'show', '--venue', app.venueId, ...tooLong)).toContain('more than 366 days');
    expect(await cli.line(1, 'analytics', 'show', '--venue', '01900000-0000-7000-8000-000000000000')).toContain(
      'no venue',
    );
  });
});

describe('a time argument', () => {
  it('is refused when the day does not exist, and never read as another day', async () => {
    for (const day of ['2026-02-30', '2026-06-31', '2026-13-01', '2026-02-30T00:00:00Z', '2026-06-01T24:00:00Z']) {
      expect(await cli.line(2, 'analytics', 'drop', '--before', day)).toContain(`--before is "${day}"`);
      expect(await cli.line(2, 'analytics', 'show', '--venue', app.venueId, '--from', day)).toContain('--from is');
    }
    expect(await world.db.query('select retained_from as "retainedFrom" from activity_retention')).toEqual([
      { retainedFrom: '-infinity' },
    ]);
  });

  it('is exact to the microsecond, as in the API', async () => {
    const from = '2026-06-01T12:00:00.000001Z';
    const output = await cli.json('analytics', 'show', '--venue', app.venueId, '--from', from, '--to', '2026-07-01');
    const { json } = await app.get({ from, to: '2026-07-01T00:00:00Z' });
    expect(json.data.from).toBe(from);
    expect(output).toEqual({ venue_id: app.venueId, mode: 'live', ...json.data });
  });
});

describe('a chart', () => {
  it('merges days when there are more days than columns, and loses none', () => {
    const points = Array.from({ length: 366 }, (_, i) => ({ date: `day-${i}`, value: i === 365 ? 100 : 1 }));
    const text = drawBars('Views', points);
    expect(text).toContain('Views: 465 (6 days a bar)');
    for (const line of text.split('\n')) expect([...line].length).toBeLessThanOrEqual(78);
    expect(drawBars('Views', [{ date: '2026-01-01', value: 0 }])).not.toMatch(/[▁▂▃▄▅▆▇█]/);
  });
});

describe('analytics rebuild and drop', () => {
  it('recount one venue or all venues, and report what was wrong', async () => {
    expect(await cli.json('analytics', 'rebuild')).toEqual({ venues: 1, days: 9, mended: 0 });
    await world.db.query('update activity_days set views = 1000');
    const output = await cli.run('analytics', 'rebuild', '--venue', app.venueId);
    expect(output.out).toMatch(/^1 venues, 9 days recounted: \d+ rows were wrong and are corrected\.\n$/);
    expect(await cli.json('analytics', 'rebuild')).toMatchObject({ mended: 0 });
  });

  it('make the doctor print a notice, not a problem, for a venue without hourly figures', async () => {
    await world.db.query('update activity_venues set has_hourly_figures = false');
    const output = await cli.run('doctor');
    expect(output.exit).toBe(0);
    expect(output.out).toMatch(
      /notice +analytics +1 venue is counted by the day only.*\n +remedy: run "everyshare analytics rebuild"/,
    );
    await cli.run('analytics', 'rebuild');
    expect((await cli.run('doctor')).out).toMatch(/ok +analytics +every venue is counted by the hour/);
  });

  it('drop older events without a change to the figures of whole days', async () => {
    const before = await cli.json('analytics', 'show', '--venue', app.venueId, ...JUNE);
    const output = await cli.json<{ deleted_events: number }>('analytics', 'drop', '--before', '2026-06-05T13:00:00Z');
    expect(output).toMatchObject({ before: '2026-06-05T00:00:00.000Z' });
    expect(output.deleted_events).toBeGreaterThan(0);
    expect(await cli.json('analytics', 'drop', '--before', '2026-06-01')).toMatchObject({ deleted_events: 0 });
    expect(await cli.json('analytics', 'rebuild')).toMatchObject({ mended: 0 });
    expect(await cli.json('analytics', 'show', '--venue', app.venueId, ...JUNE)).toEqual(before);
    expect(await cli.line(2, 'analytics', 'drop', '--before', '2999-01-01')).toContain('still coming in');
  });
});
