// Pieces that several declarations share: the query of a list, envelopes, sizes, and how the schema of a body is
// chosen.

import type { BodyChoice, ResponseShape } from '../../base/operation.ts';

export const KB = 1024;
export const MB = 1024 * KB;
export const BODY_LIMIT = 64 * KB;

const ref = (schema: string): object => ({ $ref: `${schema}.json` });

/** `{data: <object>}`, with further members. */
export function enveloped(
  description: string,
  schema: string,
  more: Readonly<Record<string, object>> = {},
): ResponseShape {
  const properties = { data: ref(schema), ...more };
  return { description, schema: closed(properties) };
}

/** `{data: [...]}` without paging. */
export function listed(description: string, schema: string): ResponseShape {
  return { description, schema: closed({ data: { type: 'array', items: ref(schema) } }) };
}

/** `{data: [...], next_before}`, with further members. */
export function paged(description: string, schema: string, more: Readonly<Record<string, object>> = {}): ResponseShape {
  const next_before = {
    type: ['string', 'null'],
    format: 'date-time',
    description: 'Send it as `before` to get the next page; null on the last page.',
    examples: ['2027-06-12T13:30:00.000123Z'],
  };
  return { description, schema: closed({ data: { type: 'array', items: ref(schema) }, next_before, ...more }) };
}

/** For a list that pages by id, because several of its rows may have the same time: in place of `before`. */
export const beforeId = (
  example: string,
  form: { readonly format: 'uuid' } | { readonly pattern: string },
): Readonly<Record<string, object>> => ({
  before: {
    type: 'string',
    ...form,
    description: 'The `next_before` of the previous page: the answer holds only older objects.',
    examples: [example],
  },
});

/** In place of the `next_before` of such a list. */
export const nextBeforeId = (example: string): Readonly<Record<string, object>> => ({
  next_before: {
    type: ['string', 'null'],
    description: 'Send it as `before` to get the next page; null on the last page.',
    examples: [example],
  },
});

export function plain(description: string, schema: string, exampleWith?: ResponseShape['exampleWith']): ResponseShape {
  return { description, schema, ...(exampleWith === undefined ? {} : { exampleWith }) };
}

/** The answer with an example of its own state. */
export function shown(exampleWith: NonNullable<ResponseShape['exampleWith']>, response: ResponseShape): ResponseShape {
  return { ...response, exampleWith };
}

export function oneOrMany(description: string, one: ResponseShape, many: string): ResponseShape {
  return { description, schema: { oneOf: [one.schema, ref(many)] } };
}

export function closed(properties: Readonly<Record<string, object>>): Record<string, unknown> {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

export const flag = (description: string): object => ({ type: 'boolean', description });

/** Members of the answer to an upsert. */
export const DUPLICATE = flag('True when the same content was sent before: nothing was written.');
export const UPDATED = flag('True when an existing object was changed.');

/** The query of every list, with the further parameters of this one. */
export function pageQuery(
  statuses: readonly string[] | null,
  more: Readonly<Record<string, object>> = {},
): Record<string, unknown> {
  const status = { type: 'string', enum: statuses, description: 'Only objects in this state.' };
  return {
    type: 'object',
    properties: {
      ...(statuses === null ? {} : { status }),
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: 100,
        default: 50,
        description: 'The largest number of objects in the page; a page of large objects has fewer.',
        examples: [50],
      },
      before: {
        type: 'string',
        format: 'date-time',
        description: 'The `next_before` of the previous page: the answer holds only older objects.',
        examples: ['2027-06-12T13:30:00.000000Z'],
      },
      ...more,
    },
    additionalProperties: false,
  };
}

export const REVIEW_STATUSES = ['pending', 'approved', 'rejected'] as const;

export const time = (description: string): object => ({
  type: 'string',
  format: 'date-time',
  description,
  examples: ['2027-06-12T00:00:00Z'],
});

export const only = (schema: string): readonly BodyChoice[] => [{ schema, when: () => true }];

/** A JSON object that has this member of its own. */
export function has(body: unknown, name: string): boolean {
  return typeof body === 'object' && body !== null && !Array.isArray(body) && Object.hasOwn(body, name);
}
