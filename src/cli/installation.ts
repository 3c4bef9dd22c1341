// Whether there is an installation for a command to work on. Opening the database of an empty DATA_DIR makes a new one:
// a command in the wrong folder, or without the service's settings, would report on that instead of failing.

import type { Config } from '../base/config.ts';
import { hasEmbeddedDatabase } from '../base/installation-files.ts';
import { commandError } from './cli-error.ts';

export function isInstalled({ databaseUrl, dataDir }: Config): boolean {
  return databaseUrl !== null || hasEmbeddedDatabase(dataDir);
}

export function requireInstallation(config: Config): void {
  if (isInstalled(config)) return;
  throw commandError(
    `there is no installation in ${config.dataDir}: run the command with the settings of the service (DATABASE_URL or DATA_DIR), or start one here ("everyshare start").`,
  );
}
