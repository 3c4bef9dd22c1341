// Signing in on a page: the phone, then the code. One field each, made for a phone's own keyboard and for pasting; what was
// typed stays, and an error stands beside its field.

import { type Html, html, type Piece } from './html.ts';
import type { Scene } from './page-model.ts';
import type { Visit } from './page-request.ts';

/** What is wrong, by the name of the field; what was typed, too. */
export interface Trouble {
  readonly field: string | null;
  readonly message: string;
  readonly typed?: Readonly<Record<string, string>>;
}

export function signInForm(visit: Visit, scene: Scene, trouble: Trouble | null): Html {
  return visit.pending === null ? phoneForm(visit, scene, trouble) : codeForm(visit, scene, trouble);
}

/** An error in its own place, tied to its field. */
export function errorAt(trouble: Trouble | null, field: string): Piece {
  return (
    trouble !== null &&
    trouble.field === field &&
    html`<p class="error" id="${field}-error" role="alert">${trouble.message}</p>`
  );
}

export function described(trouble: Trouble | null, field: string, hint: string | null = null): Piece {
  const isWrong = trouble !== null && trouble.field === field;
  const ids = [isWrong ? `${field}-error` : null, hint].filter((id) => id !== null).join(' ');
  return [isWrong && html` aria-invalid="true" data-focus`, ids !== '' && html` aria-describedby="${ids}"`];
}

/** An error of no field of its own stands above the form. */
export function errorAbove(trouble: Trouble | null, fields: readonly string[]): Piece {
  return (
    trouble !== null &&
    (trouble.field === null || !fields.includes(trouble.field)) &&
    html`<p class="error above" role="alert" tabindex="-1" data-focus>${trouble.message}</p>`
  );
}

function phoneForm(visit: Visit, { place, invitee }: Scene, trouble: Trouble | null): Html {
  const { words } = visit;
  const ending = invitee?.phone?.slice(-2) ?? null;
  const typed = trouble?.typed?.phone ?? '';
  const oneTap =
    ending !== null &&
    html`<form method="post" action="${place.path}/sign-in" class="card">
<button name="invited" value="yes">${words.say('page.text_me', { ending })}</button>
<p class="hint">${words.say('page.consent')}</p>
</form>
`;
  const form = html`<form method="post" action="${place.path}/sign-in" class="card">
${errorAbove(trouble, ['phone'])}<label for="phone">${words.say('page.phone')}</label>
<input id="phone" name="phone" type="tel" autocomplete="tel" inputmode="tel" required maxlength="40" value="${typed}"${described(trouble, 'phone', 'phone-hint')}>
${errorAt(trouble, 'phone')}
<button>${words.say('page.send_code')}</button>
<p class="hint" id="phone-hint">${words.say('page.consent')}</p>
</form>`;
  return html`<section aria-labelledby="sign-in-title" class="sign-in">
<h2 id="sign-in-title">${words.say('page.sign_in')}</h2>
${oneTap}${ending === null || trouble !== null ? form : html`<details><summary>${words.say('page.other_number')}</summary>${form}</details>`}
</section>`;
}

function codeForm(visit: Visit, { place }: Scene, trouble: Trouble | null): Html {
  const { words, pending } = visit;
  const ending = pending?.phone.slice(-2) ?? '';
  return html`<section aria-labelledby="sign-in-title" class="sign-in">
<h2 id="sign-in-title">${words.say('page.enter_code')}</h2>
<p>${words.say('page.code_sent', { ending })}</p>
<form method="post" action="${place.path}/code" class="card">
${errorAbove(trouble, ['code'])}<label for="code">${words.say('page.code')}</label>
<input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" pattern="\\s*\\d{3}\\s?\\d{3}\\s*" required maxlength="9" title="${words.say('page.code_form')}"${described(trouble, 'code')}${trouble === null && html` data-focus`}>
${errorAt(trouble, 'code')}
<button>${words.say('page.sign_in_button')}</button>
<p class="hint">${words.say('page.no_code')}</p>
</form>
<form method="post" action="${place.path}/sign-in" class="row">
<button class="link" name="again" value="yes" data-after="30">${words.say('page.resend')}</button>
</form>
<form method="post" action="${place.path}/other-phone" class="row">
<button class="link">${words.say('page.other_number')}</button>
</form>
</section>`;
}

export function nameForm(visit: Visit, { place }: Scene, trouble: Trouble | null): Html {
  const { words } = visit;
  const typed = trouble?.typed?.name ?? '';
  return html`<section aria-labelledby="name-title" class="sign-in">
<h2 id="name-title">${words.say('page.your_name_title')}</h2>
<form method="post" action="${place.path}/name" class="card">
${errorAbove(trouble, ['name'])}<label for="name">${words.say('page.your_name')}</label>
<input id="name" name="name" autocomplete="given-name" required maxlength="80" value="${typed}"${described(trouble, 'name', 'name-hint')}>
${errorAt(trouble, 'name')}
<p class="hint" id="name-hint">${words.say('page.name_hint')}</p>
<button>${words.say('page.continue')}</button>
</form>
</section>`;
}
