// The definition of a command: its words, arguments and options as data, and one function that runs it.

import type { CommandContext } from '../base/command-context.ts';
import type { Config } from '../base/config.ts';
import type { Db } from '../base/db.ts';
import type { AppContext } from '../run/context.ts';

interface Opened {
  readonly context: AppContext;
  readonly command: CommandContext;
}

/** A command calls it only after it has checked its input. */
export type OpenContext = () => Promise<Opened>;

export interface Unmigrated {
  readonly db: Db;
  readonly config: Config;
  readonly now: number;
}

/** The database as it is, of any release: every other command migrates it to this one first. */
export type OpenUnmigrated = () => Promise<Unmigrated>;

/** Reads only the configuration, for a command that needs no database. */
export type ReadSettings = () => Config;

export interface Option {
  readonly name: string;
  /** The name of its value in the usage, such as URL. Null: a flag, which takes no value. */
  readonly valueName: string | null;
  readonly isRequired?: true;
  /** May be given more than once. */
  readonly isRepeatable?: true;
  /** An empty text is a value: it clears what the option sets. */
  readonly mayBeEmpty?: true;
  readonly help: string;
}

/** The checked input of a command: every option is known and has its value, and the number of arguments is right. */
export interface CommandInput {
  /** The nth declared argument, from 0. */
  argument(index: number): string;
  /** The value of a required option. */
  required(name: string): string;
  text(name: string): string | null;
  texts(name: string): readonly string[];
  flag(name: string): boolean;
}

export interface CommandResult {
  /** Printed as one JSON document with `--json`. */
  readonly json: unknown;
  /** The same as text, without a final line end. */
  readonly text: string;
  /** The command ran and found a problem: printed on standard error, with exit code 1. */
  readonly failure?: string;
}

export interface Command {
  readonly words: readonly string[];
  /** Names of the arguments after the words, such as ID. */
  readonly arguments: readonly string[];
  readonly options: readonly Option[];
  readonly help: string;
  /** It may run before the first start, and then makes the installation. Every other command refuses without one. */
  readonly mayBeFirst?: true;
  /** `configFolder` is where the command line keeps the user's login. */
  run(
    input: CommandInput,
    open: OpenContext,
    readSettings: ReadSettings,
    configFolder: string,
    openBackups: OpenBackups,
    openUnmigrated: OpenUnmigrated,
  ): Promise<CommandResult>;
}

export interface BackupReport {
  readonly path: string;
  /** Everything that was committed before this time is in the backup. */
  readonly createdAt: string;
  readonly bytes: number;
  readonly encryptionKeys: readonly string[];
  /** Older backups, which the number to keep left no room for. */
  readonly removed: readonly string[];
}

export interface RestoreReport {
  readonly path: string;
  readonly createdAt: string;
  readonly dataDir: string;
  readonly version: string;
  /** Where the backup is, and the notes of erasures beside it. */
  readonly folder: string;
  /** Guests that were erased after the backup was made, and are back. */
  readonly erasuresDue: number;
}

export interface CompleteBackup {
  readonly path: string;
  readonly createdAt: string;
}

/** Backups of the embedded database, whose files only the entry point can reach. */
export interface Backups {
  backup(folder: string): Promise<BackupReport>;
  restore(folder: string): Promise<RestoreReport>;
  /** The newest complete backup in this folder; null: there is none. */
  newest(folder: string): Promise<CompleteBackup | null>;
}

export type OpenBackups = () => Backups;
