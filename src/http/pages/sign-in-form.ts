// The sign-in forms: the phone, then the code, then the name. Each has one field that suits a phone's keyboard and
// pasting. After an error the typed value stays, and the message is beside its field.

import { type Html, html, type Piece } from './html.ts';
import type { PageModel } from './page-model.ts';
import type { PageRequest } from './page-request.ts';
import { fold, folds } from './summary.ts';

/** An error of a form, the field it is about (null: the whole form), and the typed values. */
export interface FormError {
  readonly field: string | null;
  readonly message: string;
  readonly typed?: Readonly<Record<string, string>>;
}

export function signInForm(page: PageRequest, model: PageModel, formError: FormError | null): Html {
  return page.pending === null ? phoneForm(page, model, formError) : codeForm(page, model, formError);
}

/** The error of this field, linked to it by its id. */
export function fieldError(formError: FormError | null, field: string): Piece {
  return (
    formError !== null &&
    formError.field === field &&
    html`<p class="error" id="${field}-error" role="alert">${formError.message}</p>`
  );
}

export function fieldAttributes(formError: FormError | null, field: string, hint: string | null = null): Piece {
  const isWrong = formError !== null && formError.field === field;
  const ids = [isWrong ? `${field}-error` : null, hint].filter((id) => id !== null).join(' ');
  return [isWrong && html` aria-invalid="true" data-focus`, ids !== '' && html` aria-describedby="${ids}"`];
}

/** An error that belongs to none of these fields. */
export function errorAboveForm(formError: FormError | null, fields: readonly string[]): Piece {
  return (
    formError !== null &&
    (formError.field === null || !fields.includes(formError.field)) &&
    html`<p class="error above" role="alert" tabindex="-1" data-focus>${formError.message}</p>`
  );
}

function phoneForm(page: PageRequest, { route, invitee }: PageModel, formError: FormError | null): Html {
  const { translator } = page;
  const phone = invitee?.phone ?? null;
  const label = phoneText(page, 'page.text_me', phone ?? '', invitee?.isNamedByPhone === true);
  const typed = formError?.typed?.phone ?? '';
  const oneTap =
    phone !== null &&
    html`<form method="post" action="${route.path}/sign-in" class="card">
<button name="invited" value="yes">${label}</button>
<p class="hint">${translator.translate('page.consent')}</p>
</form>
`;
  const form = html`<form method="post" action="${route.path}/sign-in" class="card">
${errorAboveForm(formError, ['phone'])}<label for="phone">${translator.translate('page.phone')}</label>
<input id="phone" name="phone" type="tel" autocomplete="tel" inputmode="tel" required maxlength="40" value="${typed}"${fieldAttributes(formError, 'phone', 'phone-hint')}>
${fieldError(formError, 'phone')}
<button>${translator.translate('page.send_code')}</button>
<p class="hint" id="phone-hint">${translator.translate('page.consent')}</p>
</form>`;
  return html`<section aria-labelledby="sign-in-title" class="sign-in">
<h2 id="sign-in-title" class="unseen">${translator.translate('page.sign_in')}</h2>
${oneTap}${phone === null || formError !== null ? form : folds([fold('other-number', translator.translate('page.other_number'), null, form)])}
</section>`;
}

/** A sentence with the last digits of the phone, or without them. */
function phoneText({ translator }: PageRequest, key: string, phone: string, showsEnding: boolean): string {
  return showsEnding ? translator.translate(key, { ending: phone.slice(-2) }) : translator.translate(`${key}_hidden`);
}

function codeForm(page: PageRequest, { route }: PageModel, formError: FormError | null): Html {
  const { translator, pending } = page;
  const sent = phoneText(page, 'page.code_sent', pending?.phone ?? '', pending?.showsEnding === true);
  return html`<section aria-labelledby="sign-in-title" class="sign-in">
<h2 id="sign-in-title">${translator.translate('page.enter_code')}</h2>
<p>${sent}</p>
<form method="post" action="${route.path}/code" class="card">
${errorAboveForm(formError, ['code'])}<label for="code">${translator.translate('page.code')}</label>
<input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" pattern="\\s*\\d{3}\\s?\\d{3}\\s*" required maxlength="9" title="${translator.translate('page.code_form')}"${fieldAttributes(formError, 'code')}${formError === null && html` data-focus`}>
${fieldError(formError, 'code')}
<button>${translator.translate('page.sign_in_button')}</button>
<p class="hint">${translator.translate('page.no_code')}</p>
</form>
<form method="post" action="${route.path}/sign-in" class="row">
<button class="link" name="again" value="yes" data-after="30">${translator.translate('page.resend')}</button>
</form>
<form method="post" action="${route.path}/other-phone" class="row">
<button class="link">${translator.translate('page.other_number')}</button>
</form>
</section>`;
}

export function nameForm(page: PageRequest, { route }: PageModel, formError: FormError | null): Html {
  const { translator } = page;
  const typed = formError?.typed?.name ?? '';
  return html`<section aria-labelledby="name-title" class="sign-in">
<h2 id="name-title">${translator.translate('page.your_name_title')}</h2>
<form method="post" action="${route.path}/name" class="card">
${errorAboveForm(formError, ['name'])}<label for="name">${translator.translate('page.your_name')}</label>
<input id="name" name="name" autocomplete="given-name" required maxlength="80" value="${typed}"${fieldAttributes(formError, 'name', 'name-hint')}>
${fieldError(formError, 'name')}
<p class="hint" id="name-hint">${translator.translate('page.name_hint')}</p>
<button>${translator.translate('page.continue')}</button>
</form>
</section>`;
}
