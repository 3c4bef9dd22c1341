// The operator's command line: finds the command that the words name, checks the input against its definition, runs it,
// and prints the result as text or, with --json, as JSON.

import { packageVersion } from '../base/package-root.ts';
import { nearestName } from '../base/schema/nearest-name.ts';
import { analyticsCommands } from './analytics.ts';
import { auditCommands } from './audit.ts';
import { backupCommands } from './backup.ts';
import { CliError, errorLine, quoted, usageError } from './cli-error.ts';
import type {
  Command,
  CommandResult,
  OpenBackups,
  OpenContext,
  OpenUnmigrated,
  ReadSettings,
} from './command-definition.ts';
import { consoleCommands } from './console.ts';
import { demoCommands } from './demo.ts';
import { distributeCommands } from './distribute.ts';
import { doctorCommands } from './doctor.ts';
import { encryptionCommands } from './encryption.ts';
import { eventsCommands } from './events.ts';
import { guestCommands } from './guest.ts';
import { helpFor, helpForRole, ROLES, usageOf } from './help.ts';
import { hookCommands } from './hook.ts';
import { importCommands } from './import.ts';
import { requireInstallation } from './installation.ts';
import { keyCommands } from './key.ts';
import { ledgerCommands } from './ledger.ts';
import { listenCommands } from './listen.ts';
import { loginCommands } from './login.ts';
import { mcpCommands } from './mcp.ts';
import { memberCommands } from './member.ts';
import { operatorCommands } from './operator.ts';
import {
  checkOptions,
  hasFlag,
  inputFor,
  type ParsedArguments,
  parseArguments,
  SHARED_OPTIONS,
  VERSION_OPTION,
} from './options.ts';
import { print } from './print.ts';
import { processorCommands } from './processor.ts';
import { reconcileCommands } from './reconcile.ts';
import { refundCommands } from './refund.ts';
import { reviewCommands } from './review.ts';
import { tokenKeyCommands } from './token-key.ts';
import { triggerCommands } from './trigger.ts';
import { venueCommands } from './venue.ts';

const COMMANDS: readonly Command[] = [
  ...venueCommands,
  ...keyCommands,
  ...memberCommands,
  ...guestCommands,
  ...consoleCommands,
  ...operatorCommands,
  ...demoCommands,
  ...tokenKeyCommands,
  ...reviewCommands,
  ...hookCommands,
  ...importCommands,
  ...reconcileCommands,
  ...refundCommands,
  ...processorCommands,
  ...ledgerCommands,
  ...analyticsCommands,
  ...loginCommands,
  ...listenCommands,
  ...triggerCommands,
  ...eventsCommands,
  ...mcpCommands,
  ...encryptionCommands,
  ...auditCommands,
  ...backupCommands,
  ...distributeCommands,
  ...doctorCommands,
];

/** Commands that are not in the table. */
const BUILT_IN_WORDS = ['help', 'version'];

/** Runs one command and returns its exit code: 0, 1 for a failure, 2 for wrong usage. */
export async function runCommand(
  argv: readonly string[],
  open: OpenContext,
  readSettings: ReadSettings,
  configFolder: string,
  openBackups: OpenBackups,
  openUnmigrated: OpenUnmigrated,
): Promise<number> {
  const parsed = parseArguments(argv, COMMANDS);
  const command = COMMANDS.find(({ words }) => words.every((word, index) => parsed.words[index] === word));
  try {
    const result = await runParsed(parsed, command, open, readSettings, configFolder, openBackups, openUnmigrated);
    await print(process.stdout, hasFlag(parsed, 'json') ? JSON.stringify(result.json) : result.text);
    if (result.failure === undefined) return 0;
    await print(process.stderr, `everyshare: ${result.failure}`);
    return 1;
  } catch (error) {
    const options = command?.options.map((option) => option.name) ?? [];
    await print(process.stderr, `everyshare: ${errorLine(error, options)}`);
    return error instanceof CliError ? error.exitCode : 1;
  }
}

async function runParsed(
  parsed: ParsedArguments,
  command: Command | undefined,
  open: OpenContext,
  readSettings: ReadSettings,
  configFolder: string,
  openBackups: OpenBackups,
  openUnmigrated: OpenUnmigrated,
): Promise<CommandResult> {
  const [first] = parsed.words;
  if (first === undefined || BUILT_IN_WORDS.includes(first))
    checkOptions(parsed, 'everyshare', [...SHARED_OPTIONS, VERSION_OPTION]);
  if (first === 'version' || (first === undefined && hasFlag(parsed, 'version'))) return version();
  if (first === undefined) return helpFor([], COMMANDS);
  const role = roleAskedFor(parsed);
  if (role !== undefined) return helpForRole(role);
  if (first === 'help') return helpFor(requireKnown(parsed.words.slice(1)), COMMANDS);
  if (hasFlag(parsed, 'help')) return helpFor(command?.words ?? requireKnown(parsed.words), COMMANDS);
  if (command === undefined) throw unknownCommand(parsed.words);
  const input = inputFor(command, parsed, usageOf(command));
  if (command.mayBeFirst) return command.run(input, open, readSettings, configFolder, openBackups, openUnmigrated);
  const openExisting = ifInstalled(open, readSettings);
  const openAsItIs = ifInstalled(openUnmigrated, readSettings);
  return command.run(input, openExisting, readSettings, configFolder, openBackups, openAsItIs);
}

/** A command that is not the first never makes a database. It calls `open` only after it has checked its input. */
function ifInstalled<T>(open: () => Promise<T>, readSettings: ReadSettings): () => Promise<T> {
  return async () => {
    requireInstallation(readSettings());
    return open();
  };
}

/** The role of `start --help` and of `help start`. */
function roleAskedFor(parsed: ParsedArguments): (typeof ROLES)[number] | undefined {
  const isHelp = parsed.words[0] === 'help';
  const words = isHelp ? parsed.words.slice(1) : parsed.words;
  if (words.length !== 1 || !(isHelp || hasFlag(parsed, 'help'))) return undefined;
  const role = ROLES.find(([word]) => word === words[0]);
  if (role !== undefined) checkOptions(parsed, `"${role[0]}"`, SHARED_OPTIONS);
  return role;
}

/** Returns the words, or throws if no command begins with them. */
function requireKnown(words: readonly string[]): readonly string[] {
  if (!COMMANDS.some((command) => startsWithWords(command, words))) throw unknownCommand(words);
  return words;
}

function startsWithWords(command: Command, words: readonly string[]): boolean {
  return words.every((word, index) => command.words[index] === word);
}

/** The words that may follow these words. */
function nextWords(words: readonly string[]): string[] {
  const next = COMMANDS.filter((command) => startsWithWords(command, words)).map(
    (command) => command.words[words.length],
  );
  return [...new Set(next.filter((word) => word !== undefined))];
}

function unknownCommand(words: readonly string[]): CliError {
  const role = ROLES.find(([word]) => word === words[0]);
  if (role !== undefined) return usageError(`"${role[0]}" takes no options or arguments: it is to ${role[1]}.`);
  let depth = 0;
  while (depth < words.length && nextWords(words.slice(0, depth)).includes(words[depth] ?? '')) depth++;
  const right = words.slice(0, depth);
  const choices =
    depth === 0 ? [...nextWords([]), ...ROLES.map(([word]) => word), ...BUILT_IN_WORDS] : nextWords(right);
  const typed = words[depth];
  if (typed === undefined) return usageError(`"${right.join(' ')}" needs another word: ${choices.join(', ')}.`);
  const near = nearestName(typed, choices);
  const remedy = near === null ? `there is ${choices.join(', ')}.` : `did you mean "${[...right, near].join(' ')}"?`;
  return usageError(`there is no command ${quoted([...right, typed].join(' '))}: ${remedy}`);
}

function version(): CommandResult {
  const found = packageVersion();
  return { json: { version: found }, text: found };
}
