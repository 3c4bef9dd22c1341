// The rules of what is booked, as guests read them: what a cancellation gives back and until when, and what else to know.

import { formatPercent } from '../../base/translations.ts';
import { type Html, html, type Piece } from './html.ts';
import type { PageModel } from './page-model.ts';
import type { PageRequest } from './page-request.ts';
import { fold, sentence, timeHtml } from './summary.ts';

const HOUR = 3_600_000;

export function policyFolds(page: PageRequest, model: PageModel): readonly Piece[] {
  const { translator } = page;
  return [
    ruleFold('policy', translator.translate('page.policy'), cancellationRules(page, model)),
    ruleFold('good-to-know', translator.translate('page.good_to_know'), otherRules(page, model)),
  ];
}

function ruleFold(id: string, title: string, lines: readonly (string | Html)[]): Piece {
  const content = lines.map((line) => html`<p>${line}</p>\n`);
  return lines.length > 0 && fold(id, title, null, content);
}

/** From the earliest to the latest. With the start of the booking each rule has its time, else hours before it. */
function cancellationRules(page: PageRequest, model: PageModel): readonly (string | Html)[] {
  const { translator } = page;
  const rules = [...(model.policy?.cancellation ?? [])].sort((a, b) => b.hours_before - a.hours_before);
  const last = rules.at(-1);
  if (last === undefined) return [];
  const start = model.checkout.starts_at;
  const lines = rules.map(({ hours_before: hours, refund_pct }) => {
    const percent = formatPercent(translator.language, refund_pct);
    if (start === null) return translator.translate('page.policy_hours', { count: hours, percent });
    const until = new Date(Date.parse(start) - hours * HOUR).toISOString();
    return sentence(page, 'page.policy_until', timeHtml(page, model, until), { percent });
  });
  return [
    ...lines,
    ...(last.refund_pct > 0 ? [translator.translate('page.policy_after')] : []),
    translator.translate('page.policy_how', { venue: model.checkout.venue.name }),
  ];
}

function otherRules({ translator }: PageRequest, { policy }: PageModel): readonly string[] {
  const { min_age: age = 0, dress_code: dress, arrival_window_minutes: minutes, notes } = policy ?? {};
  return [
    ...(age > 0 ? [translator.translate('page.min_age', { age })] : []),
    ...(dress === undefined ? [] : [translator.translate('page.dress_code', { dress })]),
    ...(minutes === undefined ? [] : [translator.translate('page.arrival', { count: minutes })]),
    ...(notes === undefined ? [] : [notes]),
  ];
}
