// The position of each value in a JSON text: one flat list of nodes in document order. For rare cases only
// (a failed validation, bad text), not for every request. Guarantees: iterative, linear in the text, any depth.
// It checks nothing: the text must already be known to be valid JSON.

export interface OutlineNode {
  /** Index of the container's node, -1 for the root. */
  readonly parent: number;
  /** Offset of the member name's opening quote, -1 for the root and for array elements. */
  readonly nameAt: number;
  /** Position among the container's members or elements. */
  readonly position: number;
  /** Offset of the value's first character. */
  readonly start: number;
  /** Offset just after the value's last character. */
  end: number;
  /** Index of the first node after this one that is not inside it. */
  next: number;
  /** The number of direct members or elements. */
  children: number;
}

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** All nodes in document order; the root is nodes[0]. Offsets count UTF-16 code units of the text. */
export function outlineOf(text: string): OutlineNode[] {
  const nodes: OutlineNode[] = [];
  let open = -1;
  let nameAt = -1;
  let at = 0;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (isFiller(unit)) {
      at += 1;
    } else if (unit === CLOSE_ARRAY || unit === CLOSE_OBJECT) {
      at += 1;
      open = close(nodes, open, at);
    } else if (unit === QUOTE && nameAt === -1 && isObject(text, nodes[open])) {
      nameAt = at;
      at = endOfString(text, at);
    } else {
      const isContainer = unit === OPEN_ARRAY || unit === OPEN_OBJECT;
      const end = isContainer ? at + 1 : unit === QUOTE ? endOfString(text, at) : endOfWord(text, at);
      const index = add(nodes, open, nameAt, at, end);
      if (isContainer) open = index;
      nameAt = -1;
      at = end;
    }
  }
  return nodes;
}

/** The member name whose opening quote is at `nameAt`, unescaped. */
export function nameAtOffset(text: string, nameAt: number): string {
  return stringFrom(text, nameAt, endOfString(text, nameAt));
}

/** The string whose quotes are at `start` and just before `end`, unescaped. */
export function stringFrom(text: string, start: number, end: number): string {
  const raw = text.slice(start, end);
  return raw.includes('\\') ? String(JSON.parse(raw)) : raw.slice(1, -1);
}

function add(nodes: OutlineNode[], parent: number, nameAt: number, start: number, end: number): number {
  const container = nodes[parent];
  const index = nodes.length;
  nodes.push({ parent, nameAt, position: container?.children ?? 0, start, end, next: index + 1, children: 0 });
  if (container !== undefined) container.children += 1;
  return index;
}

function close(nodes: OutlineNode[], open: number, end: number): number {
  const container = nodes[open];
  if (container === undefined) return -1;
  container.end = end;
  container.next = nodes.length;
  return container.parent;
}

function isFiller(unit: number): boolean {
  return (
    unit === COMMA || unit === COLON || unit === SPACE || unit === LINE_FEED || unit === CARRIAGE_RETURN || unit === TAB
  );
}

function isObject(text: string, node: OutlineNode | undefined): boolean {
  return node !== undefined && text.charCodeAt(node.start) === OPEN_OBJECT;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at + 1;
    at += unit === BACKSLASH ? 2 : 1;
  }
  return text.length;
}

function endOfWord(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (isFiller(unit) || unit === CLOSE_ARRAY || unit === CLOSE_OBJECT) return at;
    at += 1;
  }
  return at;
}
