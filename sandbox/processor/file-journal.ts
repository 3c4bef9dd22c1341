// The durable journal: an append-only file of lines with checksums. Concurrent requests share one fsync, and each
// response waits for its own. A torn last line is cut off and saved aside. A large journal is compacted into a
// snapshot, put in place by an atomic rename. After a failed write nothing is acknowledged any more; a restart reads
// what is on disk.

import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { type Journal, JournalFailure } from './journal.ts';

export interface FileJournalOptions {
  readonly log?: (line: string) => void;
  /** A journal larger than this, and larger than the last snapshot, is compacted. */
  readonly compactAtBytes?: number;
}

const DEFAULT_COMPACT_AT_BYTES = 64 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

const withChecksum = (line: string): string => `${crc32(line).toString(16).padStart(8, '0')} ${line}\n`;

/** The line without its checksum; null when the checksum does not match. */
function verifyChecksum(line: string): string | null {
  const content = line.slice(9);
  return line[8] === ' ' && Number.parseInt(line.slice(0, 8), 16) === crc32(content) ? content : null;
}

interface FoundFiles {
  /** Number of the newest snapshot; 0: none. */
  readonly snapshot: number;
  /** Journals from that snapshot on, in order. */
  readonly journals: readonly number[];
}

const journalFile = (folder: string, number: number): string => join(folder, `journal-${number}.log`);
const snapshotFile = (folder: string, number: number): string => join(folder, `snapshot-${number}.log`);

function findFiles(folder: string): FoundFiles {
  const numbers = (kind: string): number[] =>
    readdirSync(folder)
      .flatMap((name) => new RegExp(`^${kind}-(\\d+)\\.log$`).exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
  const snapshot = numbers('snapshot').at(-1) ?? 0;
  return { snapshot, journals: numbers('journal').filter((number) => number >= snapshot) };
}

/** The lines of a file with their byte offsets. The last line may be incomplete. */
function* linesOf(
  file: string,
): Generator<{ readonly text: string; readonly at: number; readonly isComplete: boolean }> {
  const fd = openSync(file, 'r');
  try {
    let rest = Buffer.alloc(0);
    let at = 0;
    for (;;) {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      const read = readSync(fd, chunk, 0, CHUNK_BYTES, null);
      const text = Buffer.concat([rest, chunk.subarray(0, read)]);
      let start = 0;
      for (let end = text.indexOf(10); end >= 0; end = text.indexOf(10, start)) {
        yield { text: text.toString('utf8', start, end), at: at + start, isComplete: true };
        start = end + 1;
      }
      at += start;
      rest = text.subarray(start);
      if (read > 0) continue;
      if (rest.length > 0) yield { text: rest.toString('utf8'), at, isComplete: false };
      return;
    }
  } finally {
    closeSync(fd);
  }
}

export function openFileJournal(folder: string, options: FileJournalOptions = {}): Journal {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return new FileJournal(folder, options);
}

class FileJournal implements Journal {
  readonly #folder: string;
  readonly #log: (line: string) => void;
  readonly #compactAtBytes: number;
  #number = 1;
  #handle: FileHandle | null = null;
  #size = 0;
  #snapshotSize = 0;
  #snapshot: () => Iterable<string> = () => [];
  #waiting: string[] = [];
  /** Resolves when the waiting lines, and those being written, are on disk. */
  #nextWrite: Promise<void> | null = null;
  #failure: JournalFailure | null = null;
  #writing: Promise<void> | null = null;
  #compacting: Promise<void> | null = null;

  constructor(
    folder: string,
    { log = () => undefined, compactAtBytes = DEFAULT_COMPACT_AT_BYTES }: FileJournalOptions,
  ) {
    this.#folder = folder;
    this.#log = log;
    this.#compactAtBytes = compactAtBytes;
  }

  *read(): Generator<string> {
    const { snapshot, journals } = findFiles(this.#folder);
    this.#number = Math.max(journals.at(-1) ?? 1, snapshot, 1);
    if (snapshot > 0) {
      for (const { text, at, isComplete } of linesOf(snapshotFile(this.#folder, snapshot))) {
        const line = isComplete ? verifyChecksum(text) : null;
        if (line === null) {
          throw new Error(`${snapshotFile(this.#folder, snapshot)} is damaged at byte ${at}: restore it from a backup`);
        }
        this.#snapshotSize += text.length;
        yield line;
      }
    }
    for (const number of journals) yield* this.#journalLines(number, number === journals.at(-1));
  }

  *#journalLines(number: number, isLast: boolean): Generator<string> {
    const file = journalFile(this.#folder, number);
    for (const { text, at, isComplete } of linesOf(file)) {
      const line = isComplete ? verifyChecksum(text) : null;
      if (line === null) {
        if (!isLast) throw new Error(`${file} is damaged at byte ${at}: restore it from a backup`);
        this.#truncate(file, at);
        return;
      }
      yield line;
    }
  }

  /** Bytes from a torn line on were never acknowledged. They are saved in a `.torn` file for the operator. */
  #truncate(file: string, at: number): void {
    const fd = openSync(file, 'r+');
    try {
      const tail = Buffer.alloc(CHUNK_BYTES);
      const read = readSync(fd, tail, 0, CHUNK_BYTES, at);
      writeFileSync(`${file}.torn`, tail.subarray(0, read), { mode: 0o600 });
      ftruncateSync(fd, at);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    this.#log(`${file}: the last write is incomplete; the journal is truncated at byte ${at}`);
  }

  startWriting(snapshot: () => Iterable<string>): void {
    this.#snapshot = snapshot;
    const { snapshot: newest } = findFiles(this.#folder);
    for (const name of readdirSync(this.#folder)) {
      const number = Number(/^(?:snapshot|journal)-(\d+)\.log$/.exec(name)?.[1] ?? Infinity);
      // Files that a compaction left when a crash interrupted it.
      if (number < newest || /^snapshot-\d+\.log\.tmp$/.test(name)) rmSync(join(this.#folder, name), { force: true });
    }
    const file = journalFile(this.#folder, this.#number);
    if (!existsSync(file)) createFile(file, this.#folder);
  }

  append(entry: object): void {
    this.#waiting.push(withChecksum(JSON.stringify(entry)));
  }

  flush(): Promise<void> | null {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    if (this.#waiting.length > 0) {
      this.#nextWrite ??= this.#writeWaiting();
      return this.#nextWrite;
    }
    return this.#writing;
  }

  /** One write and one fsync for all lines that were appended during the previous write. */
  async #writeWaiting(): Promise<void> {
    if (this.#writing !== null) await this.#writing;
    // Yields once, so that requests that arrived together share this write.
    else await nextTurn();
    const lines = this.#waiting;
    this.#waiting = [];
    this.#nextWrite = null;
    this.#writing = this.#write(lines.join(''));
    try {
      await this.#writing;
    } finally {
      this.#writing = null;
    }
  }

  async #write(text: string): Promise<void> {
    try {
      this.#handle ??= await open(journalFile(this.#folder, this.#number), 'a', 0o600);
      if (this.#size === 0) this.#size = (await this.#handle.stat()).size;
      await this.#handle.appendFile(text);
      await this.#handle.datasync();
      this.#size += text.length;
      if (this.#size > Math.max(this.#compactAtBytes, this.#snapshotSize) && this.#compacting === null)
        await this.#rotate();
    } catch (error) {
      this.#failure = new JournalFailure(error);
      throw this.#failure;
    }
  }

  /** Later lines go to a new file, while the snapshot that replaces the older files is written. */
  async #rotate(): Promise<void> {
    const number = this.#number + 1;
    const file = journalFile(this.#folder, number);
    createFile(file, this.#folder);
    const handle = await open(file, 'a', 0o600);
    await this.#handle?.close();
    this.#handle = handle;
    this.#number = number;
    this.#size = 0;
    // Lines that wait now are in the snapshot and in the new file too: putting a row twice changes nothing.
    const lines = this.#snapshot();
    this.#compacting = this.#compact(number, lines)
      .catch((error: unknown) => this.#log(`the journal could not be compacted: ${String(error)}`))
      .finally(() => {
        this.#compacting = null;
      });
  }

  async #compact(number: number, lines: Iterable<string>): Promise<void> {
    const file = snapshotFile(this.#folder, number);
    const temporary = `${file}.tmp`;
    const handle = await open(temporary, 'w', 0o600);
    let size = 0;
    try {
      for (const line of lines) {
        const text = withChecksum(line);
        size += text.length;
        await handle.appendFile(text);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
    syncFolder(this.#folder);
    this.#snapshotSize = size;
    for (const name of readdirSync(this.#folder)) {
      const old = Number(/^(?:snapshot|journal)-(\d+)\.log$/.exec(name)?.[1] ?? Infinity);
      if (old < number) await rm(join(this.#folder, name), { force: true });
    }
  }

  async close(): Promise<void> {
    await Promise.resolve(this.flush()).catch(() => undefined);
    await this.#compacting;
    await this.#handle?.close();
    this.#handle = null;
  }
}

/** Syncs the folder too, so that the file's name survives a power loss. */
function createFile(file: string, folder: string): void {
  closeSync(openSync(file, 'a', 0o600));
  syncFolder(folder);
}

function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
