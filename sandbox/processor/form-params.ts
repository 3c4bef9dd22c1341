// Parameters as Stripe reads them, form-encoded (API v1: nested brackets, arrays) or JSON (API v2), and typed access that
// rejects a missing, malformed or unknown parameter by its name. Parsed fields have no prototype, so no key can reach one.

import { invalidRequest } from './api-error.ts';

/** A decoded parameter: text, or nested parameters (an array has the names 0, 1, 2, …). */
export type Field = string | Fields;
export interface Fields {
  [name: string]: Field;
}

const MAX_FIELDS = 500;
const MAX_DEPTH = 6;

const emptyFields = (): Fields => Object.create(null) as Fields;

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replace(/\+/g, ' '));
  } catch {
    throw invalidRequest('Invalid request: the parameters are not form-encoded.');
  }
}

export function parseForm(text: string): Fields {
  const fields = emptyFields();
  if (text === '') return fields;
  const pairs = text.split('&');
  if (pairs.length > MAX_FIELDS) throw invalidRequest(`Too many parameters: at most ${MAX_FIELDS} are read.`);
  for (const pair of pairs) {
    if (pair === '') continue;
    const cut = pair.indexOf('=');
    const name = decode(cut < 0 ? pair : pair.slice(0, cut));
    setField(fields, name, cut < 0 ? '' : decode(pair.slice(cut + 1)));
  }
  return fields;
}

/** `a[b][]` sets the next free index of `b` in `a`. */
function setField(fields: Fields, name: string, value: string): void {
  const open = name.indexOf('[');
  if (open <= 0) {
    fields[name] = value;
    return;
  }
  if (!name.endsWith(']')) throw invalidRequest(`Invalid parameter name: ${name}`);
  const keys = [name.slice(0, open), ...name.slice(open + 1, -1).split('][')];
  if (keys.length > MAX_DEPTH) throw invalidRequest(`Invalid parameter name: ${name} is nested too deeply`);
  let level = fields;
  for (const [depth, name] of keys.entries()) {
    const key = name === '' ? String(Object.keys(level).length) : name;
    if (depth === keys.length - 1) {
      level[key] = value;
      return;
    }
    let next = level[key];
    if (next === undefined || typeof next === 'string') {
      next = emptyFields();
      level[key] = next;
    }
    level = next;
  }
}

/** The fields of a JSON body, as API v2 takes them. */
export function parseJsonBody(text: string): Fields {
  let value: unknown;
  try {
    value = text === '' ? {} : JSON.parse(text);
  } catch {
    throw invalidRequest('Invalid request: the body is not JSON.');
  }
  const field = fieldOf(value, 0);
  if (typeof field === 'string' || Array.isArray(value))
    throw invalidRequest('Invalid request: the body is no object.');
  return field;
}

function fieldOf(value: unknown, depth: number): Field {
  if (typeof value !== 'object' || value === null) return value === null ? '' : String(value);
  if (depth > MAX_DEPTH) throw invalidRequest('Invalid request: the body is nested too deeply.');
  const fields = emptyFields();
  for (const [name, inner] of Object.entries(value)) fields[name] = fieldOf(inner, depth + 1);
  return fields;
}

/** Typed reading of one level of parameters; errors name parameters with `path` (`payment_method_data[card]`). */
export class Params {
  readonly #fields: Fields;
  readonly #path: string;

  constructor(fields: Fields, path = '') {
    this.#fields = fields;
    this.#path = path;
  }

  nameOf(name: string): string {
    return this.#path === '' ? name : `${this.#path}[${name}]`;
  }

  has(name: string): boolean {
    const field = this.#fields[name];
    return field !== undefined && field !== '';
  }

  text(name: string, maxLength = 5000): string | null {
    const field = this.#fields[name];
    if (field === undefined || field === '') return null;
    if (typeof field !== 'string') throw invalidRequest('Invalid string: {...}', this.nameOf(name));
    if (field.length > maxLength) {
      throw invalidRequest(`Invalid string: must be at most ${maxLength} characters`, this.nameOf(name));
    }
    return field;
  }

  requireText(name: string, maxLength?: number): string {
    const text = this.text(name, maxLength);
    if (text === null) throw this.#missing(name);
    return text;
  }

  integer(name: string): number | null {
    const text = this.text(name);
    if (text === null) return null;
    if (!/^-?\d{1,15}$/.test(text)) {
      throw invalidRequest(`Invalid integer: ${text}`, this.nameOf(name), 'parameter_invalid_integer');
    }
    return Number(text);
  }

  requireInteger(name: string): number {
    const value = this.integer(name);
    if (value === null) throw this.#missing(name);
    return value;
  }

  positive(name: string): number | null {
    const value = this.integer(name);
    if (value !== null && value < 1) {
      throw invalidRequest(
        'This value must be greater than or equal to 1.',
        this.nameOf(name),
        'parameter_invalid_integer',
      );
    }
    return value;
  }

  flag(name: string): boolean | null {
    const text = this.text(name);
    if (text === null) return null;
    if (text !== 'true' && text !== 'false') throw invalidRequest(`Invalid boolean: ${text}`, this.nameOf(name));
    return text === 'true';
  }

  oneOf<const T extends string>(name: string, choices: readonly T[]): T | null {
    const text = this.text(name);
    if (text === null) return null;
    const found = choices.find((choice) => choice === text);
    if (found === undefined) {
      throw invalidRequest(`Invalid ${this.nameOf(name)}: must be one of ${choices.join(', ')}`, this.nameOf(name));
    }
    return found;
  }

  group(name: string): Params | null {
    const field = this.#fields[name];
    if (field === undefined || field === '') return null;
    if (typeof field === 'string') throw invalidRequest('Invalid object', this.nameOf(name));
    return new Params(field, this.nameOf(name));
  }

  /** Every entry of an array or hash of text. */
  entries(name: string): [string, string][] {
    const field = this.#fields[name];
    if (field === undefined || field === '') return [];
    if (typeof field === 'string') throw invalidRequest('Invalid array', this.nameOf(name));
    return Object.entries(field).map(([key, value]) => {
      if (typeof value !== 'string') throw invalidRequest('Invalid string: {...}', `${this.nameOf(name)}[${key}]`);
      return [key, value];
    });
  }

  list(name: string): string[] {
    return this.entries(name).map(([, value]) => value);
  }

  /** The current metadata merged with the keys sent; an empty value removes its key. */
  metadata(current: Readonly<Record<string, string>> = {}): Record<string, string> {
    if (this.#fields.metadata === '') return {};
    const merged: Record<string, string> = { ...current };
    for (const [key, value] of this.entries('metadata')) {
      if (key.length > 40) throw invalidRequest('Metadata keys are at most 40 characters long.', 'metadata');
      if (value.length > 500)
        throw invalidRequest('Metadata values are at most 500 characters long.', `metadata[${key}]`);
      if (value === '') delete merged[key];
      else if (key !== '__proto__') merged[key] = value;
    }
    if (Object.keys(merged).length > 50) throw invalidRequest('Metadata has at most 50 keys.', 'metadata');
    return merged;
  }

  /** Rejects unknown parameters as Stripe does, so that a misspelt one is noticed. */
  rejectUnknown(known: ReadonlySet<string>): void {
    for (const name of Object.keys(this.#fields)) {
      if (!known.has(name)) throw invalidRequest(`Received unknown parameter: ${name}`, name, 'parameter_unknown');
    }
  }

  #missing(name: string): Error {
    return invalidRequest(`Missing required param: ${this.nameOf(name)}.`, this.nameOf(name), 'parameter_missing');
  }
}
