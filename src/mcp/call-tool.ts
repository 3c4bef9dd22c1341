// One call of a tool: its operation gets the arguments as a route would hand them over, and the result has one line for
// people and the data. A tool that fails gives the same error object as the route.

import type { CallToolResult } from '@modelcontextprotocol/server';
import { invalid, type Problem } from '../base/errors.ts';
import type { BadText, JsonValue } from '../base/json/parse.ts';
import type { Schema } from '../base/schema/registry.ts';
import { parsedCandidate, type RequestInput } from '../run/check-input.ts';
import type { Tool } from '../run/operations/tools.ts';
import { isPartner, type Principal } from '../run/principal.ts';
import { asProblem, toHttpProblem } from '../run/problem.ts';
import type { ToolServerContext } from '../run/tool-server.ts';

/** A call of a tool that is about to run. */
export interface ToolCall {
  readonly tool: Tool;
  readonly toolArguments: JsonValue | undefined;
  readonly pointedArguments: readonly BadText[];
  readonly caller: Principal | null;
  /** Why the tool may not run (scope, rate limit); null: it may. */
  readonly refusal: Problem | null;
  readonly requestId: string;
}

/** The status that the route of the tool would have answered. The tool server answers with 200 in any case. */
export interface ToolOutcome {
  readonly status: number;
  /** Null: the tool succeeded. */
  readonly problem: Problem | null;
  readonly isReplayed?: boolean;
  /** Seconds. */
  readonly retryAfter: number | null;
}

export async function callTool(
  server: ToolServerContext,
  call: ToolCall,
  reportOutcome: (outcome: ToolOutcome) => void,
): Promise<CallToolResult> {
  const { tool, caller, refusal } = call;
  try {
    if (refusal !== null) throw refusal;
    const { status, json, replayed } = await server.perform(tool.operation, caller, requestInputFor(server, call));
    const response = JSON.parse(json) as Record<string, unknown>;
    const origins = isPartner(caller) ? caller.venue.origins : [];
    const given = tool.shape === undefined ? response : tool.shape(response, { replayed, origins });
    reportOutcome({ status, problem: null, isReplayed: replayed, retryAfter: null });
    return toolResult(tool.summarize(given), given);
  } catch (error) {
    const problem = asProblem(error);
    reportOutcome({ status: problem.status, problem, retryAfter: retryAfterOf(problem) });
    return failedResult(server, call, problem);
  }
}

export function retryAfterOf({ detail }: Problem): number | null {
  const seconds = detail.headers?.['retry-after'];
  return seconds === undefined ? null : Number(seconds);
}

function failedResult(
  { app: context }: ToolServerContext,
  { tool, requestId }: ToolCall,
  problem: Problem,
): CallToolResult {
  if (problem.status >= 500) {
    context.log.error(
      { request_id: requestId, operation: tool.operation.id, code: problem.code, err: problem.cause ?? problem },
      'the server could not answer a request',
    );
  }
  const { json } = toHttpProblem(problem, requestId, context.address.base);
  const { field, problems = [] } = problem.detail;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  const at = field === undefined ? '' : ` at ${field === '' ? 'the whole' : field}`;
  return { ...toolResult(`${problem.code}${at}: ${problem.message}${more}`, JSON.parse(json)), isError: true };
}

/** The line first; then the data as text too, for clients that do not read structured content. */
function toolResult(line: string, given: Record<string, unknown>): CallToolResult {
  const text = (one: string) => ({ type: 'text' as const, text: one });
  return { content: [text(escapeControlCharacters(line)), text(JSON.stringify(given))], structuredContent: given };
}

/** Replaces characters that end a line or move a cursor by their JSON escapes: names of members come from callers. */
export function escapeControlCharacters(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * The input as the route would have it. Arguments for path or query are checked here, so that pointers lead into them.
 */
function requestInputFor({ app: context }: ToolServerContext, call: ToolCall): RequestInput {
  const { tool, toolArguments: given, pointedArguments } = call;
  const parsedBody = given ?? {};
  const nothing = { params: {}, query: {} };
  if (tool.argumentsAs === 'body') return { ...nothing, parsedBody, pointedNumbers: pointedArguments };
  const problems = context.validator.inlineProblems(tool.input as Schema, parsedCandidate(parsedBody));
  if (problems.length > 0) throw invalid(problems);
  return tool.argumentsAs === 'nothing' ? nothing : { ...nothing, [tool.argumentsAs]: stringMembers(given) };
}

/** The members as text, as a path or a query has them. */
export function stringMembers(given: JsonValue | undefined): Record<string, string> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return {};
  const scalars = Object.entries(given).filter(([, value]) => typeof value === 'string' || typeof value === 'number');
  return Object.fromEntries(scalars.map(([name, value]) => [name, String(value)]));
}
