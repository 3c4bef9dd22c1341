// What the OpenAPI document promises, as the fuzzer reads it: every operation with its parameters, bodies and answers, which
// operation an address leads to, and what is wrong with an answer. It knows nothing but the document, so an operation that is
// added to that is asked and judged without a change here.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { faultsOfCsv } from './csv.ts';
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

export interface Described {
  readonly id: string;
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  /** Names of the security schemes, each enough by itself; none: nobody is asked who they are. */
  readonly security: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly body: { readonly schema: Schema; readonly examples: readonly Json[] } | null;
  readonly statuses: readonly number[];
}

interface Media {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly value: Json }>>;
}

interface Stated {
  readonly operationId: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly content?: Readonly<Record<string, Media>> }>
  >;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Stated>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, never>>>>;
}

const JSON_TYPE = 'application/json';
const CSV_TYPE = 'text/csv';

export class Contract {
  readonly operations: readonly Described[];
  readonly #document: Document;
  readonly #ajv: Ajv2020;
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: Document) {
    this.#document = document;
    this.#ajv = new Ajv2020({ strict: false, allErrors: false, validateSchema: false });
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(document, 'openapi');
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, stated]) => described(method.toUpperCase(), path, stated)),
    );
  }

  /** The schema itself, whatever refers to it; what stands beside a reference counts too. */
  resolve(schema: Schema): Schema {
    const { $ref, ...own } = schema;
    if (typeof $ref !== 'string') return schema;
    // A tool's own definitions are not the document's: of those only what stands beside them is known.
    const meant = this.#at($ref) as Schema | undefined;
    return meant === undefined ? own : { ...this.resolve(meant), ...own };
  }

  #at(ref: string): unknown {
    return ref
      .split('/')
      .slice(1)
      .reduce<unknown>(
        (node, token) => (node as Record<string, unknown> | undefined)?.[unescaped(token)],
        this.#document,
      );
  }

  /** The operation that an address leads to; a path of plain words wins over one with parameters. */
  find(method: string, url: string): Described | null {
    const given = segmentsOf(url);
    if (given === null) return null;
    const fitting = this.operations.filter((one) => one.method === method && fits(one.path.split('/'), given));
    return fitting.sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0] ?? null;
  }

  /** What is wrong with an answer of this operation; empty: it is as documented. */
  problems({ method, path, id, statuses }: Described, status: number, type: string, text: string): string[] {
    if (!statuses.includes(status)) return [`${status} is not documented for ${id}`];
    const stated = this.#document.paths[path]?.[method.toLowerCase()]?.responses[String(status)];
    const pointer = stated?.$ref ?? `#/paths/${escaped(path)}/${method.toLowerCase()}/responses/${status}`;
    const { content } = this.#at(pointer) as { content?: Record<string, Media> };
    const media = type.split(';')[0]?.trim() ?? '';
    if (content === undefined) return text === '' ? [] : [`${id} ${status} is documented without a body`];
    if (content[media] === undefined) return [`${id} ${status} came as "${type}", which is not documented`];
    if (media === CSV_TYPE) return faultsOfCsv(text);
    return media === JSON_TYPE ? this.#invalid(`${pointer}/content/${escaped(JSON_TYPE)}/schema`, text) : [];
  }

  /** What is wrong with something that has to be what an operation answers when it goes well. */
  successProblems(id: string, value: unknown): string[] {
    const operation = this.operations.find((one) => one.id === id);
    const method = operation?.method.toLowerCase();
    const statuses = operation?.statuses.filter((status) => status >= 200 && status < 300) ?? [];
    const found = statuses.map((status) => {
      const pointer = `#/paths/${escaped(operation?.path ?? '')}/${method}/responses/${status}/content/${escaped(JSON_TYPE)}`;
      return this.#at(pointer) === undefined ? [] : this.#problemsAt(`${pointer}/schema`, value);
    });
    return found.some((problems) => problems.length === 0) ? [] : (found[0] ?? [`there is no operation ${id}`]);
  }

  /** What is wrong with something that has to be as a published schema says. */
  schemaProblems(name: string, value: unknown): string[] {
    const pointer = `#/components/schemas/${name}`;
    return this.#at(pointer) === undefined ? [`there is no schema ${name}`] : this.#problemsAt(pointer, value);
  }

  /** What is wrong with something that has to be an error of ours. */
  errorProblems(text: string): string[] {
    return this.#invalid('#/components/schemas/error', text);
  }

  #invalid(pointer: string, text: string): string[] {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return ['the body is not JSON, though it says so'];
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

function described(method: string, path: string, stated: Stated): Described {
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

const escaped = (token: string): string => token.replaceAll('~', '~0').replaceAll('/', '~1');
const unescaped = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

/** Null: it is not percent-encoding, and so leads nowhere. */
function segmentsOf(url: string): string[] | null {
  try {
    return (url.split(/[?#]/)[0] ?? '').split('/').map(decodeURIComponent);
  } catch {
    return null;
  }
}

function fits(template: readonly string[], given: readonly string[]): boolean {
  return (
    template.length === given.length &&
    template.every((segment, place) => (segment.startsWith('{') ? given[place] !== '' : segment === given[place]))
  );
}
