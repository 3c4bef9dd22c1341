// What an operator installs: the packed package, which runs without the sources, and the files of deploy/.

import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { build, isCurrent } from '../../build.js';
import { packageRoot, packageVersion } from '../../src/base/package-root.ts';
import { debianProgram } from '../support/pgbouncer.ts';
import { type Program, startProgram } from '../support/run-program.ts';

// Packs and starts the whole program.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** The packages that an installation has, and none of those that only development needs. */
function linkDependencies(target: string): void {
  const lock = JSON.parse(readFileSync(join(packageRoot, 'package-lock.json'), 'utf8')) as {
    readonly packages: Record<string, { readonly dev?: boolean; readonly link?: boolean }>;
  };
  for (const [path, { dev, link }] of Object.entries(lock.packages)) {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1];
    const source = join(packageRoot, path);
    if (name === undefined || dev === true || link === true || !existsSync(source)) continue;
    mkdirSync(dirname(join(target, name)), { recursive: true });
    symlinkSync(realpathSync(source), join(target, name));
  }
}

describe('the packed package', () => {
  // An empty folder, with the package and what it depends on, as `npm install` leaves it.
  const folder = mkdtempSync(join(tmpdir(), 'everyshare-package-'));
  const installed = join(folder, 'node_modules', 'everyshare');
  let program: Program;

  beforeAll(async () => {
    if (!isCurrent()) await build();
    chmodSync(folder, 0o711); // As root, PostgreSQL runs as another user, which must be able to enter the folder.
    const options = { cwd: packageRoot, encoding: 'utf8' } as const;
    execFileSync('npm', ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder], options);
    const [file = ''] = readdirSync(folder);
    mkdirSync(installed, { recursive: true });
    execFileSync('tar', ['xzf', join(folder, file), '--strip-components=1', '-C', installed]);
    linkDependencies(join(folder, 'node_modules'));
    mkdirSync(join(folder, 'node_modules', '.bin'));
    symlinkSync('../everyshare/bin/everyshare.js', join(folder, 'node_modules', '.bin', 'everyshare'));
    const npx = realpathSync(execFileSync('sh', ['-c', 'command -v npx'], { encoding: 'utf8' }).trim());
    program = await startProgram(['--offline', 'everyshare', 'start'], {}, npx, folder);
  });
  afterAll(async () => {
    await program.stop('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  });

  it('starts by `npx everyshare start` from an empty folder, and keeps everything in .data there', async () => {
    const key = readFileSync(join(folder, '.data', 'sandbox-key'), 'utf8').trim();
    expect(program.out()).toContain(key);
    const me = await fetch(`${program.url}/v1/me`, { headers: { authorization: `Bearer ${key}` } });
    expect(me.status).toBe(200);
    expect(
      readdirSync(folder)
        .filter((name) => !name.endsWith('.tgz'))
        .sort(),
    ).toEqual(['.data', 'node_modules']);
  });

  it('holds no source file and no secret of the folder that it was packed in', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter(
      (file) => !file.startsWith('node_modules/'),
    );
    expect(files.filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))).toEqual([]);
    expect(files.filter((file) => /(^|\/)(\.env|\.data|\.git|test|bench)(\/|$)/.test(file))).toEqual([]);
  });

  it('has the files that an installation without a clone is set up with, and no settings', () => {
    for (const name of ['example.env', 'proxy/nginx.conf', 'systemd/everyshare-serve@.service', 'kubernetes'])
      expect(existsSync(join(installed, 'deploy', name)), name).toBe(true);
    expect(existsSync(join(installed, 'deploy', '.env'))).toBe(false);
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
  const config = ['config', 'stripe-settings'].map((name) => read(`src/base/${name}.ts`)).join('');
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
    'SERVER_LOGIN_RETRY',
    'SERVER_CONNECT_TIMEOUT',
    'QUERY_WAIT_TIMEOUT',
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
    'deploy/systemd/everyshare.service',
    'deploy/systemd/everyshare-serve@.service',
    'deploy/systemd/everyshare-worker@.service',
    'deploy/systemd/everyshare-backup.service',
  ])('%s names only settings that exist', (file) => {
    const unknown = names(read(file)).filter((name) => !OTHERS.includes(name) && !config.includes(`'${name}'`));
    expect([...new Set(unknown)].filter((name) => !/^(AF_|SHUTDOWN_SECONDS$)/.test(name))).toEqual([]);
  });

  const UNITS = readdirSync(join(packageRoot, 'deploy', 'systemd'));
  const valuesIn = (unit: string, name: string): string[] =>
    [...read(`deploy/systemd/${unit}`).matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);

  it.runIf(process.platform === 'linux')('systemd finds nothing wrong with the units', () => {
    const analyze = debianProgram('systemd', ['/usr/bin/systemd-analyze', '/bin/systemd-analyze']);
    if (analyze === null) throw new Error('there is no systemd-analyze here: install the package systemd');
    const folder = mkdtempSync(join(tmpdir(), 'everyshare-units-'));
    // The program is not installed here, and the rest is what is checked. It reports problems and exits with 0.
    for (const unit of UNITS)
      writeFileSync(join(folder, unit), read(`deploy/systemd/${unit}`).replaceAll('/usr/bin/everyshare', '/bin/true'));
    const paths = UNITS.map((unit) => join(folder, unit.replace('@.', '@8081.')));
    for (const unit of UNITS.filter((name) => name.includes('@.')))
      symlinkSync(unit, join(folder, unit.replace('@.', '@8081.')));
    const { status, stdout, stderr } = spawnSync(analyze, ['verify', '--man=no', ...paths], { encoding: 'utf8' });
    rmSync(folder, { recursive: true, force: true });
    expect([status, stdout, stderr]).toEqual([0, '', '']);
  });

  it.each(UNITS.filter((unit) => read(`deploy/systemd/${unit}`).includes('Restart=always')))(
    '%s is started again for as long as it takes, and is not killed for a system call of V8',
    (unit) => {
      expect(valuesIn(unit, 'StartLimitIntervalSec')).toEqual(['0']);
      expect(valuesIn(unit, 'SystemCallFilter')).toEqual(['@system-service @pkey', '~@privileged @resources']);
      expect(valuesIn(unit, 'SystemCallErrorNumber')).toEqual(['EPERM']);
    },
  );

  it('the backup runs as the user of the unit whose database it copies', () => {
    for (const name of ['User', 'Environment', 'EnvironmentFile'])
      expect(valuesIn('everyshare.service', name)).toEqual(
        expect.arrayContaining(valuesIn('everyshare-backup.service', name)),
      );
  });

  it('the manifests name this release and ports that their containers open', () => {
    const PROBES = ['startupProbe', 'readinessProbe', 'livenessProbe'] as const;
    type Probes = Readonly<Record<(typeof PROBES)[number], { readonly httpGet: { readonly port: string } }>>;
    type Container = Probes & { readonly image: string; readonly ports: readonly { readonly name: string }[] };
    const documents = parseAllDocuments(read('deploy/kubernetes/everyshare.yaml')).map((one) => one.toJS());
    const containers = documents
      .filter(({ kind }) => kind === 'Deployment')
      .flatMap(({ spec }) => spec.template.spec.containers as Container[]);
    expect(containers).toHaveLength(2);
    for (const container of containers) {
      expect(container.image).toBe(`everyshare:${packageVersion()}`);
      const ports = container.ports.map(({ name }) => name);
      for (const probe of PROBES) expect(ports).toContain(container[probe].httpGet.port);
    }
  });

  it('the compose file hands every setting of deploy/.env to servers and workers', () => {
    const { services } = parse(read('deploy/compose.yaml'), { merge: true });
    for (const name of ['server', 'worker']) expect(services[name].env_file, name).toEqual(['.env']);
  });

  it('the compose file lets servers and workers share one sandbox processor', () => {
    const { services } = parse(read('deploy/compose.yaml'), { merge: true });
    const { command, environment, volumes } = services.processor;
    expect([command, volumes]).toEqual([['processor'], ['processor:/var/lib/everyshare']]);
    for (const name of ['server', 'worker']) {
      expect(services[name].environment.SANDBOX_PROCESSOR_URL).toBe(`http://processor:${environment.PORT}`);
      expect(services[name].depends_on.processor).toEqual({ condition: 'service_healthy' });
    }
  });
});
