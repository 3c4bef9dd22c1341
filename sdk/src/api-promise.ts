// The promise that every method returns. `await` gives the answer's data; `withResponse()` gives the response as well.

/** What the headers say about the rolling hour of the key. */
export interface RateLimit {
  /** How many calls the key may make in an hour. */
  readonly limit: number;
  /** How many are left. */
  readonly remaining: number;
  /** The Unix second at which the oldest counted call leaves the window. */
  readonly reset: number;
}

export interface WithResponse<T> {
  readonly data: T;
  /** Its body has been read. */
  readonly response: Response;
  /** Give it to support. */
  readonly requestId: string | null;
  readonly rateLimit: RateLimit | null;
  /** The answer is the stored one of an earlier call with the same key. */
  readonly isReplay: boolean;
}

/** Behaves as a Promise of the data. The request is sent at once, whether it is awaited or not. */
export class ApiPromise<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'ApiPromise';
  readonly #sent: Promise<WithResponse<T>>;

  constructor(sent: Promise<WithResponse<T>>) {
    this.#sent = sent;
  }

  /** The data, the response, the id of the request and the rate limit. */
  withResponse(): Promise<WithResponse<T>> {
    return this.#sent;
  }

  then<A = T, B = never>(
    onData?: ((data: T) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#sent.then(({ data }) => data).then(onData, onError);
  }

  catch<B = never>(onError?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, onError);
  }

  finally(onEnd?: (() => void) | null): Promise<T> {
    return this.then().finally(onEnd);
  }
}
