// What the commands of developers share: the server of the user's login, or the installation on this machine.

import {
  ApiError,
  AuthenticationError,
  ConnectionError,
  Everyshare,
  EveryshareError,
} from '../../sdk/src/everyshare.ts';
import { commandError } from './cli-error.ts';
import type { CommandInput, ReadSettings } from './command-definition.ts';
import { isInstalled } from './installation.ts';
import { type Login, readLogin } from './login-file.ts';

const TIMEOUT_MS = 20_000;

export const isLiveKey = (key: string): boolean => key.startsWith('svc_live_');

export function remoteClient({ url, key }: Pick<Login, 'url' | 'key'>): Everyshare {
  return new Everyshare({ apiKey: key, baseUrl: url, timeout: TIMEOUT_MS });
}

/**
 * The login to use, or null for the installation on this machine, which --venue always means. Throws if the key is a live
 * one, and if there is neither a login nor an installation.
 */
export function testLogin(input: CommandInput, configFolder: string, readSettings: ReadSettings): Login | null {
  const login = input.text('venue') === null ? readLogin(configFolder) : null;
  if (login === null) {
    const settings = readSettings();
    if (isInstalled(settings)) return null;
    throw commandError(
      `there is no login, and no installation in ${settings.dataDir}: log in to a server ("everyshare login --url URL"), or start one here ("everyshare start"); DATA_DIR or DATABASE_URL names another.`,
    );
  }
  if (!isLiveKey(login.key)) return login;
  throw commandError(
    'the login has a live key, and this command works in test mode only: log in with a test key ("everyshare login").',
  );
}

/** Turns a failure of the server into one line with its remedy. */
export async function explainApiError<T>(url: string, work: () => PromiseLike<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AuthenticationError)
      throw commandError(`${url} refuses the key (${error.message}): log in with another ("everyshare login").`);
    if (error instanceof ApiError && error.code === 'unexpected_response')
      throw commandError(`${url} is not an Everyshare server (status ${error.status}): check the address.`);
    if (error instanceof ApiError) throw commandError(`${url} answers: ${error.message} (${error.requestId})`);
    if (error instanceof ConnectionError)
      throw commandError(`${url} does not answer: check the address ("everyshare login --url URL") and the network.`);
    if (error instanceof EveryshareError) throw commandError(error.message);
    throw error;
  }
}
