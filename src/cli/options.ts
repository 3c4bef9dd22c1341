// Reads what was typed. Every option of every command is known to the parser, so that words and options may stand in any
// order; only then is each held against the one command that the words name. Its rules are those of parseArgs in strict
// mode, told in our own words: one line, with the near miss and the remedy.

import { parseArgs } from 'node:util';
import { isUuid } from '../base/ids.ts';
import { nearestName } from '../base/schema/near-miss.ts';
import { quoted, usageError } from './cli-error.ts';
import type { Command, Given, Option } from './shape.ts';

export interface Typed {
  readonly words: readonly string[];
  readonly options: readonly TypedOption[];
}

interface TypedOption {
  readonly name: string;
  /** As it was typed, with its dashes. */
  readonly raw: string;
  readonly value: string | null;
  /** The value stood behind a "=", so it may begin with a dash. */
  readonly inline: boolean;
}

/** Those that go with every command. */
export const SHARED: readonly Option[] = [
  { name: 'json', value: null, help: 'print one JSON document and nothing else' },
  { name: 'help', value: null, help: 'show how the command is used' },
];

export const VERSION: Option = { name: 'version', value: null, help: 'print the version' };

export function readTyped(argv: readonly string[], commands: readonly Command[]): Typed {
  const known = [...SHARED, VERSION, ...commands.flatMap((command) => command.options)];
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: {
      ...Object.fromEntries(
        known.map(({ name, value }) => [name, { type: value === null ? 'boolean' : 'string' } as const]),
      ),
      help: { type: 'boolean', short: 'h' },
    },
  });
  const words: string[] = [];
  const options: TypedOption[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    options.push({
      name: token.name,
      raw: token.rawName,
      value: token.value ?? null,
      inline: token.inlineValue === true,
    });
  }
  return { words, options };
}

export function hasFlag(typed: Typed, name: string): boolean {
  return typed.options.some((option) => option.name === name);
}

/** Refuses options that the command does not take, or that are not given as it takes them. */
export function checkOptions(typed: Typed, who: string, allowed: readonly Option[]): void {
  const seen = new Set<string>();
  for (const option of typed.options) {
    const rule = allowed.find((known) => known.name === option.name);
    if (rule === undefined) throw unknownOption(option.raw, who, allowed);
    checkValue(option, rule);
    if (rule.many !== true && rule.value !== null && seen.has(rule.name)) {
      throw usageError(`--${rule.name} is given twice: give it once.`);
    }
    seen.add(rule.name);
  }
}

function unknownOption(raw: string, who: string, allowed: readonly Option[]): Error {
  const names = allowed.map((option) => option.name);
  const near = nearestName(raw.replace(/^-+/, ''), names);
  const remedy = near === null ? `it takes ${names.map((name) => `--${name}`).join(', ')}.` : `did you mean --${near}?`;
  return usageError(`${who} has no option ${quoted(raw)}: ${remedy}`);
}

function checkValue({ value, inline }: TypedOption, rule: Option): void {
  if (rule.value === null) {
    if (value !== null) throw usageError(`--${rule.name} takes no value: write it alone.`);
    return;
  }
  // Another option in the place of the value: the value was forgotten, rather than meant to be "--json".
  const swallowed = value !== null && !inline && value.length > 1 && value.startsWith('-');
  if (value === null || value === '' || swallowed) {
    const dashed = swallowed ? ` (one that begins with a dash is written --${rule.name}=${rule.value})` : '';
    throw usageError(`--${rule.name} has no value: write --${rule.name} ${rule.value}${dashed}.`);
  }
}

/** Holds what was typed against the command's own declaration. */
export function giveTo(command: Command, typed: Typed, usage: string): Given {
  const who = `"${command.words.join(' ')}"`;
  checkOptions(typed, who, [...command.options, ...SHARED]);
  const given = typed.words.slice(command.words.length);
  const surplus = given[command.arguments.length];
  if (surplus !== undefined) throw usageError(`${quoted(surplus)} is one word too many: ${usage}`);
  const lacking = command.arguments[given.length];
  if (lacking !== undefined) throw usageError(`${who} needs ${lacking}: ${usage}`);
  const valuesOf = (name: string): string[] =>
    typed.options.flatMap((option) => (option.name === name && option.value !== null ? [option.value] : []));
  for (const option of command.options) {
    if (option.needed === true && valuesOf(option.name).length === 0) {
      throw usageError(`--${option.name} is missing: ${usage}`);
    }
  }
  return {
    argument: (index) => given[index] ?? '',
    needed: (name) => valuesOf(name)[0] ?? '',
    text: (name) => valuesOf(name)[0] ?? null,
    texts: valuesOf,
    flag: (name) => hasFlag(typed, name),
  };
}

export function wholeOf(given: Given, name: string, least: number, most: number): number | null {
  const text = given.text(name);
  if (text === null) return null;
  const value = Number(text);
  if (/^[0-9]{1,15}$/.test(text) && value >= least && value <= most) return value;
  throw usageError(`--${name} is ${quoted(text)}: give a whole number from ${least} to ${most}.`);
}

export function choiceOf<T extends string>(given: Given, name: string, choices: readonly T[]): T {
  const text = given.needed(name);
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  throw usageError(`--${name} is ${quoted(text)}: give ${choices.join(' or ')}.`);
}

/** A UUID, or a line that says where ids are found. `label` is the option or argument that holds it. */
export function uuidOf(text: string, label: string, listed: string): string {
  if (isUuid(text)) return text.toLowerCase();
  throw usageError(`${label} is ${quoted(text)}, which is not an id: "everyshare ${listed}" shows the ids.`);
}
