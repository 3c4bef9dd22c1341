// Starts a resource once for a run of several projects, and stops it after the last of them. Vitest loads a global
// setup once for each project, each time as a new module, so the count is on `globalThis`.

interface Shared {
  readonly value: Promise<unknown>;
  users: number;
}

const KEY = Symbol.for('everyshare.test-run');
const store = globalThis as { [KEY]?: Map<string, Shared> };
store[KEY] ??= new Map();
const running = store[KEY];

/** Returns the value, and a release that stops the resource when no other project uses it. */
export async function oncePerRun<Value>(
  name: string,
  start: () => Value | Promise<Value>,
  stop: (value: Value) => void | Promise<void>,
): Promise<{ readonly value: Value; release(): Promise<void> }> {
  const shared = running.get(name) ?? { value: Promise.resolve().then(start), users: 0 };
  running.set(name, shared);
  shared.users += 1;
  const value = (await shared.value) as Value;
  return {
    value,
    async release() {
      shared.users -= 1;
      if (shared.users > 0) return;
      running.delete(name);
      await stop(value);
    },
  };
}
