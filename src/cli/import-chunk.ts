// The objects of an import, a chunk at a time: judged one by one by the contract, as the API would, and the good ones
// written by the API's own commands, so that one bad object keeps no other out.

import type { Queryable } from '../base/db.ts';
import type { FieldProblem } from '../base/errors.ts';
import { type JsonValue, parseStrictJson } from '../base/json/parse.ts';
import type { Candidate } from '../base/schema/validate.ts';
import { upsertBoats } from '../domain/boats/upsert-boats.ts';
import type { Caller } from '../domain/keys/caller.ts';
import { unboundedRules } from '../domain/offerings/bounded-rules.ts';
import type { OfferingContent } from '../domain/offerings/offering.ts';
import { upsertAll } from '../domain/offerings/upsert-offerings.ts';
import { factsFor } from '../domain/venues/venue.ts';
import { BrokenStream, type Piece } from './json-stream.ts';

type Result = 'created' | 'updated' | 'unchanged';

export interface Kind {
  readonly name: 'boats' | 'offerings';
  readonly schema: 'boat' | 'offering';
  /** How many go into one transaction. */
  readonly chunk: number;
  /** What the contract leaves to the command. */
  further(value: JsonValue): readonly FieldProblem[];
  /** Judged and in their normal form; the results are in their order. */
  write(tx: Queryable, caller: Caller, values: readonly JsonValue[]): Promise<Result[]>;
}

export const BOATS: Kind = {
  name: 'boats',
  schema: 'boat',
  chunk: 100,
  further: () => [],
  async write(tx, caller, boats) {
    const { body } = await upsertBoats(tx, caller, {
      params: {},
      query: {},
      body: { boats },
      whenNew: [],
      badStrings: [],
    });
    return (body as { results: { result: Result | 'error' }[] }).results.map(({ result }, index) => {
      if (result === 'error') throw new Error(`boat ${index} of a chunk was right, and then it was not`);
      return result;
    });
  },
};

export const OFFERINGS: Kind = {
  name: 'offerings',
  schema: 'offering',
  chunk: 25,
  further: (value) => unboundedRules([{ at: '', content: value as unknown as OfferingContent }]),
  async write(tx, caller, offerings) {
    const done = await upsertAll(tx, caller, offerings as unknown as OfferingContent[]);
    return done.map(({ result }) => result);
  },
};

export interface Item {
  readonly index: number;
  readonly externalId: string | null;
  /** Null: its text is JSON that the API does not take, for the problem beside it. */
  readonly candidate: Candidate | null;
  readonly problem: FieldProblem | null;
}

export interface Failure {
  readonly index: number;
  readonly external_id: string | null;
  readonly errors: readonly FieldProblem[];
}

export interface Judged {
  readonly good: readonly JsonValue[];
  readonly failures: readonly Failure[];
}

const LONGEST_ID = 128;

function externalIdOf(value: unknown): string | null {
  const id = typeof value === 'object' && value !== null ? (value as { external_id?: unknown }).external_id : null;
  return typeof id === 'string' ? [...id.slice(0, 2 * LONGEST_ID)].slice(0, LONGEST_ID).join('') : null;
}

/** A text that is not JSON at all ends the import: what follows it cannot be trusted to be what it seems. */
export function itemFrom({ bytes, byte }: Piece, index: number): Item {
  const parsed = parseStrictJson(bytes);
  if (parsed.ok) return { index, externalId: externalIdOf(parsed.value), candidate: parsed, problem: null };
  const words = parsed.message.replace(/^The body/, 'the object').replace(/ \(byte \d+\)\.$/, '');
  const lenient = leniently(bytes);
  if (lenient === undefined) throw new BrokenStream(words, index, byte + parsed.offset);
  const problem = {
    code: 'invalid_json',
    field: '',
    message: `${words}.`,
    expected: 'an object in strict JSON, at most 32 levels deep',
    example_fix: null,
  } as const;
  return { index, externalId: externalIdOf(lenient), candidate: null, problem };
}

/** What JSON.parse makes of it (a name that stands twice, any depth); undefined: nothing. */
function leniently(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}

/** `seen`: which object of the file had an id first; one rule for the whole file, whatever chunk an object falls into. */
export function judged(kind: Kind, caller: Caller, items: readonly Item[], seen: Map<string, number>): Judged {
  const facts = factsFor(caller.now, caller.venue);
  const good: JsonValue[] = [];
  const failures: Failure[] = [];
  for (const { index, externalId, candidate, problem } of items) {
    const errors: FieldProblem[] = problem === null ? [] : [problem];
    if (candidate !== null) errors.push(...caller.contract.validate(kind.schema, candidate, facts).problems);
    const normal =
      candidate === null || errors.length > 0 ? null : caller.contract.normalize(kind.schema, candidate.value);
    if (normal !== null) errors.push(...kind.further(normal));
    const first = seen.get(externalId ?? '');
    if (errors.length === 0 && first !== undefined) errors.push(twice(externalId ?? '', index, first));
    if (normal === null || errors.length > 0) {
      failures.push({ index, external_id: externalId, errors });
    } else {
      seen.set(externalId ?? '', index);
      good.push(normal);
    }
  }
  return { good, failures };
}

function twice(id: string, index: number, first: number): FieldProblem {
  return {
    code: 'not_unique',
    field: '/external_id',
    message: `"${id}" is that of object ${first} too: the first one counts.`,
    expected: 'an external_id that no other object has',
    example_fix: `${[...id].slice(0, 100).join('')}-${index}`,
  };
}
