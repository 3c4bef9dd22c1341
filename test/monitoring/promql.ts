// Evaluates the part of PromQL that deploy/ uses, over two scrapes: selectors with matchers, increase() and rate(),
// aggregations, absent(), time(), histogram_quantile(), arithmetic, comparisons, `or` and `unless`. `offset` reads the
// earlier scrape. Anything else is an error.

import type { Sample } from './scrape.ts';

export interface Scrapes {
  readonly before: readonly Sample[];
  readonly after: readonly Sample[];
  /** Of the later one, in seconds. */
  readonly at: number;
}

type Value = number | readonly Sample[];

const TOKEN =
  /\s*(?:(\d+(?:\.\d+)?)|([a-zA-Z_:][\w:]*)|("(?:[^"\\]|\\.)*")|(\[[0-9]+[smhd]\]|\[\$__rate_interval\])|(=~|!~|!=|==|>=|<=|[-+*/(){},<>=]))/y;
const AGGREGATIONS = ['sum', 'max', 'min', 'count'];
const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (found === null) throw new Error(`not understood: ${text.slice(at)}`);
    tokens.push(found[0].trim());
  }
  return tokens;
}

export class Evaluation {
  readonly #scrapes: Scrapes;
  readonly #tokens: string[];
  /** Names of the series that the expression reads. */
  readonly names = new Set<string>();

  constructor(expression: string, scrapes: Scrapes) {
    this.#scrapes = scrapes;
    this.#tokens = tokensOf(expression);
  }

  /** The samples for which the expression holds. */
  run(): readonly Sample[] {
    const value = this.#expression();
    if (this.#tokens.length > 0) throw new Error(`not understood: ${this.#tokens.join(' ')}`);
    return typeof value === 'number' ? [{ name: '', labels: {}, value }] : value;
  }

  #take(wanted?: string): string {
    const token = this.#tokens.shift();
    if (token === undefined || (wanted !== undefined && token !== wanted))
      throw new Error(`expected ${wanted ?? 'more'}, found ${token ?? 'the end'}`);
    return token;
  }

  #expression(): Value {
    let value = this.#unless();
    while (this.#tokens[0] === 'or') {
      this.#take();
      const [left, right] = [samplesOf(value), samplesOf(this.#unless())];
      value = [...left, ...right.filter((sample) => partnerOf(sample, left) === undefined)];
    }
    return value;
  }

  #unless(): Value {
    let value = this.#comparison();
    while (this.#tokens[0] === 'unless') {
      this.#take();
      const [left, right] = [samplesOf(value), samplesOf(this.#comparison())];
      value = left.filter((sample) => partnerOf(sample, right) === undefined);
    }
    return value;
  }

  #comparison(): Value {
    const left = this.#sum();
    const operator = this.#tokens[0];
    if (operator === undefined || !['>', '<', '>=', '<=', '==', '!='].includes(operator)) return left;
    this.#take();
    const right = this.#sum();
    const holds = (a: number, b: number): boolean =>
      ({ '>': a > b, '<': a < b, '>=': a >= b, '<=': a <= b, '==': a === b, '!=': a !== b })[operator] === true;
    if (typeof left === 'number') throw new Error('a comparison begins with a series');
    return left.filter((sample) => {
      const other = typeof right === 'number' ? right : partnerOf(sample, right)?.value;
      return other !== undefined && holds(sample.value, other);
    });
  }

  #sum(): Value {
    let value = this.#product();
    while (this.#tokens[0] === '+' || this.#tokens[0] === '-') value = combine(this.#take(), value, this.#product());
    return value;
  }

  #product(): Value {
    let value = this.#unit();
    while (this.#tokens[0] === '*' || this.#tokens[0] === '/') value = combine(this.#take(), value, this.#unit());
    return value;
  }

  #unit(): Value {
    const token = this.#take();
    if (/^\d/.test(token)) return Number(token);
    if (token === '(') {
      const value = this.#expression();
      this.#take(')');
      return value;
    }
    if (AGGREGATIONS.includes(token)) return this.#aggregation(token);
    if (this.#tokens[0] === '(') return this.#call(token);
    return this.#selectAtOffset(token);
  }

  #aggregation(kind: string): readonly Sample[] {
    const by = this.#tokens[0] === 'by' ? this.#labels() : [];
    this.#take('(');
    const value = this.#expression();
    this.#take(')');
    if (typeof value === 'number') throw new Error(`${kind} of a number`);
    const groups = new Map<string, Sample[]>();
    for (const sample of value) {
      const key = JSON.stringify(by.map((label) => [label, sample.labels[label]]));
      groups.set(key, [...(groups.get(key) ?? []), sample]);
    }
    return [...groups.values()].map((samples) => {
      const values = samples.map((sample) => sample.value);
      const labels = Object.fromEntries(by.map((label) => [label, samples[0]?.labels[label] ?? '']));
      const sum = values.reduce((total, one) => total + one, 0);
      const result = { sum, max: Math.max(...values), min: Math.min(...values), count: values.length }[kind] ?? 0;
      return { name: '', labels, value: result };
    });
  }

  #labels(): string[] {
    this.#take('by');
    this.#take('(');
    const labels: string[] = [];
    for (let token = this.#take(); token !== ')'; token = this.#take()) if (token !== ',') labels.push(token);
    return labels;
  }

  #call(name: string): Value {
    this.#take('(');
    if (name === 'time') {
      this.#take(')');
      return this.#scrapes.at;
    }
    if (name === 'increase' || name === 'rate') return this.#increase(name);
    if (name === 'histogram_quantile') {
      this.#take();
      this.#take(',');
      const buckets = this.#comparison();
      this.#take(')');
      return typeof buckets === 'number' ? [] : buckets.filter(({ labels }) => labels.le === '+Inf');
    }
    if (name !== 'absent') throw new Error(`no such function: ${name}`);
    const value = this.#expression();
    this.#take(')');
    return Array.isArray(value) && value.length === 0 ? [{ name: '', labels: {}, value: 1 }] : [];
  }

  /** A series that the earlier scrape does not have has no increase, as in Prometheus. */
  #increase(kind: 'increase' | 'rate'): readonly Sample[] {
    const name = this.#take();
    const rest = [...this.#tokens];
    const after = this.#select(name, this.#scrapes.after);
    const range = this.#take();
    if (!range.startsWith('[')) throw new Error(`${kind} needs a range`);
    this.#take(')');
    const left = this.#tokens.splice(0);
    this.#tokens.push(...rest);
    const before = this.#select(name, this.#scrapes.before);
    this.#tokens.splice(0, this.#tokens.length, ...left);
    const [, count = '60', unit = 's'] = /^\[([0-9]+)([smhd])\]$/.exec(range) ?? [];
    const seconds = kind === 'rate' ? Number(count) * (SECONDS[unit] ?? 1) : 1;
    return after.flatMap((sample) => {
      const earlier = before.find(({ labels }) => JSON.stringify(labels) === JSON.stringify(sample.labels));
      return earlier === undefined ? [] : [{ ...sample, value: (sample.value - earlier.value) / seconds }];
    });
  }

  #selectAtOffset(name: string): readonly Sample[] {
    const rest = [...this.#tokens];
    const after = this.#select(name, this.#scrapes.after);
    if (this.#tokens[0] !== 'offset') return after;
    this.#tokens.splice(0, this.#tokens.length, ...rest);
    const before = this.#select(name, this.#scrapes.before);
    // The word, the number and its unit.
    this.#tokens.splice(0, 3);
    return before;
  }

  #select(name: string, samples: readonly Sample[]): readonly Sample[] {
    this.names.add(name);
    const matchers: ((labels: Sample['labels']) => boolean)[] = [];
    if (this.#tokens[0] === '{') {
      this.#take();
      for (let label = this.#take(); label !== '}'; label = this.#take()) {
        if (label === ',') continue;
        matchers.push(matcherOf(label, this.#take(), JSON.parse(this.#take()) as string));
      }
    }
    return samples.filter((sample) => sample.name === name && matchers.every((matches) => matches(sample.labels)));
  }
}

function samplesOf(value: Value): readonly Sample[] {
  if (typeof value === 'number') throw new Error('a number stands where a series must');
  return value;
}

function matcherOf(label: string, operator: string, wanted: string): (labels: Sample['labels']) => boolean {
  const pattern = new RegExp(`^(?:${wanted})$`);
  return ({ [label]: value = '' }) =>
    operator === '='
      ? value === wanted
      : operator === '!='
        ? value !== wanted
        : pattern.test(value) === (operator === '=~');
}

function partnerOf(sample: Sample, others: readonly Sample[]): Sample | undefined {
  return others.find(({ labels }) => JSON.stringify(labels) === JSON.stringify(sample.labels));
}

function combine(operator: string, left: Value, right: Value): Value {
  const compute = (a: number, b: number): number =>
    operator === '+' ? a + b : operator === '-' ? a - b : operator === '*' ? a * b : a / b;
  if (typeof left === 'number' && typeof right === 'number') return compute(left, right);
  if (typeof left === 'number' && typeof right !== 'number')
    return right.map((sample) => ({ ...sample, value: compute(left, sample.value) }));
  if (typeof left === 'number') return [];
  return left.flatMap((sample) => {
    const other = typeof right === 'number' ? right : partnerOf(sample, right)?.value;
    return other === undefined ? [] : [{ ...sample, value: compute(sample.value, other) }];
  });
}
