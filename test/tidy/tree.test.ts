// The rules of the house, held by a test: who may import whom, how long things may be, what each file must say, and
// which words and calls have one home. When this fails, mend the code, or change docs/ARCHITECTURE.md and this together.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { TABLE_HOMES } from './table-homes.ts';

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: packageRoot,
  encoding: 'utf8',
});
const files = listed.split('\n').filter((file) => file !== '' && existsSync(join(packageRoot, file)));
const sources = files.filter((file) => /^(src|sandbox|schemas)\/.*\.ts$/.test(file) && !file.includes('.gen.'));
const program = sources.filter((file) => /^(src|sandbox)\//.test(file));
const code = files.filter((file) => /\.(ts|tsx|js)$/.test(file) && !file.includes('.gen.'));
const read = (file: string): string => readFileSync(join(packageRoot, file), 'utf8');

interface Import {
  readonly from: string;
  readonly to: string;
}

/** Every import of a file of ours, type imports included. */
function importsOf(file: string): Import[] {
  const found = [...read(file).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)];
  return found.map(([, to = '']) => ({
    from: file,
    to: relative(packageRoot, resolve(packageRoot, dirname(file), to)),
  }));
}

const imports = sources.flatMap(importsOf);
const room = (file: string): string =>
  file.startsWith('src/') ? (file.split('/')[1] ?? '').replace(/\.ts$/, '') : (file.split('/')[0] ?? '');

/** The folders that each folder may import. `schemas` is the contract: every folder but the sandbox may read it. */
const MAY_SEE: Readonly<Record<string, readonly string[]>> = {
  base: ['schemas'],
  domain: ['base', 'schemas'],
  run: ['base', 'domain', 'schemas'],
  http: ['base', 'domain', 'run', 'schemas'],
  mcp: ['base', 'domain', 'run', 'schemas'],
  worker: ['base', 'domain'],
  cli: ['base', 'domain', 'run'],
  sandbox: ['base'],
  main: ['base', 'domain', 'run', 'http', 'mcp', 'worker', 'cli', 'sandbox'],
  schemas: ['base', 'run', 'http'],
};

/** Inside the domain: a folder may see those named. No cycles. */
const DOMAIN_ORDER: Readonly<Record<string, readonly string[]>> = {
  analytics: [],
  installation: [],
  idempotency: [],
  venues: [],
  ledger: [],
  keys: ['venues', 'installation'],
  events: ['venues', 'keys'],
  calendar: [],
  catalogue: ['venues', 'keys'],
  offerings: ['venues', 'keys', 'calendar', 'catalogue'],
  boats: ['venues', 'keys', 'calendar', 'catalogue'],
  experiences: ['venues', 'keys', 'catalogue', 'offerings'],
  webhooks: ['venues', 'keys', 'events'],
  members: ['venues', 'keys'],
  payments: ['venues', 'keys', 'ledger'],
  checkouts: ['venues', 'keys', 'events', 'ledger', 'offerings', 'payments', 'members'],
  hooks: ['venues', 'keys', 'calendar', 'offerings'],
  review: ['venues', 'keys', 'events', 'catalogue', 'offerings', 'boats', 'experiences'],
};

describe('who may see whom', () => {
  it('base ← domain ← run ← doors; the sandbox sees only base; doors never see one another', () => {
    const wrong = imports.filter(({ from, to }) => room(from) !== room(to) && !MAY_SEE[room(from)]?.includes(room(to)));
    expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('inside the domain there is a fixed order', () => {
    const folder = (file: string): string => file.split('/')[2] ?? '';
    const wrong = imports.filter(
      ({ from, to }) =>
        room(from) === 'domain' &&
        room(to) === 'domain' &&
        folder(from) !== folder(to) &&
        !DOMAIN_ORDER[folder(from)]?.includes(folder(to)),
    );
    expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('no file imports itself through others, type imports included', () => {
    const edges = new Map<string, string[]>();
    for (const { from, to } of imports) edges.set(from, [...(edges.get(from) ?? []), to]);
    const cycles: string[] = [];
    const visit = (file: string, trail: readonly string[], done: Set<string>): void => {
      if (trail.includes(file)) cycles.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
      if (trail.includes(file) || done.has(file)) return;
      for (const next of edges.get(file) ?? []) visit(next, [...trail, file], done);
      done.add(file);
    };
    const done = new Set<string>();
    for (const file of edges.keys()) visit(file, [], done);
    expect(cycles).toEqual([]);
  });

  it('every import of our own names its file with its ending', () => {
    const missing = imports.filter(({ to }) => !/\.(ts|tsx|json)$/.test(to));
    expect(missing).toEqual([]);
  });
});

describe('what has one home', () => {
  const uses = (pattern: RegExp, allowed: readonly string[]): string[] =>
    program.filter((file) => !allowed.some((home) => file.startsWith(home)) && pattern.test(read(file)));

  it('the environment: main hands it to base/config', () => {
    expect(uses(/process\.env/, ['src/main.ts', 'src/base/config.ts', 'sandbox/'])).toEqual([]);
  });
  it('the clock: base/clock', () => {
    expect(uses(/Date\.now\(\)|new Date\(\)/, ['src/base/clock.ts', 'sandbox/'])).toEqual([]);
  });
  it('chance: base/random', () => {
    expect(uses(/randomBytes|randomUUID|Math\.random/, ['src/base/random.ts', 'sandbox/'])).toEqual([]);
  });
  it('the database driver: base/db, base/migrate and the sandbox', () => {
    expect(uses(/from 'pg'/, ['src/base/db.ts', 'src/base/migrate.ts', 'sandbox/'])).toEqual([]);
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
    const wrong = uses(sql, homes).filter(
      (file) => !/[/-]queries\.ts$/.test(file) && file !== 'src/http/status.ts' && file !== 'src/cli/doctor.ts',
    );
    expect(wrong).toEqual([]);
  });
  it('a table is touched only by its own folder', () => {
    const wrong: string[] = [];
    for (const [table, home] of Object.entries(TABLE_HOMES)) {
      // The statements of catalogue/ get their table from the description in the noun's own folder: `table: 'boats'`.
      const touch = new RegExp(`\\b(into|update|from|join)\\s+${table}\\b|\\btable: '${table}',`, 'i');
      for (const file of program) if (!file.startsWith(home) && touch.test(read(file))) wrong.push(`${file}: ${table}`);
    }
    // Whether the installation is there, and whether it is migrated: an operator asks, and no noun answers.
    const operators = ['src/cli/doctor.ts: migrations', 'src/http/status.ts: installation'];
    expect(wrong.filter((one) => !operators.includes(one))).toEqual([]);
  });
});

describe('how things are written', () => {
  it('a file has at most 400 lines', () => {
    const long = code
      .filter((file) => /^(src|sandbox|schemas|bench)\//.test(file))
      .filter((file) => read(file).split('\n').length > 401);
    expect(long).toEqual([]);
  });

  it('a function has at most 60 lines', () => {
    const long: string[] = [];
    for (const file of sources) {
      const tree = ts.createSourceFile(file, read(file), ts.ScriptTarget.ES2023, true);
      const visit = (node: ts.Node): void => {
        const isFunction =
          ts.isFunctionDeclaration(node) ||
          ts.isMethodDeclaration(node) ||
          ts.isArrowFunction(node) ||
          ts.isFunctionExpression(node);
        if (isFunction) {
          const lines =
            tree.getLineAndCharacterOfPosition(node.end).line -
            tree.getLineAndCharacterOfPosition(node.getStart()).line +
            1;
          if (lines > 60)
            long.push(`${file}:${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1} (${lines})`);
        }
        ts.forEachChild(node, visit);
      };
      visit(tree);
    }
    expect(long).toEqual([]);
  });

  it('a file opens by saying what it is for', () => {
    const silent = code
      .filter((file) => /^(src|sandbox|schemas|migrations|bench|test)\//.test(file))
      .filter((file) => !/^(#!.*\n)?\/\/ \S/.test(read(file)));
    expect(silent).toEqual([]);
  });

  it('names say what a thing does', () => {
    const empty = files.filter((file) =>
      /(^|\/)(utils?|helpers?|common|shared|misc|lib|service|manager|index)(\/|\.[jt]sx?$)/.test(file),
    );
    expect(empty).toEqual([]);
  });

  it('no test is skipped, focused or left to do', () => {
    const marked = files.filter(
      (file) => file.endsWith('.test.ts') && /\b(it|test|describe)\.(skip|todo|only)\b/.test(read(file)),
    );
    expect(marked.filter((file) => file !== 'test/tidy/tree.test.ts')).toEqual([]);
  });

  it('nothing names a registry host or a path of somebody’s machine', () => {
    const paths = new RegExp(`"resolved": *"https?:|${['/work', 'main'].join('/')}|registry\\.npm${'js'}`);
    expect(
      files.filter((file) => /\.(json|md|ts|js|sql|yaml|sh)$|^\.ci\//.test(file) && paths.test(read(file))),
    ).toEqual([]);
  });
});
