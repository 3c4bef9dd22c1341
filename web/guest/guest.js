// The script of every guest page: local times, the countdown, changes by server-sent events or by polling, copying and
// sending links, and protection against sending a form twice. Without it, everything but the card form works.

const language = document.documentElement.lang;
const main = document.querySelector('main');

// Times

const localTimeFormat = new Intl.DateTimeFormat(language, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
});

/** The two largest units; seconds only in the last hour. */
function duration(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const units = [
    [Math.floor(seconds / 86400), 'day'],
    [Math.floor(seconds / 3600) % 24, 'hour'],
    [Math.floor(seconds / 60) % 60, 'minute'],
    [seconds % 60, 'second'],
  ];
  const first = Math.max(
    0,
    units.findIndex(([count]) => count > 0),
  );
  return units
    .slice(first, first + 2)
    .filter(([count, unit]) => count > 0 && (unit !== 'second' || seconds < 3600))
    .map(([count, unit]) => new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count))
    .join(' ');
}

function showTimes(root) {
  for (const time of root.querySelectorAll('time[data-local]')) {
    time.textContent = localTimeFormat.format(new Date(time.getAttribute('datetime')));
  }
}

/** A screen reader announces the countdown only at these marks, not every second. */
const ANNOUNCEMENTS_MS = [86_400_000, 3_600_000, 600_000, 60_000];
/** The last mark that was reached; null: no countdown was shown yet. What holds when the page opens is not announced. */
let lastAnnouncementMs = null;
let countdownTimer = 0;

function updateCountdowns() {
  let shortestMs = Number.POSITIVE_INFINITY;
  const isFirst = lastAnnouncementMs === null;
  for (const place of document.querySelectorAll('[data-countdown]')) {
    const leftMs = Date.parse(place.dataset.countdown) - Date.now();
    const text = leftMs > 0 ? place.dataset.words.replace('{time}', duration(leftMs)) : '';
    if (place.textContent !== text) place.textContent = text;
    shortestMs = Math.min(shortestMs, leftMs);
    const mark = ANNOUNCEMENTS_MS.findLast((ms) => leftMs <= ms) ?? Number.POSITIVE_INFINITY;
    if (mark < (lastAnnouncementMs ?? Number.POSITIVE_INFINITY) && leftMs > 0 && !isFirst) announce(text);
    lastAnnouncementMs = Math.min(mark, lastAnnouncementMs ?? mark);
  }
  clearTimeout(countdownTimer);
  if (shortestMs > 0 && shortestMs < Number.POSITIVE_INFINITY) {
    countdownTimer = setTimeout(updateCountdowns, shortestMs < 3_600_000 ? 1_000 : 30_000);
  }
}

// Announcements for screen readers

const statusLine = document.createElement('p');
statusLine.setAttribute('role', 'status');
statusLine.className = 'unseen';
document.body.append(statusLine);

function announce(text) {
  statusLine.textContent = text;
}

// Changes: the page reads itself again when its stream says so, and every few seconds while there is no stream

/** The HTML of each part as the server sent it, before this script changed it. */
const serverHtml = new WeakMap();
const POLL_TIMEOUT_MS = 15_000;
let etag = null;
let fastPollUntil = 0;
let pollTimer = 0;
let isPolling = false;
let mustPollAgain = false;

const shouldPoll = () => document.body.dataset.poll !== undefined;

async function poll() {
  // A change may have come after the server answered the read that is under way.
  if (isPolling) mustPollAgain = true;
  if (isPolling || !shouldPoll()) return;
  isPolling = true;
  mustPollAgain = false;
  clearTimeout(pollTimer);
  try {
    const headers = etag === null ? {} : { 'if-none-match': etag };
    const response = await fetch(location.href, {
      headers,
      cache: 'no-store',
      // Browsers of 2021 have no such signal.
      signal: AbortSignal.timeout?.(POLL_TIMEOUT_MS),
    });
    // What the page shows may be old, whether the network or the service is away.
    showOffline(response.status >= 500);
    // While a payment is in progress, the page is not updated.
    if (response.status === 200 && document.querySelector('form[data-paying]') === null) {
      etag = response.headers.get('etag');
      updatePage(new DOMParser().parseFromString(await response.text(), 'text/html'));
    }
  } catch {
    showOffline(true);
  }
  isPolling = false;
  if (mustPollAgain && shouldPoll()) poll();
  else schedulePoll();
}

/** What a stream does not tell, such as a changed name, is found at the slow pace of a page with a stream. */
function schedulePoll() {
  clearTimeout(pollTimer);
  if (!shouldPoll()) return closeStream();
  const pace = isStreaming ? 60_000 : document.hidden ? 30_000 : 5_000;
  pollTimer = setTimeout(poll, Date.now() < fastPollUntil ? 2_000 : pace);
}

/** Longer than two heartbeats. */
const SILENCE_MS = 40_000;
/** Some proxies keep a stream back until it ends. */
const FIRST_MESSAGE_MS = 5_000;
const STREAM_RETRY_MS = 60_000;
let stream = null;
let streamTimer = 0;
let lastMark = null;
/** The stream works: a message has come through. */
let isStreaming = false;

function openStream() {
  if (stream !== null || document.hidden || !shouldPoll() || typeof EventSource === 'undefined') return;
  stream = new EventSource(`${document.body.dataset.poll}/changes`);
  stream.addEventListener('checkout', ({ lastEventId }) => {
    hearStream();
    if (lastEventId !== lastMark) poll();
    lastMark = lastEventId;
  });
  stream.addEventListener('alive', hearStream);
  stream.addEventListener('error', ({ target }) => {
    // A stream that has ended opens again by itself; one that was refused does not.
    if (target.readyState === EventSource.CLOSED) retryStream();
    else loseStream();
  });
  streamTimer = setTimeout(retryStream, FIRST_MESSAGE_MS);
}

function hearStream() {
  clearTimeout(streamTimer);
  streamTimer = setTimeout(retryStream, SILENCE_MS);
  if (isStreaming) return;
  isStreaming = true;
  schedulePoll();
}

/** From now on the page polls. */
function loseStream() {
  if (!isStreaming) return;
  isStreaming = false;
  schedulePoll();
}

function closeStream() {
  clearTimeout(streamTimer);
  stream?.close();
  stream = null;
  isStreaming = false;
}

function retryStream() {
  closeStream();
  streamTimer = setTimeout(openStream, STREAM_RETRY_MS);
  schedulePoll();
}

function showOffline(isOffline) {
  document.getElementById('offline').hidden = !isOffline;
}

/** Replaces only the parts that have changed, so that a half-filled card form stays. */
function updatePage(nextPage) {
  const nextMain = nextPage.querySelector('main');
  if (nextMain === null) return;
  // The new page needs a script that is not loaded, so reload all of it.
  if ([...nextPage.scripts].some((script) => !isLoaded(script))) {
    location.reload();
    return;
  }
  const messages = changeMessages(main, nextMain);
  const seatsIn = seats().map(isIn);
  const focused = document.activeElement?.id;
  const opened = [...document.querySelectorAll('details[open] > summary[id]')].map(({ id }) => id);
  const updated = REGIONS.map((selector) => updateRegion(selector, nextPage));
  document.title = nextPage.title;
  if (updated.includes(true)) {
    const [page, next] = [main.parentElement, nextMain.parentElement];
    if (page.className !== next.className) page.className = next.className;
    for (const id of opened) document.getElementById(id)?.parentElement.setAttribute('open', '');
    if (focused && document.activeElement?.id !== focused) document.getElementById(focused)?.focus();
    enhance(document);
    document.dispatchEvent(new CustomEvent('everyshare:renewed'));
    updateCountdowns();
    fillSeats(seatsIn);
  }
  if (nextPage.body.dataset.poll === undefined) delete document.body.dataset.poll;
  if (!showMoment() && messages.length > 0) announce(messages.join(' '));
}

const seats = () => [...document.querySelectorAll('.seat')];
const isIn = (seat) => seat.matches('.in, .charged');

/** The seats of those who came in since: the stylesheet lets them fill. After a change of the party no seat is compared. */
function fillSeats(before) {
  const now = seats();
  for (const [index, seat] of now.entries()) {
    seat.classList.toggle('just-in', now.length === before.length && isIn(seat) && !before[index]);
  }
}

/** The parts of a page that change while it is open: the head, the content, and the button at the bottom edge. */
const REGIONS = ['.poster', 'main', '.bar'];

/** Returns whether anything has changed. */
function updateRegion(selector, nextPage) {
  const region = document.querySelector(selector);
  const next = nextPage.querySelector(selector);
  if (region === null || next === null) {
    if (region === next) return false;
    region?.remove();
    if (next !== null) document.querySelector('footer').before(next);
    return true;
  }
  const before = [...region.children];
  const parts = [...next.children].map((part) => {
    const same = before.find((old) => isSame(old, part));
    if (same === undefined) serverHtml.set(part, part.outerHTML);
    return same ?? part;
  });
  if (region.className !== next.className) region.className = next.className;
  if (parts.length === before.length && parts.every((part, index) => part === before[index])) return false;
  placeParts(region, parts);
  return true;
}

/**
 * Parts that stay are not moved: an iframe that is taken out and put back loads anew, and the card that is typed in it is
 * lost.
 */
function placeParts(region, parts) {
  for (const old of [...region.children]) if (!parts.includes(old)) old.remove();
  let place = region.firstElementChild;
  for (const part of parts) {
    if (part === place) place = place.nextElementSibling;
    else region.insertBefore(part, place);
  }
}

/**
 * The guest has just paid: the page is shown from the top, with focus on its heading. Of a moment a screen reader says the
 * whole. While there is a card form, the hold is not decided, or a part of the shares is not paid.
 */
function showMoment() {
  const moment = document.querySelector('[data-moment]');
  if (document.body.dataset.justPaid === undefined) return false;
  if (moment === null && document.querySelector('form[data-pay]') !== null) return false;
  delete document.body.dataset.justPaid;
  scrollTo(0, 0);
  const heading = moment ?? document.querySelector('h1');
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  if (moment === null) return false;
  moment.parentElement.querySelector('.in')?.classList.add('just-in');
  announce(`${moment.textContent} ${moment.nextElementSibling?.textContent ?? ''}`);
  return true;
}

function isLoaded(script) {
  const source = script.getAttribute('src');
  return [...document.scripts].some((loaded) => loaded.getAttribute('src') === source);
}

function isSame(old, part) {
  if (part.dataset.keep !== undefined && part.dataset.keep === old.dataset.keep) return true;
  return serverHtml.get(old) === part.outerHTML;
}

/** The server's message for each share whose state has changed. */
function changeMessages(before, after) {
  const states = new Map(
    [...before.querySelectorAll('[data-share]')].map(({ dataset }) => [dataset.share, dataset.state]),
  );
  return [...after.querySelectorAll('[data-share]')]
    .filter(({ dataset }) => states.has(dataset.share) && states.get(dataset.share) !== dataset.state)
    .map(({ dataset }) => dataset.stateChange);
}

document.addEventListener('visibilitychange', () => {
  // Browsers allow few connections to a host: a hidden tab must not keep one.
  closeStream();
  openStream();
  if (document.hidden) schedulePoll();
  else poll();
});
addEventListener('online', poll);
document.addEventListener('everyshare:look', () => {
  fastPollUntil = Date.now() + 30_000;
  poll();
});

// Links

function enhance(root) {
  showTimes(root);
  for (const button of root.querySelectorAll('[data-copy], [data-print]')) button.hidden = false;
  for (const button of root.querySelectorAll('[data-share-url]')) button.hidden = navigator.share === undefined;
}

document.addEventListener('click', (event) => {
  const button = event.target.closest('button');
  if (button?.dataset.copy !== undefined) copy(button);
  if (button?.dataset.print !== undefined) print();
  if (button?.dataset.shareUrl !== undefined) {
    // The guest closed the share sheet: not an error.
    navigator.share({ url: button.dataset.shareUrl, text: button.dataset.shareText }).catch(() => undefined);
  }
});

async function copy(button) {
  const { copy: text, done } = button.dataset;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // The browser refused: show the link, so that the guest can copy it by hand.
    prompt(button.textContent, text);
    return;
  }
  const label = button.querySelector('span:not([class])') ?? button;
  const before = label.textContent;
  label.textContent = done;
  announce(done);
  setTimeout(() => {
    label.textContent = before;
  }, 2_000);
}

// Forms: each is sent once, however often the guest taps; usable again when the guest navigates back

document.addEventListener('submit', (event) => {
  const form = event.target;
  if (form.dataset.pay !== undefined || event.defaultPrevented) return;
  if (form.dataset.sent !== undefined) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = '';
  form.setAttribute('aria-busy', 'true');
  // A guest who has stopped the loading must be able to tap again.
  unlocks.set(
    form,
    setTimeout(() => setUsable(form), SENT_MS),
  );
});

/** Longer than any answer of the server takes. */
const SENT_MS = 20_000;

const unlocks = new WeakMap();

function setUsable(form) {
  clearTimeout(unlocks.get(form));
  delete form.dataset.sent;
  form.removeAttribute('aria-busy');
}

addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) setUsable(form);
});

for (const button of document.querySelectorAll('[data-after]')) {
  button.disabled = true;
  setTimeout(() => {
    button.disabled = false;
  }, Number(button.dataset.after) * 1_000);
}

/** Where the browser supports it, the code is filled in from the text message; the guest still submits it. */
const code = document.querySelector('input[autocomplete="one-time-code"]');
if (code !== null && 'OTPCredential' in window) {
  navigator.credentials
    .get({ otp: { transport: ['sms'] } })
    .then((found) => {
      code.value = found?.code ?? code.value;
    })
    // The guest may decline to share the message.
    .catch(() => undefined);
}

/** The guest returns from the bank's page: poll faster, because the state may change at any moment. */
function resumeAfterRedirect() {
  const url = new URL(location.href);
  const share = url.searchParams.get('paid');
  if (share === null) return;
  // The processor adds parameters that must not stay in the history, among them the hold's client secret.
  for (const name of ['paid', 'payment_intent', 'payment_intent_client_secret', 'redirect_status']) {
    url.searchParams.delete(name);
  }
  history.replaceState(null, '', url);
  document.body.dataset.paid = share;
  document.body.dataset.justPaid = '';
  fastPollUntil = Date.now() + 30_000;
}

for (const selector of REGIONS) {
  for (const part of document.querySelector(selector)?.children ?? []) serverHtml.set(part, part.outerHTML);
}
resumeAfterRedirect();
enhance(document);
showMoment();
document.querySelector('[data-focus]')?.focus();
updateCountdowns();
schedulePoll();
openStream();
