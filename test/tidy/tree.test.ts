// The rules of the code base: which folder may import which, how long files and functions may be, what each file opens
// with, and which calls have one home. When this fails, fix the code, or change docs/ARCHITECTURE.md and this test
// together.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { readFunctions, schemaFolders } from '../../src/base/schema-files.ts';
import { TABLE_HOMES } from './table-homes.ts';

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: packageRoot,
  encoding: 'utf8',
});
const files = listed.split('\n').filter((file) => file !== '' && existsSync(join(packageRoot, file)));
const sources = files.filter(
  (file) => /^(src|sandbox|sdk|schemas|migrations)\/.*\.ts$/.test(file) && !file.includes('.gen.'),
);
const program = sources.filter((file) => /^(src|sandbox)\//.test(file));
const code = files.filter((file) => /\.(ts|tsx|js)$/.test(file) && !file.includes('.gen.'));
const texts = new Map<string, string>();
function read(file: string): string {
  const text = texts.get(file) ?? readFileSync(join(packageRoot, file), 'utf8');
  texts.set(file, text);
  return text;
}

const trees = new Map<string, ts.SourceFile>();
function parse(file: string): ts.SourceFile {
  const tree = trees.get(file) ?? ts.createSourceFile(file, read(file), ts.ScriptTarget.ES2023, false);
  trees.set(file, tree);
  return tree;
}

interface Import {
  readonly from: string;
  readonly to: string;
}

/** Every relative import of a file, type imports included. */
function importsOf(file: string): Import[] {
  const found = [...read(file).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)];
  return found.map(([, to = '']) => ({
    from: file,
    to: relative(packageRoot, resolve(packageRoot, dirname(file), to)),
  }));
}

const imports = sources.flatMap(importsOf);
const layer = (file: string): string =>
  file.startsWith('src/') ? (file.split('/')[1] ?? '').replace(/\.ts$/, '') : (file.split('/')[0] ?? '');

/** The domain folder of a file; '' outside the domain. */
const domainFolder = (file: string): string => (layer(file) === 'domain' ? (file.split('/')[2] ?? '') : '');

/** The folders that each folder may import. `schemas` is the contract: every folder but the sandbox may read it. */
const ALLOWED_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  base: ['schemas'],
  domain: ['base', 'schemas'],
  run: ['base', 'domain', 'schemas'],
  http: ['base', 'domain', 'run', 'schemas', 'web'],
  mcp: ['base', 'domain', 'run', 'schemas'],
  worker: ['base', 'domain'],
  cli: ['base', 'domain', 'run', 'sdk'],
  sandbox: ['base'],
  sdk: [],
  main: ['base', 'domain', 'run', 'http', 'mcp', 'worker', 'cli', 'sandbox'],
  schemas: ['base'],
  migrations: ['base'],
};

/** Programs of developers, which nothing imports, may import more. */
const TOOL_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  'schemas/generate.ts': ['run', 'http'],
  'migrations/dump-schema.ts': ['sandbox'],
};

/** The folders of the domain that each of them may import. There are no cycles. */
const ALLOWED_DOMAIN_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  analytics: [],
  installation: ['venues'],
  idempotency: [],
  venues: [],
  ledger: [],
  notices: [],
  keys: ['venues', 'installation', 'notices'],
  events: ['venues', 'keys'],
  recurrence: [],
  catalogue: ['venues', 'keys'],
  offerings: ['venues', 'keys', 'recurrence', 'catalogue'],
  boats: ['venues', 'keys', 'recurrence', 'catalogue'],
  experiences: ['venues', 'keys', 'catalogue', 'offerings'],
  images: ['venues', 'offerings'],
  webhooks: ['venues', 'keys', 'events', 'notices'],
  members: ['venues', 'keys'],
  accounts: ['venues', 'keys', 'mail', 'notices'],
  requests: ['keys', 'accounts'],
  payments: ['venues', 'keys', 'ledger', 'notices'],
  'go-live': ['venues', 'keys', 'mail', 'notices', 'accounts', 'payments'],
  checkouts: [
    'installation',
    'venues',
    'keys',
    'accounts',
    'idempotency',
    'events',
    'webhooks',
    'requests',
    'ledger',
    'offerings',
    'payments',
    'members',
    'mail',
    'notices',
  ],
  hooks: ['venues', 'keys', 'recurrence', 'offerings'],
  review: ['venues', 'keys', 'events', 'notices', 'catalogue', 'offerings', 'boats', 'experiences'],
  privacy: ['checkouts', 'events', 'installation', 'mail', 'members', 'payments', 'venues', 'webhooks'],
  monitoring: [
    'accounts',
    'boats',
    'checkouts',
    'events',
    'experiences',
    'hooks',
    'idempotency',
    'images',
    'keys',
    'ledger',
    'mail',
    'members',
    'notices',
    'offerings',
    'payments',
    'webhooks',
  ],
  desk: [
    'accounts',
    'boats',
    'catalogue',
    'checkouts',
    'events',
    'experiences',
    'go-live',
    'keys',
    'ledger',
    'monitoring',
    'offerings',
    'payments',
    'review',
    'venues',
  ],
  demo: [
    'accounts',
    'analytics',
    'boats',
    'checkouts',
    'events',
    'experiences',
    'hooks',
    'images',
    'keys',
    'ledger',
    'offerings',
    'payments',
    'requests',
    'review',
    'venues',
    'webhooks',
  ],
};

/**
 * The subfolders of checkouts that each of them may import. Each may import the files at the top of checkouts, and
 * those import no subfolder.
 */
const ALLOWED_CHECKOUT_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  '': [],
  guests: [],
  notifications: ['guests'],
  capture: [],
  holds: ['guests', 'capture'],
  party: ['guests', 'notifications', 'holds'],
  refunds: ['capture'],
  disputes: ['capture', 'refunds'],
  accounting: ['capture', 'holds', 'refunds'],
  'test-mode': ['capture', 'holds', 'party'],
  timeline: [],
  overview: [],
};

describe('imports', () => {
  it('of an example are the SDK, Node and files of its own folder', () => {
    const found = files
      .filter((file) => /^examples\/.*\.(js|ts)$/.test(file))
      .flatMap((file) => [...read(file).matchAll(/from '([^']+)'/g)].map(([, to = '']) => `${file} → ${to}`));
    expect(found.length).toBeGreaterThan(10);
    expect(found.filter((line) => !/ → (node:\w+|@everyshare\/sdk|\.\/[\w-]+\.(js|ts))$/.test(line))).toEqual([]);
  });

  it('follow base ← domain ← run ← entry points; the sandbox imports only base; entry points never import one another', () => {
    const violations = imports.filter(({ from, to }) => {
      const allowed = [...(ALLOWED_IMPORTS[layer(from)] ?? []), ...(TOOL_IMPORTS[from] ?? [])];
      return layer(from) !== layer(to) && !allowed.includes(layer(to));
    });
    expect(violations.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
    expect(imports.filter(({ to }) => TOOL_IMPORTS[to] !== undefined)).toEqual([]);
  });

  it('of what browsers and partners run lead to the SDK, and never into the program', () => {
    const clients = code.filter((file) => /^(web|examples)\//.test(file)).flatMap(importsOf);
    const violations = clients.filter(({ from, to }) => layer(to) !== layer(from) && layer(to) !== 'sdk');
    expect(violations.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('have a fixed order inside the domain', () => {
    const violations = imports.filter(
      ({ from, to }) =>
        layer(from) === 'domain' &&
        layer(to) === 'domain' &&
        domainFolder(from) !== domainFolder(to) &&
        !ALLOWED_DOMAIN_IMPORTS[domainFolder(from)]?.includes(domainFolder(to)),
    );
    expect(violations.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('have a fixed order inside checkouts', () => {
    const home = 'src/domain/checkouts/';
    const folder = (file: string): string => dirname(file.slice(home.length)).replace('.', '');
    const violations = imports.filter(
      ({ from, to }) =>
        from.startsWith(home) &&
        to.startsWith(home) &&
        folder(to) !== '' &&
        folder(from) !== folder(to) &&
        !ALLOWED_CHECKOUT_IMPORTS[folder(from)]?.includes(folder(to)),
    );
    expect(violations.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('have no cycles, type imports included', () => {
    const edges = new Map<string, string[]>();
    for (const { from, to } of imports) edges.set(from, [...(edges.get(from) ?? []), to]);
    const cycles: string[] = [];
    const visit = (file: string, path: readonly string[], done: Set<string>): void => {
      if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      if (path.includes(file) || done.has(file)) return;
      for (const next of edges.get(file) ?? []) visit(next, [...path, file], done);
      done.add(file);
    };
    const done = new Set<string>();
    for (const file of edges.keys()) visit(file, [], done);
    expect(cycles).toEqual([]);
  });

  it('name the file with its extension', () => {
    const missing = imports.filter(({ to }) => !/\.(ts|tsx|json)$|^web\/.*\.js$/.test(to));
    expect(missing).toEqual([]);
  });
});

const SQL_KEYWORD =
  /\b(select|insert into|update [a-z_]+( [a-z]+)? set|delete from|truncate|lock table|(from|join) [a-z_]+ (?!as|at|by|if|in|is|it|of|on|or|to)[a-z]{1,2}\b)/;

/** The strings of a file that are SQL or a part of it: those with a keyword that only SQL has. */
function sqlTexts(file: string): string[] {
  // Parsing is slow.
  if (!SQL_KEYWORD.test(read(file))) return [];
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) found.push(node.text);
    if (ts.isTemplateExpression(node))
      found.push([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(' … '));
    ts.forEachChild(node, visit);
  };
  visit(parse(file));
  return found.filter((text) => SQL_KEYWORD.test(text));
}

describe('these have one home', () => {
  const filesUsing = (pattern: RegExp, allowed: readonly string[]): string[] =>
    program.filter((file) => !allowed.some((home) => file.startsWith(home)) && pattern.test(read(file)));

  it('the environment: main passes it to base/config', () => {
    // The reference writes examples that read their reader's environment.
    const homes = ['src/main.ts', 'src/base/config.ts', 'src/http/docs/reference-examples.ts', 'sandbox/'];
    expect(filesUsing(/process\.env/, homes)).toEqual([]);
  });
  it('the clock: base/clock', () => {
    expect(filesUsing(/Date\.now\(\)|new Date\(\)/, ['src/base/clock.ts', 'sandbox/'])).toEqual([]);
  });
  it('randomness: base/random', () => {
    expect(filesUsing(/randomBytes|randomUUID|Math\.random/, ['src/base/random.ts', 'sandbox/'])).toEqual([]);
  });
  it('Retry-After after a counted call: domain/keys', () => {
    expect(filesUsing(/retry_at/, ['src/domain/keys/'])).toEqual([]);
  });
  it('the answer while the database or the processor is unavailable: run/problem', () => {
    const found = filesUsing(/\b(isUnavailable|ProcessorUnavailable)\b/, ['src/run/problem.ts']);
    expect(found.filter((file) => /^src\/(run|http|mcp)\//.test(file))).toEqual([]);
  });
  it('overdue as a condition in SQL: checkouts/expire-queries', () => {
    const home = 'src/domain/checkouts/expire-queries.ts';
    expect(filesUsing(/in \('open', 'collecting'\)/, [home])).toEqual([]);
  });
  it('the database driver: base/db with its connections, base/migrate, base/distribution and the sandbox', () => {
    const homes = [
      ...['db', 'database-client', 'distribution/distribute', 'migrate', 'notifications', 'pipelined-pool'],
      'transaction-pool',
    ];
    expect(filesUsing(/from 'pg'/, [...homes.map((name) => `src/base/${name}.ts`), 'sandbox/'])).toEqual([]);
  });
  it('SQL: a domain folder’s own queries, and the few tables that have one small file', () => {
    const homes = [
      'src/base/',
      'sandbox/',
      'src/domain/venues/audit.ts',
      'src/domain/venues/page-timestamps.ts',
      'src/domain/events/record.ts',
      'src/domain/idempotency/',
      'src/domain/installation/',
    ];
    const sql = /\b(insert into|update [a-z_]+ set|delete from|select .+ from)\b/i;
    const violations = filesUsing(sql, homes).filter(
      (file) => !/[/-]queries\.ts$/.test(file) && file !== 'src/cli/doctor.ts',
    );
    expect(violations).toEqual([]);
  });
  it('a table is touched only by its own folder', () => {
    const violations = program.flatMap((file) => {
      const named = new Set(sqlTexts(file).flatMap((text) => text.match(/(?<![.'"])\b[a-z_]+\b(?![.'"(])/g) ?? []));
      // The statements of catalogue/ get their table from the description in the noun's own folder.
      for (const [, table = ''] of read(file).matchAll(/\btable: '([a-z_]+)',/g)) named.add(table);
      const foreign = Object.entries(TABLE_HOMES).filter(([table, home]) => named.has(table) && !file.startsWith(home));
      return foreign.map(([table]) => `${file}: ${table}`);
    });
    const exceptions = [
      // A column of webhook_endpoints has the name of the table.
      'src/domain/webhooks/queries.ts: events',
    ];
    expect(violations.filter((violation) => !exceptions.includes(violation))).toEqual([]);
  });
  it('a SQL function is called only by its own folder and by folders that may import it', () => {
    const violations: string[] = [];
    for (const { name, path } of readFunctions(schemaFolders(packageRoot))) {
      const home = domainFolder(relative(packageRoot, path));
      // No name in TypeScript has an underscore; the one SQL function without any needs the SQL word before it. An error
      // message names a function with empty parentheses.
      const call = new RegExp(name.includes('_') ? `\\b${name}\\((?!\\))` : `\\b(from|select|perform)\\s+${name}\\(`);
      for (const file of [...program, ...files.filter((file) => file.endsWith('.sql') && file.startsWith('src/'))]) {
        const own = domainFolder(file);
        const isAllowed = home === '' || own === home || ALLOWED_DOMAIN_IMPORTS[own]?.includes(home);
        if (!isAllowed && call.test(read(file))) violations.push(`${file}: ${name}`);
      }
    }
    expect(violations.sort()).toEqual([
      // Authentication, the count and the read of a checkout are one round trip of every request.
      'src/domain/keys/functions/admit.sql: checkout_object',
      'src/domain/keys/functions/admit.sql: prefetch_checkouts',
      // A refund that fails changes its movement, its checkout and the event log in one transaction.
      'src/domain/payments/refund-queries.ts: add_failed_refund',
      'src/domain/payments/refund-queries.ts: record_checkout_event',
    ]);
  });
});

describe('files and functions', () => {
  it('a file has at most 400 lines', () => {
    const tooLong = code
      .filter((file) => /^(src|sandbox|sdk|schemas|bench)\//.test(file))
      .filter((file) => read(file).split('\n').length > 401);
    expect(tooLong).toEqual([]);
  });

  it('a test waits with a bound: test/support/wait-for.ts', () => {
    const waiting = files.filter((file) => /^test\/.*\.ts$/.test(file) && /for \(;;\)|while \(true\)/.test(read(file)));
    expect(waiting.filter((file) => file !== 'test/tidy/tree.test.ts')).toEqual(['test/support/wait-for.ts']);
  });

  it('has no loop without a bound', () => {
    const ended: Readonly<Record<string, string>> = {
      'src/base/json/scan.ts': 'the end of the bytes ends it',
      'src/domain/boats/icalendar/read-calendar.ts': 'the work budget ends it',
      'src/domain/boats/icalendar/components.ts': 'it takes one open component away each time',
      'src/domain/boats/read-calendars.ts': 'MAX_CLAIMS_PER_RUN ends it',
      'src/domain/installation/rotate-encryption.ts': 'each batch begins after the last row of the one before',
      'src/domain/recurrence/zone-clock.ts': 'each transition of the zone is later than the one before',
      'src/domain/webhooks/deliveries/endpoint-queue.ts': 'the lease ends it',
      'sandbox/postgres/backup-files.ts': 'the end of the file ends it',
      'sandbox/postgres/start-server.ts': 'a deadline ends it',
      'sandbox/processor/file-journal.ts': 'the end of the file ends it',
    };
    const unbounded = program.filter((file) => /for \(;;\)|while \(true\)|^\s*do \{/m.test(read(file)));
    expect(unbounded.sort()).toEqual(Object.keys(ended).sort());
  });

  it('a file opens with a comment', () => {
    const withoutHeader = code
      .filter((file) => /^(src|sandbox|sdk|schemas|migrations|bench|test)\//.test(file))
      .filter((file) => !/^(#!.*\n)?\/\/ \S/.test(read(file)));
    expect(withoutHeader).toEqual([]);
  });

  it('no file or folder has a vague name', () => {
    const vague = files.filter((file) =>
      /(^|\/)(utils?|helpers?|common|shared|misc|lib|service|manager|index)(\/|\.[jt]sx?$)/.test(file),
    );
    expect(vague).toEqual([]);
  });

  it('no test is skipped, focused or marked as todo', () => {
    const marked = files.filter(
      (file) => file.endsWith('.test.ts') && /\b(it|test|describe)\.(skip|todo|only)\b/.test(read(file)),
    );
    expect(marked.filter((file) => file !== 'test/tidy/tree.test.ts')).toEqual([]);
  });

  it('no file names a registry host or a path of a developer’s machine', () => {
    const forbidden = new RegExp(`"resolved": *"https?:|${['/work', 'main'].join('/')}|registry\\.npm${'js'}`);
    expect(
      files.filter((file) => /\.(json|md|ts|js|sql|yaml|sh)$|^\.ci\//.test(file) && forbidden.test(read(file))),
    ).toEqual([]);
  });
});
