// A client of server-sent events for tests: it keeps what it received, and can leave at any time.

import { waitFor } from './wait-for.ts';

export interface ReceivedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

export class EventStreamClient {
  readonly response: Response;
  readonly events: ReceivedEvent[] = [];
  comments = 0;
  isOver = false;
  readonly #leave: AbortController;
  #text = '';

  private constructor(response: Response, leave: AbortController) {
    this.response = response;
    this.#leave = leave;
    void this.#read();
  }

  /** The status is 200 or another: then the body is an error, and `error` reads it. */
  static async open(url: string, headers: Record<string, string> = {}): Promise<EventStreamClient> {
    const leave = new AbortController();
    return new EventStreamClient(await fetch(url, { headers, signal: leave.signal }), leave);
  }

  get ids(): string[] {
    return this.events.map(({ id }) => id);
  }

  get text(): string {
    return this.#text;
  }

  async receives(count: number): Promise<void> {
    await waitFor(`${count} events`, () => this.events.length >= count);
  }

  async ends(): Promise<void> {
    await waitFor('the end of the stream', () => this.isOver);
  }

  /** Closes the connection in the middle. */
  leave(): void {
    this.#leave.abort();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const part of this.response.body ?? []) this.#take(decoder.decode(part, { stream: true }));
    } catch {
      // The connection was closed, by the test or by the server.
    }
    this.isOver = true;
  }

  #take(part: string): void {
    this.#text += part;
    for (let end = this.#text.indexOf('\n\n'); end >= 0; end = this.#text.indexOf('\n\n')) {
      const lines = this.#text.slice(0, end).split('\n');
      this.#text = this.#text.slice(end + 2);
      const fieldOf = (name: string): string[] =>
        lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
      if (lines.some((line) => line.startsWith(':'))) this.comments++;
      const [id] = fieldOf('id');
      if (id !== undefined)
        this.events.push({ id, event: fieldOf('event')[0] ?? '', data: fieldOf('data').join('\n') });
    }
  }
}
