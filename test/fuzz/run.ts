// Sends a range of requests, several at a time, with a new fixture from time to time, and collects the findings. Used
// by the command, which runs the service in separate processes, and by the short run among the tests.

import { join } from 'node:path';
import { packageRoot } from '../../src/base/package-root.ts';
import { readRegistry } from '../../src/base/schema/registry.ts';
import { makeOpenApi } from '../../src/http/openapi.ts';
import { BODY_LIMIT } from '../../src/run/operations/shapes.ts';
import { operations } from '../../src/run/operations.ts';
import { findExampleFaults } from './check-examples.ts';
import { type CheckContext, findFaults } from './check-response.ts';
import { hasSucceeded, ToolChecks } from './check-tool-response.ts';
import { PROVIDERS } from './connections.ts';
import { Contract, type Document } from './contract.ts';
import { Coverage } from './coverage.ts';
import { drawRequest, type SharedContext } from './draw-request.ts';
import { createFixture, type FixtureTarget, makeSendOk } from './fixture.ts';
import { HOOK, labelOfHook, NOTICE } from './hook-requests.ts';
import { issueKeys } from './keys.ts';
import { PAGES } from './page-requests.ts';
import type { Tool } from './request-draft.ts';
import { type HttpResponse, type Request, Sender } from './send.ts';
import { SOCKET } from './socket-requests.ts';
import { isLabelOfTool, labelOfTool } from './tool-requests.ts';

export interface Finding {
  readonly seed: number;
  readonly request: Request;
  readonly response: HttpResponse;
  readonly faults: readonly string[];
}

export interface FuzzOptions {
  readonly seed: number;
  readonly from: number;
  readonly requests: number;
  readonly concurrency: number;
  /** How long a response may take. */
  readonly timeoutMs: number;
  /** Requests for one fixture. */
  readonly requestsPerFixture: number;
  /** Only requests to the addresses of venue systems. */
  readonly hooksOnly?: boolean;
  /** Only requests with these labels; the others of the range are not sent. */
  readonly only?: readonly string[];
  readonly onFinding?: (finding: Finding) => void;
  /** Called between two fixtures, when no request is running. */
  readonly onPause?: (done: number) => Promise<void>;
}

export interface Outcome {
  readonly findings: readonly Finding[];
  /** The run ended early because of too many findings. */
  readonly isStopped: boolean;
  readonly coverage: Coverage;
  readonly contract: Contract;
}

/** The run ends after this many. */
const MAX_FINDINGS = 200;

export type FuzzTarget = Omit<FixtureTarget, 'contract'>;

export async function readContract(base: string): Promise<Contract> {
  const response = await fetch(`${base}/v1/openapi.json`, { headers: { 'x-forwarded-for': '10.254.0.1' } });
  const partners = (await response.json()) as Document;
  // The operations of the operator and the console are not in it: they are described here from their declarations.
  const registry = readRegistry(join(packageRoot, 'schemas', 'v1'));
  const others = makeOpenApi(
    operations.filter(({ auth, audience }) => auth === 'operator' || audience !== undefined),
    registry,
    base,
  ) as unknown as Document;
  const both = (part: string) => ({ ...others.components[part], ...partners.components[part] });
  return new Contract({
    paths: { ...partners.paths, ...others.paths },
    components: { ...partners.components, schemas: both('schemas'), responses: both('responses') },
  });
}

export async function runFuzz(target: FuzzTarget, options: FuzzOptions): Promise<Outcome> {
  const contract = await readContract(target.base);
  const fixtureTarget: FixtureTarget = { ...target, contract };
  const sender = new Sender(target.base, options.timeoutMs);
  await warmCaches(target.base);
  const tools = await listTools(sender, fixtureTarget);
  const checkContext: CheckContext = {
    contract,
    base: target.base,
    tools: new ToolChecks(contract, target.base, tools),
  };
  const coverage = new Coverage();
  coverage.expect([...expectedLabels(contract), ...tools.map(({ name }) => labelOfTool(name))]);
  const findings: Finding[] = [];
  const report = (finding: Finding): void => {
    findings.push(finding);
    options.onFinding?.(finding);
  };
  const end = options.from + options.requests;
  let first = options.from;
  try {
    for (; first < end && findings.length < MAX_FINDINGS; first += options.requestsPerFixture) {
      const fixture = await createFixture(fixtureTarget, Math.floor(first / options.requestsPerFixture));
      const last = Math.min(end, first + options.requestsPerFixture);
      const shared: SharedContext = { fixture, contract, tools, limitOf };
      await runRange({ course: options, sender, judging: checkContext, tally: coverage, shared, report }, first, last);
      await options.onPause?.(last - options.from);
    }
  } finally {
    sender.close();
  }
  return { findings, isStopped: first < end, coverage, contract };
}

interface RangeContext {
  readonly course: FuzzOptions;
  readonly sender: Sender;
  readonly judging: CheckContext;
  readonly tally: Coverage;
  readonly shared: SharedContext;
  readonly report: (finding: Finding) => void;
}

async function runRange(
  { course: options, sender, judging: checkContext, tally: coverage, shared, report }: RangeContext,
  first: number,
  last: number,
) {
  const { seed, concurrency } = options;
  let next = first;
  const sendNext = async (): Promise<void> => {
    while (next < last) {
      const request = drawRequest(seed, next++, shared, options.hooksOnly);
      if (options.only?.includes(request.label) === false) continue;
      const response = await sender.send(request);
      coverage.count(request.label, response, isAccepted(request, response));
      const faults = findFaults(checkContext, request, response);
      faults.push(...(await findExampleFaults(sender, request, response)));
      if (faults.length > 0) report({ seed, request, response, faults });
    }
  };
  // If one loop fails, the others end too, before its error is thrown.
  const ends = await Promise.allSettled(
    Array.from({ length: concurrency }, () =>
      sendNext().finally(() => {
        next = last;
      }),
    ),
  );
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** The labels that must get requests. The hook operation is counted by provider instead. */
function expectedLabels({ operations }: Contract): string[] {
  const ids = operations.map(({ id }) => id).filter((id) => id !== HOOK);
  return [...ids, ...PROVIDERS.map(labelOfHook), ...PAGES, NOTICE, SOCKET];
}

function isAccepted({ label }: Request, response: HttpResponse): boolean {
  if (isLabelOfTool(label)) return hasSucceeded(response);
  return response.status >= 200 && response.status < 400;
}

/** Documents that the server makes at the first request and caches. */
const CACHED_PATHS = [
  '/docs',
  '/docs/scalar.js',
  '/docs/search-index.json',
  '/v1/openapi.json',
  '/console/openapi.json',
];

async function warmCaches(base: string): Promise<void> {
  for (const path of CACHED_PATHS) await (await fetch(`${base}${path}`)).arrayBuffer();
}

function limitOf(operationId: string): number {
  return operations.find(({ id }) => id === operationId)?.bodyLimit ?? BODY_LIMIT;
}

/** The tools that the tool server lists, so that a new tool is called without a change here. */
async function listTools(sender: Sender, { context }: FixtureTarget): Promise<readonly Tool[]> {
  const { keys } = await issueKeys(context);
  const listed = await makeSendOk(sender)('POST', '/mcp', keys.test, {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
    params: {},
  });
  return listed.result.tools;
}
