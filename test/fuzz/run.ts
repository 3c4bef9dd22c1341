// Sends a range of requests, several at a time, in a fixture that is made anew every so often, and keeps what was found. The same
// for the command, which has the service in processes of its own, and for the short run among the tests.

import { BODY_LIMIT } from '../../src/run/operations/shapes.ts';
import { operations } from '../../src/run/operations.ts';
import { HOOK, labelOfHook, NOTICE } from './ask-hook.ts';
import { PAGES } from './ask-page.ts';
import { isLabelOfTool, labelOfTool } from './ask-tools.ts';
import { WIRE } from './ask-wire.ts';
import { PROVIDERS } from './connections.ts';
import { Contract, type Document } from './contract.ts';
import type { Tool } from './draw.ts';
import { createFixture, type FixtureTarget, makeSendOk } from './fixture.ts';
import { faultsOf, type Judging } from './judge.ts';
import { hasSucceeded, ToolBook } from './judge-tools.ts';
import { issueKeys } from './keys.ts';
import { type Around, requestOf } from './requests.ts';
import { type Answer, type Request, Sender } from './send.ts';
import { Tally } from './tally.ts';

export interface Finding {
  readonly seed: number;
  readonly request: Request;
  readonly answer: Answer;
  readonly faults: readonly string[];
}

export interface FuzzOptions {
  readonly seed: number;
  readonly from: number;
  readonly requests: number;
  readonly lanes: number;
  /** How long an answer may take. */
  readonly boundMs: number;
  /** Requests for one fixture. */
  readonly generation: number;
  readonly onFinding?: (finding: Finding) => void;
  /** Between two fixtures, when nothing is under way. */
  readonly onPause?: (done: number) => Promise<void>;
}

export interface Outcome {
  readonly findings: readonly Finding[];
  /** It ended before its last request, since there were too many findings. */
  readonly isStopped: boolean;
  readonly tally: Tally;
  readonly contract: Contract;
}

/** After so many, more of them would say nothing new. */
const MOST_FINDINGS = 200;

export type FuzzTarget = Omit<FixtureTarget, 'contract'>;

export async function readContract(base: string): Promise<Contract> {
  const response = await fetch(`${base}/v1/openapi.json`, { headers: { 'x-forwarded-for': '10.254.0.1' } });
  return new Contract((await response.json()) as Document);
}

export async function runFuzz(place: FuzzTarget, course: FuzzOptions): Promise<Outcome> {
  const contract = await readContract(place.base);
  const where: FixtureTarget = { ...place, contract };
  const sender = new Sender(place.base, course.boundMs);
  await readAll(place.base);
  const tools = await toolsOf(sender, where);
  const judging: Judging = { contract, base: place.base, tools: new ToolBook(contract, place.base, tools) };
  const tally = new Tally();
  tally.expect([...labelsOf(contract), ...tools.map(({ name }) => labelOfTool(name))]);
  const findings: Finding[] = [];
  const tell = (finding: Finding): void => {
    findings.push(finding);
    course.onFinding?.(finding);
  };
  const end = course.from + course.requests;
  let first = course.from;
  try {
    for (; first < end && findings.length < MOST_FINDINGS; first += course.generation) {
      const fixture = await createFixture(where, Math.floor(first / course.generation));
      const last = Math.min(end, first + course.generation);
      const around: Around = { fixture, contract, tools, limitOf };
      await runTown({ course, sender, judging, tally, around, tell }, first, last);
      await course.onPause?.(last - course.from);
    }
  } finally {
    sender.close();
  }
  return { findings, isStopped: first < end, tally, contract };
}

interface Under {
  readonly course: FuzzOptions;
  readonly sender: Sender;
  readonly judging: Judging;
  readonly tally: Tally;
  readonly around: Around;
  readonly tell: (finding: Finding) => void;
}

async function runTown({ course, sender, judging, tally, around, tell }: Under, first: number, last: number) {
  const { seed, lanes } = course;
  let next = first;
  const lane = async (): Promise<void> => {
    while (next < last) {
      const request = requestOf(seed, next++, around);
      const answer = await sender.send(request);
      tally.count(request.label, answer, isTaken(request, answer));
      const faults = faultsOf(judging, request, answer);
      if (faults.length > 0) tell({ seed, request, answer, faults });
    }
  };
  // Where one lane breaks off, the others end too, and only then is it told.
  const ends = await Promise.allSettled(
    Array.from({ length: lanes }, () =>
      lane().finally(() => {
        next = last;
      }),
    ),
  );
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** Everything that has to be asked; what has rows of its own, tool by tool and provider by provider, is none itself. */
function labelsOf({ operations }: Contract): string[] {
  const ids = operations.map(({ id }) => id).filter((id) => id !== HOOK);
  return [...ids, ...PROVIDERS.map(labelOfHook), ...PAGES, NOTICE, WIRE];
}

function isTaken({ label }: Request, answer: Answer): boolean {
  if (isLabelOfTool(label)) return hasSucceeded(answer);
  return answer.status >= 200 && answer.status < 400;
}

/** What is made when it is first asked for and kept from then on. */
const MADE_ONCE = ['/docs', '/docs/scalar.js', '/docs/guides', '/docs/providers', '/docs/errors', '/v1/openapi.json'];

async function readAll(base: string): Promise<void> {
  for (const path of MADE_ONCE) await (await fetch(`${base}${path}`)).arrayBuffer();
}

function limitOf(operationId: string): number {
  return operations.find(({ id }) => id === operationId)?.bodyLimit ?? BODY_LIMIT;
}

/** Whatever the tool server lists: a new tool is called without a change here. */
async function toolsOf(sender: Sender, { context }: FixtureTarget): Promise<readonly Tool[]> {
  const { keys } = await issueKeys(context);
  const listed = await makeSendOk(sender)('POST', '/mcp', keys.test, {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
    params: {},
  });
  return listed.result.tools;
}
