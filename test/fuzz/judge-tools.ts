// What every answer of the tool server is held to: it is JSON-RPC, answers what was asked, has the shape that the protocol gives to the
// answer of its method; what a tool gives is as its own outputSchema says, and, wherever that names a published schema, as that one says;
// a tool that is an operation without more gives what the operation's route would; a failure is the one error shape. The text beside
// the data says the same.

import {
  CallToolResultSchema,
  CompleteResultSchema,
  GetPromptResultSchema,
  InitializeResultSchema,
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  ListToolsResultSchema,
  ReadResourceResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { tools as operationsOfTools } from '../../src/run/operations/tools.ts';
import type { Contract, Schema } from './contract.ts';
import type { Tool } from './draw.ts';
import { faultsOfProblems, type Listed } from './judge-problems.ts';
import type { Answer, Asked, Request } from './send.ts';

interface Checked {
  safeParse(value: unknown): { readonly success: boolean; readonly error?: { readonly message: string } };
}

const RESULTS: Readonly<Record<string, Checked>> = {
  initialize: InitializeResultSchema,
  'tools/list': ListToolsResultSchema,
  'tools/call': CallToolResultSchema,
  'resources/list': ListResourcesResultSchema,
  'resources/templates/list': ListResourceTemplatesResultSchema,
  'resources/read': ReadResourceResultSchema,
  'prompts/list': ListPromptsResultSchema,
  'prompts/get': GetPromptResultSchema,
  'completion/complete': CompleteResultSchema,
};

interface Told {
  readonly isError?: boolean;
  readonly content?: readonly { readonly type?: unknown; readonly text?: unknown }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

interface Rpc {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown };
  readonly result?: Told;
}

/** A member of what a tool gives, and the published schema that its description names; `*`: each item. */
interface Named {
  readonly at: readonly string[];
  readonly schema: string;
}

interface Known {
  readonly validate: ValidateFunction;
  readonly named: readonly Named[];
  /** The operation whose answer it gives as it is; null: it has one of its own. */
  readonly operation: string | null;
}

/** The tools as they are listed, and what is wrong with what they say. */
export class ToolBook {
  readonly #contract: Contract;
  readonly #base: string;
  readonly #known: ReadonlyMap<string, Known>;

  constructor(contract: Contract, base: string, tools: readonly Tool[]) {
    this.#contract = contract;
    this.#base = base;
    const ajv = new Ajv2020({ strict: false, allErrors: false });
    this.#known = new Map(
      tools.map(({ name, outputSchema }) => {
        const own = operationsOfTools.find((one) => one.name === name);
        const id = own === undefined || own.shape !== undefined ? null : own.operation.id;
        const operation = contract.operations.some((one) => one.id === id) ? id : null;
        return [name, { validate: ajv.compile(outputSchema), named: namedIn(outputSchema, []), operation }];
      }),
    );
  }

  faults({ rpc }: Request, { status, text }: Answer): string[] {
    if (text === '') return status === 202 ? [] : [`${status} without a body`];
    const value = parsed(text);
    // Refused as on every route: who, how large, what type.
    if (isRefusal(value)) return [];
    return messagesOf(value).flatMap((message) => this.#faultsOfMessage(message, rpc));
  }

  #faultsOfMessage({ jsonrpc, id, error, result }: Rpc, rpc: Request['rpc']): string[] {
    const faults: string[] = [];
    if (jsonrpc !== '2.0') faults.push('it is not JSON-RPC 2.0');
    if ((error === undefined) === (result === undefined)) faults.push('it is neither a result nor an error, or both');
    if (error?.code === -32603) faults.push('the tool server says: internal error');
    if (error !== undefined && (typeof error.code !== 'number' || typeof error.message !== 'string'))
      faults.push('an error without code or message');
    if (rpc !== undefined && id != null && !rpc.has(id))
      faults.push(`an answer to ${JSON.stringify(id)}, which nobody asked`);
    const asked = rpc?.get(id) ?? null;
    if (result !== undefined) faults.push(...this.#faultsOfResult(result, asked));
    return faults;
  }

  #faultsOfResult(result: Told, asked: Asked | null): string[] {
    const faults: string[] = [];
    const shape = RESULTS[asked?.method ?? ''];
    const read = shape?.safeParse(result);
    if (read?.success === false)
      faults.push(`the result of ${asked?.method} is not of its shape: ${read.error?.message.slice(0, 400)}`);
    const { structuredContent: given, isError, content = [] } = result;
    if (given === undefined) return asked?.tool == null ? faults : [...faults, 'a tool gave no data'];
    const [line, data] = content;
    if (line?.type !== 'text' || /[\n\r]/.test(String(line.text))) faults.push('a tool does not begin with one line');
    if (JSON.stringify(parsed(String(data?.text))) !== JSON.stringify(given))
      faults.push('the text of a tool says another thing than its data');
    return [...faults, ...(isError === true ? this.#faultsOfFailure(given) : this.#faultsOfGiven(given, asked?.tool))];
  }

  #faultsOfFailure(given: NonNullable<Told['structuredContent']>): string[] {
    const { error, errors } = given as Listed;
    const faults = this.#contract.schemaProblems('error', given);
    if (['internal_error', 'service_unavailable'].includes(error?.code ?? ''))
      faults.push(`a tool says: ${error?.code}`);
    if (errors !== undefined) faults.push(...faultsOfProblems(this.#base, given as Listed));
    return faults;
  }

  /** Where it is not known which tool was meant, what it gave has to be right for one of them. */
  #faultsOfGiven(given: NonNullable<Told['structuredContent']>, tool: string | null | undefined): string[] {
    const known = this.#known.get(tool ?? '');
    if (known !== undefined) return this.#faultsOfTool(given, tool ?? '', known);
    const every = [...this.#known].map(([name, one]) => this.#faultsOfTool(given, name, one));
    return every.some((faults) => faults.length === 0) ? [] : ['no tool gives anything like it'];
  }

  #faultsOfTool(given: NonNullable<Told['structuredContent']>, tool: string, { validate, ...rest }: Known): string[] {
    if (!validate(given)) {
      const [first] = validate.errors ?? [];
      return [`${tool} is not as its outputSchema says: ${first?.instancePath} ${first?.message}`];
    }
    const published = rest.named.flatMap(({ at, schema }) =>
      valuesAt(given, at).flatMap((value) => this.#contract.schemaProblems(schema, value)),
    );
    const own = rest.operation === null ? [] : this.#contract.successProblems(rest.operation, given);
    return [...published, ...own].map((problem) => `${tool}: ${problem}`);
  }
}

const NAMES = /everyshare:\/\/schemas\/([a-z_]+)/;

function namedIn(schema: Schema, at: readonly string[]): Named[] {
  const {
    description,
    properties = {},
    items,
  } = schema as {
    description?: string;
    properties?: Record<string, Schema>;
    items?: Schema;
  };
  const name = NAMES.exec(description ?? '')?.[1];
  // What `error` names is the whole of a failure, which is judged apart.
  const own = name === undefined || name === 'error' ? [] : [{ at, schema: name }];
  return [
    ...own,
    ...Object.entries(properties).flatMap(([member, one]) => namedIn(one, [...at, member])),
    ...(items === undefined ? [] : namedIn(items, [...at, '*'])),
  ];
}

function valuesAt(value: unknown, [token, ...rest]: readonly string[]): unknown[] {
  if (token === undefined) return [value];
  if (typeof value !== 'object' || value === null) return [];
  if (token === '*') return Object.values(value).flatMap((item) => valuesAt(item, rest));
  return token in value ? valuesAt((value as Record<string, unknown>)[token], rest) : [];
}

/** Whether any of what was asked was done: a tool's failure stands in an HTTP 200. */
export function hasSucceeded({ status, text }: Answer): boolean {
  if (status !== 200) return false;
  return messagesOf(parsed(text)).some(({ result }) => result !== undefined && result.isError !== true);
}

const messagesOf = (value: unknown): Rpc[] => (Array.isArray(value) ? value : [value]) as Rpc[];

function isRefusal(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'error' in value && !('jsonrpc' in value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {}; // That it is not JSON is told by the contract.
  }
}
