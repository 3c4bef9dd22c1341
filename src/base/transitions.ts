// A state machine is data: for each state, the states that may follow. The database holds the same table and refuses every
// other transition; a test proves that both agree.

export type Transitions<State extends string> = Readonly<Record<State, readonly State[]>>;

export function canTransition<State extends string>(transitions: Transitions<State>, from: State, to: State): boolean {
  return transitions[from].includes(to);
}

/** Throws where the program would write a transition that does not exist: that is our bug, never the caller's error. */
export function requireTransition<State extends string>(
  machine: string,
  transitions: Transitions<State>,
  from: State,
  to: State,
): void {
  if (!canTransition(transitions, from, to)) throw new Error(`a ${machine} cannot go from ${from} to ${to}`);
}
