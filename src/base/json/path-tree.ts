// The paths that a scan extracts, as a tree of member names, built once from paths such as `booking.status`. A path through
// a list is not supported.

/** The position of an extracted path in the bytes. */
export interface FoundPath {
  readonly node: PathTree;
  readonly start: number;
  readonly end: number;
}

export class PathTree {
  readonly name: string;
  readonly parent: PathTree | null;
  readonly #members = new Map<string, PathTree>();

  constructor(name: string, parent: PathTree | null) {
    this.name = name;
    this.parent = parent;
  }

  /** The root of a tree that holds these paths. */
  static from(paths: readonly string[]): PathTree {
    const root = new PathTree('', null);
    for (const path of paths) {
      let at = root;
      for (const name of path.split('.')) {
        if (name === '' || name.endsWith('[]')) throw new Error(`${path} cannot be extracted: it leads through a list`);
        const next = at.#members.get(name) ?? new PathTree(name, at);
        at.#members.set(name, next);
        at = next;
      }
    }
    return root;
  }

  member(name: string): PathTree | null {
    return this.#members.get(name) ?? null;
  }
}
