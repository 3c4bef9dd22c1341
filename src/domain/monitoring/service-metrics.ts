// The series of what this process does with the outside: calls to the card processor, attempts to deliver events, texts
// and mails. Each is counted where it happens; the figures of the installation are read from the database (figures.ts).

import { Counter, Histogram, type Registry } from 'prom-client';
import type { Mode } from '../../base/config.ts';
import { MailRefused, type MailSender, MailUnreachable } from '../mail/send.ts';
import { SmsRefused, type SmsSender, SmsUnreachable } from '../members/messages/send.ts';
import type { ObserveCall } from '../payments/observe-processor.ts';
import type { Attempt } from '../webhooks/deliveries/attempt.ts';
import type { Outcome } from './process-queries.ts';

const OUTCOMES = ['sent', 'unreachable', 'refused', 'failed'] as const;
const BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface ServiceMetrics {
  readonly observeCall: ObserveCall;
  readonly onAttempt: (attempt: Attempt) => void;
  /** The worker has compared the processor's records of a mode with ours, or could not. */
  readonly countReconcile: (mode: Mode, outcome: 'done' | 'failed') => void;
  countTexts(sender: SmsSender): SmsSender;
  countMails(sender: MailSender): MailSender;
  /** When calls to the card processor last succeeded and failed in this process, by mode. */
  readonly processorOutcomes: () => Record<string, Outcome>;
}

export function makeServiceMetrics(registry: Registry, now: () => number): ServiceMetrics {
  const registers = [registry];
  const deliveries = new Histogram({
    name: 'everyshare_delivery_attempt_seconds',
    help: 'How long attempts to deliver an event took, by outcome: delivered, refused (an answer other than 2xx), unanswered.',
    labelNames: ['outcome'],
    buckets: BUCKETS,
    registers,
  });
  const texts = new Counter({
    name: 'everyshare_text_attempts_total',
    help: 'Attempts to send a text, by outcome: sent, unreachable (the phone is invalid or has opted out), refused (for good, for another reason), failed (it is tried again while it is useful).',
    labelNames: ['outcome'],
    registers,
  });
  const mails = new Counter({
    name: 'everyshare_mail_attempts_total',
    help: 'Attempts to send a mail, by outcome: sent, unreachable (the address takes no mails), refused (for good, for another reason), failed (it is tried again while it is useful).',
    labelNames: ['outcome'],
    registers,
  });
  // An increase needs a first value: a counter that appears with its first failure shows none.
  for (const counter of [texts, mails]) for (const outcome of OUTCOMES) counter.inc({ outcome }, 0);
  const reconciles = new Counter({
    name: 'everyshare_reconciles_total',
    help: 'Comparisons of the processor’s records with ours by the worker, by mode and outcome: done, failed.',
    labelNames: ['mode', 'outcome'],
    registers,
  });
  for (const mode of ['test', 'live'] as const)
    for (const outcome of ['done', 'failed'] as const) reconciles.inc({ mode, outcome }, 0);
  const processor = makeProcessorMetrics(registry, now);
  return {
    ...processor,
    countReconcile: (mode, outcome) => reconciles.inc({ mode, outcome }),
    onAttempt: ({ delivered, answered, durationMs }) =>
      deliveries.observe({ outcome: delivered ? 'delivered' : answered ? 'refused' : 'unanswered' }, durationMs / 1000),
    countTexts: (sender) => ({
      send: (...args) =>
        counted(
          texts,
          () => sender.send(...args),
          (error) => failureOf(error, SmsUnreachable, SmsRefused),
        ),
    }),
    countMails: (sender) => ({
      send: (mail) =>
        counted(
          mails,
          () => sender.send(mail),
          (error) => failureOf(error, MailUnreachable, MailRefused),
        ),
    }),
  };
}

type Outcomes = (typeof OUTCOMES)[number];
type ErrorClass = abstract new (...args: never[]) => Error;

function failureOf(error: unknown, unreachable: ErrorClass, refused: ErrorClass): Outcomes {
  if (error instanceof unreachable) return 'unreachable';
  return error instanceof refused ? 'refused' : 'failed';
}

async function counted<T>(
  counter: Counter,
  send: () => Promise<T>,
  outcomeOf: (error: unknown) => Outcomes,
): Promise<T> {
  try {
    const result = await send();
    counter.inc({ outcome: 'sent' });
    return result;
  } catch (error) {
    counter.inc({ outcome: outcomeOf(error) });
    throw error;
  }
}

function makeProcessorMetrics(
  registry: Registry,
  now: () => number,
): Pick<ServiceMetrics, 'observeCall' | 'processorOutcomes'> {
  const seconds = new Histogram({
    name: 'everyshare_processor_call_seconds',
    help: 'How long calls to the card processor took, by mode, call and outcome: answered, refused, unavailable.',
    labelNames: ['mode', 'call', 'outcome'],
    buckets: BUCKETS,
    registers: [registry],
  });
  const unavailable = new Counter({
    name: 'everyshare_processor_unavailable_total',
    help: 'Calls to the card processor that got no answer, by mode. The worker repeats them.',
    labelNames: ['mode'],
    registers: [registry],
  });
  for (const mode of ['test', 'live'] as const) unavailable.inc({ mode }, 0);
  const outcomes = new Map<Mode, Outcome>();
  return {
    observeCall: ({ mode, name: call }) => {
      const beganAt = performance.now();
      return (outcome, error) => {
        seconds.observe({ mode, call, outcome }, (performance.now() - beganAt) / 1000);
        if (outcome === 'unavailable') unavailable.inc({ mode });
        const before = outcomes.get(mode) ?? { succeededAt: null, failedAt: null, failure: null };
        outcomes.set(
          mode,
          outcome === 'unavailable'
            ? { ...before, failedAt: now(), failure: error instanceof Error ? error.message.slice(0, 200) : null }
            : { ...before, succeededAt: now() },
        );
      };
    },
    processorOutcomes: () => Object.fromEntries(outcomes),
  };
}
