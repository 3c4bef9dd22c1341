// Describes what is wrong with the params of a message, in one line that names the member. The SDK finds the problem,
// but its message is a page of validator output, which does not help an agent. Pure.

import type { JsonValue } from '../base/json/parse.ts';
import type { Message } from './messages.ts';

type Members = Readonly<Record<string, JsonValue>>;
type Check = (params: Members) => string | null;

const isString = (value: unknown): value is string => typeof value === 'string';
const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const hasStringMembers = (value: unknown): boolean => isObject(value) && Object.values(value).every(isString);

/** The problem of the first check that finds one. */
const firstProblem =
  (...checks: readonly Check[]): Check =>
  (params) => {
    for (const check of checks) {
      const found = check(params);
      if (found !== null) return found;
    }
    return null;
  };

const requiredString =
  (name: string): Check =>
  (params) =>
    isString(params[name]) ? null : `params.${name} must be a string.`;

const optional =
  (name: string, fits: (value: JsonValue) => boolean, what: string): Check =>
  ({ [name]: value }) =>
    value === undefined || fits(value) ? null : `params.${name} must be ${what}.`;

const cursorOnly = optional('cursor', isString, 'a string');
const STRING_MEMBERS = 'an object whose members are strings';

const completionParams: Check = ({ ref, argument, context }) => {
  const { type, name, uri } = isObject(ref) ? ref : ({} as Members);
  if (type !== 'ref/prompt' && type !== 'ref/resource')
    return 'params.ref must be an object whose type is "ref/prompt" or "ref/resource".';
  if (type === 'ref/prompt' && !isString(name)) return 'params.ref.name must be a string.';
  if (type === 'ref/resource' && !isString(uri)) return 'params.ref.uri must be a string.';
  if (!isObject(argument) || !isString(argument.name) || !isString(argument.value))
    return 'params.argument must be an object with the strings name and value.';
  const known = isObject(context) ? context.arguments : undefined;
  if (context !== undefined && (!isObject(context) || (known !== undefined && !hasStringMembers(known))))
    return `params.context must be an object whose arguments are ${STRING_MEMBERS}.`;
  return null;
};

const CHECKS: Readonly<Record<string, Check>> = {
  initialize: () => 'initialize needs protocolVersion, capabilities and clientInfo.',
  'tools/list': cursorOnly,
  'resources/list': cursorOnly,
  'resources/templates/list': cursorOnly,
  'prompts/list': cursorOnly,
  'tools/call': firstProblem(requiredString('name'), optional('arguments', isObject, 'an object')),
  'resources/read': requiredString('uri'),
  'prompts/get': firstProblem(requiredString('name'), optional('arguments', hasStringMembers, STRING_MEMBERS)),
  'completion/complete': completionParams,
};

/** For a message whose params the SDK refused. */
export function describeInvalidParams({ method, params }: Message): string {
  const check = Object.hasOwn(CHECKS, method) ? CHECKS[method] : undefined;
  return `Invalid params: ${check?.(params) ?? 'params._meta is not valid.'}`;
}
