// One object of the review: as members will see it, what changed beside what they see now, the JSON, and what reviewers
// alone see.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ReviewCase } from '../client/types.gen.ts';
import { Id } from '../ui/controls.tsx';
import { count, dateTime, words } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { Json } from '../ui/json.tsx';
import { entriesOf, MemberCard, textAt, textOf } from '../ui/member-card.tsx';
import { Banner } from '../ui/parts.tsx';
import { Chip, StateChip } from '../ui/states.tsx';
import { checksOf } from './review-checks.ts';

export function ReviewedObject({ review }: { readonly review: ReviewCase }): JSX.Element {
  const { title, venue, differences, waiting, visible } = review;
  return (
    <>
      <header class="review-head">
        <h2>
          {title} <StateChip kind="review" state={review.status} />{' '}
          {differences.length > 0 && (
            <Chip color="blue" icon="alert">
              {count(differences.length, 'change')}
            </Chip>
          )}{' '}
          {review.mode === 'test' && <Chip color="amber">test</Chip>}
        </h2>
        <p class="quiet">
          {venue.name} · {review.kind} {review.external_id !== null && <Id id={review.external_id} isWhole />}{' '}
          <Id id={review.id} /> sent {dateTime(review.waiting_since)}
        </p>
      </header>
      {review.status === 'rejected' && review.review_note !== null && (
        <Banner color="red" icon="refused">
          <b>Rejected.</b> “{review.review_note}”
        </Banner>
      )}
      <div class="review-columns">
        <AsSeen key={review.version} review={review} />
        <section class="review-changes">
          <h3>What changed</h3>
          <Changes review={review} />
          <h3>Checks</h3>
          <Checks kind={review.kind} content={waiting ?? visible ?? {}} />
          <h3>Decisions</h3>
          <History review={review} />
        </section>
        <Json value={waiting ?? visible} label="Raw JSON" marks={differences.map(({ field }) => field)} />
      </div>
    </>
  );
}

function AsSeen({ review }: { readonly review: ReviewCase }): JSX.Element {
  const { visible, waiting, venue, differences, extra } = review;
  const [isNow, setNow] = useState(false);
  const content = (isNow ? visible : (waiting ?? visible)) ?? {};
  const changed = new Set(isNow ? [] : differences.map(({ field }) => field.split('/')[1] ?? ''));
  return (
    <section class="review-seen">
      <header>
        <h3>As members {waiting === null ? 'see it' : 'will see it'}</h3>
        {visible !== null && waiting !== null && (
          <div class="tab-list" role="group" aria-label="Version">
            <button type="button" aria-pressed={!isNow} onClick={() => setNow(false)}>
              New
            </button>
            <button type="button" aria-pressed={isNow} onClick={() => setNow(true)}>
              Now
            </button>
          </div>
        )}
      </header>
      <MemberCard venue={venue.name} content={content} changed={changed} />
      <h3>Only reviewers see</h3>
      <dl class="pairs">
        {entriesOf(content.metadata).map(([name, value]) => (
          <div key={name}>
            <dt>metadata.{name}</dt>
            <dd>{textOf(value)}</dd>
          </div>
        ))}
        <div>
          <dt>First sent</dt>
          <dd>{dateTime(review.created_at)}</dd>
        </div>
        <div>
          <dt>Venue</dt>
          <dd>{venue.linked ? 'linked' : 'sandbox, not linked'}</dd>
        </div>
      </dl>
      {extra !== null && extra !== undefined && <Json value={extra} label="extra" />}
    </section>
  );
}

/** What a program can see; a person decides. */
function Checks(props: {
  readonly kind: ReviewCase['kind'];
  readonly content: Readonly<Record<string, unknown>>;
}): JSX.Element {
  return (
    <ul class="review-checks">
      {checksOf(props.kind, props.content).map(({ text, isGood }) => (
        <li key={text} class={isGood ? 'good' : 'look'}>
          <Icon name={isGood ? 'check' : 'alert'} /> {text}
        </li>
      ))}
    </ul>
  );
}

function Changes({ review: { visible, waiting, differences } }: { readonly review: ReviewCase }): JSX.Element {
  if (visible === null) return <p class="quiet">Members see no version of it yet.</p>;
  if (waiting === null || differences.length === 0) return <p class="quiet">Members see this version.</p>;
  return (
    <ol class="changes versions">
      {differences.map(({ field, change }) => (
        <li key={field}>
          <code>{field}</code>
          <div>
            {change === 'added' ? <span class="quiet">none</span> : <del>{textAt(field, visible)}</del>} →{' '}
            {change === 'removed' ? <span class="quiet">removed</span> : <ins>{textAt(field, waiting)}</ins>}
          </div>
        </li>
      ))}
    </ol>
  );
}

const ACTIONS: Readonly<Record<string, string>> = {
  'review.approve': 'Approved',
  'review.reject': 'Rejected',
  'review.take_down': 'Taken down',
  'review.reopen': 'Reopened',
};

function History({ review: { history } }: { readonly review: ReviewCase }): JSX.Element {
  if (history.length === 0) return <p class="quiet">It was not reviewed before.</p>;
  return (
    <ol class="changes">
      {[...history].reverse().map(({ at, action, by, note }) => (
        <li key={at}>
          <b>{ACTIONS[action] ?? words(action)}</b>{' '}
          <span class="quiet">
            {dateTime(at)}, {by}
          </span>
          {note !== null && <p class="quiet">“{note}”</p>}
        </li>
      ))}
    </ol>
  );
}
