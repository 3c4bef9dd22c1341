// Makes TypeScript types from the JSON Schemas: an object type for each object, a union for each enum. It supports only
// the keywords that our schemas use.

import type { Registry, Schema } from '../src/base/schema/registry.ts';

/** What a set of types is made from: the schemas, and the names that differ from those of the schemas. */
export interface TypeSource {
  readonly registry: Registry;
  readonly renamed: Readonly<Record<string, string>>;
}

export function makeTypes(registry: Registry): string {
  const source = { registry, renamed: {} };
  const parts = ['// Generated from schemas/v1 by `npm run generate`. Do not edit.\n'];
  for (const name of registry.names) if (name !== 'fields') parts.push(declareType(source, name));
  return parts.join('\n');
}

/** The exported type of one schema, with its comment. */
export function declareType(source: TypeSource, name: string): string {
  const schema = source.registry.get(name);
  return `${comment(schema, '')}export type ${typeName(source, name)} = ${typeOf(source, schema, '')};\n`;
}

export function typeName({ renamed }: TypeSource, name: string): string {
  return renamed[name] ?? pascalCase(name);
}

function pascalCase(name: string): string {
  return name
    .split('_')
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('');
}

function comment(schema: Schema, indent: string): string {
  return typeof schema.description === 'string'
    ? `${indent}/** ${schema.description.replaceAll('*/', '* /')} */\n`
    : '';
}

export function typeOf(source: TypeSource, given: Schema, indent: string): string {
  if (typeof given.$ref === 'string' && /^(?!fields)[a-z_]+\.json$/.test(given.$ref))
    return typeName(source, given.$ref.slice(0, -5));
  const schema = source.registry.resolve(given);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.if !== undefined && schema.properties === undefined && schema.items === undefined)
    return unionOfBranches(source, schema, indent);
  if (Array.isArray(schema.oneOf) && schema.type === undefined)
    return schema.oneOf.map((one: Schema) => typeOf(source, one, indent)).join(' | ');
  const types = Array.isArray(schema.type) ? (schema.type as string[]) : [String(schema.type)];
  return types.map((type) => typeOfKind(source, schema, type, indent)).join(' | ');
}

function unionOfBranches(source: TypeSource, schema: Schema, indent: string): string {
  const branches = [schema.then, schema.else].filter((branch) => branch !== undefined) as Schema[];
  return branches.map((branch) => typeOf(source, branch, indent)).join(' | ');
}

function typeOfKind(source: TypeSource, schema: Schema, type: string, indent: string): string {
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string' || type === 'boolean' || type === 'null') return type;
  if (type === 'array') {
    const item = typeOf(source, (schema.items ?? {}) as Schema, indent);
    return /[ {]/.test(item) ? `readonly (${item})[]` : `readonly ${item}[]`;
  }
  return type === 'object' ? objectType(source, schema, indent) : 'unknown';
}

function objectType(source: TypeSource, schema: Schema, indent: string): string {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  if (properties.length === 0) {
    const value = schema.additionalProperties;
    const valueType = typeof value === 'object' && value !== null ? typeOf(source, value as Schema, indent) : 'unknown';
    return `{ readonly [name: string]: ${valueType} }`;
  }
  const required = new Set((schema.required ?? []) as string[]);
  const inner = `${indent}  `;
  const lines = properties.map(([name, property]) => {
    const optional = required.has(name) ? '' : '?';
    return `${comment(source.registry.resolve(property), inner)}${inner}readonly ${name}${optional}: ${typeOf(source, property, inner)};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}
