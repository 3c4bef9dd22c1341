// Signing in on a page: the phone, then the code. One field each, made for a phone's own keyboard and for pasting; what was
// typed stays, and an error stands beside its field.

import { type Html, html, type Piece } from './html.ts';
import type { PageModel } from './page-model.ts';
import type { PageRequest } from './page-request.ts';

/** What is wrong, by the name of the field; what was typed, too. */
export interface Trouble {
  readonly field: string | null;
  readonly message: string;
  readonly typed?: Readonly<Record<string, string>>;
}

export function signInForm(page: PageRequest, model: PageModel, trouble: Trouble | null): Html {
  return page.pending === null ? phoneForm(page, model, trouble) : codeForm(page, model, trouble);
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

function phoneForm(page: PageRequest, { place, invitee }: PageModel, trouble: Trouble | null): Html {
  const { translator } = page;
  const ending = invitee?.phone?.slice(-2) ?? null;
  const typed = trouble?.typed?.phone ?? '';
  const oneTap =
    ending !== null &&
    html`<form method="post" action="${place.path}/sign-in" class="card">
<button name="invited" value="yes">${translator.translate('page.text_me', { ending })}</button>
<p class="hint">${translator.translate('page.consent')}</p>
</form>
`;
  const form = html`<form method="post" action="${place.path}/sign-in" class="card">
${errorAbove(trouble, ['phone'])}<label for="phone">${translator.translate('page.phone')}</label>
<input id="phone" name="phone" type="tel" autocomplete="tel" inputmode="tel" required maxlength="40" value="${typed}"${described(trouble, 'phone', 'phone-hint')}>
${errorAt(trouble, 'phone')}
<button>${translator.translate('page.send_code')}</button>
<p class="hint" id="phone-hint">${translator.translate('page.consent')}</p>
</form>`;
  return html`<section aria-labelledby="sign-in-title" class="sign-in">
<h2 id="sign-in-title">${translator.translate('page.sign_in')}</h2>
${oneTap}${ending === null || trouble !== null ? form : html`<details><summary>${translator.translate('page.other_number')}</summary>${form}</details>`}
</section>`;
}

function codeForm(page: PageRequest, { place }: PageModel, trouble: Trouble | null): Html {
  const { translator, pending } = page;
  const ending = pending?.phone.slice(-2) ?? '';
  return html`<section aria-labelledby="sign-in-title" class="sign-in">
<h2 id="sign-in-title">${translator.translate('page.enter_code')}</h2>
<p>${translator.translate('page.code_sent', { ending })}</p>
<form method="post" action="${place.path}/code" class="card">
${errorAbove(trouble, ['code'])}<label for="code">${translator.translate('page.code')}</label>
<input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" pattern="\\s*\\d{3}\\s?\\d{3}\\s*" required maxlength="9" title="${translator.translate('page.code_form')}"${described(trouble, 'code')}${trouble === null && html` data-focus`}>
${errorAt(trouble, 'code')}
<button>${translator.translate('page.sign_in_button')}</button>
<p class="hint">${translator.translate('page.no_code')}</p>
</form>
<form method="post" action="${place.path}/sign-in" class="row">
<button class="link" name="again" value="yes" data-after="30">${translator.translate('page.resend')}</button>
</form>
<form method="post" action="${place.path}/other-phone" class="row">
<button class="link">${translator.translate('page.other_number')}</button>
</form>
</section>`;
}

export function nameForm(page: PageRequest, { place }: PageModel, trouble: Trouble | null): Html {
  const { translator } = page;
  const typed = trouble?.typed?.name ?? '';
  return html`<section aria-labelledby="name-title" class="sign-in">
<h2 id="name-title">${translator.translate('page.your_name_title')}</h2>
<form method="post" action="${place.path}/name" class="card">
${errorAbove(trouble, ['name'])}<label for="name">${translator.translate('page.your_name')}</label>
<input id="name" name="name" autocomplete="given-name" required maxlength="80" value="${typed}"${described(trouble, 'name', 'name-hint')}>
${errorAt(trouble, 'name')}
<p class="hint" id="name-hint">${translator.translate('page.name_hint')}</p>
<button>${translator.translate('page.continue')}</button>
</form>
</section>`;
}
