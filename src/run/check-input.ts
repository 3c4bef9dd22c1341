// From the raw parts of a request to a validated input: 415, 400 and 422 in that order. A 422 lists every problem of
// the body, the query and the headers at once.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { type FieldProblem, invalid, notFound, Problem, withPointers } from '../base/errors.ts';
import { findBadTextsIn } from '../base/json/escaped-text.ts';
import { type BadText, type JsonValue, parseStrictJson, strictJsonSteps } from '../base/json/parse.ts';
import type { Input } from '../base/operation.ts';
import { candidateFrom, type ValidationResult } from '../base/schema/contract.ts';
import type { Candidate, Validator } from '../base/schema/validate.ts';
import { runYielding } from '../base/yielding.ts';
import type { Caller } from '../domain/keys/caller.ts';
import { factsFor } from '../domain/venues/venue.ts';
import type { ValidatedOperation } from './app-operation.ts';
import type { AppContext } from './context.ts';
import { wantsCsv } from './wants-csv.ts';

export interface RequestInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** The bytes of the body; absent, null or empty: there was no body. */
  readonly body?: Buffer | null;
  /** Instead of `body`: a value that the server has already, from the fields of a form or the arguments of a tool. */
  readonly parsedBody?: JsonValue;
  /** Of `parsedBody`: the whole numbers that its text wrote with a point or an exponent. */
  readonly pointedNumbers?: readonly BadText[];
  readonly contentType?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** The version of the object that a form was rendered from. */
  readonly expectedVersion?: string;
  /** The Accept header; absent: JSON. */
  readonly accept?: string | undefined;
  /** Read by an intake operation alone. */
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>;
}

const NO_MEMBERS = { type: 'object', properties: {}, additionalProperties: false } as const;
const MAX_KEY_LENGTH = 255;

/** A longer body is read and validated in several turns of the event loop, so that other requests do not wait for it. */
const MAX_BYTES_IN_ONE_TURN = 64 * 1024;

export async function checkInput(
  context: AppContext,
  operation: ValidatedOperation,
  caller: Caller | null,
  request: RequestInput,
): Promise<Input> {
  for (const value of Object.values(request.params)) if (value.includes('\0')) throw notFound();
  const isLong = request.body != null && request.body.length > MAX_BYTES_IN_ONE_TURN;
  const candidate = await parseBody(context, operation, request, isLong);
  if (isLong) await nextTurn();
  const query = readQuery(operation, request.query);
  const checked = checkBody(context, operation, caller, candidate);
  const others = [
    ...queryProblems(context.validator, operation, query),
    ...headerProblems(operation, request.idempotencyKey),
  ];
  // A caller who has to correct something sees every problem at once, those of a new object too.
  if (checked.problems.length + others.length > 0) throw invalid([...checked.whenNew, ...others]);
  const { body, whenNew, badTexts } = checked;
  const asCsv = operation.csv !== undefined && wantsCsv(request.accept);
  const { params, expectedVersion } = request;
  return {
    params,
    query,
    body,
    whenNew,
    badTexts,
    asCsv,
    ...(expectedVersion === undefined ? {} : { expectedVersion }),
  };
}

async function parseBody(
  context: AppContext,
  operation: ValidatedOperation,
  request: RequestInput,
  isLong: boolean,
): Promise<Candidate | null> {
  if (request.parsedBody !== undefined) {
    const candidate = parsedCandidate(request.parsedBody);
    return { ...candidate, badTexts: [...candidate.badTexts, ...(request.pointedNumbers ?? [])] };
  }
  const isEmpty = request.body == null || request.body.length === 0;
  if (operation.method === 'GET' || (isEmpty && operation.body === undefined)) return null;
  if (isEmpty && acceptsEmptyBody(context, operation)) return { value: {}, text: '{}', badTexts: [] };
  if (!isEmpty && !isJson(request.contentType)) throw new Problem('unsupported_media_type');
  const bytes = request.body ?? Buffer.alloc(0);
  const parsed = isLong ? await runYielding(strictJsonSteps(bytes)) : parseStrictJson(bytes);
  if (!parsed.ok) throw new Problem('invalid_json', { message: parsed.message });
  return parsed;
}

/** Of a value that is parsed already: only text that cannot be stored is left to find, as the JSON parser would. */
export function parsedCandidate(value: JsonValue): Candidate {
  return { ...candidateFrom(value), badTexts: findBadTextsIn(value) };
}

/** No member of the body is required: an empty body then means the same as an empty object. */
function acceptsEmptyBody(context: AppContext, { body }: ValidatedOperation): boolean {
  return body?.every(({ schema }) => context.registry.get(schema).required === undefined) === true;
}

/** A missing type is read as JSON; application/json with any parameters, and any +json type, are JSON. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined || contentType.trim() === '') return true;
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  return type === 'application/json' || /^application\/[a-z0-9.+-]+\+json$/.test(type);
}

interface CheckedBody extends ValidationResult {
  /** In its normal form, when there is nothing wrong with it. */
  readonly body: unknown;
  readonly badTexts: Candidate['badTexts'];
}

function checkBody(
  context: AppContext,
  operation: ValidatedOperation,
  caller: Caller | null,
  candidate: Candidate | null,
): CheckedBody {
  if (candidate === null) return { problems: [], count: 0, whenNew: [], body: undefined, badTexts: [] };
  if (operation.body === undefined) {
    const problems = context.validator.inlineProblems(NO_MEMBERS, candidate);
    return { problems, count: problems.length, whenNew: problems, body: candidate.value, badTexts: [] };
  }
  const choice = operation.body.find(({ when }) => when(candidate.value)) ?? operation.body[0];
  if (choice === undefined) throw new Error(`${operation.id} has an empty list of bodies`);
  const inItems = ({ field }: { field: string }): boolean =>
    choice.itemsOf !== undefined && field.startsWith(`${choice.itemsOf}/`);
  const badTexts = candidate.badTexts.filter(inItems);
  const withoutItems = { ...candidate, badTexts: candidate.badTexts.filter((bad) => !inItems(bad)) };
  const result = context.contract.validate(
    choice.schema,
    withoutItems,
    factsFor(context.clock.now(), caller?.venue ?? null),
  );
  const isValid = result.problems.length === 0;
  return {
    ...result,
    badTexts,
    body: isValid ? context.contract.normalize(choice.schema, candidate.value) : candidate.value,
  };
}

function readQuery(operation: ValidatedOperation, given: RequestInput['query']): Record<string, unknown> {
  const properties = (operation.query?.properties ?? {}) as Record<string, { type?: unknown; default?: unknown }>;
  // Without a prototype, so that a parameter named __proto__ is an unknown parameter like any other.
  const query: Record<string, unknown> = Object.create(null);
  for (const [name, text] of Object.entries(given)) {
    const isNumber =
      properties[name]?.type === 'integer' && typeof text === 'string' && /^[+-]?\d+(\.\d+)?$/.test(text);
    query[name] = isNumber ? Number(text) : text;
  }
  for (const [name, property] of Object.entries(properties)) {
    if (property.default !== undefined && !(name in query)) query[name] = property.default;
  }
  return query;
}

/** The pointers of the problems are /query/<name>, in the order of the request. */
function queryProblems(
  validator: Validator,
  operation: ValidatedOperation,
  query: Record<string, unknown>,
): FieldProblem[] {
  // The most frequent case: the request has no query and the operation takes none.
  if (operation.query === undefined && Object.keys(query).length === 0) return [];
  const candidate = candidateFrom(query as JsonValue);
  return validator.inlineProblems(operation.query ?? NO_MEMBERS, candidate).map((problem) => ({
    ...withPointers(problem, (pointer) => `/query${pointer}`),
    // Every value of a query is text: a message that says so would not help.
    message: problem.message.replace(
      /, not (a string|a list)\.$/,
      problem.message.endsWith('a list.') ? ', given once.' : '.',
    ),
  }));
}

function headerProblems(operation: ValidatedOperation, key: string | undefined): FieldProblem[] {
  if (operation.idempotent !== true || key === undefined) return [];
  const length = [...key].length;
  if (length >= 1 && length <= MAX_KEY_LENGTH) return [];
  return [
    {
      code: length === 0 ? 'too_short' : 'too_long',
      field: '/header/Idempotency-Key',
      message: `Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} characters.`,
      expected: `a string of 1 to ${MAX_KEY_LENGTH} characters`,
      example_fix: 'booking-8121-attempt-1',
    },
  ];
}
