// What every answer is held to, whatever was asked: it came, in time; it is no 5xx; it says its request id; it is as the
// OpenAPI document says for this operation and status; a failure has our one shape, a 422 with a pointer and a remedy for each
// problem; and nothing of our inside (a stack, SQL, a path) stands in it.

import type { Contract, Described } from './contract.ts';
import type { Answer, Request } from './send.ts';

/** Answers to what is broken as HTTP itself, or as an address: documented for all operations at once (docs/errors). */
const OF_THE_DOOR = [400, 404, 405, 408, 413, 414, 417, 429, 431];
const INSIDE: readonly RegExp[] = [
  /\n\s+at .+:\d+:\d+/,
  /\bnode_modules\b|\bfile:\/\/|\bdist\/[\w-]+\.js\b/,
  /\b(duplicate key value|violates (unique|check|foreign|not-null)|syntax error at|invalid input syntax|invalid byte sequence|unsupported Unicode escape|relation "\w+" does not exist)\b/,
  /\bTypeError\b|\bReferenceError\b|\bRangeError\b|is not a function|Cannot read propert/,
];

export function faultsOf(contract: Contract, base: string, request: Request, answer: Answer): string[] {
  if (answer.trouble !== null) return [answer.trouble];
  if (request.wire !== undefined) return faultsOfWire(answer);
  const faults: string[] = [];
  const { status, headers, text } = answer;
  if (status >= 500) faults.push(`it is a ${status}`);
  if (!/^req_/.test(String(headers['x-request-id'] ?? ''))) faults.push('x-request-id is missing');
  if (status >= 400)
    for (const shape of INSIDE) if (shape.test(text)) faults.push(`it shows our inside: ${shape.exec(text)?.[0]}`);
  if (request.isHopeless === true && status < 400 && /^(POST|DELETE)$/.test(request.method))
    faults.push('it was taken, though it is larger than anything that is taken');
  const operation = contract.find(request.method, pathOf(request.path));
  if (isOfTheWire(text)) return [...faults, ...contract.errorProblems(text)];
  const isHead = request.method === 'HEAD';
  if (isHead) return text === '' ? faults : [...faults, 'an answer to HEAD has a body'];
  if (operation === null) return [...faults, ...faultsOfUnlisted(contract, request, answer)];
  faults.push(...faultsOfOperation(contract, operation, answer));
  if (operation.id === 'callTool') faults.push(...faultsOfTools(request, answer));
  if (status === 422) faults.push(...faultsOf422(base, text));
  faults.push(...faultsOfHeaders(operation, answer));
  return faults;
}

/** What never became a request: documented once for all, in docs/errors. */
function isOfTheWire(text: string): boolean {
  return /^\{"error":\{"code":"(malformed_request|headers_too_large|request_timeout)"/.test(text);
}

/** An address with an origin in front leads where its path leads; the tool server is there with a slash at its end too. */
function pathOf(path: string): string {
  const [, rest = ''] = /^https?:\/\/[^/?#]+(.*)$/i.exec(path) ?? [null, path];
  const own = rest.startsWith('/') || rest === path ? rest : `/${rest}`;
  return own.replace(/^\/mcp\/(?=$|[?#])/, '/mcp');
}

/** The OpenAPI document itself, however its address is written, which is no operation of its own. */
function isTheDocument(path: string): boolean {
  return /^\/v1\/openapi\.json([?#]|$)/.test(
    path.replaceAll(/%([2-7][\da-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  );
}

function faultsOfWire({ status, text }: Answer): string[] {
  if (status >= 500) return [`it is a ${status}: ${text.slice(0, 300)}`];
  return INSIDE.filter((shape) => shape.test(text)).map((shape) => `it shows our inside: ${shape.exec(text)?.[0]}`);
}

function faultsOfOperation(contract: Contract, operation: Described, { status, headers, text }: Answer): string[] {
  const type = String(headers['content-type'] ?? '');
  // The tool server speaks JSON-RPC below our own errors, which have the shape of all others.
  return contract.problems(operation, status, type, text);
}

function faultsOfUnlisted(contract: Contract, request: Request, { status, headers, text }: Answer): string[] {
  const type = String(headers['content-type'] ?? '');
  const path = pathOf(request.path);
  if (/^\/(v1|internal|mcp)\b/.test(path) && request.method !== 'OPTIONS' && !isTheDocument(path)) {
    if (!OF_THE_DOOR.includes(status) && status !== 401) return [`${status} for an address that is no operation`];
    if (status === 405 && headers.allow === undefined) return ['405 without Allow'];
  }
  if (status < 400) return [];
  if (type.startsWith('text/html')) return text.includes('</html>') ? [] : ['a page without its end'];
  if (path.startsWith('/sandbox/processor')) return [];
  // A form's script is told the code alone; everything else has the one shape.
  if (/^\/([cs]\/|session)/.test(path) && /^\{"error":\{"code":"[a-z_]+"\}\}$/.test(text)) return [];
  if (type.includes('json')) return contract.errorProblems(text);
  return [`a failure as "${type}"`];
}

interface Listed {
  readonly error?: { readonly code?: string; readonly field?: string };
  readonly errors?: readonly {
    readonly code: string;
    readonly field: string;
    readonly expected: string;
    readonly doc_url: string;
  }[];
}

function faultsOf422(base: string, text: string): string[] {
  const { error, errors } = parsed(text) as Listed;
  const [first] = errors ?? [];
  if (first === undefined) return ['a 422 without errors[]'];
  const faults: string[] = [];
  if (first.code !== error?.code || first.field !== error?.field) faults.push('error is not the first of errors[]');
  for (const { field, expected, doc_url, code } of errors ?? []) {
    if (!/^(\/|$)/.test(field)) faults.push(`"${field}" is not a pointer`);
    if (expected.trim() === '') faults.push(`${field} has no remedy`);
    if (doc_url !== `${base}/docs/errors/${code}`) faults.push(`doc_url of ${field} leads elsewhere`);
  }
  return faults;
}

function faultsOfHeaders({ path }: Described, { status, headers }: Answer): string[] {
  const faults: string[] = [];
  const isCounted = path.startsWith('/v1/') || path === '/mcp';
  if (isCounted && !/^\d+$/.test(String(headers['x-ratelimit-limit'] ?? '')))
    faults.push('x-ratelimit-limit is missing');
  if (status === 429 && !/^[1-9]\d*$/.test(String(headers['retry-after'] ?? '')))
    faults.push('429 without Retry-After');
  if (
    path.startsWith('/v1/') &&
    !path.startsWith('/v1/public') &&
    headers['access-control-allow-origin'] !== undefined
  ) {
    faults.push('a secret key’s route lets other origins read');
  }
  return faults;
}

interface Rpc {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown };
  readonly result?: {
    readonly isError?: boolean;
    readonly structuredContent?: { readonly error?: { readonly code?: string } };
  };
}

function faultsOfTools({ rpcIds }: Request, { status, text }: Answer): string[] {
  if (text === '') return status === 202 ? [] : [`${status} without a body`];
  const value = parsed(text);
  // Refused as on every route: who, how large, what type.
  if (isRefusal(value)) return [];
  const messages = (Array.isArray(value) ? value : [value]) as Rpc[];
  return messages.flatMap((message) => faultsOfMessage(message, rpcIds));
}

function faultsOfMessage({ jsonrpc, id, error, result }: Rpc, ids: readonly unknown[] | undefined): string[] {
  const faults: string[] = [];
  if (jsonrpc !== '2.0') faults.push('it is not JSON-RPC 2.0');
  if ((error === undefined) === (result === undefined)) faults.push('it is neither a result nor an error, or both');
  if (error?.code === -32603) faults.push('the tool server says: internal error');
  if (error !== undefined && (typeof error.code !== 'number' || typeof error.message !== 'string'))
    faults.push('an error without code or message');
  const code = result?.structuredContent?.error?.code;
  if (code === 'internal_error' || code === 'service_unavailable' || code === 'not_implemented')
    faults.push(`a tool says: ${code}`);
  if (ids !== undefined && id != null && !ids.includes(id))
    faults.push(`an answer to ${JSON.stringify(id)}, which nobody asked`);
  return faults;
}

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
