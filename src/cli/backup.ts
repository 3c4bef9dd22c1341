// `everyshare backup` and `everyshare restore`: a copy of the embedded database while it runs, and the way back.

import type { Command } from './command-definition.ts';
import { requireInstallation } from './installation.ts';

const backup: Command = {
  words: ['backup'],
  arguments: ['DIR'],
  help: 'back up the embedded database into a new folder in DIR, while it runs; the encryption key is not in it',
  options: [],
  async run(input, _open, readSettings, _configFolder, backups) {
    requireInstallation(readSettings());
    const { path, createdAt, bytes, encryptionKeys, removed } = await backups().backup(input.argument(0));
    const json = { path, created_at: createdAt, bytes, encryption_keys: encryptionKeys, removed };
    const lines = [
      `backup           ${path}`,
      `holds            everything committed before ${createdAt}`,
      `size             ${(bytes / 1024 / 1024).toFixed(1)} MB, read again and compared`,
      `encryption key   ${encryptionKeys.join(', ')}: not in the backup; keep it elsewhere`,
      ...removed.map((old) => `removed          ${old}`),
    ];
    return { json, text: lines.join('\n') };
  },
};

const restore: Command = {
  words: ['restore'],
  arguments: ['DIR'],
  help: 'restore a backup, or the newest in DIR, into a DATA_DIR without a database',
  options: [],
  async run(input, _open, _readSettings, _configFolder, backups) {
    const { path, createdAt, dataDir, version, folder, erasuresDue } = await backups().restore(input.argument(0));
    const json = { path, created_at: createdAt, data_dir: dataDir, version, erasures_due: erasuresDue };
    const erasing = `"everyshare guest erase-again ${folder} --since ${createdAt}"`;
    const lines = [
      `restored         ${path}`,
      `into             ${dataDir}`,
      `state of         ${createdAt}, written by version ${version}`,
      ...(erasuresDue === 0
        ? []
        : [`erasures         ${erasuresDue} of guests since then are undone: run ${erasing} before you start`]),
      'Next: "everyshare ledger check" and "everyshare reconcile", then "everyshare start".',
    ];
    return { json, text: lines.join('\n') };
  },
};

export const backupCommands: readonly Command[] = [backup, restore];
