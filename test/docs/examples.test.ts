// Every request and every answer that the README, a guide or the page of an error shows is run against a real server and
// compared (page-run.ts has the rules). A block that is not run is marked `not-run` and listed here with its reason.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogue, type ErrorCode } from '../../src/base/errors.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { FIRST_ORIGIN } from '../../src/domain/keys/sandbox-venue.ts';
import { operations } from '../../src/run/operations.ts';
import { withFastProcessorClock } from '../support/fast-processor-clock.ts';
import { commandLine } from '../support/run-command.ts';
import { createApprovedExperience } from '../support/test-activity.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { differences, textDifferences } from './compare-answers.ts';
import { PageRun } from './page-run.ts';
import { type Block, DOCUMENTS, readBlocks } from './read-blocks.ts';
import { type PageVenue, SITUATIONS } from './situations.ts';

/** Marked `not-run`: how the block begins, and why it is not run. */
const NOT_RUN: readonly (readonly [document: string, begins: string, reason: string])[] = [
  ['README.md', 'npm ci && npm start', 'test/process/start.test.ts starts the program'],
  ['README.md', 'npm ci && npm test', 'it is this run'],
  ['README.md', 'schemas/', 'a list of folders'],
  ['docs/guides/agents.md', 'claude mcp add', 'a program that is not ours'],
  ['docs/guides/backup.md', 'everyshare backup', 'test/process/backup.test.ts runs both commands'],
  ['docs/guides/backup.md', 'everyshare restore', 'test/process/backup.test.ts runs both commands'],
  ['docs/guides/backup.md', 'everyshare backup', 'test/process/backup.test.ts does the same'],
  [
    'docs/guides/console.md',
    'npx everyshare demo',
    'it takes a minute; test/demo/demo.test.ts runs the same with fewer',
  ],
  ['docs/guides/failover.md', 'patronictl', 'npm run chaos -- --patroni runs the same command'],
  ['docs/guides/install.md', 'npm ci && npm pack', 'test/process/package.test.ts packs and starts the package'],
  ['docs/guides/install.md', 'for instance in', 'it needs systemd'],
  ['docs/guides/install.md', 'install -m 0600', 'it needs Docker'],
  ['docs/guides/install.md', '# the units', 'it needs systemd, Docker or Kubernetes'],
  ['docs/guides/money-operations.md', 'STRIPE_TEST_SECRET_KEY=', 'it needs an account at Stripe'],
  ['docs/guides/privacy.md', 'npx everyshare guest export', 'test/privacy/guests.test.ts runs it'],
  ['docs/guides/privacy.md', 'npx everyshare guest erase', 'test/privacy/guests.test.ts runs it'],
  ['docs/guides/quickstart.md', 'npm ci && npm start', 'test/process/start.test.ts starts the program'],
  ['docs/guides/quickstart.md', 'npx everyshare listen', 'it never ends; test/cli/listen.test.ts runs the command'],
  ['docs/guides/quickstart.md', 'WEBHOOK_SECRET=', 'it never ends; test/docs/quickstart.test.ts runs the program'],
  ['docs/guides/testing.md', 'npx everyshare listen', 'it never ends; test/cli/listen.test.ts runs both commands'],
  [
    'docs/guides/upgrade.md',
    'npx everyshare doctor',
    'test/cli/before-upgrade.test.ts runs it with a folder of backups',
  ],
  ['docs/guides/upgrade.md', '# the package', 'it needs a package of the next release, Docker or Kubernetes'],
  ['docs/guides/webhooks.md', 'retry: 2000', 'it never ends; test/webhooks/stream.test.ts reads it'],
  ['docs/guides/webhooks.md', 'npx everyshare listen', 'it never ends; test/cli/listen.test.ts runs both commands'],
];

/** Blocks that another test reads from the page and runs. */
const RUN_ELSEWHERE: Readonly<Record<string, { readonly languages: readonly string[]; readonly test: string }>> = {
  'docs/guides/embed.md': {
    languages: ['html', 'jsx', 'vue', 'js', 'css', 'json'],
    test: 'test/embed/embed.test.ts',
  },
  'docs/guides/failover.md': { languages: ['yaml', 'text'], test: 'test/chaos/patroni/patroni.test.ts' },
  'docs/guides/quickstart.md': { languages: ['js'], test: 'test/docs/quickstart.test.ts' },
  'docs/guides/venue-systems.md': { languages: ['js', 'json'], test: 'test/hooks/guide.test.ts' },
  'docs/guides/webhooks.md': {
    languages: ['http', 'ts', 'python', 'go', 'php', 'ruby'],
    test: 'test/webhooks/receivers-guide.test.ts',
  },
};

/** A server that cannot answer otherwise: these pages are compared with the sentence that it sends. */
const BROKEN_SERVER: readonly ErrorCode[] = ['internal_error', 'request_timeout', 'service_unavailable'];
const isBrokenServer = (document: string): boolean =>
  BROKEN_SERVER.some((code) => document === `docs/errors/${code}.md`);

const isRunElsewhere = ({ document, language, tab }: Block): boolean =>
  tab === null && RUN_ELSEWHERE[document]?.languages.includes(language) === true;
const blocksOf = (document: string): Block[] =>
  readBlocks(document).filter((block) => !block.isNotRun && !isRunElsewhere(block));
const run = DOCUMENTS.filter((document) => blocksOf(document).length > 0 && !isBrokenServer(document));

let world: TestWorld;
let folder: string;
beforeAll(async () => {
  world = await openTestWorld({ env: { BASE_URL: 'https://api.everyshare.example' } });
  folder = mkdtempSync(join(tmpdir(), 'everyshare-docs-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await world.close();
});

/** What a page needs before its first example, and what stands for something real in its commands. */
const PREPARED: Readonly<Record<string, (venue: PageVenue) => Promise<Record<string, string>>>> = {
  'docs/guides/activity.md': async ({ key }) => {
    const { id } = await createApprovedExperience(world, key, 'Sunset Sail Social');
    return { '0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d10': id };
  },
  'docs/guides/analytics.md': async ({ key }) => {
    await createApprovedExperience(world, key, 'Sunset Sail Social');
    return {};
  },
  'docs/guides/import.md': async () => {
    const offerings = (world.context.registry.get('offering').examples as unknown[]).slice(0, 1);
    writeFileSync(join(folder, 'catalogue.json'), JSON.stringify({ offerings }));
    return {};
  },
  'docs/guides/authentication.md': async ({ venueId }) => ({ KEY_ID: (await world.key(venueId)).id }),
  'docs/guides/operating.md': async ({ venueId }) => ({ KEY_ID: (await world.key(venueId)).id }),
  'docs/errors/review_queue_full.md': async ({ key, venueId }) => {
    const body = { title: 'Sunset Sail Social', starts_at: new Date(Date.now() + 86_400_000).toISOString() };
    const { id } = (await world.call('POST', '/v1/experiences', { key, body })).json.data;
    await world.db.query(
      `insert into experiences (venue_id, mode, submission_id, form, status, content, created_at)
       select venue_id, mode, gen_random_uuid(), form, status, content, created_at - i * interval '1 second'
       from experiences, generate_series(1, 499) i where venue_id = $1`,
      [venueId],
    );
    return { '0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d10': id };
  },
};

async function runPage(document: string, blocks = blocksOf(document)): Promise<readonly string[]> {
  // A reader has the venue of the first start, with its origin.
  const opened = await world.venue({ origins: [FIRST_ORIGIN] });
  const { key } = await world.key(opened.venue.id, { writesPerHour: 10_000, readsPerHour: 10_000 });
  const venue: PageVenue = { world, venueId: opened.venue.id, key, publishable: opened.publishableTest };
  const places = { ID: venue.venueId, ...(await PREPARED[document]?.(venue)) };
  const situations = (SITUATIONS[document] ?? []).map((situation) => () => situation(venue));
  const { run: runNow } = commandLine(world);
  const cli = { run: (...argv: string[]) => withFastProcessorClock(world, () => runNow(...argv)) };
  const page = new PageRun({ world, cli, key, places, folder, situations });
  return page.run(blocks);
}

describe('the examples of the documentation', () => {
  it.each(run)(
    '%s: each request is accepted, and each answer is the one shown',
    { timeout: 60_000 },
    async (document) => {
      expect(await runPage(document)).toEqual([]);
    },
  );

  it.each(BROKEN_SERVER)('docs/errors/%s.md: the answer is the one that the server sends', (code) => {
    const [shown] = readBlocks(`docs/errors/${code}.md`);
    const sent = { error: { code, message: catalogue[code].message, request_id: 'req_01k9z8w3v5r6t7y8m9n0p1q2s3' } };
    expect(JSON.parse(shown?.text ?? '')).toEqual(sent);
  });

  it('are all run, except those that are marked and listed with their reason', () => {
    const marked = DOCUMENTS.flatMap(readBlocks).filter(({ isNotRun }) => isNotRun);
    expect(marked.map(({ document, text }) => [document, text.split(/[\s=]/)[0]])).toEqual(
      NOT_RUN.map(([document, begins]) => [document, begins.split(/[\s=]/)[0]]),
    );
    for (const [index, { text }] of marked.entries()) expect(text.startsWith(NOT_RUN[index]?.[1] ?? '?')).toBe(true);
    for (const { test } of Object.values(RUN_ELSEWHERE)) expect(existsSync(join(packageRoot, test)), test).toBe(true);
  });

  it('fail with a wrong answer, a wrong status, a refused request, or a block that is none of them', async () => {
    const page = 'docs/guides/payments.md';
    const blocks = blocksOf(page);
    const [create, answer] = blocks.filter(({ tab }) => tab === null || tab === 'curl') as [Block, Block];
    const faultsOf = async (...blocks: Block[]): Promise<string> => (await runPage(page, blocks)).join('\n');
    const wrong = { ...answer, text: answer.text.replace('"open"', '"paid"') };
    expect(await faultsOf(create, wrong)).toBe(`${answer.place}: /status is "open", shown "paid"`);
    const short = { ...answer, text: answer.text.replace('"mode": "test",', '') };
    expect(await faultsOf(create, short)).toBe(`${answer.place}: the answer has mode, not shown`);
    expect(await faultsOf({ ...create, after: 'The answer is 200.' })).toContain(
      'is answered with 201, the page says 200',
    );
    expect(await faultsOf({ ...create, text: create.text.replace('24000', '24') })).toContain('out_of_range');
    expect(await faultsOf({ ...answer, before: 'Look:' })).toContain('is no request, no answer and no file');
  });

  it('fail when a program prints something else or is refused, and when a tool fails', async () => {
    const page = 'docs/guides/payments.md';
    const inTab = (name: string): Block => blocksOf(page).find(({ tab }) => tab === name) as Block;
    const faultsOf = async (block: Block, from: string, to: string): Promise<string> =>
      (await runPage(page, [{ ...block, text: block.text.replace(from, to) }])).join('\n');
    const [program, tool] = [inTab('TypeScript'), inTab('agent')];
    expect(await faultsOf(program, '// open', '// paid')).toContain('is "open", shown "paid"');
    expect(await faultsOf(program, '24000', '24')).toContain('the program fails: amount must be');
    expect(await faultsOf(program, 'checkouts.create', 'checkouts.make')).toContain('the program fails: ');
    expect(await faultsOf(tool, '24000', '24')).toContain('out_of_range');
    expect(await faultsOf(tool, 'create_checkout', 'make_checkout')).toContain(`${tool.place} fails`);
  });

  it('are every fenced block of a page, and their tabs have one of three names', () => {
    for (const document of DOCUMENTS) {
      const fences = readFileSync(join(packageRoot, document), 'utf8').match(/^ *(```|~~~)/gm) ?? [];
      expect(fences.length, document).toBe(readBlocks(document).length * 2);
    }
    const tabs = DOCUMENTS.flatMap(readBlocks).flatMap(({ tab }) => tab ?? []);
    expect([...new Set(tabs)].sort()).toEqual(['TypeScript', 'agent', 'curl']);
    expect(tabs.filter((tab) => tab === 'TypeScript').length).toBeGreaterThan(8);
  });

  it('cover every page of an error', () => {
    const pages = Object.keys(catalogue).map((code) => `docs/errors/${code}.md`);
    expect(pages.filter((page) => !run.includes(page) && !isBrokenServer(page))).toEqual([]);
  });
});

describe('the addresses that the documentation names', () => {
  const named = DOCUMENTS.flatMap((document) =>
    [
      ...readFileSync(join(packageRoot, document), 'utf8').matchAll(
        /`(GET|POST|DELETE) (\/(?:v1|internal|mcp)\b[^`\s?]*)/g,
      ),
    ].map(([, method = '', path = '']) => ({ document, method, path })),
  );
  const served = operations.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`);

  it('are addresses of operations', () => {
    const unknown = named.filter(({ method, path }) => {
      const pattern = path.replace(/\{\w+\}|\b(chk|whe|int|shr)_\w+/g, '{}');
      if (path.endsWith('/…')) return !served.some((one) => one.startsWith(`${method} ${pattern.slice(0, -1)}`));
      return !served.includes(`${method} ${pattern}`);
    });
    expect(unknown).toEqual([]);
    expect(named.length).toBeGreaterThan(60);
  });
});

describe('the commands that the documentation names', () => {
  const named = DOCUMENTS.flatMap((document) =>
    [...readFileSync(join(packageRoot, document), 'utf8').matchAll(/`(?:npx )?everyshare ([a-z][a-z |-]*)/g)].map(
      ([, words = '']) => ({ document, words: words.trim() }),
    ),
  );

  it('are commands of the program', async () => {
    const { commands } = await commandLine(world).json<{ commands: { usage: string }[] }>('help');
    const known = [
      'help',
      'version',
      'start',
      'serve',
      'worker',
      // Without another word: the sandbox's processor as a service of its own.
      'processor',
      ...commands.map(({ usage }) => /^everyshare ([a-z][a-z-]*(?: [a-z][a-z-]*)*)/.exec(usage)?.[1]),
    ];
    const unknown = named.filter(({ words }) => !known.some((command) => `${words} `.startsWith(`${command} `)));
    expect(unknown).toEqual([]);
    expect(named.length).toBeGreaterThan(40);
  });
});

describe('the comparison of an answer', () => {
  const base = 'http://127.0.0.1:1';
  const shown = { id: 'chk_01jz3k8q7v5m2n9t4w6x8y0abc', status: 'open', at: '2027-06-01T00:00:00Z', n: 1 };
  const given = { id: 'chk_01aaaaaaaaaaaaaaaaaaaaaaaa', status: 'open', at: '2030-01-01T10:00:00.123Z', n: 1 };

  it('accepts other ids and times, and nothing else', () => {
    expect(differences(shown, given, base)).toEqual([]);
    expect(differences(shown, { ...given, status: 'expired' }, base)).toEqual(['/status is "expired", shown "open"']);
    expect(differences(shown, { ...given, n: 2 }, base)).toHaveLength(1);
    expect(differences(shown, { ...given, id: 'shr_01aaaaaaaaaaaaaaaaaaaaaaaa' }, base)).toHaveLength(1);
    expect(differences(shown, { ...given, at: null }, base)).toHaveLength(1);
  });

  it('notices a member too many or too few, unless the page says that it leaves some out', () => {
    expect(differences(shown, { ...given, more: 1 }, base)).toEqual(['the answer has more, not shown']);
    expect(differences({ ...shown, '…': '…' }, { ...given, more: 1 }, base)).toEqual([]);
    expect(differences({ ...shown, more: 1 }, given, base)).toHaveLength(1);
    expect(differences([1], [1, 2], base)).toHaveLength(1);
    expect(differences([1, '…'], [1, 2], base)).toEqual([]);
  });

  it('compares what a command prints line by line', () => {
    expect(textDifferences('created  1\nfailed  0\n', 'created  1\nfailed  0\n', base)).toEqual([]);
    expect(textDifferences('created  1\n', 'created  2\n', base)).toHaveLength(1);
  });
});
