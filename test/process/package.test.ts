// What an operator installs: the packed package, which runs without the sources, and the files of deploy/.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { build, isCurrent } from '../../build.js';
import { packageRoot } from '../../src/base/package-root.ts';
import { copyInitializedData } from '../support/initialized-data.ts';
import { type Program, startProgram } from '../support/run-program.ts';

// Packs and starts the whole program.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe('the packed package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'everyshare-package-'));
  const installed = join(folder, 'node_modules', 'everyshare');
  const data = mkdtempSync(join(tmpdir(), 'everyshare-package-data-'));
  let program: Program;

  beforeAll(async () => {
    if (!isCurrent()) await build();
    const options = { cwd: packageRoot, encoding: 'utf8' } as const;
    execFileSync('npm', ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder], options);
    const [file = ''] = readdirSync(folder);
    mkdirSync(installed, { recursive: true });
    execFileSync('tar', ['xzf', join(folder, file), '--strip-components=1', '-C', installed]);
    symlinkSync(join(packageRoot, 'node_modules'), join(installed, 'node_modules'));
    const { DATA_DIR } = await copyInitializedData(data);
    program = await startProgram(['start'], { DATA_DIR }, join(installed, 'bin', 'everyshare.js'));
  });
  afterAll(async () => {
    await program.stop('SIGTERM');
    for (const made of [folder, data]) rmSync(made, { recursive: true, force: true });
  });

  it('holds no source file and no secret of the folder that it was packed in', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter(
      (file) => !file.startsWith('node_modules/'),
    );
    expect(files.filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))).toEqual([]);
    expect(files.filter((file) => /(^|\/)(\.env|\.data|\.git|test|bench)(\/|$)/.test(file))).toEqual([]);
  });

  it.each([
    '/readyz',
    '/console',
    '/docs',
    '/docs/sdk',
    '/docs/examples',
    '/docs/changelog',
    '/docs/guides/install',
    '/docs/reference',
    '/embed/v1.js',
    '/schemas/v1/index.json',
    '/sandbox/cards',
  ])('serves %s', async (path) => {
    expect((await fetch(`${program.url}${path}`)).status).toBe(200);
  });
});

describe('the files of deploy/', () => {
  const read = (file: string): string => readFileSync(join(packageRoot, file), 'utf8');
  const config = read('src/base/config.ts');
  /** Settings of other programs in the same files. */
  const OTHERS = [
    'DOMAIN',
    'NODE_ENV',
    'POSTGRES_PASSWORD',
    'POSTGRES_USER',
    'POSTGRES_DB',
    'AUTH_TYPE',
    'POOL_MODE',
    'LISTEN_PORT',
    'DEFAULT_POOL_SIZE',
    'MAX_CLIENT_CONN',
    'DB_HOST',
    'DB_USER',
    'DB_NAME',
    'DB_PASSWORD',
    'ALL',
    'CMD',
  ];
  /** `STRIPE_LIVE_` and `STRIPE_TEST_` are joined with these in the code. */
  const names = (text: string): string[] =>
    [...text.matchAll(/\b[A-Z][A-Z]+(?:_[A-Z]+)+\b|\b(?:PORT|HOST)\b/g)].map(([name]) =>
      name.replace(/^STRIPE_(LIVE|TEST)_/, ''),
    );

  it.each([
    'deploy/Dockerfile',
    'deploy/compose.yaml',
    'deploy/example.env',
    'deploy/kubernetes/everyshare.yaml',
    'deploy/systemd/everyshare-serve@.service',
    'deploy/systemd/everyshare-worker@.service',
    'deploy/systemd/everyshare-backup.service',
  ])('%s names only settings that exist', (file) => {
    const unknown = names(read(file)).filter((name) => !OTHERS.includes(name) && !config.includes(`'${name}'`));
    expect([...new Set(unknown)].filter((name) => !/^(AF_|SHUTDOWN_SECONDS$)/.test(name))).toEqual([]);
  });
});
