// Makes TypeScript types from the JSON Schemas: an object type for each object, a union for each enum. It supports only
// the keywords that our schemas use.

import type { Registry, Schema } from '../src/base/schema/registry.ts';

export function makeTypes(registry: Registry): string {
  const parts = ['// Generated from schemas/v1 by `npm run generate`. Do not edit.\n'];
  for (const name of registry.names) {
    if (name === 'fields') continue;
    const schema = registry.get(name);
    parts.push(`${comment(schema, '')}export type ${typeName(name)} = ${typeOf(registry, schema, '')};\n`);
  }
  return parts.join('\n');
}

function typeName(name: string): string {
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

function typeOf(registry: Registry, given: Schema, indent: string): string {
  if (typeof given.$ref === 'string' && /^(?!fields)[a-z_]+\.json$/.test(given.$ref))
    return typeName(given.$ref.slice(0, -5));
  const schema = registry.resolve(given);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.if !== undefined && schema.properties === undefined && schema.items === undefined)
    return unionOfBranches(registry, schema, indent);
  const types = Array.isArray(schema.type) ? (schema.type as string[]) : [String(schema.type)];
  return types.map((type) => typeOfKind(registry, schema, type, indent)).join(' | ');
}

function unionOfBranches(registry: Registry, schema: Schema, indent: string): string {
  const branches = [schema.then, schema.else].filter((branch) => branch !== undefined) as Schema[];
  return branches.map((branch) => typeOf(registry, branch, indent)).join(' | ');
}

function typeOfKind(registry: Registry, schema: Schema, type: string, indent: string): string {
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string' || type === 'boolean' || type === 'null') return type;
  if (type === 'array') {
    const item = typeOf(registry, (schema.items ?? {}) as Schema, indent);
    return /[ {]/.test(item) ? `readonly (${item})[]` : `readonly ${item}[]`;
  }
  return type === 'object' ? objectType(registry, schema, indent) : 'unknown';
}

function objectType(registry: Registry, schema: Schema, indent: string): string {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  if (properties.length === 0) {
    const value = schema.additionalProperties;
    const valueType =
      typeof value === 'object' && value !== null ? typeOf(registry, value as Schema, indent) : 'unknown';
    return `{ readonly [name: string]: ${valueType} }`;
  }
  const required = new Set((schema.required ?? []) as string[]);
  const inner = `${indent}  `;
  const lines = properties.map(([name, property]) => {
    const optional = required.has(name) ? '' : '?';
    return `${comment(registry.resolve(property), inner)}${inner}readonly ${name}${optional}: ${typeOf(registry, property, inner)};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}
