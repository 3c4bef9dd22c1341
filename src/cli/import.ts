// The operator's commands that import many objects from a file of any size or from standard input.

import { createReadStream, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { commandError, quoted, usageError } from './cli-error.ts';
import type { Command, CommandInput, CommandResult, OpenContext } from './command-definition.ts';
import { BOATS, type ImportKind, OFFERINGS } from './import-chunk.ts';
import type { FileStamp } from './import-progress.ts';
import { importResult } from './import-report.ts';
import { type ImportJob, runImport } from './import-run.ts';
import { operatorCaller } from './operator-caller.ts';
import { choiceOption, parseId } from './options.ts';
import { ProgressBar } from './progress-bar.ts';

const CHUNK_BYTES = 65_536;

interface Source {
  readonly label: string;
  /** Null: a pipe or standard input, which can be read once and has no known length. */
  readonly stamp: FileStamp | null;
  readonly read: () => AsyncIterable<Buffer>;
}

function sourceIn(input: CommandInput): Source {
  const file = input.argument(0);
  if (file === '-') return { label: 'standard input', stamp: null, read: () => process.stdin };
  const stats = statsOf(file);
  if (stats.isDirectory())
    throw commandError(`FILE is ${quoted(file)}, which is a folder: give a file, or - for input.`);
  return {
    label: file,
    stamp: stats.isFile() ? { size: stats.size, mtime_ms: stats.mtimeMs } : null,
    read: () => createReadStream(file, { highWaterMark: CHUNK_BYTES }),
  };
}

function statsOf(file: string): Stats {
  try {
    return statSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw commandError(`FILE is ${quoted(file)}, which cannot be read (${code}): check its path and who may read it.`);
  }
}

/** The default is beside the file. Progress of a stream is saved only if --progress names a file. */
function progressFileIn(input: CommandInput, source: Source): string | null {
  const named = input.text('progress');
  if (named !== null) return named;
  return source.stamp === null ? null : `${source.label}.progress.json`;
}

function checkDistinctFiles(files: readonly (readonly [label: string, file: string | null])[]): void {
  const seen = new Map<string, string>();
  for (const [label, file] of files) {
    if (file === null) continue;
    const other = seen.get(resolve(file));
    if (other !== undefined) throw usageError(`${label} and ${other} are the same file: name another.`);
    seen.set(resolve(file), label);
  }
}

async function runCommand(kind: ImportKind, input: CommandInput, open: OpenContext): Promise<CommandResult> {
  const venueId = parseId(input.required('venue'), '--venue', 'venue list');
  const mode = choiceOption(input, 'mode', ['test', 'live']);
  const source = sourceIn(input);
  const progressFile = progressFileIn(input, source);
  const reportFile = input.text('report');
  checkDistinctFiles([
    ['FILE', source.stamp === null ? null : source.label],
    ['--progress', progressFile],
    ['--report', reportFile],
  ]);
  const { context, command } = await open();
  const caller = await operatorCaller(context.db, command, venueId, mode);
  const dryRun = input.flag('dry-run');
  const job: ImportJob = {
    kind,
    label: source.label,
    read: source.read,
    source: source.stamp,
    dryRun,
    restart: input.flag('restart'),
    progressFile: dryRun ? null : progressFile,
    reportFile,
  };
  const bar = new ProgressBar(kind.name, context.clock, input.flag('json') ? null : process.stderr);
  return importResult(await runImport(job, { db: context.db, clock: context.clock, caller, bar }));
}

function importCommand(kind: ImportKind): Command {
  return {
    words: ['import', kind.name],
    arguments: ['FILE'],
    help: `create or update ${kind.name} from a file (JSON or JSON lines; "-" is standard input); resumes after a stop`,
    options: [
      { name: 'venue', valueName: 'ID', isRequired: true, help: 'the venue that owns them' },
      { name: 'mode', valueName: 'MODE', isRequired: true, help: 'test or live' },
      {
        name: 'dry-run',
        valueName: null,
        help: 'report what would be created, updated and left unchanged, and what is wrong; write nothing',
      },
      { name: 'report', valueName: 'FILE', help: 'write every object that failed to this file, as JSON lines' },
      { name: 'progress', valueName: 'FILE', help: 'where to save the progress; FILE.progress.json by default' },
      { name: 'restart', valueName: null, help: 'start from the first object, ignore saved progress' },
    ],
    run: (input, open) => runCommand(kind, input, open),
  };
}

export const importCommands: readonly Command[] = [importCommand(BOATS), importCommand(OFFERINGS)];
