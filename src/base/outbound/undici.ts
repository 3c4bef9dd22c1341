// The HTTP client, loaded with the first request: a server that has nothing to send yet starts sooner without it.

type Undici = typeof import('undici');

let loading: Promise<Undici> | null = null;

export function loadUndici(): Promise<Undici> {
  loading ??= import('undici');
  return loading;
}
