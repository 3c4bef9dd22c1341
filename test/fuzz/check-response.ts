// The rules for every response: it arrives in time; it is no 5xx; it has a request id; it matches the OpenAPI document
// for its operation and status; an error has our shape, and a 422 has a pointer and a remedy for each problem; and it
// shows no internals (a stack, SQL, a path). check-tool-response.ts checks the results of tools.

import { findProblemFaults, type ProblemList } from './check-problems.ts';
import type { ToolChecks } from './check-tool-response.ts';
import type { Contract, DocumentedOperation } from './contract.ts';
import type { HttpResponse, Request } from './send.ts';

/** Statuses for broken HTTP or a broken address, documented once for all operations (docs/errors). */
const HTTP_ERROR_STATUSES = [400, 404, 405, 408, 413, 414, 417, 429, 431];
const INTERNALS: readonly RegExp[] = [
  /\n\s+at .+:\d+:\d+/,
  /\bnode_modules\b|\bfile:\/\/|\bdist\/[\w-]+\.js\b/,
  /\b(duplicate key value|violates (unique|check|foreign|not-null)|syntax error at|invalid input syntax|invalid byte sequence|unsupported Unicode escape|relation "\w+" does not exist)\b/,
  /\bTypeError\b|\bReferenceError\b|\bRangeError\b|is not a function|Cannot read propert/,
];

export interface CheckContext {
  readonly contract: Contract;
  readonly base: string;
  /** Null leaves out the checks of tool results. */
  readonly tools: ToolChecks | null;
}

export function findFaults(
  { contract, base, tools }: CheckContext,
  request: Request,
  response: HttpResponse,
): string[] {
  if (response.failure !== null) return [response.failure];
  if (request.rawBytes !== undefined) return findSocketFaults(response);
  const faults: string[] = [];
  const { status, headers, text } = response;
  if (status >= 500) faults.push(`the status is ${status}`);
  if (!/^req_/.test(String(headers['x-request-id'] ?? ''))) faults.push('x-request-id is missing');
  if (status >= 400)
    for (const pattern of INTERNALS)
      if (pattern.test(text)) faults.push(`it shows internals: ${pattern.exec(text)?.[0]}`);
  if (request.mustBeRefused === true && status < 400 && /^(POST|DELETE)$/.test(request.method))
    faults.push('it was accepted, although it is larger than the limit');
  const operation = contract.find(request.method, pathOf(request.path));
  if (isHttpError(text)) return [...faults, ...contract.errorProblems(text)];
  const isHead = request.method === 'HEAD';
  if (isHead) return text === '' ? faults : [...faults, 'a response to HEAD has a body'];
  if (operation === null) return [...faults, ...findUnlistedFaults(contract, request, response)];
  faults.push(...findOperationFaults(contract, operation, response));
  if (operation.id === 'callTool' && tools !== null) faults.push(...tools.findFaults(request, response));
  if (status === 422) faults.push(...findProblemFaults(base, parseProblems(text)));
  faults.push(...findHeaderFaults(operation, response));
  return faults;
}

/** An error of bytes that never became a request, documented in docs/errors. */
function isHttpError(text: string): boolean {
  return /^\{"error":\{"code":"(malformed_request|headers_too_large|request_timeout)"/.test(text);
}

/** The path of an address, also of one with an origin. The tool server also serves /mcp/. */
function pathOf(path: string): string {
  const [, rest = ''] = /^https?:\/\/[^/?#]+(.*)$/i.exec(path) ?? [null, path];
  const pathname = rest.startsWith('/') || rest === path ? rest : `/${rest}`;
  return pathname.replace(/^\/mcp\/(?=$|[?#])/, '/mcp');
}

/** The path of the OpenAPI document in any encoding; it is not an operation. */
function isOpenApiPath(path: string): boolean {
  return /^\/v1\/openapi\.json([?#]|$)/.test(
    path.replaceAll(/%([2-7][\da-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  );
}

function findSocketFaults({ status, text }: HttpResponse): string[] {
  if (status >= 500) return [`the status is ${status}: ${text.slice(0, 300)}`];
  return INTERNALS.filter((pattern) => pattern.test(text)).map(
    (pattern) => `it shows internals: ${pattern.exec(text)?.[0]}`,
  );
}

function findOperationFaults(
  contract: Contract,
  operation: DocumentedOperation,
  { status, headers, text }: HttpResponse,
): string[] {
  const type = String(headers['content-type'] ?? '');
  // The tool server's own errors have the shape of all others; JSON-RPC is inside the body.
  return contract.problems(operation, status, type, text);
}

function findUnlistedFaults(contract: Contract, request: Request, { status, headers, text }: HttpResponse): string[] {
  const type = String(headers['content-type'] ?? '');
  const path = pathOf(request.path);
  if (
    /^\/(v1|internal|mcp|console\/api|desk\/api)\b/.test(path) &&
    request.method !== 'OPTIONS' &&
    !isOpenApiPath(path)
  ) {
    if (!HTTP_ERROR_STATUSES.includes(status) && status !== 401)
      return [`${status} for an address without an operation`];
    if (status === 405 && headers.allow === undefined) return ['405 without Allow'];
  }
  if (status < 400) return [];
  if (type.startsWith('text/html')) return text.includes('</html>') ? [] : ['an incomplete page'];
  if (path.startsWith('/sandbox/processor')) return [];
  // A form's script gets only the code; every other error has our shape.
  if (/^\/([cs]\/|session)/.test(path) && /^\{"error":\{"code":"[a-z_]+"\}\}$/.test(text)) return [];
  if (type.includes('json')) return contract.errorProblems(text);
  return [`an error as "${type}"`];
}

function findHeaderFaults({ path }: DocumentedOperation, { status, headers }: HttpResponse): string[] {
  const faults: string[] = [];
  const isCounted = path.startsWith('/v1/') || /^\/(console|desk)\/api\//.test(path) || path === '/mcp';
  if (isCounted && !/^\d+$/.test(String(headers['x-ratelimit-limit'] ?? '')))
    faults.push('x-ratelimit-limit is missing');
  if (status === 429 && !/^[1-9]\d*$/.test(String(headers['retry-after'] ?? '')))
    faults.push('429 without Retry-After');
  if (
    /^\/(v1|console|desk)\//.test(path) &&
    !path.startsWith('/v1/public') &&
    headers['access-control-allow-origin'] !== undefined
  ) {
    faults.push('a route for secret keys allows other origins');
  }
  return faults;
}

function parseProblems(text: string): ProblemList {
  try {
    return JSON.parse(text) as ProblemList;
  } catch {
    return {}; // The contract's check reports that it is not JSON.
  }
}
