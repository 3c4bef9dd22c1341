// The rules for every response of the tool server: it is JSON-RPC, answers a call of the request, and has the
// protocol's shape for its method. A tool's data matches its outputSchema, and each published schema that this names; a
// tool that only runs an operation returns what the operation's route returns; an error has our shape. The text beside
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
import { findProblemFaults, type ProblemList } from './check-problems.ts';
import type { Contract, Schema } from './contract.ts';
import type { Tool } from './request-draft.ts';
import type { HttpResponse, Request, RpcCall } from './send.ts';

interface ResultSchema {
  safeParse(value: unknown): { readonly success: boolean; readonly error?: { readonly message: string } };
}

const RESULT_SCHEMAS: Readonly<Record<string, ResultSchema>> = {
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

interface ToolResult {
  readonly isError?: boolean;
  readonly content?: readonly { readonly type?: unknown; readonly text?: unknown }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

interface RpcMessage {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown };
  readonly result?: ToolResult;
}

/** A path in a tool's data (`*` for each item), and the published schema that its description names. */
interface NamedSchema {
  readonly at: readonly string[];
  readonly schema: string;
}

interface KnownTool {
  readonly validate: ValidateFunction;
  readonly named: readonly NamedSchema[];
  /** The operation whose response it returns unchanged; null if its result has another shape. */
  readonly operation: string | null;
}

/** Finds the faults in responses of the listed tools. */
export class ToolChecks {
  readonly #contract: Contract;
  readonly #base: string;
  readonly #known: ReadonlyMap<string, KnownTool>;

  constructor(contract: Contract, base: string, tools: readonly Tool[]) {
    this.#contract = contract;
    this.#base = base;
    const ajv = new Ajv2020({ strict: false, allErrors: false, code: { optimize: false } });
    this.#known = new Map(
      tools.map(({ name, outputSchema }) => {
        const own = operationsOfTools.find((one) => one.name === name);
        const id = own === undefined || own.shape !== undefined ? null : own.operation.id;
        const operation = contract.operations.some((one) => one.id === id) ? id : null;
        return [name, { validate: ajv.compile(outputSchema), named: namedSchemas(outputSchema, []), operation }];
      }),
    );
  }

  findFaults({ rpc }: Request, { status, text }: HttpResponse): string[] {
    if (text === '') return status === 202 ? [] : [`${status} without a body`];
    const value = parsed(text);
    // Refused as on every route, for the caller, the size or the type.
    if (isRefusal(value)) return [];
    return messagesOf(value).flatMap((message) => this.#messageFaults(message, rpc));
  }

  #messageFaults({ jsonrpc, id, error, result }: RpcMessage, rpc: Request['rpc']): string[] {
    const faults: string[] = [];
    if (jsonrpc !== '2.0') faults.push('the message is not JSON-RPC 2.0');
    if ((error === undefined) === (result === undefined))
      faults.push('the message has neither a result nor an error, or both');
    if (error?.code === -32603) faults.push('the tool server returned an internal error');
    if (error !== undefined && (typeof error.code !== 'number' || typeof error.message !== 'string'))
      faults.push('an error without code or message');
    if (rpc !== undefined && id != null && !rpc.has(id))
      faults.push(`an answer to ${JSON.stringify(id)}, which no call has`);
    const call = rpc?.get(id) ?? null;
    if (result !== undefined) faults.push(...this.#resultFaults(result, call));
    return faults;
  }

  #resultFaults(result: ToolResult, call: RpcCall | null): string[] {
    const faults: string[] = [];
    const shape = RESULT_SCHEMAS[call?.method ?? ''];
    const read = shape?.safeParse(result);
    if (read?.success === false)
      faults.push(`the result of ${call?.method} is not of its shape: ${read.error?.message.slice(0, 400)}`);
    const { structuredContent: data, isError, content = [] } = result;
    if (data === undefined) return call?.tool == null ? faults : [...faults, 'a tool returned no data'];
    const [line, json] = content;
    if (line?.type !== 'text' || /[\n\r]/.test(String(line.text)))
      faults.push('a tool’s content does not begin with one line of text');
    if (JSON.stringify(parsed(String(json?.text))) !== JSON.stringify(data))
      faults.push('the text of a tool differs from its data');
    return [...faults, ...(isError === true ? this.#errorFaults(data) : this.#dataFaults(data, call?.tool))];
  }

  #errorFaults(data: NonNullable<ToolResult['structuredContent']>): string[] {
    const { error, errors } = data as ProblemList;
    const faults = this.#contract.schemaProblems('error', data);
    if (['internal_error', 'service_unavailable'].includes(error?.code ?? ''))
      faults.push(`a tool returned ${error?.code}`);
    if (errors !== undefined) faults.push(...findProblemFaults(this.#base, data as ProblemList));
    return faults;
  }

  /** If the tool is unknown, the data must be valid for at least one tool. */
  #dataFaults(data: NonNullable<ToolResult['structuredContent']>, tool: string | null | undefined): string[] {
    const known = this.#known.get(tool ?? '');
    if (known !== undefined) return this.#toolFaults(data, tool ?? '', known);
    const every = [...this.#known].map(([name, one]) => this.#toolFaults(data, name, one));
    return every.some((faults) => faults.length === 0) ? [] : ['the data matches no tool'];
  }

  #toolFaults(
    data: NonNullable<ToolResult['structuredContent']>,
    tool: string,
    { validate, ...rest }: KnownTool,
  ): string[] {
    if (!validate(data)) {
      const [first] = validate.errors ?? [];
      return [`${tool} does not match its outputSchema: ${first?.instancePath} ${first?.message}`];
    }
    const published = rest.named.flatMap(({ at, schema }) =>
      valuesAt(data, at).flatMap((value) => this.#contract.schemaProblems(schema, value)),
    );
    const own = rest.operation === null ? [] : this.#contract.successProblems(rest.operation, data);
    return [...published, ...own].map((problem) => `${tool}: ${problem}`);
  }
}

const SCHEMA_URI = /everyshare:\/\/schemas\/([a-z_]+)/;

function namedSchemas(schema: Schema, at: readonly string[]): NamedSchema[] {
  const {
    description,
    properties = {},
    items,
  } = schema as {
    description?: string;
    properties?: Record<string, Schema>;
    items?: Schema;
  };
  const name = SCHEMA_URI.exec(description ?? '')?.[1];
  // What `error` names is the whole of a failure, which is judged apart.
  const own = name === undefined || name === 'error' ? [] : [{ at, schema: name }];
  return [
    ...own,
    ...Object.entries(properties).flatMap(([member, one]) => namedSchemas(one, [...at, member])),
    ...(items === undefined ? [] : namedSchemas(items, [...at, '*'])),
  ];
}

function valuesAt(value: unknown, [token, ...rest]: readonly string[]): unknown[] {
  if (token === undefined) return [value];
  if (typeof value !== 'object' || value === null) return [];
  if (token === '*') return Object.values(value).flatMap((item) => valuesAt(item, rest));
  return token in value ? valuesAt((value as Record<string, unknown>)[token], rest) : [];
}

/** Whether a call succeeded: a tool's failure is in an HTTP 200. */
export function hasSucceeded({ status, text }: HttpResponse): boolean {
  if (status !== 200) return false;
  return messagesOf(parsed(text)).some(({ result }) => result !== undefined && result.isError !== true);
}

const messagesOf = (value: unknown): RpcMessage[] => (Array.isArray(value) ? value : [value]) as RpcMessage[];

function isRefusal(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'error' in value && !('jsonrpc' in value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {}; // The contract's check reports that it is not JSON.
  }
}
