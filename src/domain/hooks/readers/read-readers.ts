// Reads the reader files in schemas/v1/readers, one for each provider whose API the worker reads, once when the process
// starts.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reader } from '../../../../schemas/types.gen.ts';

export type Readers = ReadonlyMap<string, Reader>;
export type ReadEntry = Reader['reads'][number];
export type ReadObject = Reader['objects'][number];
export type ReadStep = ReadEntry['steps'][number];

export function readReaders(folder: string): Readers {
  const readers = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Reader);
  return new Map(readers.map((reader) => [reader.provider, withReadablePaths(reader)]));
}

/** The interpreter reads paths of source `webhook`. What an answer of the API has is read in the same way. */
function withReadablePaths(reader: Reader): Reader {
  const objects = reader.objects.map((object) => ({
    ...object,
    fields: Object.fromEntries(
      Object.entries(object.fields).map(([name, field]) => [
        name,
        field.source === 'api' ? { ...field, source: 'webhook' as const } : field,
      ]),
    ),
  }));
  return { ...reader, objects };
}

export function readEntryOf(reader: Reader, name: string): ReadEntry {
  const entry = reader.reads.find((candidate) => candidate.name === name);
  if (entry === undefined) throw new Error(`the reader of ${reader.provider} has no entry "${name}"`);
  return entry;
}

export function objectEntryOf(reader: Reader, name: string): ReadObject {
  const entry = reader.objects.find((candidate) => candidate.name === name);
  if (entry === undefined) throw new Error(`the reader of ${reader.provider} has no object "${name}"`);
  return entry;
}
