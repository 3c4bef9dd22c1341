// A state machine is data: for each state, the states that may follow. The same table stands in the database, which
// refuses every other move; a test proves that both agree.

export type Transitions<State extends string> = Readonly<Record<State, readonly State[]>>;

export function canTransition<State extends string>(moves: Transitions<State>, from: State, to: State): boolean {
  return moves[from].includes(to);
}
