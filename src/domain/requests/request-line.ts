// A call as the request log keeps it: what was called, by which key, how it ended, and of a failed call the problems and
// the body. Everything that a caller wrote is masked here, before it is stored.

import { BoundedCache } from '../../base/bounded-cache.ts';
import type { Mode } from '../../base/config.ts';
import type { FieldProblem, Problem } from '../../base/errors.ts';
import { MAX_BODY_BYTES, maskBody, maskDocument } from '../../base/mask-body.ts';
import { digitsOf, type MaskOptions, maskShort, maskText } from '../../base/mask-text.ts';
import { maskAddress } from '../../base/network.ts';
import { type LoggedOperation, loggedPath } from './logged-path.ts';

/** A key as the log names it. */
export interface LoggedKey {
  readonly venueId: string;
  readonly mode: Mode;
  readonly keyId: string;
}

/** A call that was answered, as it was. */
export interface FinishedCall {
  readonly requestId: string;
  /** The hash of the key, as text with one character for each byte, where the call was refused before its key was known. */
  readonly key: LoggedKey | { readonly hash: string };
  readonly method: string;
  readonly url: string;
  /** Null: there is no such route. */
  readonly operation: LoggedOperation | null;
  /** The tool of the tool server, and the operation that it runs; null: another call. */
  readonly tool: { readonly name: string; readonly operation: string } | null;
  readonly status: number;
  readonly durationMs: number;
  readonly isReplayed: boolean;
  readonly address: string;
  readonly userAgent: string;
  /** Null: the call succeeded. */
  readonly problem: Problem | null;
  /** Of a failed call; null: it has none, or it was not read. */
  readonly body: Buffer | null;
}

/** What the log says of a failed call beyond its line. */
export interface LoggedFailure {
  readonly message: string;
  readonly problems: readonly LoggedProblem[];
  readonly body: string | null;
  readonly bodyIsCut: boolean;
}

export interface LoggedProblem {
  readonly code: string;
  readonly field: string | null;
  readonly message: string;
  readonly expected: string | null;
  readonly exampleFix: unknown;
}

/** A line that waits to be stored. */
export interface RequestLine {
  readonly requestId: string;
  readonly key: LoggedKey | { readonly hash: string };
  readonly method: string;
  readonly path: string;
  readonly route: string | null;
  readonly operation: string | null;
  readonly tool: string | null;
  readonly status: number;
  readonly code: string | null;
  readonly reason: string | null;
  readonly field: string | null;
  readonly problemCount: number;
  readonly replayed: boolean;
  readonly durationMs: number;
  readonly address: string;
  readonly userAgent: string | null;
  /** LoggedFailure as JSON; null: the call succeeded. */
  readonly failure: string | null;
}

const MAX_USER_AGENT = 120;
const MAX_FIELD = 200;
const MAX_PROBLEM_BYTES = 16 * 1024;

/** Most calls come from few programs at few addresses. */
const addresses = new BoundedCache<string>(1_000);
const userAgents = new BoundedCache<string>(1_000);

export function lineOf(call: FinishedCall): RequestLine {
  const { requestId, key, method, operation, tool, status, problem } = call;
  return {
    requestId,
    key,
    method,
    path: loggedPath(call.url, operation),
    route: operation?.path ?? null,
    operation: tool?.operation ?? operation?.id ?? null,
    tool: tool?.name ?? null,
    status,
    code: problem?.code ?? null,
    reason: problem?.detail.reason ?? null,
    field: problem?.detail.field === undefined ? null : loggedField(problem.detail.field),
    problemCount: problem === null ? 0 : (problem.detail.problems?.length ?? 1),
    replayed: call.isReplayed,
    durationMs: loggedDuration(call.durationMs),
    address: loggedAddress(call.address),
    userAgent: loggedUserAgent(call.userAgent),
    failure: problem === null ? null : JSON.stringify(failureOf(problem, call)),
  };
}

export function loggedDuration(ms: number): number {
  return Math.round(ms * 10) / 10;
}

export function loggedAddress(address: string): string {
  return addresses.get(address, () => maskAddress(address));
}

/** Null: the caller sent none. Versions such as 120.0.6099.109 are no phones. */
export function loggedUserAgent(userAgent: string): string | null {
  if (userAgent === '') return null;
  return userAgents.get(userAgent, () => maskShort(userAgent, MAX_USER_AGENT, { isId: true }));
}

/** A pointer can hold a name that the caller chose. */
function loggedField(pointer: string): string {
  return maskShort(pointer, MAX_FIELD);
}

function failureOf(problem: Problem, { url, body }: FinishedCall): LoggedFailure {
  const { problems, field = null } = problem.detail;
  const options = messageOptions(problem, url, body);
  const only = { code: problem.code, field, message: problem.message, expected: null, exampleFix: null };
  const masked = body === null || body.length === 0 ? null : maskBody(body);
  return {
    message: maskText(problem.message, options),
    problems: problems === undefined ? [maskProblem(only, options)] : maskProblems(problems, options),
    body: masked?.text ?? null,
    bodyIsCut: masked?.isCut === true,
  };
}

/**
 * A message of ours names our limits, and may repeat what the caller sent: numbers of the address and the body are masked in
 * it. A body that was cut, or a header, which is not kept, may hold more: then every number is.
 */
function messageOptions(problem: Problem, url: string, body: Buffer | null): MaskOptions {
  const { problems, field } = problem.detail;
  const fields = problems?.map((one) => one.field) ?? [field ?? ''];
  if ((body?.length ?? 0) > MAX_BODY_BYTES || fields.some((pointer) => pointer.startsWith('/header/'))) return {};
  let sent: string | undefined;
  return {
    wasSent: (digits) => {
      sent ??= `${sentDigits(url)} ${sentDigits(body?.toString('utf8') ?? '')}`;
      return sent.includes(digits.normalize('NFKC'));
    },
  };
}

/** Also digits that were written with escapes of JSON or of an address. */
function sentDigits(text: string): string {
  const plain = text
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/%3([0-9])/g, '$1');
  return digitsOf(plain.normalize('NFKC'));
}

/** As many as there is room for; `problem_count` counts all. */
function maskProblems(problems: readonly FieldProblem[], options: MaskOptions): LoggedProblem[] {
  const kept: LoggedProblem[] = [];
  let bytes = 0;
  for (const { code, field, message, expected, example_fix: exampleFix } of problems) {
    const masked = maskProblem({ code, field, message, expected, exampleFix }, options);
    bytes += JSON.stringify(masked).length;
    if (kept.length > 0 && bytes > MAX_PROBLEM_BYTES) break;
    kept.push(masked);
  }
  return kept;
}

function maskProblem(
  { code, field, message, expected, exampleFix }: LoggedProblem,
  options: MaskOptions,
): LoggedProblem {
  return {
    code,
    field: field === null ? null : loggedField(field),
    message: maskText(message, options),
    expected,
    exampleFix: exampleFix === null ? null : maskValue(exampleFix),
  };
}

/** An example may repeat the value as it was sent. A large one says less than its field does. */
function maskValue(value: unknown): unknown {
  const json = JSON.stringify(value);
  return json.length > 2_000 ? null : JSON.parse(maskDocument(json));
}
