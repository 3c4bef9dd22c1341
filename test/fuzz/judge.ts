// What every answer is held to, whatever was asked: it came, in time; it is no 5xx; it says its request id; it is as the
// OpenAPI document says for this operation and status; a failure has our one shape, a 422 with a pointer and a remedy for each
// problem; and nothing of our inside (a stack, SQL, a path) stands in it. What tools say is judged by judge-tools.ts.

import type { Contract, Described } from './contract.ts';
import { faultsOfProblems, type Listed } from './judge-problems.ts';
import type { ToolBook } from './judge-tools.ts';
import type { Answer, Request } from './send.ts';

/** Answers to what is broken as HTTP itself, or as an address: documented for all operations at once (docs/errors). */
const OF_THE_DOOR = [400, 404, 405, 408, 413, 414, 417, 429, 431];
const INSIDE: readonly RegExp[] = [
  /\n\s+at .+:\d+:\d+/,
  /\bnode_modules\b|\bfile:\/\/|\bdist\/[\w-]+\.js\b/,
  /\b(duplicate key value|violates (unique|check|foreign|not-null)|syntax error at|invalid input syntax|invalid byte sequence|unsupported Unicode escape|relation "\w+" does not exist)\b/,
  /\bTypeError\b|\bReferenceError\b|\bRangeError\b|is not a function|Cannot read propert/,
];

export interface Judging {
  readonly contract: Contract;
  readonly base: string;
  /** Null: what tools say is not looked at. */
  readonly tools: ToolBook | null;
}

export function faultsOf({ contract, base, tools }: Judging, request: Request, answer: Answer): string[] {
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
  if (operation.id === 'callTool' && tools !== null) faults.push(...tools.faults(request, answer));
  if (status === 422) faults.push(...faultsOfProblems(base, parsed(text)));
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

function parsed(text: string): Listed {
  try {
    return JSON.parse(text) as Listed;
  } catch {
    return {}; // That it is not JSON is told by the contract.
  }
}
