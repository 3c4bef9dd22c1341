// One object of the review: as members will see it, what changed beside what they see now, the JSON, and what reviewers
// alone see.

import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ReviewCase } from '../client/types.gen.ts';
import { Id } from '../ui/controls.tsx';
import { count, dateTime, money, words } from '../ui/format.ts';
import { Json } from '../ui/json.tsx';
import { Banner } from '../ui/parts.tsx';
import { Chip, StateChip } from '../ui/states.tsx';

type Content = Readonly<Record<string, unknown>>;

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

/** A member of the object that differs from the visible version is marked. */
function Marked(props: { readonly isChanged: boolean; readonly children: ComponentChildren }): JSX.Element {
  return props.isChanged ? <mark>{props.children}</mark> : <span>{props.children}</span>;
}

interface CardProps {
  readonly venue: string;
  readonly content: Content;
  readonly changed: ReadonlySet<string>;
}

function MemberCard({ venue, content, changed }: CardProps): JSX.Element {
  const [isImageBroken, setImageBroken] = useState(false);
  const image = imageOf(content);
  const text = (name: string): string | null => (typeof content[name] === 'string' ? (content[name] as string) : null);
  const startsAt = text('starts_at');
  return (
    <article class="member-card">
      {image !== null && !isImageBroken && (
        <img src={image.url} alt={image.alt} loading="lazy" onError={() => setImageBroken(true)} />
      )}
      <div class="inside">
        <p class="quiet">
          {venue}
          {cityOf(content)}
        </p>
        <h4>
          <Marked isChanged={changed.has('title') || changed.has('name')}>{text('title') ?? text('name')}</Marked>
        </h4>
        {startsAt !== null && <p>{dateTime(startsAt)}</p>}
        {text('description') !== null && (
          <p>
            <Marked isChanged={changed.has('description')}>{text('description')}</Marked>
          </p>
        )}
        <dl class="pairs">
          {pricesOf(content).map(({ name, price }) => (
            <div key={`${name} ${price}`}>
              <dt>{name}</dt>
              <dd>
                <Marked isChanged={changed.has('tiers') || changed.has('pricing')}>{price}</Marked>
              </dd>
            </div>
          ))}
        </dl>
        {rulesOf(content).map((rule) => (
          <p key={rule}>
            <Marked isChanged={changed.has('policy')}>{rule}</Marked>
          </p>
        ))}
      </div>
    </article>
  );
}

const listOf = (value: unknown): readonly Content[] => (Array.isArray(value) ? (value as Content[]) : []);
const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function imageOf(content: Content): { readonly url: string; readonly alt: string } | null {
  const [first] = listOf(content.media);
  if (first !== undefined && first.type !== 'video') return { url: String(first.url), alt: String(first.alt ?? '') };
  const [photo] = Array.isArray(content.photo_urls) ? (content.photo_urls as string[]) : [];
  return photo === undefined ? null : { url: photo, alt: '' };
}

function cityOf({ location }: Content): string {
  const city = (location as Content | undefined)?.city;
  return typeof city === 'string' ? ` · ${city}` : '';
}

function pricesOf(content: Content): { readonly name: string; readonly price: string }[] {
  const ofTiers = listOf(content.tiers).map((tier) => ({
    name: [tier.label, Array.isArray(tier.days) ? tier.days.join(', ') : null, words(String(tier.unit))]
      .filter((part) => typeof part === 'string')
      .join(' · '),
    price: money(Number(tier.amount), String(tier.currency)),
  }));
  const ofBoat = listOf(content.pricing).map((rate) => ({
    name: `${rate.duration_hours} hours`,
    price: money(Number(rate.amount), String(rate.currency)),
  }));
  const legacy =
    typeof content.price_per_person === 'number'
      ? [{ name: 'per person', price: money(Math.round(content.price_per_person * 100), 'usd') }]
      : [];
  return [...ofTiers, ...ofBoat, ...legacy];
}

function rulesOf({ policy }: Content): string[] {
  const { cancellation, min_age, notes } = (policy ?? {}) as Content;
  const rules = listOf(cancellation).map(
    ({ hours_before, refund_pct }) => `${refund_pct} % back until ${hours_before} h before.`,
  );
  if (typeof min_age === 'number' && min_age > 0) rules.push(`From ${min_age} years.`);
  if (typeof notes === 'string') rules.push(notes);
  return rules;
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
            {change === 'added' ? <span class="quiet">none</span> : <del>{shortOf(field, visible)}</del>} →{' '}
            {change === 'removed' ? <span class="quiet">removed</span> : <ins>{shortOf(field, waiting)}</ins>}
          </div>
        </li>
      ))}
    </ol>
  );
}

/** Sums are shown as money: `/tiers/1/amount`. */
function shortOf(field: string, content: Content): string {
  const value = valueAt(content, field);
  if (!field.endsWith('/amount') || typeof value !== 'number') return textOf(value);
  const currency = valueAt(content, field.replace(/amount$/, 'currency'));
  return money(value, typeof currency === 'string' ? currency : 'usd');
}

function valueAt(content: unknown, pointer: string): unknown {
  const names = pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.reduce<unknown>((value, name) => (value as Content | undefined)?.[name], content);
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
