// The help pages, generated from the table of commands, so that they always match what is accepted.

import type { Command, CommandResult, Option } from './command-definition.ts';
import { SHARED_OPTIONS, VERSION_OPTION } from './options.ts';
import { block } from './table.ts';

/** The long-running roles; main.ts handles them before the command line. */
export const ROLES: readonly (readonly [word: string, help: string])[] = [
  ['start', 'run everything on this machine, with its own database unless DATABASE_URL is set'],
  ['serve', 'run the API alone (needs DATABASE_URL)'],
  ['worker', 'run the background jobs alone (needs DATABASE_URL)'],
  ['processor', 'run the sandbox card processor alone, which several servers share'],
];

function usageOfOption({ name, valueName: value, isRequired: needed, isRepeatable: many }: Option): string {
  const usage = value === null ? `--${name}` : `--${name} ${value}`;
  return `${needed === true ? usage : `[${usage}]`}${many === true ? '...' : ''}`;
}

export function usageOf(command: Command): string {
  return ['everyshare', ...command.words, ...command.arguments, ...command.options.map(usageOfOption)].join(' ');
}

/** All commands, or those that begin with the words. */
export function helpFor(words: readonly string[], commands: readonly Command[]): CommandResult {
  const matching = commands.filter((command) => words.every((word, index) => command.words[index] === word));
  const json = {
    commands: matching.map((command) => ({
      usage: usageOf(command),
      help: command.help,
      options: command.options.map((option) => ({ name: `--${option.name}`, help: option.help })),
    })),
  };
  return { json, text: words.length === 0 ? overview(matching) : matching.map(details).join('\n\n') };
}

/** The help of a role, which takes its settings from the environment alone. */
export function helpForRole([word, help]: readonly [string, string]): CommandResult {
  const usage = `everyshare ${word}`;
  return {
    json: { commands: [{ usage, help, options: [] }] },
    text: `${usage}\n  ${help}\n\nIt takes no options. Settings come from the environment: docs/guides/operating.md lists them.`,
  };
}

function overview(commands: readonly Command[]): string {
  const lines = [
    ...ROLES,
    ...commands.map((command) => [[...command.words, ...command.arguments].join(' '), command.help] as const),
  ];
  return [
    'Usage: everyshare <command> [options]',
    '',
    indented(block(lines)),
    '',
    indented(block([...SHARED_OPTIONS, VERSION_OPTION].map((option) => [`--${option.name}`, option.help]))),
    '',
    '"everyshare <command> --help" shows the options of one command. Settings come from the environment: DATA_DIR or',
    'DATABASE_URL says which installation is meant.',
  ].join('\n');
}

function details(command: Command): string {
  const head = `${usageOf(command)}\n  ${command.help}`;
  if (command.options.length === 0) return head;
  const options = command.options.map(
    ({ name, valueName: value, help }) => [value === null ? `--${name}` : `--${name} ${value}`, help] as const,
  );
  return `${head}\n${indented(indented(block(options)))}`;
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}
