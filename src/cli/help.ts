// The usage pages, made from the table of commands, so that they cannot say anything else than what is accepted.

import { SHARED, VERSION } from './options.ts';
import type { Answer, Command, Option } from './shape.ts';
import { block } from './table.ts';

/** Handled before the command line: they run until they are stopped. */
export const ROLES: readonly (readonly [word: string, help: string])[] = [
  ['start', 'run everything on this machine, with its own database unless DATABASE_URL is set'],
  ['serve', 'run the API alone (needs DATABASE_URL)'],
  ['worker', 'run the background jobs alone (needs DATABASE_URL)'],
];

function usageOfOption({ name, value, needed, many }: Option): string {
  const plain = value === null ? `--${name}` : `--${name} ${value}`;
  return `${needed === true ? plain : `[${plain}]`}${many === true ? '...' : ''}`;
}

export function usageOf(command: Command): string {
  return ['everyshare', ...command.words, ...command.arguments, ...command.options.map(usageOfOption)].join(' ');
}

/** All commands, or those that begin with the words. */
export function helpFor(words: readonly string[], commands: readonly Command[]): Answer {
  const shown = commands.filter((command) => words.every((word, index) => command.words[index] === word));
  const json = {
    commands: shown.map((command) => ({
      usage: usageOf(command),
      help: command.help,
      options: command.options.map((option) => ({ name: `--${option.name}`, help: option.help })),
    })),
  };
  return { json, text: words.length === 0 ? everything(shown) : shown.map(details).join('\n\n') };
}

function everything(commands: readonly Command[]): string {
  const lines = [
    ...ROLES,
    ...commands.map((command) => [[...command.words, ...command.arguments].join(' '), command.help] as const),
  ];
  return [
    'Usage: everyshare <command> [options]',
    '',
    indented(block(lines)),
    '',
    indented(block([...SHARED, VERSION].map((option) => [`--${option.name}`, option.help]))),
    '',
    '"everyshare <command> --help" shows the options of one command. Settings come from the environment: DATA_DIR or',
    'DATABASE_URL says which installation is meant.',
  ].join('\n');
}

function details(command: Command): string {
  const head = `${usageOf(command)}\n  ${command.help}`;
  if (command.options.length === 0) return head;
  const options = command.options.map(
    ({ name, value, help }) => [value === null ? `--${name}` : `--${name} ${value}`, help] as const,
  );
  return `${head}\n${indented(indented(block(options)))}`;
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}
