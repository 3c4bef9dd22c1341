// What a command is: data, with one function that checks what was typed, opens the house and does it.

import type { CommandContext } from '../base/command-context.ts';
import type { Config } from '../base/config.ts';
import type { AppContext } from '../run/context.ts';

interface Opened {
  readonly context: AppContext;
  readonly command: CommandContext;
}

/** Called only after everything that was typed has been checked. */
export type Open = () => Promise<Opened>;

/** The configuration alone, for a command that needs nothing opened. */
export type Settings = () => Config;

export interface Option {
  readonly name: string;
  /** What stands for its value in the usage, such as URL; null: a flag without one. */
  readonly value: string | null;
  readonly needed?: true;
  /** May stand more than once. */
  readonly many?: true;
  readonly help: string;
}

/** What was typed, after the rules that every command shares: options known and with their values, arguments counted. */
export interface Given {
  /** The nth argument, from 0. Only those that the command declares. */
  argument(index: number): string;
  /** An option that the command needs. */
  needed(name: string): string;
  text(name: string): string | null;
  texts(name: string): readonly string[];
  flag(name: string): boolean;
}

export interface Answer {
  /** The one document of `--json`. */
  readonly json: unknown;
  /** The same for a person, with no line end. */
  readonly text: string;
  /** The command did its work and has bad news: said on standard error, exit code 1. */
  readonly fault?: string;
}

export interface Command {
  readonly words: readonly string[];
  /** Names of what follows the words, such as ID. */
  readonly arguments: readonly string[];
  readonly options: readonly Option[];
  readonly help: string;
  run(given: Given, open: Open, settings: Settings): Promise<Answer>;
}
