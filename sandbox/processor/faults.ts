// Fault injection: rules that delay, lose or fail chosen API calls, and settings that delay, duplicate, reorder or lose
// webhooks. Faults are not stored: a restarted processor has none.

import type { Random } from '../../src/base/random.ts';
import type { Mode } from './row-types.ts';

export const FAULT_KINDS = [
  /** The operation starts after `ms`. */
  'slow',
  /** The operation does not run, and no response comes. */
  'timeout_before',
  /** The operation runs, and no response comes. */
  'timeout_after',
  /** 429; the operation does not run. */
  'rate_limited',
  /** 500 before the operation began: nothing is stored, and the same idempotency key runs it. */
  'error_500',
  /** 500 while the operation ran: nothing has changed, and the same idempotency key gets this 500 again. */
  'error_500_rolled_back',
  /** 500 after the operation ran: what it did stays done, and the same idempotency key gets this 500 again. */
  'error_500_after',
  /** 400 for a reason that passes: nothing has changed, and the same idempotency key gets this 400 again. */
  'refused_for_now',
  /** The connection is closed; the operation does not run. */
  'drop_connection',
  /** 400 to a request that asks for an extended authorization: this account gets none. Nothing is stored. */
  'card_features_refused',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

export interface FaultRule {
  readonly id: string;
  /** The operation's name (`payment_intents.capture`) or `*`. */
  readonly on: string;
  readonly mode?: Mode;
  readonly kind: FaultKind;
  readonly ms?: number;
  /** From 0 to 1; by default 1. */
  readonly probability?: number;
  /** The most times that it fires; by default no limit. */
  readonly times?: number;
}

export interface WebhookFaults {
  /** Probabilities from 0 to 1. */
  readonly duplicate?: number;
  readonly shuffle?: number;
  /** The attempt never arrives, and is retried as a failed one. */
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
  /** The fault for this call, if any. Counts against the rule's `times`. */
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

/** Reads settings from JSON; returns a sentence when they are invalid. */
export function readFaultSettings(value: unknown): Partial<FaultSettings> | string {
  if (typeof value !== 'object' || value === null) return 'Send an object with rules, webhooks or both.';
  const { rules, webhooks } = value as { rules?: unknown; webhooks?: unknown };
  const settings: { rules?: FaultRule[]; webhooks?: WebhookFaults } = {};
  if (rules !== undefined) {
    if (!Array.isArray(rules)) return 'rules must be an array.';
    settings.rules = [];
    for (const [index, value] of rules.entries()) {
      const rule = readRule(value, `rule_${index + 1}`);
      if (typeof rule === 'string') return `rules[${index}]: ${rule}`;
      settings.rules.push(rule);
    }
    if (new Set(settings.rules.map(({ id }) => id)).size < settings.rules.length)
      return 'rules must have different ids.';
  }
  if (webhooks !== undefined) {
    if (!hasOnlyNumbers(webhooks, ['duplicate', 'shuffle', 'drop', 'delay_ms'])) {
      return 'webhooks takes the numbers duplicate, shuffle, drop and delay_ms.';
    }
    settings.webhooks = webhooks;
  }
  return settings;
}

function hasOnlyNumbers(value: unknown, names: readonly string[]): value is WebhookFaults {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).every(([name, number]) => names.includes(name) && isNonNegative(number));
}

const isNonNegative = (value: unknown): value is number => typeof value === 'number' && value >= 0;

function readRule(value: unknown, defaultId: string): FaultRule | string {
  if (typeof value !== 'object' || value === null) return 'must be an object.';
  const { id = defaultId, on, mode, kind, ms, probability, times } = value as Record<string, unknown>;
  if (typeof id !== 'string') return 'id must be text.';
  if (typeof on !== 'string') return "on must name an operation, such as payment_intents.capture, or be '*'.";
  const faultKind = FAULT_KINDS.find((one) => one === kind);
  if (faultKind === undefined) return `kind must be one of ${FAULT_KINDS.join(', ')}.`;
  if (mode !== undefined && mode !== 'test' && mode !== 'live') return 'mode must be test or live.';
  for (const number of [ms, probability, times]) {
    if (number !== undefined && !isNonNegative(number)) return 'ms, probability and times must be numbers from 0.';
  }
  return {
    id,
    on,
    kind: faultKind,
    ...(mode === undefined ? {} : { mode }),
    ...(isNonNegative(ms) ? { ms } : {}),
    ...(isNonNegative(probability) ? { probability } : {}),
    ...(isNonNegative(times) ? { times } : {}),
  };
}
