// One call of a tool: its arguments are handed to its operation as a route would, and what comes of it is told twice, as one
// line for a person and as data. A tool that fails gives the very error object that the route would.

import type { CallToolResult } from '@modelcontextprotocol/server';
import { invalid, type Problem } from '../base/errors.ts';
import type { JsonValue } from '../base/json/parse.ts';
import type { Schema } from '../base/schema/registry.ts';
import { parsedCandidate, type RequestInput } from '../run/check-input.ts';
import type { Tool } from '../run/operations/tools.ts';
import { isPartner, type Principal } from '../run/principal.ts';
import { asProblem, toHttpProblem } from '../run/problem.ts';
import type { ToolServerContext } from '../run/tool-server.ts';

/** Everything that is known of a call when its tool is about to run. */
export interface ToolCall {
  readonly tool: Tool;
  readonly given: JsonValue | undefined;
  readonly caller: Principal | null;
  /** Why it may not run (scope, limit); null: it may. */
  readonly refusal: Problem | null;
  readonly requestId: string;
}

/** How a call went, as a route's status would say it; the answer itself goes out in an HTTP 200. */
export interface Told {
  readonly status: number;
  /** Seconds. */
  readonly retryAfter: number | null;
}

export async function callTool(
  server: ToolServerContext,
  call: ToolCall,
  tell: (told: Told) => void,
): Promise<CallToolResult> {
  const { tool, caller, refusal } = call;
  try {
    if (refusal !== null) throw refusal;
    const { status, json, replayed } = await server.perform(tool.operation, caller, received(server, call));
    const answer = JSON.parse(json) as Record<string, unknown>;
    const origins = isPartner(caller) ? caller.venue.origins : [];
    const given = tool.shape === undefined ? answer : tool.shape(answer, { replayed, origins });
    tell({ status, retryAfter: null });
    return told(tool.line(given), given);
  } catch (error) {
    const problem = asProblem(error);
    tell({ status: problem.status, retryAfter: retryAfterOf(problem) });
    return failed(server, call, problem);
  }
}

export function retryAfterOf({ detail }: Problem): number | null {
  const seconds = detail.headers?.['retry-after'];
  return seconds === undefined ? null : Number(seconds);
}

function failed({ app: context }: ToolServerContext, { tool, requestId }: ToolCall, problem: Problem): CallToolResult {
  if (problem.status >= 500) {
    context.log.error(
      { request_id: requestId, operation: tool.operation.id, err: problem.cause ?? problem },
      problem.code,
    );
  }
  const { json } = toHttpProblem(problem, requestId, context.address.base);
  const { field, problems = [] } = problem.detail;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  const at = field === undefined ? '' : ` at ${field === '' ? 'the whole' : field}`;
  return { ...told(`${problem.code}${at}: ${problem.message}${more}`, JSON.parse(json)), isError: true };
}

/** The line first; then the data as text too, for clients older than structured content. */
function told(line: string, given: Record<string, unknown>): CallToolResult {
  const text = (one: string) => ({ type: 'text' as const, text: one });
  return { content: [text(onOneLine(line)), text(JSON.stringify(given))], structuredContent: given };
}

/** Whatever would end a line, or move a cursor, as JSON writes it: names of members come from outside. */
export function onOneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** As the route would receive it. What is no body is checked here, so that pointers lead into what the agent sent. */
function received({ app: context }: ToolServerContext, { tool, given }: ToolCall): RequestInput {
  const parsedBody = given ?? {};
  const nothing = { params: {}, query: {} };
  if (tool.takes === 'body') return { ...nothing, parsedBody };
  const problems = context.validator.inlineProblems(tool.input as Schema, parsedCandidate(parsedBody));
  if (problems.length > 0) throw invalid(problems);
  return tool.takes === 'nothing' ? nothing : { ...nothing, [tool.takes]: textsOf(given) };
}

/** Members as a path or a query has them: text. */
export function textsOf(given: JsonValue | undefined): Record<string, string> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return {};
  const scalars = Object.entries(given).filter(([, value]) => typeof value === 'string' || typeof value === 'number');
  return Object.fromEntries(scalars.map(([name, value]) => [name, String(value)]));
}
