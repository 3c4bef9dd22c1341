// The settings of the site. With EVERYSHARE_SECRET_KEY, EVERYSHARE_PUBLISHABLE_KEY and EVERYSHARE_WEBHOOK_SECRET it runs against any
// server. Without them it uses the sandbox on this machine: the venue of the first `npm start`, and `everyshare listen` for events,
// because the sandbox cannot reach a private address.

import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const command = join(root, 'bin', 'everyshare.js');
const LISTEN_TIMEOUT_MS = 30_000;

export async function readSettings(env) {
  const port = Number(env.PORT ?? 4000);
  const siteUrl = env.SITE_URL ?? `http://localhost:${port}`;
  const common = { port, siteUrl, apiUrl: (env.EVERYSHARE_URL ?? 'http://127.0.0.1:8080').replace(/\/$/, '') };
  const { EVERYSHARE_SECRET_KEY, EVERYSHARE_PUBLISHABLE_KEY, EVERYSHARE_WEBHOOK_SECRET } = env;
  if (EVERYSHARE_SECRET_KEY === undefined) return sandboxSettings(common, env);
  if (!EVERYSHARE_PUBLISHABLE_KEY || !EVERYSHARE_WEBHOOK_SECRET)
    throw new Error('set EVERYSHARE_PUBLISHABLE_KEY and EVERYSHARE_WEBHOOK_SECRET beside EVERYSHARE_SECRET_KEY');
  return {
    ...common,
    returnUrl: siteUrl,
    bookingsFile: join(env.DATA_DIR ?? process.cwd(), 'booking-site.json'),
    secretKey: EVERYSHARE_SECRET_KEY,
    publishableKey: EVERYSHARE_PUBLISHABLE_KEY,
    webhookSecret: () => EVERYSHARE_WEBHOOK_SECRET,
    receiveEvents: async () => undefined,
  };
}

async function sandboxSettings(common, env) {
  const dataDir = env.DATA_DIR ?? join(root, '.data');
  const venue = readVenue(join(dataDir, 'sandbox-venue.json'));
  await requireServer(common.apiUrl);
  // No login of this user: the commands are for the sandbox of DATA_DIR.
  const options = { env: { ...env, DATA_DIR: dataDir, XDG_CONFIG_HOME: join(dataDir, 'no-login') } };
  await run(process.execPath, [command, 'venue', 'origin', 'add', venue.id, common.siteUrl, '--json'], options);
  let secret = '';
  return {
    ...common,
    // Guests return to an https address. This site has none here, so they return to a harmless page.
    returnUrl: 'https://example.com',
    bookingsFile: join(dataDir, 'booking-site.json'),
    secretKey: venue.secret_key,
    publishableKey: venue.publishable_key,
    webhookSecret: () => secret,
    async receiveEvents() {
      secret = await forwardEvents(`${common.siteUrl}/hooks/everyshare`, venue.id, options);
    },
  };
}

function readVenue(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    throw new Error(
      `${file} is missing: run "npm start" first, in another terminal. If .data was made by an earlier version, set EVERYSHARE_SECRET_KEY, EVERYSHARE_PUBLISHABLE_KEY and EVERYSHARE_WEBHOOK_SECRET.`,
    );
  }
}

async function requireServer(apiUrl) {
  const response = await fetch(`${apiUrl}/healthz`).catch(() => null);
  if (response?.ok !== true)
    throw new Error(`no Everyshare answers at ${apiUrl}: run "npm start" first, or set EVERYSHARE_URL.`);
}

/** Starts `everyshare listen`, which ends with this program. Resolves with the secret that signs what it forwards. */
function forwardEvents(url, venueId, options) {
  const child = spawn(process.execPath, [command, 'listen', '--forward-to', url, '--venue', venueId], {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill());
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(0));
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('everyshare listen did not start')), LISTEN_TIMEOUT_MS);
    child.once('exit', (code) => {
      // Without it no event arrives, and every booking would wait.
      process.stderr.write(`everyshare listen ended with ${code}, so no event arrives any more\n`);
      process.exit(1);
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      const secret = /^signing secret (whsec_\S+)$/.exec(line)?.[1];
      if (secret === undefined) return;
      clearTimeout(timer);
      resolve(secret);
    });
  });
}
