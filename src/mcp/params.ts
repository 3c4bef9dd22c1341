// What is wrong with the params of a message, in one line that names the member. The SDK finds that something is wrong; what it
// says of it is a page of its own validator's words, and no agent's to read. Pure.

import type { JsonValue } from '../base/json/parse.ts';
import type { Message } from './messages.ts';

type Members = Readonly<Record<string, JsonValue>>;
type Check = (params: Members) => string | null;

const isText = (value: unknown): value is string => typeof value === 'string';
const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isTexts = (value: unknown): boolean => isObject(value) && Object.values(value).every(isText);

/** The first of several that finds something. */
const first =
  (...checks: readonly Check[]): Check =>
  (params) => {
    for (const check of checks) {
      const found = check(params);
      if (found !== null) return found;
    }
    return null;
  };

const text =
  (name: string): Check =>
  (params) =>
    isText(params[name]) ? null : `params.${name} must be a string.`;

const maybe =
  (name: string, fits: (value: JsonValue) => boolean, what: string): Check =>
  ({ [name]: value }) =>
    value === undefined || fits(value) ? null : `params.${name} must be ${what}.`;

const list = maybe('cursor', isText, 'a string');
const TEXTS = 'an object whose members are strings';

const completed: Check = ({ ref, argument, context }) => {
  const { type, name, uri } = isObject(ref) ? ref : ({} as Members);
  if (type !== 'ref/prompt' && type !== 'ref/resource')
    return 'params.ref must be an object whose type is "ref/prompt" or "ref/resource".';
  if (type === 'ref/prompt' && !isText(name)) return 'params.ref.name must be a string.';
  if (type === 'ref/resource' && !isText(uri)) return 'params.ref.uri must be a string.';
  if (!isObject(argument) || !isText(argument.name) || !isText(argument.value))
    return 'params.argument must be an object with the strings name and value.';
  const known = isObject(context) ? context.arguments : undefined;
  if (context !== undefined && (!isObject(context) || (known !== undefined && !isTexts(known))))
    return `params.context must be an object whose arguments are ${TEXTS}.`;
  return null;
};

const CHECKS: Readonly<Record<string, Check>> = {
  initialize: () => 'initialize needs protocolVersion, capabilities and clientInfo.',
  'tools/list': list,
  'resources/list': list,
  'resources/templates/list': list,
  'prompts/list': list,
  'tools/call': first(text('name'), maybe('arguments', isObject, 'an object')),
  'resources/read': text('uri'),
  'prompts/get': first(text('name'), maybe('arguments', isTexts, TEXTS)),
  'completion/complete': completed,
};

/** Of a message whose params were refused. */
export function whatIsWrongWith({ method, params }: Message): string {
  const check = Object.hasOwn(CHECKS, method) ? CHECKS[method] : undefined;
  return `Invalid params: ${check?.(params) ?? 'params._meta is not as the protocol has it.'}`;
}
