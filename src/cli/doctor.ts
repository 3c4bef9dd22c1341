// `everyshare doctor`: checks this installation, or with --before-upgrade what an upgrade to this release would do
// (before-upgrade.ts).

import { isIP } from 'node:net';
import { join } from 'node:path';
import { addressIn } from '../base/address-range.ts';
import type { Mode } from '../base/config.ts';
import { packageRoot } from '../base/package-root.ts';
import { isSupportedPostgres, MIN_POSTGRES, readPostgresVersion } from '../base/postgres-version.ts';
import { compareSchema } from '../base/schema-check.ts';
import { schemaFolders } from '../base/schema-files.ts';
import { countVenuesWithoutHours } from '../domain/analytics/queries.ts';
import { type FundedAtVenue, fundedByVenue } from '../domain/checkouts/capture/queries.ts';
import { verifyEncryptionKey } from '../domain/installation/verify-encryption-key.ts';
import { readTextFigures, textLimitOf } from '../domain/members/messages/text-limit.ts';
import { listProcesses } from '../domain/monitoring/earlier-processes.ts';
import { findDebts } from '../domain/payments/debt-queries.ts';
import { missingSetup } from '../domain/payments/needed-setup.ts';
import { payableVenues } from '../domain/payments/payout-account-queries.ts';
import { ProcessorRefusal, ProcessorUnavailable } from '../domain/payments/processor.ts';
import {
  countUnpaidRefunds,
  type RefundCount,
  type UnfundedRefunds,
  unfundedRefunds,
} from '../domain/payments/refund-queries.ts';
import { listVenues } from '../domain/venues/queries.ts';
import type { AppContext } from '../run/context.ts';
import { checksBeforeUpgrade } from './before-upgrade.ts';
import { type Check, failedCheck, notice, passed, problem, report, runCheck } from './check-report.ts';
import { CliError, usageError } from './cli-error.ts';
import type { Command, OpenContext } from './command-definition.ts';
import { everyPage } from './every-page.ts';

const MIN_NODE = [20, 19] as const;
const MAX_CLOCK_SKEW_MS = 5_000;

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isSupported = major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1]);
  return isSupported
    ? passed('node', version)
    : problem('node', version, `install Node.js ${MIN_NODE.join('.')} or newer.`);
}

async function checkDatabase({ db, config }: AppContext): Promise<Check> {
  const { text, number } = await readPostgresVersion(db);
  const [row] = await db.query<{ jit: boolean }>(`select current_setting('jit')::boolean as jit`);
  const detail = `PostgreSQL ${text}, ${config.databaseUrl === null ? 'embedded' : 'from DATABASE_URL'}`;
  if (!isSupportedPostgres(number)) return problem('database', detail, `move to PostgreSQL ${MIN_POSTGRES} or newer.`);
  // Our own connections switch it off; through a pooler they cannot.
  if (row?.jit === true)
    return notice('database', `${detail}; jit is on`, 'run "alter database NAME set jit = off": it makes calls slow.');
  return passed('database', detail);
}

async function checkMigrations({ db }: AppContext): Promise<Check> {
  const { appliedMigrations: applied, migrations: files } = await compareSchema(db, schemaFolders(packageRoot));
  const detail = `${applied} of ${files} applied`;
  if (applied === files) return passed('migrations', detail);
  const remedy =
    applied > files
      ? 'the database is ahead of this program: run the newer release.'
      : 'start a server of this release: it applies them.';
  return problem('migrations', detail, remedy);
}

async function checkFunctions({ db }: AppContext): Promise<Check> {
  const found = await compareSchema(db, schemaFolders(packageRoot));
  const { missingFunctions: missing, differentFunctions: different, functionsWithoutFile: extra } = found;
  if (missing.length > 0) {
    const detail = `not in the database: ${missing.join(', ')}`;
    return problem(
      'functions',
      detail,
      'start a server of this release: it creates them. If the database is ahead, run the newer release.',
    );
  }
  if (different.length > 0) {
    const detail = `another body than in this program: ${different.join(', ')}`;
    const remedy =
      'run the newest release. If this is it, a file went back to an earlier text, which is not applied again: change its text.';
    return problem('functions', detail, remedy);
  }
  const detail = `${found.functions} in the database as in this program`;
  if (extra.length === 0) return passed('functions', detail);
  return notice(
    'functions',
    `${detail}, and of another release: ${extra.join(', ')}`,
    'none while servers of two releases run; otherwise a migration is to drop them.',
  );
}

async function checkEncryptionKey({ db, seal, config, clock }: AppContext): Promise<Check> {
  await verifyEncryptionKey(db, seal, clock.now());
  const source =
    config.encryptionKeys === null ? `the one in ${join(config.dataDir, 'encryption-key')}` : 'ENCRYPTION_KEY';
  return passed('encryption_key', `${source} is the key that this database was written with`);
}

async function checkClock({ db, clock }: AppContext): Promise<Check> {
  const before = clock.now();
  const [row] = await db.query<{ ms: number }>('select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms');
  const after = clock.now();
  // The database read its clock between `before` and `after`, so only a time outside that range is a difference.
  const databaseTime = row?.ms ?? Number.NaN;
  const skew = Math.max(before - databaseTime, databaseTime - after, 0);
  const detail = `${(skew / 1000).toFixed(1)} s between this machine and the database`;
  if (skew < MAX_CLOCK_SKEW_MS) return passed('clock', detail);
  return problem('clock', detail, 'set both clocks by NTP: times of payment are compared with them.');
}

/** A webhook endpoint and an event destination, each with its own. */
const NEEDED_SECRETS = 2;

/** The sandbox is found in DATA_DIR, so servers and workers of several machines have one each, unless they share one. */
async function checkSandbox({ config, db }: AppContext): Promise<Check> {
  const running = config.sandboxProcessorUrl === null ? ((await listProcesses(db)) ?? []) : [];
  const hosts = [...new Set(running.map(({ host }) => host))].sort();
  if (hosts.length <= 1) return passed('processor', 'the sandbox serves test and live: no real money moves');
  return problem(
    'processor',
    `${hosts.join(', ')} each have a sandbox of their own: a card that is held at one is unknown at the others`,
    'set the keys of Stripe’s test mode everywhere, or run one "everyshare processor" and set SANDBOX_PROCESSOR_URL to its address.',
  );
}

async function checkProcessor(context: AppContext): Promise<Check> {
  const { config, services } = context;
  if (config.sandboxProcessor) return checkSandbox(context);
  const describe = (mode: Mode): string =>
    config.modes.includes(mode) ? `${mode} has Stripe` : `${mode} has none (its keys get mode_not_available)`;
  const missing: string[] = [];
  for (const mode of config.modes) {
    const secrets = config.stripe[mode]?.webhookSecrets.length ?? 0;
    if (secrets < NEEDED_SECRETS) {
      missing.push(`STRIPE_${mode.toUpperCase()}_WEBHOOK_SECRETS has ${secrets} of ${NEEDED_SECRETS} secrets`);
    }
    const processor = services.processors[mode];
    if (processor === undefined || config.baseUrl === null) continue;
    const kinds = await missingSetup(processor, new URL(config.baseUrl));
    missing.push(...kinds.map((kind) => `${mode} mode has no ${kind} for ${config.baseUrl}`));
  }
  const detail = [describe('test'), describe('live'), ...missing].join(', ');
  if (missing.length === 0) return passed('processor', detail);
  const remedy = `run "everyshare processor setup --mode MODE --url ${config.baseUrl ?? 'URL'}", and set what it prints.`;
  // Without events the worker still asks for everything, for disputes only every six hours.
  return problem('processor', detail, remedy);
}

/** Linked venues whose live checkouts are refused, because the processor cannot pay them. */
async function checkPayouts({ db, config }: AppContext): Promise<Check> {
  if (!config.modes.includes('live')) return passed('payouts', 'live mode has no card processor');
  const venues = await everyPage((before) => listVenues(db, before));
  const linked = venues.filter((venue) => venue.linked && venue.revoked_at === null);
  const payable = new Set(await payableVenues(db, 'live'));
  const missing = linked.filter(({ id }) => !payable.has(id));
  if (missing.length === 0) return passed('payouts', `all of ${linked.length} linked venues can be paid`);
  const waiting = (await fundedByVenue(db, 'live')).filter(({ venueId }) => !payable.has(venueId));
  const isWaiting = new Set(waiting.map(({ venueId }) => venueId));
  const first = missing.toSorted((a, b) => Number(isWaiting.has(b.id)) - Number(isWaiting.has(a.id)));
  const names = first.slice(0, 5).map(({ id, name }) => `${name} (${id})`);
  const more = missing.length > names.length ? `, and ${missing.length - names.length} more` : '';
  const detail = `cannot be paid, so their live checkouts are refused: ${names.join(', ')}${more}`;
  const remedy =
    '"everyshare venue show ID" says what is missing; "everyshare venue onboard ID --mode live --email ADDRESS" gives the venue’s link.';
  if (waiting.length === 0) return notice('payouts', detail, remedy);
  return problem('payouts', `${detail}; ${waitingText(waiting)}`, remedy);
}

/** Every guest has paid, and no card is charged while the venue cannot be paid: at the deadline the cards are released. */
function waitingText(waiting: readonly FundedAtVenue[]): string {
  const count = waiting.reduce((sum, one) => sum + one.count, 0);
  const amount = waiting.reduce((sum, one) => sum + one.amount, 0);
  const until = waiting.map((one) => one.until).sort()[0] ?? '';
  return `held cards of ${count} ${count === 1 ? 'checkout' : 'checkouts'} wait, ${amount} in all, until ${until}`;
}

/**
 * Our own balance must be paid out by hand alone: a daily payout takes the money of guests whose venue is paid later. A
 * processor that does not say is no problem, because the operator can look in its dashboard.
 */
async function checkPlatformPayouts({ config, services }: AppContext): Promise<Check> {
  const name = 'platform_payouts';
  if (config.sandboxProcessor) return passed(name, 'the sandbox pays out nothing by itself');
  const processor = services.processors.live;
  if (processor === undefined) return passed(name, 'live mode has no card processor');
  const remedy = 'set the payouts to manual in the dashboard of the card processor: docs/guides/stripe.md says why.';
  try {
    const interval = await processor.payoutInterval();
    if (interval === 'manual') return passed(name, 'our balance is paid out by hand');
    if (interval === null) return notice(name, 'the card processor does not say how our balance is paid out', remedy);
    return problem(name, `our balance is paid out automatically (${interval}), with the money of guests in it`, remedy);
  } catch (error) {
    if (!(error instanceof ProcessorRefusal || error instanceof ProcessorUnavailable)) throw error;
    return notice(name, `how our balance is paid out could not be read: ${error.message}`, remedy);
  }
}

function checkSms({ config }: AppContext): Check {
  const { twilio, sandboxSms } = config;
  if (twilio !== null) {
    const from = 'number' in twilio.from ? 'a number of ours' : 'a messaging service';
    return passed('texts', `Twilio sends them from ${from}; the server receives STOP at /texts/twilio`);
  }
  if (sandboxSms) return passed('texts', 'stored at /sandbox/outbox: no phone receives them');
  const remedy = 'set TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and TWILIO_FROM: guests cannot sign in without a code.';
  return problem('texts', 'no sender is set up, while live mode has Stripe', remedy);
}

function checkMail({ config }: AppContext): Check {
  const { mail, sandboxMail } = config;
  if (mail !== null) return passed('mail', `${new URL(mail.url).hostname} sends it from ${mail.from}`);
  if (sandboxMail) return passed('mail', 'stored at /sandbox/outbox: no mailbox receives it');
  return notice('mail', 'no server is set up: guests get no receipt by mail', 'set MAIL_URL and MAIL_FROM.');
}

async function checkTextLimit({ db, config: { textsPerHour } }: AppContext): Promise<Check> {
  const { inLastHour, waiting } = await readTextFigures(db);
  const detail = `${inLastHour} of ${textsPerHour} texts in the last hour; waiting: ${waiting.code} sign-in codes, ${waiting.other} others`;
  const remedy =
    'look for the cause (an attack, or a busy hour), then raise TEXTS_PER_HOUR: see "Limits on texts" in docs/guides/operating.md.';
  if (inLastHour >= textsPerHour) return problem('text_limit', `${detail}; sign-in codes are not sent`, remedy);
  if (inLastHour >= textLimitOf('other', textsPerHour))
    return notice('text_limit', `${detail}; only sign-in codes are sent`, remedy);
  return passed('text_limit', detail);
}

function isLoopback(host: string): boolean {
  return isIP(host) === 0 ? host === 'localhost' : addressIn(host, ['127.0.0.0/8', '::1']);
}

function checkBaseUrl({ config }: AppContext): Check {
  if (config.baseUrl !== null) return passed('base_url', config.baseUrl);
  if (isLoopback(config.host)) return passed('base_url', `not set, and not needed while HOST is ${config.host}`);
  return problem(
    'base_url',
    `not set, while HOST is ${config.host}`,
    'set BASE_URL to the address that others reach this server at.',
  );
}

/** What is wrong in test mode is no reason for an alarm: a partner tries a card whose refund fails. */
async function checkRefunds({ db }: AppContext): Promise<Check> {
  const counts = await countUnpaidRefunds(db);
  const unfunded = await unfundedRefunds(db);
  const failures = [
    ...counts.filter(({ status }) => status === 'failed').map((one) => ({ ...one, text: failedText(one) })),
    ...unfunded.map((one) => ({ ...one, text: unfundedText(one) })),
  ];
  const frozen = counts.filter(({ status }) => status === 'frozen');
  const detail = [...failures.map(({ text }) => text), ...frozen.map(frozenText)].join('; ');
  if (failures.length === 0 && frozen.length === 0) return passed('refunds', 'none has failed');
  if (failures.length === 0) {
    return notice('refunds', detail, 'answer the disputes in the dashboard of the card processor.');
  }
  const remedy = counts.some(({ status }) => status === 'failed')
    ? 'see docs/guides/money-operations.md; "everyshare refund list" shows them, to retry or to close.'
    : 'top up the balance in the card processor’s dashboard by that amount, and pay out less: the refunds follow by themselves.';
  const isLive = failures.some(({ mode }) => mode === 'live');
  return (isLive ? problem : notice)('refunds', detail, remedy);
}

const refundsOf = ({ count, checkoutCount: checkouts }: RefundCount): string =>
  `${count} ${count === 1 ? 'refund' : 'refunds'} of ${checkouts} ${checkouts === 1 ? 'checkout' : 'checkouts'}`;

const failedText = (one: RefundCount): string => `${refundsOf(one)} did not reach the guest (${one.mode})`;

const unfundedText = ({ mode, currency, count, amount }: UnfundedRefunds): string =>
  `${count} ${count === 1 ? 'refund' : 'refunds'} of ${amount} ${currency} (${mode}) cannot be paid: the balance at the card processor is too low`;

function frozenText(one: RefundCount): string {
  const what = one.count === 1 ? 'waits for the end of its dispute' : 'wait for the end of their disputes';
  return `${refundsOf(one)} ${what} (${one.mode})`;
}

/** What venues owe is settled by their later transfers. A venue that earns nothing more must be asked for it. */
async function checkDebts({ db }: AppContext): Promise<Check> {
  const debts = (await findDebts(db, null)).filter(({ mode }) => mode === 'live');
  if (debts.length === 0) return passed('debts', 'no venue owes anything in live mode');
  const listed = debts.slice(0, 5).map(({ venueId, amount, currency }) => `${venueId} owes ${amount} ${currency}`);
  const more = debts.length > listed.length ? `, and ${debts.length - listed.length} more` : '';
  return notice(
    'debts',
    `taken back from the next transfers, in minor units: ${listed.join(', ')}${more}`,
    'see "What a venue owes" in docs/guides/money-operations.md.',
  );
}

async function checkAnalytics({ db }: AppContext): Promise<Check> {
  const venues = await countVenuesWithoutHours(db);
  if (venues === 0) return passed('analytics', 'every venue is counted by the hour');
  const detail = `${venues} ${venues === 1 ? 'venue is' : 'venues are'} counted by the day only: correct, but slow for a part of a busy day`;
  return notice('analytics', detail, 'run "everyshare analytics rebuild" once, beside running servers if you like.');
}

async function runChecks(open: OpenContext): Promise<Check[]> {
  const node = checkNode(process.versions.node);
  let context: AppContext;
  try {
    ({ context } = await open());
  } catch (error) {
    if (error instanceof CliError) throw error;
    return [node, failedCheck('database', error)];
  }
  return [
    node,
    await runCheck('database', checkDatabase(context)),
    await runCheck('migrations', checkMigrations(context)),
    await runCheck('functions', checkFunctions(context)),
    await runCheck('encryption_key', checkEncryptionKey(context)),
    await runCheck('clock', checkClock(context)),
    await runCheck('processor', checkProcessor(context)),
    await runCheck('payouts', checkPayouts(context)),
    await runCheck('platform_payouts', checkPlatformPayouts(context)),
    checkSms(context),
    checkMail(context),
    await runCheck('text_limit', checkTextLimit(context)),
    checkBaseUrl(context),
    await runCheck('refunds', checkRefunds(context)),
    await runCheck('debts', checkDebts(context)),
    await runCheck('analytics', checkAnalytics(context)),
  ];
}

const doctor: Command = {
  words: ['doctor'],
  arguments: [],
  help: 'check this installation and say what to do about what is wrong',
  options: [
    {
      name: 'before-upgrade',
      valueName: null,
      help: 'check what an upgrade to this release would do, and change nothing',
    },
    { name: 'backups', valueName: 'DIR', help: 'with --before-upgrade: where "everyshare backup" wrote' },
  ],
  run: async (input, open, _readSettings, _configFolder, openBackups, openUnmigrated) => {
    const folder = input.text('backups');
    if (input.flag('before-upgrade'))
      return report(await checksBeforeUpgrade(openUnmigrated, { folder, open: openBackups }));
    if (folder !== null) throw usageError('"--backups" needs "--before-upgrade".');
    return report(await runChecks(open));
  },
};

export const doctorCommands: readonly Command[] = [doctor];
