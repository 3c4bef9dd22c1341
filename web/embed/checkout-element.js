// <everyshare-checkout id="chk_…" key="pk_…">: shows how far a group is on a page of the partner, and opens the hosted page. Its
// text is set as text and its style is a constructed stylesheet, so that it works under a strict content security policy.
// It shows counts and amounts, never a name. Built into one file by build.js, which fills in EMBED_WORDS and EMBED_CSS.

import { follow, Refusal } from './follow.js';

/* global EMBED_WORDS, EMBED_CSS */

const SCRIPT = import.meta.url;
const BASE = new URL('..', SCRIPT).href.replace(/\/$/, '');
const MAX_LARGE_SEATS = 12;
const POPUP = 'popup,width=480,height=820';

const stylesheet = new CSSStyleSheet();
stylesheet.replaceSync(EMBED_CSS);

function create(name, part, parent) {
  const element = document.createElement(name);
  element.className = part;
  element.setAttribute('part', part);
  parent.append(element);
  return element;
}

/** An empty text hides its element. A text that stays is not set again: a screen reader would say it again. */
function setText(element, text = '') {
  element.hidden = text === '';
  if (element.textContent !== text) element.textContent = text;
}

const fill = (sentence, values) => sentence.replace(/\{(\w+)\}/g, (_, name) => values[name]);

class EverysharePayment extends HTMLElement {
  static observedAttributes = ['id', 'key', 'checkout', 'publishable-key', 'lang', 'open'];

  #parts = {};
  #progress = null;
  #problem = null;
  #stop = null;
  /** Id and key of what is followed. */
  #followed = '';
  #isScheduled = false;

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [stylesheet];
    const card = create('div', 'card', root);
    card.setAttribute('role', 'group');
    const top = create('div', 'top', card);
    const title = create('p', 'title', top);
    title.setAttribute('role', 'status');
    const money = create('p', 'money', top);
    const seats = create('div', 'seats', card);
    // The title says the same in words.
    seats.setAttribute('aria-hidden', 'true');
    const text = create('p', 'text', card);
    const note = create('p', 'note', card);
    const button = create('a', 'button', card);
    button.addEventListener('click', (event) => this.#open(event));
    this.#parts = { card, title, money, seats, text, note, button };
  }

  /** The last progress, as the API answers it; null before the first. */
  get progress() {
    return this.#progress;
  }

  connectedCallback() {
    this.#schedule();
  }

  disconnectedCallback() {
    this.#schedule();
  }

  attributeChangedCallback() {
    this.#schedule();
  }

  get #id() {
    return this.getAttribute('checkout') ?? this.id;
  }

  get #key() {
    return this.getAttribute('publishable-key') ?? this.getAttribute('key') ?? '';
  }

  /** Once for several changes at a time: an element that is moved keeps its stream. */
  #schedule() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#refresh();
    });
  }

  #refresh() {
    const wanted = this.isConnected ? `${this.#id} ${this.#key}` : '';
    if (wanted !== this.#followed) {
      this.#stop?.();
      this.#stop = null;
      this.#followed = wanted;
      if (wanted !== '') this.#begin();
    }
    if (this.isConnected) this.#render();
  }

  #begin() {
    this.#progress = null;
    this.#problem = null;
    const [id, key] = [this.#id, this.#key];
    const isWrong = (value, prefix) => value !== '' && !value.startsWith(prefix);
    if (isWrong(id, 'chk_') || isWrong(key, 'pk_')) {
      const message = 'Set id to a checkout (chk_…), key to a publishable key (pk_…).';
      this.#setProblem(new Refusal('invalid_attribute', message));
      return;
    }
    // A framework may set them later.
    if (id === '' || key === '') return;
    this.#stop = follow({
      base: BASE,
      script: SCRIPT,
      id,
      key,
      onProgress: (progress) => this.#setProgress(progress),
      onProblem: (problem) => this.#setProblem(problem),
    });
  }

  #setProgress(progress) {
    const before = this.#progress;
    if (JSON.stringify(before) === JSON.stringify(progress)) return;
    this.#progress = progress;
    this.#render();
    const detail = { progress, previousStatus: before?.status ?? null };
    this.#dispatch('update', detail);
    // `everyshare:open` is the event of the button.
    if (before?.status !== progress.status && progress.status !== 'open') this.#dispatch(progress.status, detail);
  }

  #setProblem(problem) {
    const isNew = problem !== null && problem.code !== this.#problem?.code;
    this.#problem = problem;
    this.#render();
    if (!isNew) return;
    const { code, message } = problem;
    // For the developer of the page: guests do not read about keys.
    // biome-ignore lint/suspicious/noConsole: the page has no other place for it.
    if (code !== 'offline') console.warn(`everyshare-checkout: ${code}. ${message}`);
    this.#dispatch('error', { code, message });
  }

  /** False: the page has called preventDefault. */
  #dispatch(name, detail) {
    return this.dispatchEvent(
      new CustomEvent(`everyshare:${name}`, { detail, bubbles: true, composed: true, cancelable: name === 'open' }),
    );
  }

  /** A new window, if the browser lets it open; otherwise this page goes there. A page may do something else. */
  #open(event) {
    const { href: url } = this.#parts.button;
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (!this.#dispatch('open', { url })) return;
    const popup = this.getAttribute('open') === 'redirect' ? null : window.open(url, '_blank', POPUP);
    if (popup === null) location.assign(url);
    else popup.focus();
  }

  #render() {
    const tag = this.closest('[lang]')?.lang || document.documentElement.lang || navigator.language;
    const locale = localeOf(tag);
    const language = Object.hasOwn(EMBED_WORDS, locale.language) ? locale.language : 'en';
    const words = EMBED_WORDS[language];
    const { card, title, money, seats, text, note, button } = this.#parts;
    const progress = this.#progress;
    const shown = describe(progress, this.#problem, words, locale.language === language ? locale : language);
    card.lang = language;
    card.setAttribute('aria-label', words.label);
    card.setAttribute('aria-busy', !!shown.isLoading);
    setText(title, shown.title);
    setText(money, shown.money);
    setText(text, shown.text);
    setText(note, shown.note ?? (progress?.mode === 'test' ? words.test_mode : ''));
    showSeats(seats, progress?.share_count ?? 0, progress?.held_count ?? 0);
    seats.hidden = !shown.hasSeats;
    setText(button, shown.button);
    // The partner's own link has the address of the hosted pages, which can be another than that of the script.
    const link = this.querySelector('a')?.href || `${BASE}/c/${encodeURIComponent(this.#id)}`;
    button.href = progress?.url ?? link;
    button.classList.toggle('quiet', !!shown.isQuiet);
    button.setAttribute('part', shown.isQuiet ? 'button button-quiet' : 'button');
    const isPopup = this.getAttribute('open') !== 'redirect';
    button.ariaLabel = isPopup && shown.button ? `${shown.button} (${words.new_window})` : null;
    this.dataset.state = shown.state;
  }
}

/** English for a tag that is none. Some systems write de_AT for de-AT. */
function localeOf(tag) {
  try {
    return new Intl.Locale(tag.replaceAll('_', '-'));
  } catch {
    return new Intl.Locale('en');
  }
}

/** What the card says: for a state of the checkout, else for what keeps it from being known. */
function describe(progress, problem, words, locale) {
  // What is refused for good is not shown any longer.
  if (problem !== null && (progress === null || problem instanceof Refusal)) return describeProblem(problem, words);
  if (progress === null) return { state: 'loading', isLoading: true, title: words.loading };
  const { status, amount, funded_amount, currency, share_count: count, held_count: held, pay_by } = progress;
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits;
  const moneyOf = (minor) => format.format(minor / 10 ** digits);
  const common = { state: status, note: problem && words.offline };
  const total = moneyOf(amount);
  const time = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(pay_by));
  const payBy = fill(words.pay_by, { time });
  switch (status) {
    case 'open':
      return {
        ...common,
        title: fill(words.choose_title, { total }),
        text: `${words.choose_text} ${words.promise} ${payBy}`,
        button: words.choose_button,
      };
    case 'collecting':
      return {
        ...common,
        title: fill(words.tally_in, { held, count }),
        money: fill(words.money_of, { funded: moneyOf(funded_amount), total }),
        hasSeats: true,
        text: `${words.promise} ${payBy}`,
        button: words.pay_button,
      };
    case 'funded':
      return { ...common, title: words.funded_title, money: total, hasSeats: true, text: words.funded_text };
    default: {
      // Whether a refunded booking stands, only the venue knows.
      const state = progress.is_refunded ? 'refunded' : status;
      return {
        ...common,
        state,
        title: words[`${state}_title`],
        ...(status === 'completed' ? { money: total } : { text: words.released_text }),
        hasSeats: state === 'completed',
        button: words.details_button,
        isQuiet: true,
      };
    }
  }
}

function describeProblem(problem, words) {
  const { code } = problem;
  if (code === 'not_found' || code === 'invalid_attribute') return { state: 'not_found', title: words.missing_title };
  const opens = { button: words.details_button, isQuiet: true };
  const isRefused = problem instanceof Refusal || code === 'origin_not_allowed';
  if (!isRefused) return { state: 'offline', title: words.offline, ...opens };
  return { state: 'refused', title: words.refused_title, text: words.refused_text, ...opens };
}

function showSeats(seats, count, held) {
  seats.classList.toggle('many', count > MAX_LARGE_SEATS);
  while (seats.childElementCount > count) seats.lastElementChild.remove();
  while (seats.childElementCount < count) create('span', 'seat', seats);
  for (const [index, seat] of [...seats.children].entries()) {
    seat.classList.toggle('paid', index < held);
    seat.setAttribute('part', index < held ? 'seat seat-paid' : 'seat');
  }
}

// A page may load the script twice.
if (customElements.get('everyshare-checkout') === undefined)
  customElements.define('everyshare-checkout', EverysharePayment);
