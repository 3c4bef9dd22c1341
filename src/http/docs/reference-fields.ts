// The fields of a schema of the OpenAPI document as rows of a Markdown table: one row for each member, those of inner
// objects below it (`tiers[].amount`).

import { describe } from '../../base/schema/describe.ts';
import type { Schema } from '../../base/schema/registry.ts';

/** Deeper members are found in the published schema. */
const MAX_DEPTH = 3;

type Resolve = (schema: Schema) => Schema;

/** Follows the references of a document: "#/components/schemas/offering". */
export function makeResolve(schemas: Readonly<Record<string, Schema>>): Resolve {
  const resolve: Resolve = (schema) => {
    const { $ref, ...beside } = schema;
    if (typeof $ref !== 'string') return schema;
    const target = schemas[$ref.slice('#/components/schemas/'.length)];
    if (target === undefined) throw new Error(`${$ref} leads to nothing`);
    return { ...resolve(target), ...beside };
  };
  return resolve;
}

/** A table; empty for a schema without members. */
export function fieldTable(schema: Schema, resolve: Resolve): string {
  const rows = fieldRows(resolve(schema), resolve, '', 1);
  return rows.length === 0 ? '' : ['| Field | Value | What it is |', '| --- | --- | --- |', ...rows, ''].join('\n');
}

function fieldRows(schema: Schema, resolve: Resolve, prefix: string, depth: number): string[] {
  const choices = (schema.oneOf ?? schema.anyOf ?? []) as readonly Schema[];
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Schema>>;
  const required = (schema.required ?? []) as readonly string[];
  const own = Object.entries(properties).flatMap(([name, given]) => {
    const field = resolve(given);
    const path = `${prefix}${name}`;
    return [fieldRow(path, field, required.includes(name), resolve), ...innerRows(field, resolve, path, depth)];
  });
  return [...own, ...choices.flatMap((choice) => fieldRows(resolve(choice), resolve, prefix, depth))];
}

function innerRows(field: Schema, resolve: Resolve, path: string, depth: number): string[] {
  if (depth >= MAX_DEPTH) return [];
  const items = field.items as Schema | undefined;
  if (items !== undefined) return fieldRows(resolve(items), resolve, `${path}[].`, depth + 1);
  return fieldRows(field, resolve, `${path}.`, depth + 1);
}

function fieldRow(path: string, field: Schema, isRequired: boolean, resolve: Resolve): string {
  const note = isRequired ? '' : ', optional';
  return `| \`${path}\` | ${cell(describeValue(field, resolve))}${note} | ${cell(String(field.description ?? ''))} |`;
}

/** In words: "an integer from 2 to 50", "a list of strings". */
export function describeValue(field: Schema, resolve: Resolve): string {
  return describe({ resolve }, field)
    .replace(/^a string\b/, 'text')
    .replace(/^null or |( or )null$/, (_all, or) => (or ? ' or null' : ''));
}

/** Text inside a cell of a table. */
export function cell(text: string): string {
  return text
    .replaceAll('|', '\\|')
    .replace(/\s*\n\s*/g, ' ')
    .replaceAll('<', '&lt;');
}
