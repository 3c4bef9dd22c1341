// A TCP connection through this process that can be cut as a network is: while it is silent, nothing passes in either
// direction, no end of connection either, and neither side gets an error. Afterwards everything arrives that was held
// back, as packets do that are sent again.

import { createServer, connect as openSocket, type Server, type Socket } from 'node:net';

const HOST = '127.0.0.1';

/** A port of this machine, or the path of a socket. */
type LinkTarget = number | string;

export class TcpLink {
  readonly #server: Server;
  readonly #target: LinkTarget;
  readonly #pairs = new Set<SocketPair>();
  #isSilent = false;

  private constructor(target: LinkTarget) {
    this.#target = target;
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#accept(socket));
  }

  /** Listens at `port` (0: any free one) and forwards to a port of this machine, or to a socket in the file system. */
  static async open(port: number, target: LinkTarget): Promise<TcpLink> {
    const link = new TcpLink(target);
    await new Promise<void>((resolve, reject) => {
      link.#server.once('error', reject);
      link.#server.listen(port, HOST, resolve);
    });
    return link;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  #accept(near: Socket): void {
    const pair = new SocketPair(near, this.#target, this.#isSilent, () => this.#pairs.delete(pair));
    this.#pairs.add(pair);
  }

  silence(): void {
    this.#isSilent = true;
    for (const pair of this.#pairs) pair.silence();
  }

  /** The open connections lead to a server that is gone; new ones reach the target. */
  silenceOpen(): void {
    for (const pair of this.#pairs) pair.silence();
  }

  /** Ends the open connections, and what was held back is lost. */
  dropOpen(): void {
    for (const pair of this.#pairs) pair.destroy();
  }

  resume(): void {
    this.#isSilent = false;
    for (const pair of this.#pairs) pair.resume();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.dropOpen();
    await closed;
  }
}

class SocketPair {
  readonly #near: Socket;
  readonly #target: LinkTarget;
  readonly #onClosed: () => void;
  #far: Socket | null = null;
  #isSilent: boolean;
  /** A socket has closed; the other one is closed too, unless the link is silent. */
  #isBroken = false;

  constructor(near: Socket, target: LinkTarget, isSilent: boolean, onClosed: () => void) {
    this.#near = near;
    this.#target = target;
    this.#isSilent = isSilent;
    this.#onClosed = onClosed;
    near.pause();
    this.#watch(near);
    if (!isSilent) this.#connect();
  }

  #connect(): void {
    const at = typeof this.#target === 'string' ? { path: this.#target } : { host: HOST, port: this.#target };
    const far = openSocket({ ...at, allowHalfOpen: true });
    far.setNoDelay(true);
    this.#far = far;
    this.#watch(far);
    this.#forward(this.#near, far);
    this.#forward(far, this.#near);
    this.#near.resume();
  }

  #watch(socket: Socket): void {
    socket.on('error', () => undefined); // `close` follows.
    socket.once('close', () => {
      this.#isBroken = true;
      if (!this.#isSilent) this.destroy();
    });
  }

  #forward(from: Socket, to: Socket): void {
    from.on('data', (chunk: Buffer) => {
      if (!to.write(chunk)) from.pause();
    });
    from.once('end', () => to.end());
    to.on('drain', () => {
      if (!this.#isSilent) from.resume();
    });
  }

  silence(): void {
    this.#isSilent = true;
    this.#near.pause();
    this.#far?.pause();
  }

  resume(): void {
    this.#isSilent = false;
    if (this.#isBroken) this.destroy();
    else if (this.#far === null) this.#connect();
    else {
      this.#near.resume();
      this.#far.resume();
    }
  }

  destroy(): void {
    this.#near.destroy();
    this.#far?.destroy();
    this.#onClosed();
  }
}
