// The OpenAPI document for the fuzzer: every operation with its parameters, bodies and responses, the operation of an
// address, and the check of a response. It uses only the document, so a new operation is tested without a change here.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { findCsvFaults } from './check-csv.ts';
import type { Json } from './mutations.ts';

export interface Schema {
  readonly [keyword: string]: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
}

export interface DocumentedOperation {
  readonly id: string;
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  /** Names of the security schemes, each sufficient; empty for a public operation. */
  readonly security: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly body: { readonly schema: Schema; readonly examples: readonly Json[] } | null;
  readonly statuses: readonly number[];
}

interface Media {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly value: Json }>>;
}

interface OpenApiOperation {
  readonly operationId: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly content?: Readonly<Record<string, Media>> }>
  >;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, never>>>>;
}

const JSON_TYPE = 'application/json';
const CSV_TYPE = 'text/csv';

export class Contract {
  readonly operations: readonly DocumentedOperation[];
  readonly #document: Document;
  readonly #ajv: Ajv2020;
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: Document) {
    this.#document = document;
    // A validator is used a few times here: to optimize its code takes longer than to run it.
    this.#ajv = new Ajv2020({ strict: false, allErrors: false, validateSchema: false, code: { optimize: false } });
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(document, 'openapi');
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, stated]) => describeOperation(method.toUpperCase(), path, stated)),
    );
  }

  /** Follows references; keywords beside a reference are merged. */
  resolve(schema: Schema): Schema {
    const { $ref, ...own } = schema;
    if (typeof $ref !== 'string') return schema;
    // A tool's own definitions are not in the document, so only the keywords beside such a reference are known.
    const target = this.#at($ref) as Schema | undefined;
    return target === undefined ? own : { ...this.resolve(target), ...own };
  }

  #at(ref: string): unknown {
    return ref
      .split('/')
      .slice(1)
      .reduce<unknown>(
        (node, token) => (node as Record<string, unknown> | undefined)?.[unescapeToken(token)],
        this.#document,
      );
  }

  /** The operation of an address; a path without parameters wins over one with parameters. */
  find(method: string, url: string): DocumentedOperation | null {
    const given = segmentsOf(url);
    if (given === null) return null;
    const fitting = this.operations.filter((one) => one.method === method && matchesPath(one.path.split('/'), given));
    return fitting.sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0] ?? null;
  }

  /** The faults of a response of this operation; empty if it is as documented. */
  problems({ method, path, id, statuses }: DocumentedOperation, status: number, type: string, text: string): string[] {
    if (!statuses.includes(status)) return [`${status} is not documented for ${id}`];
    const stated = this.#document.paths[path]?.[method.toLowerCase()]?.responses[String(status)];
    const pointer = stated?.$ref ?? `#/paths/${escapeToken(path)}/${method.toLowerCase()}/responses/${status}`;
    const { content } = this.#at(pointer) as { content?: Record<string, Media> };
    const media = type.split(';')[0]?.trim() ?? '';
    if (content === undefined) return text === '' ? [] : [`${id} ${status} is documented without a body`];
    if (content[media] === undefined) return [`${id} ${status} has the type "${type}", which is not documented`];
    if (media === CSV_TYPE) return findCsvFaults(text);
    return media === JSON_TYPE ? this.#invalid(`${pointer}/content/${escapeToken(JSON_TYPE)}/schema`, text) : [];
  }

  /** The faults of a value that must match a successful response of the operation. */
  successProblems(id: string, value: unknown): string[] {
    const operation = this.operations.find((one) => one.id === id);
    const method = operation?.method.toLowerCase();
    const statuses = operation?.statuses.filter((status) => status >= 200 && status < 300) ?? [];
    const found = statuses.map((status) => {
      const pointer = `#/paths/${escapeToken(operation?.path ?? '')}/${method}/responses/${status}/content/${escapeToken(JSON_TYPE)}`;
      return this.#at(pointer) === undefined ? [] : this.#problemsAt(`${pointer}/schema`, value);
    });
    return found.some((problems) => problems.length === 0) ? [] : (found[0] ?? [`there is no operation ${id}`]);
  }

  /** The faults of a value that must match a published schema. */
  schemaProblems(name: string, value: unknown): string[] {
    const pointer = `#/components/schemas/${name}`;
    return this.#at(pointer) === undefined ? [`there is no schema ${name}`] : this.#problemsAt(pointer, value);
  }

  /** The faults of a text that must be an error in our shape. */
  errorProblems(text: string): string[] {
    return this.#invalid('#/components/schemas/error', text);
  }

  #invalid(pointer: string, text: string): string[] {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return ['the body is not JSON, although its type is'];
    }
    return this.#problemsAt(pointer, value);
  }

  #problemsAt(pointer: string, value: unknown): string[] {
    const known = this.#validators.get(pointer);
    const validate = known ?? this.#ajv.compile({ $ref: `openapi${pointer}` });
    if (known === undefined) this.#validators.set(pointer, validate);
    if (validate(value)) return [];
    return [`the body is not as documented: ${this.#ajv.errorsText(validate.errors).slice(0, 400)}`];
  }
}

function describeOperation(method: string, path: string, stated: OpenApiOperation): DocumentedOperation {
  const media = stated.requestBody?.content[JSON_TYPE];
  const examples = Object.values(media?.examples ?? {}).map(({ value }) => value);
  return {
    id: stated.operationId,
    method,
    path,
    security: (stated.security ?? []).flatMap((one) => Object.keys(one)),
    parameters: stated.parameters ?? [],
    body: media === undefined ? null : { schema: media.schema, examples },
    statuses: Object.keys(stated.responses).map(Number),
  };
}

const escapeToken = (token: string): string => token.replaceAll('~', '~0').replaceAll('/', '~1');
const unescapeToken = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

/** The decoded segments; null for invalid percent-encoding. */
function segmentsOf(url: string): string[] | null {
  try {
    return (url.split(/[?#]/)[0] ?? '').split('/').map(decodeURIComponent);
  } catch {
    return null;
  }
}

function matchesPath(template: readonly string[], given: readonly string[]): boolean {
  return (
    template.length === given.length &&
    template.every((segment, index) => (segment.startsWith('{') ? given[index] !== '' : segment === given[index]))
  );
}
