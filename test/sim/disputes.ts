// Guests who inquire about charges and dispute them, before and after transfers and refunds, won and lost, and who take a
// lost dispute back and dispute the charge again; and what must hold about it: no money of a charge whose dispute is known
// goes to the venue, every loss is divided, and no cent reaches a guest twice.

import type { ChargeRow, DisputeRow } from '../../sandbox/processor/row-types.ts';
import { PROCESSOR_KEYS } from './processor-client.ts';
import { type Actor, Violation } from './scheduler.ts';
import type { ProcessorBooks } from './simulated-processor.ts';
import type { Simulation } from './simulation.ts';
import type { Snapshot } from './snapshot.ts';

const ENDED_STATUSES: ReadonlySet<string> = new Set(['won', 'lost', 'warning_closed']);
const isOpen = ({ status }: { readonly status: string }): boolean => !ENDED_STATUSES.has(status);

/** What no refund and no dispute has given back to the guest, and what no open dispute asks for. */
function leftOf({ disputes }: ProcessorBooks, { id, amountCaptured, refunded }: ChargeRow): number {
  const disputed = [...disputes.values()].filter(({ charge }) => charge === id);
  if (disputed.some(isOpen)) return 0;
  return disputed.reduce((left, dispute) => left - takenBy(dispute), amountCaptured - refunded);
}

const disputableCharges = (books: ProcessorBooks): ChargeRow[] =>
  [...books.charges.values()].filter((charge) => charge.captured && leftOf(books, charge) > 0);

/** What the guest has by an ended dispute. */
function takenBy({ status, amount, reinstated = 0, reinstatedLater = 0 }: DisputeRow): number {
  return status === 'lost' ? amount - reinstated - reinstatedLater : 0;
}

export function startDisputes(simulation: Simulation): void {
  const { scheduler, random, plan, processor } = simulation;
  if (!plan.hasDisputes) return;
  for (let number = random.between(1, 3); number > 0; number--) {
    scheduler.startActor(`disputer ${number}`, 'external', async (actor) => {
      const wait = async (steps: number): Promise<void> => {
        const from = scheduler.step + steps;
        await scheduler.waitForStep(actor, 'waits', () => scheduler.step >= from);
      };
      await scheduler.waitForStep(actor, 'waits', () => disputableCharges(processor.books).length > 0);
      await wait(random.often(0.6) ? 0 : random.between(0, 40));
      // The disputes that are open when the faults end are closed then, so no more are opened.
      const unlessHealed = async <T>(call: () => Promise<T>): Promise<T | null> =>
        scheduleCall(simulation, actor, async () => (simulation.isHealed ? null : call()));
      const disputed = await unlessHealed(() => openDispute(simulation));
      if (disputed === null) return;
      await wait(random.between(0, 120));
      await unlessHealed(() => closeOpenDisputes(simulation, disputed));
      if (random.often(0.4)) return;
      await wait(random.between(0, 120));
      await unlessHealed(() => takeLostDisputesBack(simulation, disputed));
      await wait(random.between(0, 60));
      await unlessHealed(() => openDispute(simulation));
    });
  }
}

/** The call is one step of the schedule, as every call to the processor is. */
function scheduleCall<T>({ scheduler }: Simulation, actor: Actor, run: () => Promise<T>): Promise<T> {
  return new Promise((resolve) => {
    scheduler.enqueue({ actor, label: () => 'disputes', run: async () => resolve(await run()) });
  });
}

/** A guest disputes a charge, or a part of it. Returns the charge; null: there is none left to dispute. */
export async function openDispute(simulation: Simulation): Promise<string | null> {
  const { random, processor } = simulation;
  const charges = disputableCharges(processor.books);
  if (charges.length === 0) return null;
  // A guest whom an operator has paid by hand disputes first: few seeds have one.
  const paidByHand = charges.filter(({ metadata }) => isPaidByHand(simulation, metadata.hold_id));
  const charge = random.pick(paidByHand.length > 0 ? paidByHand : charges);
  const left = leftOf(processor.books, charge);
  const amount = random.often(0.7) ? left : random.between(1, left);
  const inquiry = random.often(0.2) ? { inquiry: 'true' } : {};
  await callHelper(simulation, '', { charge: charge.id, amount: String(amount), ...inquiry });
  return charge.id;
}

/** Guests take lost disputes back, of one charge or of any, completely or in part. */
export async function takeLostDisputesBack(simulation: Simulation, charge: string | null = null): Promise<void> {
  const { random, processor } = simulation;
  for (const dispute of [...processor.books.disputes.values()]) {
    const most = takenBy(dispute);
    if (most === 0 || (charge !== null && dispute.charge !== charge) || random.often(0.3)) continue;
    const amount = random.often(0.6) ? most : random.between(1, most);
    await callHelper(simulation, `/${dispute.id}/take_back`, { amount: String(amount) });
  }
}

function isPaidByHand({ invariants: { current } }: Simulation, hold: string | undefined): boolean {
  return current.movements.some((one) => one.hold === hold && one.kind !== 'transfer' && one.status === 'closed');
}

/** Closes every open dispute, or that of one charge: some are won, some are lost. */
export async function closeOpenDisputes(simulation: Simulation, charge: string | null = null): Promise<void> {
  const { random, processor } = simulation;
  const open = [...processor.books.disputes.values()].filter(
    (dispute) => isOpen(dispute) && (charge === null || dispute.charge === charge),
  );
  for (const { id, isInquiry } of open) {
    if (isInquiry === true && random.often(0.5)) await callHelper(simulation, `/${id}/close_inquiry`, {});
    else if (isInquiry === true) await callHelper(simulation, `/${id}/escalate`, {});
    if (processor.books.disputes.get(id)?.isInquiry === true) continue;
    await callHelper(simulation, `/${id}/${random.often(0.5) ? 'won' : 'lost'}`, {});
  }
}

/**
 * The operator pays money into the balance. What came back of a lost dispute is sent from there, and the fees of disputes have
 * used it up.
 */
export async function topUpBalance(simulation: Simulation): Promise<void> {
  await post(simulation, 'topups', { amount: '100000000', currency: 'usd' });
}

function callHelper(simulation: Simulation, path: string, form: Readonly<Record<string, string>>): Promise<void> {
  return post(simulation, `test_helpers/disputes${path}`, form);
}

/** Not by the service, so it needs no idempotency key. A fault may leave all as it was. */
async function post(
  { processor, scheduler, plan }: Simulation,
  path: string,
  form: Readonly<Record<string, string>>,
): Promise<void> {
  const response = await processor.processor.handle({
    method: 'POST',
    path: `/v1/${path}`,
    headers: { authorization: `Bearer ${PROCESSOR_KEYS[plan.mode].secret}` },
    body: new URLSearchParams(form).toString(),
  });
  scheduler.log(`  ${path} ${JSON.stringify(form)}: ${response.fault ?? response.status}`);
}

/** A transfer that is begun after its charge's dispute is known is not sent while the dispute is open. */
export class DisputeInvariants {
  #commits = 0;
  readonly #knownSince = new Map<string, number>();
  readonly #begunAt = new Map<string, number>();

  onCommit(before: Snapshot, next: Snapshot): void {
    this.#commits++;
    for (const { id } of next.disputes.filter(isOpen))
      if (!this.#knownSince.has(id)) this.#knownSince.set(id, this.#commits);
    const statuses = new Map(before.movements.map(({ id, status }) => [id, status]));
    for (const { id, kind, status, hold } of next.movements) {
      const old = statuses.get(id);
      if (kind !== 'transfer' || old === status) continue;
      if (status === 'sending') this.#begunAt.set(id, this.#commits);
      if (status !== 'done') continue;
      const begun = this.#begunAt.get(id) ?? 0;
      const known = before.disputes.find(
        (dispute) => dispute.hold === hold && isOpen(dispute) && (this.#knownSince.get(dispute.id) ?? 0) < begun,
      );
      if (known !== undefined) throw new Violation(`transfer ${id} was sent although ${known.id} disputes its charge`);
    }
  }
}

/** All work is done. With open disputes some work waits, so every dispute must have ended. */
export function checkDisputes(current: Snapshot, books: ProcessorBooks): void {
  for (const dispute of books.disputes.values()) {
    const { id, status, charge } = dispute;
    const ours = current.disputes.find((dispute) => dispute.id === id);
    if (ours?.status !== status) throw new Violation(`dispute ${id} is ${status}, and our records say ${ours?.status}`);
    if (status === 'lost' && !ours.isDivided) throw new Violation(`the loss of dispute ${id} was never divided`);
    const captured = books.charges.get(charge)?.amountCaptured ?? 0;
    const refunded = [...books.refunds.values()]
      .filter((refund) => refund.charge === charge && refund.status !== 'failed')
      .reduce((sum, refund) => sum + refund.amount, 0);
    if (ours.divided !== takenBy(dispute))
      throw new Violation(`${takenBy(dispute)} is lost by dispute ${id}, and ${ours.divided} is divided`);
    if (takenBy(dispute) + refunded > captured) throw new Violation(`charge ${charge} was paid back twice`);
  }
  for (const share of current.shares) {
    const lost = lostOf(current, books, ({ metadata }) => metadata.share_id === share.id);
    if (share.lost !== lost)
      throw new Violation(`share ${share.id} has lost ${lost}, and our records say ${share.lost}`);
  }
}

/** What guests have got back by disputes of these charges, less what an operator had paid them by hand: that is our loss. */
export function lostOf(current: Snapshot, books: ProcessorBooks, isWanted: (charge: ChargeRow) => boolean): number {
  return current.disputes
    .filter(({ id }) => {
      const dispute = books.disputes.get(id);
      const charge = books.charges.get(dispute?.charge ?? '');
      return dispute?.status === 'lost' && charge !== undefined && isWanted(charge);
    })
    .reduce((sum, { divided, ownPart }) => sum + divided - ownPart, 0);
}

/**
 * The processor pays no more out of a charge whose dispute was lost: a refund that exceeds the dispute fails. When the guest
 * takes the dispute back later, an operator can retry it.
 */
export function isRefundOfLostCharge(
  current: Snapshot,
  books: ProcessorBooks,
  movement: Snapshot['movements'][number],
): boolean {
  const isRefund = movement.kind === 'refund' || movement.kind === 'return';
  const wasLost = (id: string): boolean => {
    const dispute = books.disputes.get(id);
    return dispute?.status === 'lost' || dispute?.reinstatedLater !== undefined;
  };
  return isRefund && current.disputes.some(({ id, hold }) => hold === movement.hold && wasLost(id));
}
