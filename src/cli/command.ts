// The operator's command line: finds the command that the words name, holds what was typed against its declaration, runs
// it, and prints its answer for a person or, with --json, for a program.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../base/package-root.ts';
import { nearestName } from '../base/schema/near-miss.ts';
import { analyticsCommands } from './analytics.ts';
import { auditCommands } from './audit.ts';
import { CliError, lineFor, quoted, usageError } from './cli-error.ts';
import { doctorCommands } from './doctor.ts';
import { helpFor, ROLES, usageOf } from './help.ts';
import { importCommands } from './import.ts';
import { keyCommands } from './key.ts';
import { ledgerCommands } from './ledger.ts';
import { listenCommands } from './listen.ts';
import { mcpCommands } from './mcp.ts';
import { memberCommands } from './member.ts';
import { checkOptions, giveTo, hasFlag, readTyped, SHARED, type Typed, VERSION } from './options.ts';
import { reconcileCommands } from './reconcile.ts';
import { reviewCommands } from './review.ts';
import type { Answer, Command, Open, Settings } from './shape.ts';
import { triggerCommands } from './trigger.ts';
import { venueCommands } from './venue.ts';

const COMMANDS: readonly Command[] = [
  ...venueCommands,
  ...keyCommands,
  ...memberCommands,
  ...reviewCommands,
  ...importCommands,
  ...reconcileCommands,
  ...ledgerCommands,
  ...analyticsCommands,
  ...listenCommands,
  ...triggerCommands,
  ...mcpCommands,
  ...auditCommands,
  ...doctorCommands,
];

/** Words that stand for themselves, beside the table. */
const ALONE = ['help', 'version'];

/** Runs one command and says its exit code: 0, 1 for a failure, 2 for a line that was typed wrongly. */
export async function runCommand(argv: readonly string[], open: Open, settings: Settings): Promise<number> {
  const typed = readTyped(argv, COMMANDS);
  const command = COMMANDS.find(({ words }) => words.every((word, index) => typed.words[index] === word));
  try {
    const answer = await answerTo(typed, command, open, settings);
    await print(process.stdout, hasFlag(typed, 'json') ? JSON.stringify(answer.json) : answer.text);
    if (answer.fault === undefined) return 0;
    await print(process.stderr, `everyshare: ${answer.fault}`);
    return 1;
  } catch (error) {
    const options = command?.options.map((option) => option.name) ?? [];
    await print(process.stderr, `everyshare: ${lineFor(error, options)}`);
    return error instanceof CliError ? error.exit : 1;
  }
}

async function answerTo(typed: Typed, command: Command | undefined, open: Open, settings: Settings): Promise<Answer> {
  const [first] = typed.words;
  if (first === undefined || ALONE.includes(first)) checkOptions(typed, 'everyshare', [...SHARED, VERSION]);
  if (first === 'version' || (first === undefined && hasFlag(typed, 'version'))) return version();
  if (first === undefined) return helpFor([], COMMANDS);
  if (first === 'help') return helpFor(known(typed.words.slice(1)), COMMANDS);
  if (hasFlag(typed, 'help')) return helpFor(command?.words ?? known(typed.words), COMMANDS);
  if (command === undefined) throw unknownCommand(typed.words);
  return command.run(giveTo(command, typed, usageOf(command)), open, settings);
}

/** The words, when at least one command begins with them. */
function known(words: readonly string[]): readonly string[] {
  if (!COMMANDS.some((command) => begins(command, words))) throw unknownCommand(words);
  return words;
}

function begins(command: Command, words: readonly string[]): boolean {
  return words.every((word, index) => command.words[index] === word);
}

/** What may follow these words in the table. */
function nextWords(words: readonly string[]): string[] {
  const next = COMMANDS.filter((command) => begins(command, words)).map((command) => command.words[words.length]);
  return [...new Set(next.filter((word) => word !== undefined))];
}

function unknownCommand(words: readonly string[]): CliError {
  const role = ROLES.find(([word]) => word === words[0]);
  if (role !== undefined) return usageError(`"${role[0]}" stands alone, without options: it is to ${role[1]}.`);
  let depth = 0;
  while (depth < words.length && nextWords(words.slice(0, depth)).includes(words[depth] ?? '')) depth++;
  const right = words.slice(0, depth);
  const choices = depth === 0 ? [...nextWords([]), ...ROLES.map(([word]) => word), ...ALONE] : nextWords(right);
  const typed = words[depth];
  if (typed === undefined) return usageError(`"${right.join(' ')}" needs a further word: ${choices.join(', ')}.`);
  const near = nearestName(typed, choices);
  const remedy = near === null ? `there is ${choices.join(', ')}.` : `did you mean "${[...right, near].join(' ')}"?`;
  return usageError(`there is no command ${quoted([...right, typed].join(' '))}: ${remedy}`);
}

function version(): Answer {
  const text = readFileSync(join(packageRoot, 'package.json'), 'utf8');
  const found = (JSON.parse(text) as { version: string }).version;
  return { json: { version: found }, text: found };
}

/** Comes back when it was written. A reader that has gone away (`| head -1`) wants no more, and is no failure. */
function print(stream: NodeJS.WriteStream, text: string): Promise<void> {
  if (!stream.listeners('error').includes(toldByWrite)) stream.on('error', toldByWrite);
  return new Promise((resolve, reject) => {
    stream.write(`${text}\n`, (error) => {
      if (error == null || (error as NodeJS.ErrnoException).code === 'EPIPE') resolve();
      else reject(error);
    });
  });
}

/** The stream says by an event, too, what `write` was told: without a listener that would end the process. */
function toldByWrite(): void {}
