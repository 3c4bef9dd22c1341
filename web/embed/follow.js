// Follows the progress of one checkout: reads it, then keeps a stream of server-sent events open. Where there is no stream it
// reads again with growing pauses, up to a minute. In a hidden tab it does nothing. No cookie is sent, and none is kept.

const READ_TIMEOUT_MS = 15_000;
/** The server sends something every 15 seconds. */
const SILENCE_MS = 40_000;
const MAX_PAUSE_MS = 60_000;
const ENDED = ['completed', 'expired', 'canceled'];

/** What the server refuses for good: only another key, id or registered origin helps. */
export class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** A server that could not be asked, and how long it asks to wait. */
class Unavailable extends Error {
  constructor(code, message, waitMs = 0) {
    super(message);
    this.code = code;
    this.waitMs = waitMs;
  }
}

/**
 * `onProgress` gets each progress, `onProblem` an error with a code, when one occurs, and null when it is over. Returns a
 * function that stops all of it.
 */
export function follow({ base, script, id, key, onProgress, onProblem }) {
  const url = `${base}/v1/public/checkouts/${encodeURIComponent(id)}/progress`;
  let isStopped = false;
  /** An answer that this page can read: its origin is allowed. */
  let isAnswered = false;
  /** Ends the request or the pause under way. */
  let interrupt = new AbortController();

  const open = async (address, signal) => {
    const response = await fetch(address, {
      headers: { authorization: `Bearer ${key}` },
      credentials: 'omit',
      cache: 'no-store',
      signal,
    });
    // In an outage every page may read the answer, of any origin.
    if (response.status !== 503) isAnswered = true;
    if (response.ok) return response;
    const { error = {} } = await response.json().catch(() => ({}));
    const { code = `http_${response.status}`, message = '' } = error;
    if ([401, 403, 404].includes(response.status)) throw new Refusal(code, message);
    throw new Unavailable(code, message, Number(response.headers.get('retry-after')) * 1000);
  };

  /** Resolves when the stream ends. A stream that is silent is broken. */
  const readStream = async () => {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), SILENCE_MS);
    try {
      const { body } = await open(`${url}/stream`, eitherSignal(interrupt.signal, silence.signal));
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      for (let part = await reader.read(); !part.done && !isStopped; part = await reader.read()) {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), SILENCE_MS);
        const messages = (text + part.value).split('\n\n');
        text = messages.pop();
        for (const message of messages) {
          const data = /^event: progress\ndata: (.*)$/m.exec(message)?.[1];
          if (data !== undefined) onProgress(JSON.parse(data));
          if (data !== undefined && ENDED.includes(JSON.parse(data).status)) isStopped = true;
        }
      }
      await reader.cancel();
    } finally {
      clearTimeout(timer);
    }
  };

  const read = async () => {
    const response = await open(url, eitherSignal(interrupt.signal, timeoutSignal(READ_TIMEOUT_MS)));
    const progress = await response.json();
    if (isStopped) return;
    onProblem(null);
    onProgress(progress);
    if (ENDED.includes(progress.status)) isStopped = true;
  };

  const pause = (ms) =>
    new Promise((resolve) => {
      const { signal } = interrupt;
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener('abort', end);
    });

  const renew = () => {
    if (interrupt.signal.aborted) interrupt = new AbortController();
  };

  const whenVisible = async () => {
    while (document.hidden && !isStopped) {
      renew();
      await pause(MAX_PAUSE_MS);
    }
    renew();
  };

  const run = async () => {
    let failures = 0;
    while (!isStopped) {
      await whenVisible();
      const startedAt = Date.now();
      let waitMs = 0;
      let isRead = false;
      try {
        if (!isStopped) await read();
        isRead = true;
        if (!isStopped) await readStream();
        failures = 0;
      } catch (error) {
        if (!interrupt.signal.aborted) {
          // A stream that lasted is not a failure: its connection was cut.
          failures = Date.now() - startedAt > SILENCE_MS * 2 ? 1 : failures + 1;
          // Without a stream the next read tells whether there is a connection.
          const isShown = !isRead || error instanceof Refusal;
          const problem = isShown ? await problemFrom(error, isAnswered ? null : script) : null;
          if (isStopped) return;
          if (isShown) onProblem(problem);
          if (error instanceof Refusal) return;
          waitMs = error.waitMs || 0;
        }
      }
      const growingMs = Math.min(MAX_PAUSE_MS, 2_000 * 2 ** failures);
      // Each page at its own moment: otherwise all come back at once after the server was away. Never before Retry-After.
      if (!isStopped && !interrupt.signal.aborted)
        await pause(Math.max(waitMs, growingMs * 0.75) + (growingMs * Math.random()) / 2);
    }
  };

  const onVisibility = () => interrupt.abort();
  const onOnline = () => interrupt.abort();
  document.addEventListener('visibilitychange', onVisibility);
  window.addEventListener('online', onOnline);
  void run();
  return () => {
    isStopped = true;
    interrupt.abort();
    document.removeEventListener('visibilitychange', onVisibility);
    window.removeEventListener('online', onOnline);
  };
}

/** What AbortSignal.timeout() does, which Safari has since 16. */
function timeoutSignal(ms) {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new DOMException('The time is over.', 'TimeoutError')), ms);
  return controller.signal;
}

/** What AbortSignal.any() does, which Safari has since 17.4. */
function eitherSignal(one, other) {
  const controller = new AbortController();
  for (const signal of [one, other]) {
    if (signal.aborted) controller.abort(signal.reason);
    else signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true });
  }
  return controller.signal;
}

/**
 * A browser does not tell a script why it got no answer. If the server can be reached for the script itself, which every page may
 * read, it was the origin of this page that was refused. Null as the script: the origin is known to be allowed.
 */
async function problemFrom(error, script) {
  if (error instanceof Refusal || error instanceof Unavailable) return error;
  const offline = new Unavailable('offline', 'The server cannot be reached.');
  // A refused origin is a TypeError of fetch(); a time-out is not.
  if (script === null || !(error instanceof TypeError) || !navigator.onLine) return offline;
  try {
    const signal = timeoutSignal(READ_TIMEOUT_MS);
    await fetch(script, { method: 'HEAD', credentials: 'omit', cache: 'no-store', signal });
  } catch {
    return offline;
  }
  const hint = `Register the origin ${location.origin} for the venue of this key, and check the id and the key.`;
  return new Unavailable('origin_not_allowed', `The server answers, but not to this page. ${hint}`);
}
