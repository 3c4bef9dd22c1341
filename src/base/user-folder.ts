// Where the command line keeps what belongs to its user, such as a login.

import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The folder for what the command line keeps for a user (XDG base directories; %APPDATA% on Windows). */
export function userConfigFolder(env: Readonly<Record<string, string | undefined>>): string {
  const named = [env.XDG_CONFIG_HOME, env.APPDATA].find((path) => path !== undefined && isAbsolute(path));
  return join(named ?? join(env.HOME || homedir(), '.config'), 'everyshare');
}
