// `everyshare login` and `everyshare logout`: keep the key of a server that runs elsewhere, so that `listen` and `trigger`
// work from any machine. The key is tried before it is kept.

import { systemRandom } from '../base/random.ts';
import { newSecret } from '../domain/webhooks/deliveries/signature.ts';
import { quoted, usageError } from './cli-error.ts';
import type { Command, CommandInput } from './command-definition.ts';
import { loginFile, readLogin, removeLogin, writeLogin } from './login-file.ts';
import { readSecret } from './read-secret.ts';
import { explainApiError, isLiveKey, remoteClient } from './remote.ts';
import { block } from './table.ts';

const DEFAULT_URL = 'http://127.0.0.1:8080';
const SECRET_TEST_KEY = /^svc_test_[A-Za-z0-9]{32,64}$/;

function serverUrlIn(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '')
    return url.href.replace(/\/+$/, '');
  throw usageError(`--url is ${quoted(text)}: give the address of the server, such as https://api.example.com.`);
}

/** A live key is refused before it is sent or kept: no command that uses the login works with one. */
function requireSecretTestKey(key: string): void {
  if (SECRET_TEST_KEY.test(key)) return;
  const what = isLiveKey(key)
    ? 'a live key, and listen and trigger work in test mode only'
    : /^pk_/.test(key)
      ? 'a publishable key, for browsers'
      : 'not a key of Everyshare';
  throw usageError(`this is ${what}: give a secret test key, svc_test_….`);
}

async function keyIn(input: CommandInput, url: string): Promise<string> {
  const question = `Secret test key for ${url} (svc_test_…): `;
  return input.text('key') ?? (await readSecret(process.stdin, question, (text) => void process.stderr.write(text)));
}

const login: Command = {
  words: ['login'],
  arguments: [],
  help: 'keep a key, so that listen and trigger work with a server elsewhere',
  options: [
    { name: 'url', valueName: 'URL', help: `the server; that of the last login, or ${DEFAULT_URL}, when absent` },
    {
      name: 'key',
      valueName: 'KEY',
      help: 'a secret test key; asked for, or read from standard input, when absent (other users see options)',
    },
  ],
  async run(input, _open, _readSettings, configFolder) {
    const before = readableLogin(configFolder);
    const url = serverUrlIn(input.text('url') ?? before?.url ?? DEFAULT_URL);
    const key = await keyIn(input, url);
    requireSecretTestKey(key);
    const me = await explainApiError(url, () => remoteClient({ url, key }).me.retrieve());
    const venue = me.venue.name;
    const isSameServer = before?.url === url && before.venue === venue;
    const listenSecret = isSameServer ? before.listenSecret : newSecret({ random: systemRandom });
    writeLogin(configFolder, { url, key, venue, listenSecret });
    const file = loginFile(configFolder);
    return {
      json: { url, venue, mode: me.mode, file },
      text: block([
        ['server', url],
        ['venue', venue],
        ['mode', me.mode],
        ['kept in', file],
      ]),
    };
  },
};

/** Null also for a file that cannot be used: a new login replaces it. */
function readableLogin(configFolder: string) {
  try {
    return readLogin(configFolder);
  } catch {
    return null;
  }
}

const logout: Command = {
  words: ['logout'],
  arguments: [],
  help: 'remove the key that login keeps; the key itself stays valid',
  options: [],
  async run(_input, _open, _readSettings, configFolder) {
    const removed = removeLogin(configFolder);
    return {
      json: { removed, file: loginFile(configFolder) },
      text: removed ? 'The key was removed from this machine.' : 'There was no login.',
    };
  },
};

export const loginCommands: readonly Command[] = [login, logout];
