// The only file that reads the settings in process.env, which main.ts passes to it. They are read and checked once, and
// one error names every wrong variable with its remedy.

import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { isAddressRange } from './address-range.ts';
import { type Retention, readRetention } from './retention.ts';
import { type StripeKeys, stripeKeys } from './stripe-settings.ts';
import { parseResourceAttributes, RESOURCE_ATTRIBUTES_PROBLEM } from './tracing/resource-attributes.ts';

export type Mode = 'test' | 'live';

export interface Config {
  readonly host: string;
  readonly port: number;
  /** How many servers `start` and `serve` run on `port`; null: one. main/process-group.ts checks it. */
  readonly processes: string | null;
  /** The address of /metrics alone; null: it is on `port`. */
  readonly metricsPort: number | null;
  readonly metricsHost: string;
  /** The address of /healthz, /readyz and /metrics of a worker; null: it has none. */
  readonly workerPort: number | null;
  readonly workerHost: string;
  readonly dataDir: string;
  /** null: the embedded PostgreSQL under dataDir. */
  readonly databaseUrl: string | null;
  /** A standby of DATABASE_URL, for reading; null: the primary is read. */
  readonly databaseReadUrl: string | null;
  readonly databaseConnections: number;
  /** The database is behind a pooler in transaction mode. */
  readonly databasePooled: boolean;
  /** null: the server's own address, known once it listens. */
  readonly baseUrl: string | null;
  readonly checkoutPageBase: string | null;
  readonly schemaUrl: string | null;
  /** null: generated into dataDir. */
  readonly operatorToken: string | null;
  /** The first seals, all open. Null: the one in DATA_DIR. */
  readonly encryptionKeys: readonly Buffer[] | null;
  readonly trustedProxies: readonly string[];
  readonly maxConnections: number;
  /** Does not hold for trusted proxies. */
  readonly maxConnectionsPerAddress: number;
  /** A client that takes hardly anything of its answer for this long is dropped. */
  readonly stalledWriteSeconds: number;
  /** For development and tests: loopback addresses and self-signed certificates may be called. */
  readonly allowInsecureTargets: boolean;
  readonly logLevel: string;
  /** Where traces are sent by OTLP over HTTP; null: there are none. */
  readonly otlpEndpoint: string | null;
  readonly otlpServiceName: string | null;
  readonly otlpResourceAttributes: Readonly<Record<string, string>>;
  readonly otlpIntervalMs: number;
  readonly shutdownSeconds: number;
  readonly modes: readonly Mode[];
  /** No Stripe key at all: the embedded sandbox stands in. */
  readonly sandboxProcessor: boolean;
  /** The real processor's keys, for each mode that has them. */
  readonly stripe: Readonly<Partial<Record<Mode, StripeKeys>>>;
  /** The address of an embedded processor that another process started. */
  readonly sandboxProcessorUrl: string | null;
  /** The issuer of an operator's own members, accepted beside our own. */
  readonly memberIssuer: MemberIssuer | null;
  /** The file with which the processor proves to Apple that this domain may show Apple Pay; null: there is none. */
  readonly applePayDomainFile: string | null;
  /** The real sender of text messages; null: there is none. */
  readonly twilio: TwilioAccount | null;
  /** Neither a real sender nor live keys: messages are stored only, to be read at /sandbox/outbox. */
  readonly sandboxSms: boolean;
  /** The server that sends mails; null: there is none. */
  readonly mail: { readonly url: string; readonly from: string } | null;
  /** Neither a mail server, nor a real sender of texts, nor live keys: mails are stored only, to be read at /sandbox/outbox. */
  readonly sandboxMail: boolean;
  /** The countries whose phones get texts, in upper case; null: all. run/context.ts checks the codes. */
  readonly phoneCountries: readonly string[] | null;
  readonly textsPerHour: number;
  /** The service's own addresses, for venues that have none: what pages link to. */
  readonly termsUrl: string | null;
  readonly privacyUrl: string | null;
  readonly supportUrl: string | null;
  /** An operator approves each venue before it goes live. */
  readonly liveNeedsApproval: boolean;
  /** The name servers that are asked for the records of venues, each with its port if it is not 53; empty: the system's. */
  readonly dnsServers: readonly string[];
  readonly payoutDelayHours: number;
  /** Calls with a partner's key are kept for the console. */
  readonly requestLog: boolean;
  readonly retention: Retention;
  readonly ledgerCheckHours: number;
  /** The most requests to the API of one venue system for one integration in a day. */
  readonly readsPerDay: number;
  /** For tests: the address of servers that stand in for the APIs of venue systems, each below its name. */
  readonly readerBaseUrl: string | null;
  /** How many backups `everyshare backup` keeps in its folder; 0: all. */
  readonly backupsKept: number;
}

export interface MemberIssuer {
  readonly issuer: string;
  readonly jwksUrl: string;
  readonly audience: string;
}

export interface TwilioAccount {
  readonly accountSid: string;
  readonly authToken: string;
  readonly from: { readonly number: string } | { readonly service: string };
  readonly baseUrl: string;
}

export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
  }
}

type Env = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

class Reader {
  readonly problems: string[] = [];
  readonly #env: Env;

  constructor(env: Env) {
    this.#env = env;
  }

  text(name: string): string | null {
    const value = this.#env[name];
    return value === undefined || value === '' ? null : value;
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const text = this.text(name);
    if (text === null) return fallback;
    const value = Number(text);
    if (/^[0-9]+$/.test(text) && value >= min && value <= max) return value;
    this.problems.push(
      `${name} is "${text}": set it to a whole number from ${min} to ${max}, or leave it unset for ${fallback}.`,
    );
    return fallback;
  }

  optionalInteger(name: string, min: number, max: number): number | null {
    return this.text(name) === null ? null : this.integer(name, min, min, max);
  }

  oneOf(name: string, allowed: readonly string[], fallback: string): string {
    const text = this.text(name) ?? fallback;
    if (allowed.includes(text)) return text;
    this.problems.push(`${name} is "${text}": set it to one of ${allowed.join(', ')}.`);
    return fallback;
  }

  address(name: string, schemes: readonly string[]): string | null {
    const text = this.text(name);
    if (text === null) return null;
    try {
      const url = new URL(text);
      if (schemes.includes(url.protocol)) return text.replace(/\/+$/, '');
    } catch {
      // Falls through to the problem below: an unparseable address and a wrong scheme have one remedy.
    }
    const forms = schemes.map((scheme) => `${scheme}//…`).join(' or ');
    this.problems.push(`${name} is not an address of the form ${forms}: correct it or leave it unset.`);
    return null;
  }

  keys(name: string): readonly Buffer[] | null {
    const text = this.text(name);
    if (text === null) return null;
    const keys = parseKeys(text);
    if (keys !== null) return keys;
    this.problems.push(
      `${name} must be 32 bytes in base64, or several such keys separated by commas: make one with "openssl rand -base64 32".`,
    );
    return null;
  }

  nameServers(name: string): readonly string[] {
    const list = this.list(name);
    for (const part of list) {
      if (!isNameServer(part))
        this.problems.push(
          `${name} has "${part}": list IP addresses of name servers, such as 9.9.9.9 or 127.0.0.1:5353, separated by commas.`,
        );
    }
    return list;
  }

  list(name: string): string[] {
    return splitList(this.text(name));
  }

  proxies(name: string): readonly string[] {
    const list = this.list(name);
    for (const part of list) {
      if (!isAddressRange(part))
        this.problems.push(`${name} has "${part}": list addresses or CIDR ranges, separated by commas.`);
    }
    return list;
  }
}

/** An IP address, with or without a port: 9.9.9.9, 127.0.0.1:5353, [2620:fe::fe]:53. */
function isNameServer(text: string): boolean {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::([0-9]{1,5}))?$/.exec(text) ?? [];
  const address = bracketed ?? plain ?? text;
  return isIP(address) !== 0 && (port === undefined || (Number(port) >= 1 && Number(port) <= 65535));
}

/** Keys of 32 bytes in base64, separated by commas. Null: one of them is not, or a key is there twice. */
export function parseKeys(text: string): readonly Buffer[] | null {
  const keys = splitList(text).map((part) => Buffer.from(part, 'base64'));
  const distinct = new Set(keys.map((key) => key.toString('hex')));
  return keys.length > 0 && distinct.size === keys.length && keys.every(({ length }) => length === 32) ? keys : null;
}

function splitList(text: string | null): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** All three or none: the server accepts a token only from one issuer, for one audience, signed by keys of one address. */
function memberIssuer(read: Reader): MemberIssuer | null {
  const issuer = read.text('MEMBER_ISSUER');
  const jwksUrl = read.address('MEMBER_JWKS_URL', ['https:', 'http:']);
  const audience = read.text('MEMBER_AUDIENCE');
  if (issuer === null && jwksUrl === null && audience === null) return null;
  if (issuer !== null && jwksUrl !== null && audience !== null) return { issuer, jwksUrl, audience };
  read.problems.push('MEMBER_ISSUER, MEMBER_JWKS_URL and MEMBER_AUDIENCE belong together: set all three, or none.');
  return null;
}

/** Either the account, its token and one of a number and a messaging service, or none of them. */
function twilioAccount(read: Reader): TwilioAccount | null {
  const baseUrl = read.address('TWILIO_BASE_URL', ['https:', 'http:']) ?? 'https://api.twilio.com';
  const [accountSid, authToken] = [read.text('TWILIO_ACCOUNT_SID'), read.text('TWILIO_AUTH_TOKEN')];
  const [number, service] = [read.text('TWILIO_FROM'), read.text('TWILIO_MESSAGING_SERVICE_SID')];
  if (accountSid === null && authToken === null && number === null && service === null) return null;
  const from =
    number !== null && service === null ? { number } : service !== null && number === null ? { service } : null;
  if (accountSid !== null && authToken !== null && from !== null) return { accountSid, authToken, from, baseUrl };
  read.problems.push(
    'Twilio needs TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and one of TWILIO_FROM and TWILIO_MESSAGING_SERVICE_SID: set these three, or none.',
  );
  return null;
}

/** Both or none: a mail needs a sender that its recipient can answer or block. */
function mailServer(read: Reader): Config['mail'] {
  const [url, from] = [read.address('MAIL_URL', ['smtp:', 'smtps:']), read.text('MAIL_FROM')];
  if (url === null && from === null) return null;
  if (url !== null && from !== null && /^[^\r\n]{0,100}<?[^\s@<>]+@[^\s@<>]+>?$/.test(from)) return { url, from };
  read.problems.push(
    'Mail needs MAIL_URL (smtp:// or smtps://) and MAIL_FROM (help@example.com, or Example <help@example.com>): set both, or none.',
  );
  return null;
}

/** How venue systems are read. */
function readerSettings(read: Reader): Pick<Config, 'readsPerDay' | 'readerBaseUrl'> {
  return {
    readsPerDay: read.integer('READS_PER_DAY', 5_000, 1, 1_000_000),
    readerBaseUrl: read.address('READER_BASE_URL', ['https:']),
  };
}

type ListenAddresses = 'host' | 'port' | 'processes' | 'metricsPort' | 'metricsHost' | 'workerPort' | 'workerHost';

function listenAddresses(read: Reader): Pick<Config, ListenAddresses> {
  const host = read.text('HOST') ?? '127.0.0.1';
  return {
    host,
    port: read.integer('PORT', 8080, 0, 65535),
    processes: read.text('PROCESSES'),
    metricsPort: read.optionalInteger('METRICS_PORT', 0, 65535),
    metricsHost: read.text('METRICS_HOST') ?? host,
    workerPort: read.optionalInteger('WORKER_PORT', 0, 65535),
    workerHost: read.text('WORKER_HOST') ?? host,
  };
}

function otlpSettings(
  read: Reader,
): Pick<Config, 'otlpEndpoint' | 'otlpServiceName' | 'otlpResourceAttributes' | 'otlpIntervalMs'> {
  const attributes = parseResourceAttributes(read.text('OTEL_RESOURCE_ATTRIBUTES') ?? '');
  if (attributes === null) read.problems.push(RESOURCE_ATTRIBUTES_PROBLEM);
  return {
    otlpEndpoint: read.address('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:']),
    otlpServiceName: read.text('OTEL_SERVICE_NAME'),
    otlpResourceAttributes: attributes ?? {},
    otlpIntervalMs: read.integer('OTEL_METRIC_EXPORT_INTERVAL', 60_000, 1_000, 3_600_000),
  };
}

function databaseSettings(
  read: Reader,
): Pick<Config, 'databaseUrl' | 'databaseReadUrl' | 'databaseConnections' | 'databasePooled'> {
  const databaseUrl = read.address('DATABASE_URL', ['postgres:', 'postgresql:']);
  const databaseReadUrl = read.address('DATABASE_READ_URL', ['postgres:', 'postgresql:']);
  if (databaseReadUrl !== null && databaseUrl === null)
    read.problems.push(
      'DATABASE_READ_URL is set without DATABASE_URL: set DATABASE_URL to the primary of that standby.',
    );
  if (databaseUrl !== null && read.text('ENCRYPTION_KEY') === null) {
    read.problems.push(
      'ENCRYPTION_KEY is not set: with DATABASE_URL every server needs the same one. Make it with "openssl rand -base64 32".',
    );
  }
  return {
    databaseUrl,
    databaseReadUrl,
    databaseConnections: read.integer('DATABASE_CONNECTIONS', 12, 2, 200),
    databasePooled: read.oneOf('DATABASE_POOLER', ['none', 'transaction'], 'none') === 'transaction',
  };
}

/** Of the operator token. */
export const MIN_TOKEN_LENGTH = 16;

export function readConfig(env: Env): Config {
  const read = new Reader(env);
  const database = databaseSettings(read);
  const encryptionKeys = read.keys('ENCRYPTION_KEY');
  const stripe: Partial<Record<Mode, StripeKeys>> = { ...stripeKeys(read, 'test'), ...stripeKeys(read, 'live') };
  const sandboxProcessor = Object.keys(stripe).length === 0;
  const modes = (['test', 'live'] as const).filter((mode) => sandboxProcessor || stripe[mode] !== undefined);
  const operatorToken = read.text('OPERATOR_TOKEN');
  if (operatorToken !== null && operatorToken.length < MIN_TOKEN_LENGTH) {
    read.problems.push(
      `OPERATOR_TOKEN is shorter than ${MIN_TOKEN_LENGTH} characters: use a long random one, or leave it unset.`,
    );
  }
  const [twilio, mail] = [twilioAccount(read), mailServer(read)];
  const phoneCountries = read.list('PHONE_COUNTRIES').map((code) => code.toUpperCase());
  const config: Config = {
    ...listenAddresses(read),
    dataDir: resolve(read.text('DATA_DIR') ?? '.data'),
    ...database,
    baseUrl: read.address('BASE_URL', ['http:', 'https:']),
    checkoutPageBase: read.address('CHECKOUT_PAGE_BASE', ['http:', 'https:']),
    schemaUrl: read.address('SCHEMA_URL', ['http:', 'https:']),
    operatorToken,
    encryptionKeys,
    trustedProxies: read.proxies('TRUSTED_PROXIES'),
    maxConnections: read.integer('MAX_CONNECTIONS', 5_000, 1, 100_000),
    maxConnectionsPerAddress: read.integer('MAX_CONNECTIONS_PER_ADDRESS', 256, 1, 100_000),
    stalledWriteSeconds: read.integer('STALLED_WRITE_SECONDS', 20, 1, 600),
    allowInsecureTargets: read.oneOf('ALLOW_INSECURE_TARGETS', ['0', '1'], '0') === '1',
    ...otlpSettings(read),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    shutdownSeconds: read.integer('SHUTDOWN_SECONDS', 20, 1, 600),
    modes,
    sandboxProcessor,
    stripe,
    sandboxProcessorUrl: read.address('SANDBOX_PROCESSOR_URL', ['http:', 'https:']),
    memberIssuer: memberIssuer(read),
    applePayDomainFile: read.text('APPLE_PAY_DOMAIN_FILE'),
    twilio,
    sandboxSms: twilio === null && stripe.live === undefined,
    mail,
    sandboxMail: mail === null && twilio === null && stripe.live === undefined,
    textsPerHour: read.integer('TEXTS_PER_HOUR', 10_000, 5, 100_000_000),
    phoneCountries: phoneCountries.length === 0 ? null : phoneCountries,
    termsUrl: read.address('TERMS_URL', ['https:']),
    privacyUrl: read.address('PRIVACY_URL', ['https:']),
    supportUrl: read.address('SUPPORT_URL', ['https:']),
    liveNeedsApproval: read.oneOf('LIVE_NEEDS_APPROVAL', ['0', '1'], '0') === '1',
    dnsServers: read.nameServers('DNS_SERVERS'),
    payoutDelayHours: read.integer('PAYOUT_DELAY_HOURS', 0, 0, 24 * 90),
    requestLog: read.oneOf('REQUEST_LOG', ['on', 'off'], 'on') === 'on',
    retention: readRetention(read),
    ledgerCheckHours: read.integer('LEDGER_CHECK_HOURS', 24, 1, 168),
    ...readerSettings(read),
    backupsKept: read.integer('BACKUPS_KEPT', 14, 0, 10_000),
  };
  if (read.problems.length > 0) throw new ConfigError(read.problems);
  return config;
}
