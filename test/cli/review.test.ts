// The operator's review of offerings, experiences and boats, against a real server: the queue, the details for a
// reviewer, and the API after a decision.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BOAT, EVENT, OFFERING } from '../support/review-samples.ts';
import { type CommandLine, commandLine } from '../support/run-command.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000';

interface QueuedItem {
  readonly id: string;
  readonly type: string;
  readonly mode: string;
  readonly created_at: string;
}

let world: TestWorld;
let cli: CommandLine;
beforeAll(async () => {
  world = await openTestWorld();
  cli = commandLine(world);
});
afterAll(() => world.close());

/** The version that `review show` prints. */
async function seen(id: string): Promise<['--seen', string]> {
  return ['--seen', (await cli.json<{ version: string }>('review', 'show', id)).version];
}

async function decide<T = unknown>(word: 'approve' | 'reject', id: string, ...args: string[]): Promise<T> {
  return cli.json<T>('review', word, id, ...args, ...(await seen(id)));
}

async function openPartner(mode: 'test' | 'live' = 'test') {
  const { venue } = await world.venue();
  const { key } = await world.key(venue.id, { mode, scopes: ['offerings:write', 'offerings:read', 'boats:write'] });
  const post = async (path: string, body: unknown): Promise<Record<string, unknown> & { id: string }> =>
    (await world.call('POST', path, { key, body })).json.data;
  const get = async (path: string): Promise<unknown> => (await world.call('GET', path, { key })).json.data;
  return { venueId: venue.id, post, get };
}

/** Submits a boat, an offering and an experience, in this order. */
async function submitOneOfEach() {
  const { venueId, post, get } = await openPartner();
  const boat = await post('/v1/boats', BOAT);
  const offering = await post('/v1/offerings', OFFERING);
  const experience = await post('/v1/experiences', EVENT);
  return { venueId, post, get, boat, offering, experience };
}

describe('review list', () => {
  it('shows all three kinds in one list, oldest first, with the fields that a reviewer needs', async () => {
    const { venueId, boat, offering, experience } = await submitOneOfEach();
    const common = { venue_id: venueId, mode: 'test', status: 'pending' };
    expect(await cli.json('review', 'list', '--venue', venueId)).toEqual([
      {
        ...common,
        id: boat.id,
        type: 'boat',
        title: 'Second Wind',
        external_id: 'boat-17',
        created_at: boat.created_at,
      },
      {
        ...common,
        id: offering.id,
        type: 'offering',
        title: 'Poolside cabana',
        external_id: 'cabana-7',
        created_at: offering.created_at,
      },
      {
        ...common,
        id: experience.id,
        type: 'experience',
        title: 'Sunset sail',
        external_id: null,
        created_at: experience.created_at,
      },
    ]);
  });

  it('says when there are more, and goes on after the last one, also when that was reviewed meanwhile', async () => {
    const { venueId, boat, offering, experience } = await submitOneOfEach();
    const list = async (...args: string[]) => (await cli.run('review', 'list', '--venue', venueId, ...args)).out;
    const ids = async (...args: string[]) =>
      (await cli.json<QueuedItem[]>('review', 'list', '--venue', venueId, ...args)).map(({ id }) => id);
    expect(await list('--limit', '2')).toContain(`There are more: add --after ${offering.id} to go on.`);
    expect(await list('--limit', '3')).not.toContain('There are more');
    expect(await ids('--limit', '2')).toEqual([boat.id, offering.id]);
    await decide('approve', offering.id);
    expect(await ids('--limit', '2', '--after', offering.id)).toEqual([experience.id]);
    expect(await ids('--after', experience.id)).toEqual([]);
    const unknown = '01a1e037-f92a-7000-90b5-0d415b07305f';
    expect(await cli.line(1, 'review', 'list', '--after', unknown)).toContain('there is nothing to review with the id');
  });

  it('binds the status: every status is one and the same statement', async () => {
    const from = world.statements.length;
    for (const status of ['pending', 'approved', 'rejected'])
      await cli.json('review', 'list', '--type', 'boat', '--status', status);
    const lists = world.statements.slice(from).filter((text) => /from boats\b[\s\S]*order by created_at/.test(text));
    expect(lists).toHaveLength(3);
    expect(new Set(lists).size).toBe(1);
    expect(lists[0]).not.toMatch(/'(pending|approved|rejected)'/);
  });

  it('can be filtered by type, status and mode, and limited', async () => {
    const { venueId, boat, offering, experience } = await submitOneOfEach();
    const ids = async (...args: string[]) =>
      (await cli.json<QueuedItem[]>('review', 'list', '--venue', venueId, ...args)).map(({ id }) => id);
    await decide('approve', boat.id);
    await decide('reject', offering.id, '--note', 'No photo.');
    expect(await ids()).toEqual([experience.id]);
    expect(await ids('--status', 'approved')).toEqual([boat.id]);
    expect(await ids('--status', 'rejected')).toEqual([offering.id]);
    expect(await ids('--type', 'boat')).toEqual([]);
    expect(await ids('--type', 'experience', '--mode', 'test')).toEqual([experience.id]);
    expect(await ids('--mode', 'live')).toEqual([]);
    const firstTwo = await cli.json<QueuedItem[]>('review', 'list', '--limit', '2');
    expect(firstTwo).toHaveLength(2);
    const all = await cli.json<QueuedItem[]>('review', 'list');
    expect(all.slice(0, 2)).toEqual(firstTwo);
    expect(all.map(({ created_at }) => created_at)).toEqual(all.map(({ created_at }) => created_at).sort());
  });

  it('reads pending items through an index', async () => {
    await cli.json('review', 'list');
    for (const table of ['offerings', 'experiences', 'boats']) {
      const statement = world.statements.findLast(
        (text) => text.includes(`from ${table}`) && text.includes('as title'),
      );
      const plan = await world.db.transaction(async (tx) => {
        await tx.query('set local enable_seqscan = off');
        return tx.query<{ 'QUERY PLAN': string }>(`explain ${statement}`, ['pending', null, null, 5, null, null]);
      });
      expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain(`${table}_pending`);
    }
  });

  it('prints a table, or that nothing waits', async () => {
    const { venueId, boat } = await submitOneOfEach();
    const output = await cli.run('review', 'list', '--venue', venueId);
    expect(output).toMatchObject({ exit: 0, err: '' });
    expect(output.out).toMatch(/^ID +TYPE +TITLE +EXTERNAL ID +MODE +STATUS +CREATED +VENUE\n/);
    expect(output.out).toMatch(new RegExp(`${boat.id} +boat +Second Wind +boat-17 +test +pending +20.*${venueId}\n`));
    expect(output.out).toMatch(/experience +Sunset sail +- +test/);
    const { venueId: other } = await openPartner();
    expect((await cli.run('review', 'list', '--venue', other)).out).toBe('Nothing waits for review.\n');
    expect(await cli.line(1, 'review', 'list', '--venue', UNKNOWN_ID)).toContain(`there is no venue ${UNKNOWN_ID}`);
  });
});

describe('review show', () => {
  it('shows a boat as the API does, with its extra fields for reviewers', async () => {
    const { venueId, boat, get } = await submitOneOfEach();
    const shown = await cli.json('review', 'show', boat.id);
    const venue = { id: venueId, name: 'Harbor Club', linked: true };
    const reviewersOnly = { extra: { insurance: 'Harbor Mutual' }, venue };
    const version = expect.stringMatching(/^[0-9a-f]{32}$/);
    expect(shown).toEqual({ ...boat, version, reviewers_only: reviewersOnly });
    expect(JSON.stringify(await get('/v1/offerings'))).not.toContain('Harbor Mutual');
  });

  it('gives a version, with which a decision about something that was changed since is refused', async () => {
    const { offering, post } = await submitOneOfEach();
    const { version } = await cli.json<{ version: string }>('review', 'show', offering.id);
    await post('/v1/offerings', { ...OFFERING, title: 'Garden cabana' });
    const late = await cli.run('review', 'approve', offering.id, '--seen', version);
    expect([late.exit, late.err]).toEqual([1, expect.stringContaining('was changed after it was looked at')]);
    const { version: newest } = await cli.json<{ version: string }>('review', 'show', offering.id);
    expect(await cli.json('review', 'approve', offering.id, '--seen', newest)).toMatchObject({ status: 'approved' });
  });

  it('shows the visible version of an offering beside the pending one', async () => {
    const { offering, post } = await submitOneOfEach();
    await decide('approve', offering.id);
    await post('/v1/offerings', { ...OFFERING, title: 'Garden cabana' });
    expect(await cli.json('review', 'show', offering.id.toUpperCase())).toMatchObject({
      title: 'Garden cabana',
      status: 'pending',
      reviewers_only: { visible_version: { title: 'Poolside cabana' } },
    });
  });

  it('prints no character that changes the writing direction', async () => {
    const { post, venueId } = await openPartner();
    const { id } = await post('/v1/boats', { ...BOAT, extra: { note: 'a\u202eb' } });
    const { out } = await cli.run('review', 'show', id);
    expect(out).toMatch(new RegExp(`^id +${id}\ntype +boat\ntitle +Second Wind\n`));
    expect(out).toContain(`${venueId} (Harbor Club)`);
    expect(out).toContain('As its partner sees it:\n{\n');
    expect(out).toContain('For reviewers only:\n{\n  "extra": {\n    "note": "a\ufffdb"');
  });
});

describe('review reject of an approved object', () => {
  const eventsOf = (id: string) =>
    world.db.query<{ type: string }>('select type from events where subject = $1 order by created_at', [id]);
  const auditOf = (venueId: string, id: string) =>
    world.db.query<{ action: string }>(
      'select action from audit_log where venue_id = $1 and subject = $2 order by audit_id',
      [venueId, id],
    );

  it('takes an offering down, with its event, and reopen lets it wait again, without one', async () => {
    const { venueId, offering, get } = await submitOneOfEach();
    await decide('approve', offering.id);
    const rejected = await decide('reject', offering.id, '--note', 'It closed.');
    expect(rejected).toMatchObject({ status: 'rejected', review_note: 'It closed.' });
    expect(await get('/v1/offerings/cabana-7')).toEqual(rejected);
    const shown = await cli.json('review', 'show', offering.id);
    expect(shown).toMatchObject({ reviewers_only: { visible_version: null } });
    const reopened = await cli.json('review', 'reopen', offering.id);
    expect(reopened).toMatchObject({ status: 'pending', review_note: null, reviewed_at: null });
    expect(await get('/v1/offerings/cabana-7')).toEqual(reopened);
    await decide('approve', offering.id);
    const types = ['offering.approved', 'offering.rejected', 'offering.approved'].map((type) => ({ type }));
    expect(await eventsOf(offering.id)).toEqual(types);
    const actions = ['review.approve', 'review.reject', 'review.reopen', 'review.approve'];
    expect(await auditOf(venueId, offering.id)).toEqual(actions.map((action) => ({ action })));
  });

  it('leaves the version that members see when only a change of it was rejected', async () => {
    const { offering, post } = await submitOneOfEach();
    await decide('approve', offering.id);
    await post('/v1/offerings', { ...OFFERING, title: 'Garden cabana' });
    await decide('reject', offering.id, '--note', 'Which garden?');
    const shown = await cli.json('review', 'show', offering.id);
    expect(shown).toMatchObject({ reviewers_only: { visible_version: { title: 'Poolside cabana' } } });
  });

  it('takes the version that members see down by a second rejection, after that of a change', async () => {
    const { venueId, offering, post } = await submitOneOfEach();
    await decide('approve', offering.id);
    await post('/v1/offerings', { ...OFFERING, title: 'Garden cabana' });
    await decide('reject', offering.id, '--note', 'Which garden?');
    const down = await decide('reject', offering.id, '--note', 'It closed.');
    expect(down).toMatchObject({ status: 'rejected', review_note: 'It closed.' });
    const shown = await cli.json('review', 'show', offering.id);
    expect(shown).toMatchObject({ reviewers_only: { visible_version: null } });
    const types = ['offering.approved', 'offering.rejected', 'offering.rejected'].map((type) => ({ type }));
    expect(await eventsOf(offering.id)).toEqual(types);
    const actions = ['review.approve', 'review.reject', 'review.reject'].map((action) => ({ action }));
    expect(await auditOf(venueId, offering.id)).toEqual(actions);
    // Members see nothing of it any more: there is nothing left to take down.
    expect(
      await cli.line(1, 'review', 'reject', offering.id, '--note', 'Again.', ...(await seen(offering.id))),
    ).toContain('is rejected: only what is pending');
  });

  it('takes an experience down and gives it its former id when it is approved again', async () => {
    const { experience, get } = await submitOneOfEach();
    const first = await decide<Record<string, unknown>>('approve', experience.id);
    const down = await decide('reject', experience.id, '--note', 'The boat sank.');
    expect(down).toMatchObject({ status: 'rejected', experience_id: null });
    expect(await get(`/v1/experiences/${experience.id}`)).toEqual(down);
    await cli.json('review', 'reopen', experience.id);
    const again = await decide<Record<string, unknown>>('approve', experience.id);
    expect([again.status, again.experience_id]).toEqual(['approved', first.experience_id]);
  });

  it('refuses to reopen what was changed since the version that --seen names', async () => {
    const { offering, post, get } = await submitOneOfEach();
    await decide('reject', offering.id, '--note', 'No photo.');
    const { updated_at } = (await get('/v1/offerings/cabana-7')) as { updated_at: string };
    const [, version] = await seen(offering.id);
    await post('/v1/offerings', { ...OFFERING, title: 'Garden cabana' });
    await decide('reject', offering.id, '--note', 'Still no photo.');
    for (const old of [version, updated_at])
      expect(await cli.line(1, 'review', 'reopen', offering.id, '--seen', old)).toContain('was changed after');
    expect(await get('/v1/offerings/cabana-7')).toMatchObject({ status: 'rejected' });
    const reopened = await cli.json('review', 'reopen', offering.id, ...(await seen(offering.id)));
    expect(reopened).toMatchObject({ status: 'pending' });
  });

  it('takes a boat down, and a reopened boat waits in the list', async () => {
    const { venueId, boat } = await submitOneOfEach();
    await decide('approve', boat.id);
    expect(await decide('reject', boat.id, '--note', 'No photo.')).toMatchObject({ status: 'rejected' });
    await cli.json('review', 'reopen', boat.id);
    const waiting = await cli.json<QueuedItem[]>('review', 'list', '--venue', venueId, '--type', 'boat');
    expect(waiting.map(({ id }) => id)).toEqual([boat.id]);
    expect(await eventsOf(boat.id)).toEqual([]);
  });
});

describe('review approve and review reject', () => {
  it('print the object as the API shows it afterwards, in live mode too', async () => {
    const { post, get } = await openPartner('live');
    const { id } = await post('/v1/offerings', OFFERING);
    const approved = await decide<Record<string, unknown>>('approve', id);
    expect(approved).toMatchObject({ id, mode: 'live', status: 'approved', review_note: null });
    expect(await get('/v1/offerings/cabana-7')).toEqual(approved);
    await post('/v1/offerings', { ...OFFERING, title: 'Garden cabana' });
    const rejected = await decide('reject', id, '--note', ' No photo. ');
    expect(rejected).toMatchObject({ status: 'rejected', review_note: 'No photo.', title: 'Garden cabana' });
    expect(await get('/v1/offerings/cabana-7')).toEqual(rejected);
  });

  it('give an approved experience its id, and print the result', async () => {
    const { experience, boat } = await submitOneOfEach();
    const output = await cli.run('review', 'approve', experience.id, ...(await seen(experience.id)));
    expect(output).toMatchObject({ exit: 0, err: '' });
    expect(output.out).toMatch(/status +approved\nexperience +[0-9a-f-]{36}\ncreated .*\nreviewed +20/);
    const { out } = await cli.run(
      'review',
      'reject',
      boat.id,
      '--note',
      'The photos show another boat.',
      ...(await seen(boat.id)),
    );
    expect(out).toMatch(/status +rejected\nnote +The photos show another boat\.\n/);
  });

  it('are written to the audit log under the operator’s name', async () => {
    const { venueId, boat } = await submitOneOfEach();
    await decide('reject', boat.id, '--note', 'No photo.');
    const [entry] = await cli.json<unknown[]>('audit', 'list', '--venue', venueId, '--limit', '1');
    expect(entry).toMatchObject({
      action: 'review.reject',
      subject: boat.id,
      actor: 'operator ada',
      via: 'cli',
      detail: { kind: 'boat', mode: 'test', note: 'No photo.' },
    });
  });

  it('print one line for an item that is in another state, or that does not exist', async () => {
    const { boat } = await submitOneOfEach();
    await decide('approve', boat.id);
    const lineOf = (...argv: string[]) => cli.line(1, 'review', ...argv);
    expect(await lineOf('approve', boat.id, ...(await seen(boat.id)))).toBe(
      `boat ${boat.id} is approved: only what is pending can be approved.`,
    );
    expect(await lineOf('reopen', boat.id)).toBe(`boat ${boat.id} is approved: only what is rejected can be reopened.`);
    await decide('reject', boat.id, '--note', 'x');
    expect(await lineOf('reject', boat.id, '--note', 'x', ...(await seen(boat.id)))).toBe(
      `boat ${boat.id} is rejected: only what is pending or approved can be rejected.`,
    );
    for (const words of [['approve', '--seen', 'x'], ['show'], ['reopen'], ['reject', '--note', 'x', '--seen', 'x']]) {
      const [word = '', ...args] = words;
      expect(await cli.line(1, 'review', word, UNKNOWN_ID, ...args)).toContain(
        `nothing to review with the id ${UNKNOWN_ID}`,
      );
    }
  });

  it.each([
    [['list', '--type', 'yacht'], '--type is "yacht": give offering or experience or boat.'],
    [['list', '--status', 'waiting'], '--status is "waiting"'],
    [['list', '--mode', 'both'], '--mode is "both"'],
    [['list', '--limit', '0'], '--limit is "0": give a whole number from 1 to 1000.'],
    [['show', 'cabana-7'], 'ID is "cabana-7", which is not an id: "everyshare review list" shows the ids.'],
    [['reject', UNKNOWN_ID], '--note is missing'],
    [['reject', UNKNOWN_ID, '--note', '  '], '--note has 0 characters'],
    [['reject', UNKNOWN_ID, '--note', 'x'.repeat(2001)], '--note has 2001 characters'],
    [
      ['approve', UNKNOWN_ID],
      `--seen is missing: read the object with "everyshare review show ${UNKNOWN_ID}", and give the version that it prints.`,
    ],
    [['reject', UNKNOWN_ID, '--note', 'No photo.'], '--seen is missing'],
    [['approve', UNKNOWN_ID, '--note', 'fine'], '"review approve" has no option "--note"'],
    [['aprove', UNKNOWN_ID], 'did you mean "review approve"?'],
  ])('refuse %j before the database is opened', async (argv, expected) => {
    expect(await commandLine(null).line(2, 'review', ...argv)).toContain(expected);
  });
});
