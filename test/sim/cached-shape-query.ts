// A query of the driver that asks PostgreSQL only once for the columns of a statement, however often and on however
// many connections it is sent, because the simulation sends a few dozen statements a million times. Its results are
// those of the driver.

import pg from 'pg';

interface RowShape {
  readonly names: readonly string[];
  readonly parsers: readonly ((text: string) => unknown)[];
}

/** The driver's internals that this class uses; the driver is pinned to one version. */
interface Connection {
  describe(what: unknown): void;
}
interface DriverQuery {
  name: string;
  readonly text: string;
  readonly _result: {
    readonly rows: unknown[];
    readonly fields: { name: string }[];
    readonly _parsers?: RowShape['parsers'];
  };
  prepare(connection: Connection): void;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: { fields: (string | null)[] }): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
}
type QueryCallback = (error: Error | undefined, result: pg.QueryResult) => void;

const Query = pg.Query as unknown as new (
  text: string,
  values: readonly unknown[],
  response: QueryCallback,
) => DriverQuery;

const shapes = new Map<string, RowShape>();
const connectionsWithoutDescribe = new WeakMap<Connection, Connection>();

/** The same connection, without the request for the columns. */
function withoutDescribe(connection: Connection): Connection {
  let other = connectionsWithoutDescribe.get(connection);
  if (other === undefined) {
    other = Object.create(connection, { describe: { value: () => undefined } }) as Connection;
    connectionsWithoutDescribe.set(connection, other);
  }
  return other;
}

export class CachedShapeQuery extends Query {
  readonly #shape: RowShape | undefined;

  constructor(name: string, text: string, values: readonly unknown[], response: QueryCallback) {
    super(text, values, response);
    this.name = name;
    this.#shape = shapes.get(text);
  }

  override prepare(connection: Connection): void {
    super.prepare(this.#shape === undefined ? connection : withoutDescribe(connection));
  }

  override handleDataRow(message: { fields: (string | null)[] }): void {
    const shape = this.#shape;
    if (shape === undefined) {
      super.handleDataRow(message);
      return;
    }
    const row: Record<string, unknown> = {};
    for (let index = 0; index < shape.names.length; index++) {
      const text = message.fields[index] ?? null;
      row[shape.names[index] as string] = text === null ? null : shape.parsers[index]?.(text);
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
