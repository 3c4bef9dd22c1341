// JSON as lines: names, texts and numbers in their colours, and marks on the lines that a problem points to.

import type { ComponentChildren, JSX } from 'preact';
import { Copy } from './controls.tsx';

export interface JsonLine {
  readonly text: string;
  /** Of the value that begins in this line: `/shares/0/amount`. */
  readonly pointer: string;
}

const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

export function jsonLines(value: unknown, pointer = '', indent = '', before = '', after = ''): JsonLine[] {
  const isList = Array.isArray(value);
  if (value === null || typeof value !== 'object' || Object.keys(value).length === 0)
    return [{ text: `${indent}${before}${JSON.stringify(value)}${after}`, pointer }];
  const entries = Object.entries(value);
  const inner = entries.flatMap(([name, member], i) =>
    jsonLines(
      member,
      `${pointer}/${escapePointer(name)}`,
      `${indent}  `,
      isList ? '' : `${JSON.stringify(name)}: `,
      i < entries.length - 1 ? ',' : '',
    ),
  );
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  // The end of an object is no place of its own.
  return [
    { text: `${indent}${before}${open}`, pointer },
    ...inner,
    { text: `${indent}${close}${after}`, pointer: `${pointer}/` },
  ];
}

const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;

function colored(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const match of text.matchAll(TOKENS)) {
    const [whole, quoted, colon] = match;
    parts.push(text.slice(at, match.index));
    const kind = quoted === undefined ? 'value' : colon === undefined ? 'text' : 'name';
    parts.push(
      <span key={match.index} class={`json-${kind}`}>
        {quoted ?? whole}
      </span>,
      colon ?? '',
    );
    at = match.index + whole.length;
  }
  return [...parts, text.slice(at)];
}

/** `undefined`: the text is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Props {
  readonly value: unknown;
  readonly label: string;
  readonly marks?: readonly string[];
  readonly actions?: ComponentChildren;
}

/** A text is shown as it is when it is no JSON. */
export function Json({ value, label, marks = [], actions }: Props): JSX.Element {
  const parsed = typeof value === 'string' ? parseJson(value) : value;
  const isJson = parsed !== undefined && (typeof value !== 'string' || typeof parsed === 'object');
  const text = isJson ? JSON.stringify(parsed, null, 2) : String(value);
  return (
    <div class="json">
      <div class="json-head">
        <span>{label}</span>
        {actions}
        <Copy text={text} label={`Copy ${label.toLowerCase()}`} />
      </div>
      {/* It scrolls, and must be reached by keyboard. */}
      <pre tabIndex={0} aria-label={label} role="region">
        {isJson
          ? jsonLines(parsed).map((line, i) => (
              <span key={i} class={marks.includes(line.pointer) ? 'line marked' : 'line'}>
                {colored(line.text)}
                {'\n'}
              </span>
            ))
          : text}
      </pre>
    </div>
  );
}
