// An offering, event or boat as members see it, and a value of it by its JSON pointer.

import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { dateTime, money, words } from './format.ts';

export type Content = Readonly<Record<string, unknown>>;

/** A member of the object that differs from the visible version is marked. */
function Marked(props: { readonly isChanged: boolean; readonly children: ComponentChildren }): JSX.Element {
  return props.isChanged ? <mark>{props.children}</mark> : <span>{props.children}</span>;
}

interface CardProps {
  readonly venue: string;
  readonly content: Content;
  readonly changed: ReadonlySet<string>;
}

export function MemberCard({ venue, content, changed }: CardProps): JSX.Element {
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
        <p class="name">
          <Marked isChanged={changed.has('title') || changed.has('name')}>{text('title') ?? text('name')}</Marked>
        </p>
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
export const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

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

/** The value at a JSON pointer in words. Sums are shown as money: `/tiers/1/amount`. */
export function textAt(field: string, content: Content): string {
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
