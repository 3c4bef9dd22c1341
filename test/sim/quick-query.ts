// A query of the driver that asks PostgreSQL only once what a statement's rows look like, however often and on however many
// connections it is sent: the simulation sends the same few dozen statements a million times. What comes back is what the
// driver would have given.

import pg from 'pg';

interface Shape {
  readonly names: readonly string[];
  readonly parsers: readonly ((text: string) => unknown)[];
}

/** The parts of the driver's connection and query that this one stands on; both are pinned to one version. */
interface Connection {
  describe(what: unknown): void;
}
interface DriversQuery {
  name: string;
  readonly text: string;
  readonly _result: {
    readonly rows: unknown[];
    readonly fields: { name: string }[];
    readonly _parsers?: Shape['parsers'];
  };
  prepare(connection: Connection): void;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: { fields: (string | null)[] }): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
}
type Told = (error: Error | undefined, result: pg.QueryResult) => void;

const Query = pg.Query as unknown as new (text: string, values: readonly unknown[], response: Told) => DriversQuery;

const shapes = new Map<string, Shape>();
const withoutAsking = new WeakMap<Connection, Connection>();

/** The same connection, on which nobody asks what rows look like. */
function quiet(connection: Connection): Connection {
  let other = withoutAsking.get(connection);
  if (other === undefined) {
    other = Object.create(connection, { describe: { value: () => undefined } }) as Connection;
    withoutAsking.set(connection, other);
  }
  return other;
}

export class QuickQuery extends Query {
  readonly #shape: Shape | undefined;

  constructor(name: string, text: string, values: readonly unknown[], response: Told) {
    super(text, values, response);
    this.name = name;
    this.#shape = shapes.get(text);
  }

  override prepare(connection: Connection): void {
    super.prepare(this.#shape === undefined ? connection : quiet(connection));
  }

  override handleDataRow(message: { fields: (string | null)[] }): void {
    const shape = this.#shape;
    if (shape === undefined) {
      super.handleDataRow(message);
      return;
    }
    const row: Record<string, unknown> = {};
    for (let at = 0; at < shape.names.length; at++) {
      const text = message.fields[at] ?? null;
      row[shape.names[at] as string] = text === null ? null : shape.parsers[at]?.(text);
    }
    this._result.rows.push(row);
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    super.handleCommandComplete(message, connection);
    if (shapes.has(this.text)) return;
    const { fields, _parsers: parsers = [] } = this._result;
    shapes.set(this.text, { names: fields.map(({ name }) => name), parsers });
  }
}
