// Parses the command line. The parser knows the options of all commands, so words and options may be in any order; each
// option is then checked against the command that the words name. The rules are those of parseArgs in strict mode, but
// an error is one line that suggests the nearest name and says what to do.

import { parseArgs } from 'node:util';
import { isUuid } from '../base/ids.ts';
import { nearestName } from '../base/schema/nearest-name.ts';
import { quoted, usageError } from './cli-error.ts';
import type { Command, CommandInput, Option } from './command-definition.ts';

export interface ParsedArguments {
  readonly words: readonly string[];
  readonly options: readonly ParsedOption[];
}

interface ParsedOption {
  readonly name: string;
  /** As given, with its dashes. */
  readonly raw: string;
  readonly value: string | null;
  /** The value followed a "=", so it may begin with a dash. */
  readonly isInline: boolean;
}

/** Options of every command. */
export const SHARED_OPTIONS: readonly Option[] = [
  { name: 'json', valueName: null, help: 'print one JSON document and nothing else' },
  { name: 'help', valueName: null, help: 'show how the command is used' },
];

export const VERSION_OPTION: Option = { name: 'version', valueName: null, help: 'print the version' };

export function parseArguments(argv: readonly string[], commands: readonly Command[]): ParsedArguments {
  const known = [...SHARED_OPTIONS, VERSION_OPTION, ...commands.flatMap((command) => command.options)];
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: {
      ...Object.fromEntries(
        known.map(({ name, valueName: value }) => [name, { type: value === null ? 'boolean' : 'string' } as const]),
      ),
      help: { type: 'boolean', short: 'h' },
    },
  });
  const words: string[] = [];
  const options: ParsedOption[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    options.push({
      name: token.name,
      raw: token.rawName,
      value: token.value ?? null,
      isInline: token.inlineValue === true,
    });
  }
  return { words, options };
}

export function hasFlag(parsed: ParsedArguments, name: string): boolean {
  return parsed.options.some((option) => option.name === name);
}

/** Throws if an option is unknown to the command, has a wrong kind of value, or is repeated. */
export function checkOptions(parsed: ParsedArguments, commandName: string, allowed: readonly Option[]): void {
  const seen = new Set<string>();
  for (const option of parsed.options) {
    const rule = allowed.find((known) => known.name === option.name);
    if (rule === undefined) throw unknownOption(option.raw, commandName, allowed);
    checkValue(option, rule);
    if (rule.isRepeatable !== true && rule.valueName !== null && seen.has(rule.name)) {
      throw usageError(`--${rule.name} is given twice: give it once.`);
    }
    seen.add(rule.name);
  }
}

function unknownOption(raw: string, commandName: string, allowed: readonly Option[]): Error {
  const names = allowed.map((option) => option.name);
  const near = nearestName(raw.replace(/^-+/, ''), names);
  const remedy = near === null ? `it takes ${names.map((name) => `--${name}`).join(', ')}.` : `did you mean --${near}?`;
  return usageError(`${commandName} has no option ${quoted(raw)}: ${remedy}`);
}

function checkValue({ value, isInline: inline }: ParsedOption, rule: Option): void {
  if (rule.valueName === null) {
    if (value !== null) throw usageError(`--${rule.name} takes no value: write it alone.`);
    return;
  }
  // If an option stands where the value should be, the value is missing.
  const isNextOption = value !== null && !inline && value.length > 1 && value.startsWith('-');
  if (value === null || (value === '' && rule.mayBeEmpty !== true) || isNextOption) {
    const dashed = isNextOption ? ` (one that begins with a dash is written --${rule.name}=${rule.valueName})` : '';
    throw usageError(`--${rule.name} has no value: write --${rule.name} ${rule.valueName}${dashed}.`);
  }
}

/** Checks the parsed arguments against the command's definition. */
export function inputFor(command: Command, parsed: ParsedArguments, usage: string): CommandInput {
  const commandName = `"${command.words.join(' ')}"`;
  checkOptions(parsed, commandName, [...command.options, ...SHARED_OPTIONS]);
  const values = parsed.words.slice(command.words.length);
  const surplus = values[command.arguments.length];
  if (surplus !== undefined) throw usageError(`${quoted(surplus)} is one argument too many: ${usage}`);
  const missing = command.arguments[values.length];
  if (missing !== undefined) throw usageError(`${commandName} needs ${missing}: ${usage}`);
  const valuesOf = (name: string): string[] =>
    parsed.options.flatMap((option) => (option.name === name && option.value !== null ? [option.value] : []));
  for (const option of command.options) {
    if (option.isRequired === true && valuesOf(option.name).length === 0) {
      throw usageError(`--${option.name} is missing: ${usage}`);
    }
  }
  return {
    argument: (index) => values[index] ?? '',
    required: (name) => valuesOf(name)[0] ?? '',
    text: (name) => valuesOf(name)[0] ?? null,
    texts: valuesOf,
    flag: (name) => hasFlag(parsed, name),
  };
}

export function integerOption(values: CommandInput, name: string, min: number, max: number): number | null {
  const text = values.text(name);
  if (text === null) return null;
  const value = Number(text);
  if (/^[0-9]{1,15}$/.test(text) && value >= min && value <= max) return value;
  throw usageError(`--${name} is ${quoted(text)}: give a whole number from ${min} to ${max}.`);
}

export function choiceOption<T extends string>(values: CommandInput, name: string, choices: readonly T[]): T {
  const text = values.required(name);
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  throw usageError(`--${name} is ${quoted(text)}: give ${choices.join(' or ')}.`);
}

/** Throws if the text is not a UUID; the error names the command that lists ids. `label` is the option or argument. */
export function parseId(text: string, label: string, listCommand: string): string {
  if (isUuid(text)) return text.toLowerCase();
  throw usageError(`${label} is ${quoted(text)}, which is not an id: "everyshare ${listCommand}" shows the ids.`);
}
