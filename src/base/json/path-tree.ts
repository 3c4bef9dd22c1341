// Which places of a body are looked at while it is scanned: a tree of member names. Built once from paths such as
// `booking.status`. A path with a list in it is not one that can be watched.

/** Where a watched place stands in the bytes. */
export interface FoundPath {
  readonly watched: PathTree;
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

  /** The whole body, with these places in it. */
  static from(paths: readonly string[]): PathTree {
    const root = new PathTree('', null);
    for (const path of paths) {
      let at = root;
      for (const name of path.split('.')) {
        if (name === '' || name.endsWith('[]')) throw new Error(`${path} cannot be watched`);
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
