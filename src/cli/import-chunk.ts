// The objects of an import, one chunk at a time. Each object is validated by the contract, as the API would do, and the
// valid ones are written by the API's own commands, so one invalid object keeps no other out.

import type { Queryable } from '../base/db.ts';
import type { FieldProblem } from '../base/errors.ts';
import { type JsonValue, parseStrictJson } from '../base/json/parse.ts';
import type { Candidate } from '../base/schema/validate.ts';
import { previewBoats, upsertBoats } from '../domain/boats/upsert-boats.ts';
import type { UpsertResult } from '../domain/catalogue/upsert.ts';
import type { Caller } from '../domain/keys/caller.ts';
import { recurrenceProblems } from '../domain/offerings/bounded-rules.ts';
import type { OfferingContent } from '../domain/offerings/offering.ts';
import { previewOfferings, upsertAll } from '../domain/offerings/upsert-offerings.ts';
import { factsFor } from '../domain/venues/venue.ts';
import { JsonStreamError, type JsonText } from './json-stream.ts';

type Result = UpsertResult;

export interface ImportKind {
  readonly name: 'boats' | 'offerings';
  readonly schema: 'boat' | 'offering';
  /** How many objects one transaction writes. */
  readonly chunkSize: number;
  /** Problems that the schema does not cover and the command would find. */
  extraProblems(value: JsonValue): readonly FieldProblem[];
  /** Takes validated, normalized values; the results are in the same order. */
  write(tx: Queryable, caller: Caller, values: readonly JsonValue[]): Promise<Result[]>;
  /** What `write` would do, without writing. */
  preview(db: Queryable, caller: Caller, values: readonly JsonValue[]): Promise<Result[]>;
}

export const BOATS: ImportKind = {
  name: 'boats',
  schema: 'boat',
  chunkSize: 100,
  extraProblems: () => [],
  async write(tx, caller, boats) {
    const { body } = await upsertBoats(tx, caller, {
      params: {},
      query: {},
      body: { boats },
      whenNew: [],
      badTexts: [],
    });
    return (body as { results: { result: Result | 'error' }[] }).results.map(({ result }, index) => {
      if (result === 'error') throw new Error(`boat ${index} of a chunk was valid, and the command refused it`);
      return result;
    });
  },
  preview: previewBoats,
};

export const OFFERINGS: ImportKind = {
  name: 'offerings',
  schema: 'offering',
  chunkSize: 25,
  extraProblems: (value) => recurrenceProblems([{ at: '', content: value as unknown as OfferingContent }]),
  async write(tx, caller, offerings) {
    const done = await upsertAll(tx, caller, offerings as unknown as OfferingContent[]);
    return done.map(({ result }) => result);
  },
  preview: (db, caller, offerings) => previewOfferings(db, caller, offerings as unknown as OfferingContent[]),
};

export interface ImportItem {
  readonly index: number;
  readonly externalId: string | null;
  /** Null: the text is JSON that the API refuses, because of `problem`. */
  readonly candidate: Candidate | null;
  readonly problem: FieldProblem | null;
}

export interface Failure {
  readonly index: number;
  readonly external_id: string | null;
  readonly errors: readonly FieldProblem[];
}

export interface ValidatedChunk {
  readonly valid: readonly JsonValue[];
  readonly failures: readonly Failure[];
}

const MAX_ID_LENGTH = 128;

function externalIdOf(value: unknown): string | null {
  const id = typeof value === 'object' && value !== null ? (value as { external_id?: unknown }).external_id : null;
  return typeof id === 'string' ? [...id.slice(0, 2 * MAX_ID_LENGTH)].slice(0, MAX_ID_LENGTH).join('') : null;
}

/**
 * Throws if the text is not JSON at all: the splitter cannot know where the next object really starts. `example` is a
 * valid object.
 */
export function parseItem({ bytes, offset }: JsonText, index: number, example: NonNullable<unknown>): ImportItem {
  const parsed = parseStrictJson(bytes);
  if (parsed.ok) return { index, externalId: externalIdOf(parsed.value), candidate: parsed, problem: null };
  const message = parsed.message.replace(/^The body/, 'the object').replace(/ \(byte \d+\)\.$/, '');
  const lenient = parseLenient(bytes);
  if (lenient === undefined) throw new JsonStreamError(message, index, offset + parsed.offset);
  const problem = {
    code: 'invalid_json',
    field: '',
    message: `${message}.`,
    expected: 'an object in strict JSON, at most 32 levels deep',
    example_fix: example,
  } as const;
  return { index, externalId: externalIdOf(lenient), candidate: null, problem };
}

/** JSON.parse allows repeated names and any depth. Undefined: the text is not JSON. */
function parseLenient(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}

/** `firstIndexById` covers the whole file, so a repeated id is found in any chunk. */
export function validateItems(
  kind: ImportKind,
  caller: Caller,
  items: readonly ImportItem[],
  firstIndexById: Map<string, number>,
): ValidatedChunk {
  const facts = factsFor(caller.now, caller.venue);
  const valid: JsonValue[] = [];
  const failures: Failure[] = [];
  for (const { index, externalId, candidate, problem } of items) {
    const errors: FieldProblem[] = problem === null ? [] : [problem];
    if (candidate !== null) errors.push(...caller.contract.validate(kind.schema, candidate, facts).problems);
    const normal =
      candidate === null || errors.length > 0 ? null : caller.contract.normalize(kind.schema, candidate.value);
    if (normal !== null) errors.push(...kind.extraProblems(normal));
    const first = firstIndexById.get(externalId ?? '');
    if (errors.length === 0 && first !== undefined) errors.push(repeatedId(externalId ?? '', index, first));
    if (normal === null || errors.length > 0) {
      failures.push({ index, external_id: externalId, errors });
    } else {
      firstIndexById.set(externalId ?? '', index);
      valid.push(normal);
    }
  }
  return { valid, failures };
}

function repeatedId(id: string, index: number, first: number): FieldProblem {
  return {
    code: 'not_unique',
    field: '/external_id',
    message: `"${id}" is also the id of object ${first}: only the first one is imported.`,
    expected: 'an external_id that no other object has',
    example_fix: `${[...id].slice(0, 100).join('')}-${index}`,
  };
}
