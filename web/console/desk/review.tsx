// The review queue and one object of it, side by side: the longest wait first. Every decision has a key, and is about the
// version on the screen; when that has changed meanwhile, the page shows the new one first.

import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useAction } from '../client/action.ts';
import { useAddressQuery } from '../client/address-query.ts';
import { codeOf } from '../client/api.ts';
import { useLoad } from '../client/load.ts';
import { DESK_POLLS } from '../client/polls.ts';
import type { ReviewCase, ReviewItem, ReviewReason } from '../client/types.gen.ts';
import type { ScreenProps } from '../screens.ts';
import { showToast } from '../shell/announce.tsx';
import { goTo } from '../shell/go-to.ts';
import { type ScreenKey, useKeys } from '../shell/shortcuts.tsx';
import { Button } from '../ui/controls.tsx';
import { ago, count } from '../ui/format.ts';
import { Banner, Empty, Failed, messageOf, Shown } from '../ui/parts.tsx';
import { UndoBar, UnsentBar } from './decision-bars.tsx';
import { useCommand } from './frame.tsx';
import { NoteDialog } from './note-dialog.tsx';
import {
  forgetUnsent,
  holdDecision,
  pendingDecision,
  type UnsentDecision,
  undoDecision,
  unsentDecisions,
} from './pending-decision.ts';
import { ReviewedObject } from './review-case.tsx';
import { ReviewCsv } from './review-csv.tsx';
import { desk, mayReview, waitingReviews } from './session.ts';

const STATES = [
  ['', 'Waiting'],
  ['approved', 'Approved'],
  ['rejected', 'Rejected'],
] as const;

const MODES = [
  ['', 'Live'],
  ['test', 'Test'],
] as const;

export default function ReviewScreen({ id = '' }: ScreenProps): JSX.Element {
  const address = useAddressQuery();
  const status = address.get('status');
  const query = status === 'approved' || status === 'rejected' ? ({ status } as const) : {};
  const limit = pageSize(address.get('limit'));
  const mode = address.get('mode') === 'test' ? 'test' : 'live';
  const queue = useQueue({ ...query, mode, limit });
  const held = pendingDecision.value;
  // What was decided a moment ago has left the queue, although it can still be taken back.
  const items = (queue.data?.data ?? []).filter((item) => status !== '' || item.id !== held?.id);
  const openId = id === '' ? (items[0]?.id ?? '') : id;
  const hrefOf = (one: string): string => address.hrefWith({}).replace(/^[^?]*/, `/desk/review/${one}`);
  const queueWith = (changes: Readonly<Record<string, string>>): string =>
    address.hrefWith(changes).replace(/^[^?]*/, '/desk/review');
  useEffect(() => {
    // The menu counts live objects alone: test objects may stay in their queue for good.
    if (queue.data !== undefined && mode === 'live') waitingReviews.value = queue.data.waiting;
  }, [queue.data]);
  const open = (step: number): void => {
    const at = items.findIndex((item) => item.id === openId);
    const next = items[Math.min(items.length - 1, Math.max(0, at + step))];
    if (at + step >= items.length) queue.showMore();
    if (next !== undefined) goTo(hrefOf(next.id));
  };
  /** The next of those that waited: the decided one leaves the queue. */
  const openNext = (decided: string): void => {
    const at = items.findIndex((item) => item.id === decided);
    const next = items[at + 1] ?? items[at - 1];
    if (status !== '') void queue.reload();
    if (status === '') goTo(next === undefined ? queueWith({}) : hrefOf(next.id));
  };
  const undo = (): void => {
    const taken = undoDecision();
    if (taken === null) return;
    showToast('Taken back: nothing was sent.');
    goTo(hrefOf(taken.id));
  };
  const takeBack = ({ id: taken }: UnsentDecision): void => {
    forgetUnsent(taken);
    showToast('Taken back: nothing was decided.');
    goTo(hrefOf(taken));
  };
  const onSent = (): void => void queue.reload();
  document.title = 'Review queue · Everyshare';
  return (
    <div class="page review">
      <Shown loaded={queue}>
        {({ reasons, waiting, next_after }) => (
          <>
            <section class="review-queue" aria-label="Queue">
              <header>
                <h1 tabIndex={-1}>
                  {status === '' ? 'Waiting' : status === 'approved' ? 'Approved' : 'Rejected'}{' '}
                  {status === '' && <span class="chip amber">{waiting}</span>}
                </h1>
                <span class="quiet">{status === '' ? 'oldest first' : 'newest first'}</span>
              </header>
              <div class="chips">
                {MODES.map(([value, name]) => (
                  <a
                    key={name}
                    href={queueWith({ mode: value })}
                    aria-current={mode === (value === '' ? 'live' : value) ? 'true' : undefined}
                  >
                    {name}
                  </a>
                ))}
              </div>
              <div class="chips">
                {STATES.map(([value, name]) => (
                  <a
                    key={value}
                    href={queueWith({ status: value })}
                    aria-current={status === value ? 'true' : undefined}
                  >
                    {name}
                  </a>
                ))}
              </div>
              <ol>
                {items.map((item) => (
                  <QueueLine key={item.id} item={item} href={hrefOf(item.id)} isOpen={item.id === openId} />
                ))}
              </ol>
              {items.length > 0 && (
                <div class="review-more">
                  {next_after !== null && (
                    <>
                      <span class="quiet">{count(items.length, 'object')} shown.</span>
                      <Button onClick={queue.showMore}>Show more</Button>
                    </>
                  )}
                  <ReviewCsv query={{ ...query, mode }} />
                </div>
              )}
              {items.length === 0 && <Empty>{status === '' ? 'The queue is empty.' : `Nothing is ${status}.`}</Empty>}
              {unsentDecisions.value.map((unsent) => (
                <UnsentBar key={unsent.id} unsent={unsent} onTakeBack={() => takeBack(unsent)} />
              ))}
              {held !== null && <UndoBar text={held.text} onUndo={undo} />}
            </section>
            {openId !== '' && (
              <OpenReview
                key={openId}
                id={openId}
                reasons={reasons}
                onMove={open}
                onDecided={openNext}
                onSent={onSent}
                onUndo={held === null ? null : undo}
              />
            )}
          </>
        )}
      </Shown>
    </div>
  );
}

const MAX_PAGE_SIZE = 100;

/** A smaller page can be asked for in the address. */
function pageSize(text: string): number {
  const wanted = Number(text);
  return Number.isInteger(wanted) && wanted >= 1 && wanted <= MAX_PAGE_SIZE ? wanted : MAX_PAGE_SIZE;
}

type QueueQuery = NonNullable<Parameters<typeof desk.listReviews>[0]>;

/** The pages of the queue that were asked for, read again together: what is decided leaves all of them. */
function useQueue(query: QueueQuery) {
  const pages = useRef(1);
  const loaded = useLoad(
    async (signal) => {
      const read = async (after: string | null) => {
        const asked = after === null ? query : { ...query, after };
        return (await desk.listReviews(asked, { signal })).answer;
      };
      let page = await read(null);
      const data = [...page.data];
      for (let done = 1; done < pages.current && page.next_after !== null; done++) {
        page = await read(page.next_after);
        data.push(...page.data);
      }
      return { ...page, data };
    },
    [query.status, query.mode],
    DESK_POLLS.review,
  );
  useEffect(() => {
    pages.current = 1;
  }, [query.status, query.mode]);
  const showMore = (): void => {
    if (loaded.data?.next_after == null) return;
    pages.current++;
    void loaded.reload();
  };
  return { ...loaded, showMore };
}

function QueueLine(props: { readonly item: ReviewItem; readonly href: string; readonly isOpen: boolean }): JSX.Element {
  const { item, href, isOpen } = props;
  return (
    <li>
      <a href={href} aria-current={isOpen ? 'true' : undefined}>
        <b>{item.title}</b>
        <span class="quiet">{ago(item.waiting_since)}</span>
        <span class="quiet">
          {item.venue.name} · {item.kind}
          {item.mode === 'test' && ' · test'}
        </span>
        <span class={item.is_change ? 'quiet' : 'new'}>
          {item.status !== 'pending' ? '' : item.is_change ? 'change' : 'new'}
        </span>
      </a>
    </li>
  );
}

interface OpenProps {
  readonly id: string;
  readonly reasons: readonly ReviewReason[];
  readonly onMove: (step: number) => void;
  readonly onDecided: (id: string) => void;
  /** The server has answered a decision that could be taken back. */
  readonly onSent: () => void;
  /** Null: nothing can be taken back. */
  readonly onUndo: (() => void) | null;
}

type Asking = { readonly action: 'reject' | 'take_down'; readonly note: string };

function OpenReview({ id, reasons, onMove, onDecided, onSent, onUndo }: OpenProps): JSX.Element {
  const loaded = useLoad((signal) => desk.getReview(id, { signal }), [id]);
  const [asking, setAsking] = useState<Asking | null>(null);
  const shown = loaded.data;
  useCommand(`npx everyshare review show ${id}`);
  const decide = useAction(async (action: DecisionName, note: string) => {
    if (shown === undefined) return;
    const { title, version } = shown;
    const { done, run } = DECISIONS[action];
    const send = async (): Promise<void> => void (await run(id, version, note));
    try {
      if (action === 'approve' || action === 'reject') {
        await requireUnchanged(id, version);
        holdDecision({ id, text: `${done}: ${title}.`, send, onSent: (error) => reportSent(title, error, onSent) });
      } else await send();
    } catch (error) {
      // The dialog stays with its note after any other error: the note can be corrected, or sent again.
      if (error instanceof ChangedSince || codeOf(error) === 'conflict') {
        setAsking(null);
        await loaded.reload();
      }
      throw error;
    }
    setAsking(null);
    showToast(`${done}: ${title}.`);
    onDecided(id);
  });
  const may = shown === undefined || !mayReview() ? NOTHING : actionsFor(shown);
  const ask = (action: Asking['action'], note = ''): void => {
    decide.reset();
    setAsking({ action, note });
  };
  const keys: ScreenKey[] = [
    { key: 'j', name: 'next object', run: () => onMove(1) },
    { key: 'k', name: 'previous object', run: () => onMove(-1) },
  ];
  if (onUndo !== null) keys.push({ key: 'u', name: 'take the last decision back', run: onUndo });
  if (may.approve) keys.push({ key: 'a', name: 'approve', run: () => void decide.run('approve', '') });
  if (may.reject) {
    keys.push({ key: 'r', name: 'reject, with a reason', run: () => ask('reject') });
    for (const [i, { name, note }] of reasons.entries())
      keys.push({ key: String(i + 1), name: `reject: ${name.toLowerCase()}`, run: () => ask('reject', note) });
  }
  if (may.take_down) keys.push({ key: 't', name: 'take down what members see', run: () => ask('take_down') });
  if (may.reopen) keys.push({ key: 'o', name: 'reopen', run: () => void decide.run('reopen', '') });
  useKeys(keys);
  return (
    <section class="review-open" aria-label="The object">
      <Shown loaded={loaded}>
        {(review) => (
          <>
            {asking === null && decide.error !== undefined && <DecisionFailed error={decide.error} />}
            <ReviewedObject review={review} />
            <footer class="decision-actions">
              {may.approve && (
                <Button
                  kind="primary"
                  icon="check"
                  shortcut="A"
                  isBusy={decide.isBusy}
                  onClick={() => void decide.run('approve', '')}
                >
                  Approve
                </Button>
              )}
              {may.reject && (
                <Button icon="cross" shortcut="R" onClick={() => ask('reject')}>
                  Reject…
                </Button>
              )}
              {may.reject &&
                reasons.map(({ key, name, note }, i) => (
                  <Button key={key} shortcut={String(i + 1)} onClick={() => ask('reject', note)}>
                    {name}
                  </Button>
                ))}
              {may.take_down && (
                <Button icon="eye" shortcut="T" onClick={() => ask('take_down')}>
                  Take down…
                </Button>
              )}
              {may.reopen && (
                <Button icon="turn" shortcut="O" isBusy={decide.isBusy} onClick={() => void decide.run('reopen', '')}>
                  Reopen
                </Button>
              )}
              <span class="quiet">{mayReview() ? 'Audited' : 'Your role reads reviews; reviewers decide them.'}</span>
            </footer>
            {asking !== null && (
              <NoteDialog
                title={asking.action === 'reject' ? `Reject “${review.title}”` : `Take down “${review.title}”`}
                lead={
                  asking.action === 'reject'
                    ? rejectionLead(review)
                    : 'Members see no version of it from now on. Bookings that were made stay as they are.'
                }
                label="What the venue reads"
                button={asking.action === 'reject' ? 'Reject' : 'Take down'}
                initial={asking.note}
                action={decide}
                at="/note"
                onClose={() => setAsking(null)}
                onSubmit={(note) => void decide.run(asking.action, note)}
              />
            )}
          </>
        )}
      </Shown>
    </section>
  );
}

class ChangedSince extends Error {}

/** Said at once, not ten seconds later; the server checks it again. */
async function requireUnchanged(id: string, version: string): Promise<void> {
  const { version: newest, kind } = await desk.getReview(id);
  if (newest !== version) throw new ChangedSince(`This ${kind} was changed after it was looked at: look at it again.`);
}

function DecisionFailed({ error }: { readonly error: unknown }): JSX.Element {
  if (!(error instanceof ChangedSince)) return <Failed error={error} />;
  return (
    <Banner color="amber" icon="alert">
      {error.message}
    </Banner>
  );
}

function reportSent(title: string, error: unknown, onSent: () => void): void {
  if (error !== undefined) showToast(`${title}: not decided. ${messageOf(error)}`, true);
  onSent();
}

const rejectionLead = ({ is_visible, differences }: ReviewCase): string =>
  is_visible
    ? `Members keep the version that they see now; ${count(differences.length, 'change')} stay out.`
    : 'Members do not see it. The venue can correct it and send it again.';

type DecisionName = 'approve' | 'reject' | 'take_down' | 'reopen';

const DECISIONS: Readonly<
  Record<
    DecisionName,
    { readonly done: string; readonly run: (id: string, version: string, note: string) => PromiseLike<unknown> }
  >
> = {
  approve: { done: 'Approved', run: (id, version) => desk.approveReview(id, { version }) },
  reject: { done: 'Rejected', run: (id, version, note) => desk.rejectReview(id, { version, note }) },
  take_down: { done: 'Taken down', run: (id, version, note) => desk.takeDownReview(id, { version, note }) },
  reopen: { done: 'Reopened', run: (id, version) => desk.reopenReview(id, { version }) },
};

type Rights = Readonly<Record<DecisionName, boolean>>;
const NOTHING: Rights = { approve: false, reject: false, take_down: false, reopen: false };

function actionsFor({ status, is_visible }: ReviewCase): Rights {
  const isWaiting = status === 'pending';
  return { approve: isWaiting, reject: isWaiting, take_down: is_visible, reopen: status === 'rejected' };
}
