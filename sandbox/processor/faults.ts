// Switches for faults: rules that make chosen calls slow, lost, refused or broken, and webhooks late, doubled, shuffled or
// lost. They are for the hour and not in the books: a restarted bank has none.

import type { Random } from '../../src/base/random.ts';
import type { Mode } from './row-types.ts';

export const FAULT_KINDS = [
  /** The work begins after `ms`. */
  'slow',
  /** The work is not done and no answer comes. */
  'timeout_before',
  /** The work is done and no answer comes. */
  'timeout_after',
  'rate_limited',
  /** 500; the work is not done. */
  'error_500',
  /** 500; the work is done, and the same idempotency key gets its true answer. */
  'error_500_after',
  /** The connection is closed; the work is not done. */
  'drop_connection',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

export interface FaultRule {
  readonly id: string;
  /** The operation's name (`payment_intents.capture`) or `*`. */
  readonly on: string;
  readonly mode?: Mode;
  readonly kind: FaultKind;
  readonly ms?: number;
  /** 0 to 1; left out: always. */
  readonly probability?: number;
  /** Fires so often and no more; left out: without end. */
  readonly times?: number;
}

export interface WebhookFaults {
  /** Chances from 0 to 1. */
  readonly duplicate?: number;
  readonly shuffle?: number;
  /** An attempt that never arrives; it is tried again like any that failed. */
  readonly drop?: number;
  readonly delay_ms?: number;
}

export interface FaultSettings {
  readonly rules: readonly FaultRule[];
  readonly webhooks: WebhookFaults;
}

export interface Faults {
  read(): FaultSettings;
  set(settings: Partial<FaultSettings>): void;
  clear(): void;
  /** The fault of this call, if any; a rule's `times` is used up by it. */
  pick(operation: string, mode: Mode): FaultRule | null;
  chance(probability: number | undefined): boolean;
}

export function makeFaults(random: Random): Faults {
  let rules: readonly FaultRule[] = [];
  let webhooks: WebhookFaults = {};
  const fired = new Map<string, number>();
  const chance = (probability: number | undefined): boolean =>
    probability !== undefined &&
    probability > 0 &&
    (probability >= 1 || random.bytes(4).readUInt32BE() / 2 ** 32 < probability);
  return {
    chance,
    read: () => ({ rules, webhooks }),
    set(settings) {
      if (settings.rules !== undefined) {
        rules = settings.rules;
        fired.clear();
      }
      if (settings.webhooks !== undefined) webhooks = settings.webhooks;
    },
    clear() {
      rules = [];
      webhooks = {};
      fired.clear();
    },
    pick(operation, mode) {
      for (const rule of rules) {
        if (rule.on !== '*' && rule.on !== operation) continue;
        if (rule.mode !== undefined && rule.mode !== mode) continue;
        const times = fired.get(rule.id) ?? 0;
        if (times >= (rule.times ?? Infinity) || !chance(rule.probability ?? 1)) continue;
        fired.set(rule.id, times + 1);
        return rule;
      }
      return null;
    },
  };
}

/** Reads settings that came as JSON; a sentence says what is wrong with them. */
export function readFaultSettings(value: unknown): Partial<FaultSettings> | string {
  if (typeof value !== 'object' || value === null) return 'Send an object with rules, webhooks or both.';
  const { rules, webhooks } = value as { rules?: unknown; webhooks?: unknown };
  const read: { rules?: FaultRule[]; webhooks?: WebhookFaults } = {};
  if (rules !== undefined) {
    if (!Array.isArray(rules)) return 'rules must be an array.';
    read.rules = [];
    for (const [place, rule] of rules.entries()) {
      const made = readRule(rule, `rule_${place + 1}`);
      if (typeof made === 'string') return `rules[${place}]: ${made}`;
      read.rules.push(made);
    }
    if (new Set(read.rules.map(({ id }) => id)).size < read.rules.length) return 'rules must have different ids.';
  }
  if (webhooks !== undefined) {
    if (!isNumbers(webhooks, ['duplicate', 'shuffle', 'drop', 'delay_ms'])) {
      return 'webhooks takes the numbers duplicate, shuffle, drop and delay_ms.';
    }
    read.webhooks = webhooks;
  }
  return read;
}

function isNumbers(value: unknown, names: readonly string[]): value is WebhookFaults {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).every(([name, number]) => names.includes(name) && isNatural(number));
}

const isNatural = (value: unknown): value is number => typeof value === 'number' && value >= 0;

function readRule(value: unknown, otherwise: string): FaultRule | string {
  if (typeof value !== 'object' || value === null) return 'must be an object.';
  const { id = otherwise, on, mode, kind, ms, probability, times } = value as Record<string, unknown>;
  if (typeof id !== 'string') return 'id must be text.';
  if (typeof on !== 'string') return "on must name an operation, such as payment_intents.capture, or be '*'.";
  const known = FAULT_KINDS.find((one) => one === kind);
  if (known === undefined) return `kind must be one of ${FAULT_KINDS.join(', ')}.`;
  if (mode !== undefined && mode !== 'test' && mode !== 'live') return 'mode must be test or live.';
  for (const number of [ms, probability, times]) {
    if (number !== undefined && !isNatural(number)) return 'ms, probability and times must be numbers from 0.';
  }
  return {
    id,
    on,
    kind: known,
    ...(mode === undefined ? {} : { mode }),
    ...(isNatural(ms) ? { ms } : {}),
    ...(isNatural(probability) ? { probability } : {}),
    ...(isNatural(times) ? { times } : {}),
  };
}
