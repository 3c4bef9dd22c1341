// The pages of the site. Every value goes through `html`, which escapes it.

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
class Html extends String {}

function html(strings, ...values) {
  const text = (value) => {
    if (value instanceof Html) return String(value);
    if (Array.isArray(value)) return value.map(text).join('');
    return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character]);
  };
  return new Html(strings.reduce((all, part, index) => `${all}${text(values[index - 1])}${part}`));
}

const SAIL = html`<path d="M0 92h200v48H0z" fill="var(--sea)"/><path d="M98 22v66H52z" fill="var(--art-light)"/><path d="M104 34v54h34z" fill="var(--coral)"/><path d="M46 94h104l-14 16H62z" fill="var(--art-dark)"/><circle cx="164" cy="30" r="14" fill="var(--sun)"/>`;
const CABANA = html`<path d="M0 104h200v36H0z" fill="var(--sand)"/><path d="M36 62a64 44 0 0 1 128 0z" fill="var(--coral)"/><path d="M79 62a21 44 0 0 1 42 0z" fill="var(--art-light)"/><path d="M98 60h4v52h-4z" fill="var(--art-dark)"/><path d="M52 112h44v-8H58zM112 112h40v-8h-34z" fill="var(--sea)"/><circle cx="30" cy="26" r="13" fill="var(--sun)"/>`;
const TABLE = html`<path d="M0 112h200v28H0z" fill="var(--art-dark)"/><circle cx="100" cy="82" r="34" fill="var(--art-light)"/><circle cx="100" cy="82" r="21" fill="var(--sun)"/><path d="M46 46h5v62h-5zM39 46h3v20h-3zM55 46h3v20h-3zM38 64h21v4H38z" fill="var(--coral)"/><path d="M150 46q10 14 0 32v30h-5V46z" fill="var(--coral)"/>`;
const PICTURES = { 'sunset-sail': SAIL, cabana: CABANA, 'chefs-table': TABLE };

const picture = (id) =>
  html`<svg class="picture ${id}" viewBox="0 0 200 140" preserveAspectRatio="xMidYMid slice" aria-hidden="true">${PICTURES[id]}</svg>`;

function layout(title, body, scripts = html``) {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Harbor Club</title>
<link rel="stylesheet" href="/site.css">
<link rel="icon" href="data:,">
${scripts}
</head>
<body>
<header><a class="brand" href="/">Harbor Club</a><span>By the water since 1987</span></header>
<main>${body}</main>
<footer>An example of a site with Everyshare. No real bookings, no real money.</footer>
</body>
</html>`.toString();
}

const offerCard = (offer) => html`<article class="offer">
${picture(offer.id)}
<div class="inside">
<h2>${offer.title}</h2>
<p>${offer.text}</p>
<p class="price">${offer.price}</p>
<form method="post" action="/book">
<input type="hidden" name="offer" value="${offer.id}">
<label>Your name <input name="name" required maxlength="80" autocomplete="name"></label>
<label>How many are you? <input name="guests" type="number" inputmode="numeric" min="2" max="${offer.maxGuests}" value="${Math.min(4, offer.maxGuests)}" required></label>
<button>Book ${offer.title.toLowerCase()}</button>
</form>
</div>
</article>`;

export function homePage(offers) {
  const intro = html`<section class="intro">
<h1>Saturday, sorted.</h1>
<p>Book for the whole group. Everyone pays their own share, and no card is charged until all of you are in.</p>
</section>`;
  return layout(
    'Book',
    html`${intro}<section class="offers" aria-label="What you can book">${offers.map(offerCard)}</section>`,
  );
}

const BADGES = { waiting: 'Waiting for your group', confirmed: 'Confirmed', released: 'Released' };
const HEADINGS = {
  waiting: [
    'Almost yours',
    'We keep it for you while your group pays. Send your friends the link that you get on the next page.',
  ],
  confirmed: ['It’s confirmed', 'Everyone has paid. We look forward to seeing you.'],
  released: [
    'Not booked',
    'The group payment has ended without a booking, so we let it go. No charge remains on any card.',
  ],
};

export function bookingPage(booking, offer, { apiUrl, publishableKey }) {
  const [heading, text] = HEADINGS[booking.status];
  const embed =
    booking.checkoutId === undefined
      ? html`<p>The payment could not be prepared. <a href="/">Please book again.</a></p>`
      : html`<everyshare-checkout id="${booking.checkoutId}" key="${publishableKey}"><a href="${booking.payUrl}">Pay with your group</a></everyshare-checkout>`;
  const scripts = html`<script type="module" src="${apiUrl}/embed/v1.js"></script>
<script type="module" src="/booking.js"></script>`;
  const body = html`<div class="booking" data-booking="${booking.status}">
<section class="summary">
<p class="status ${booking.status}">${BADGES[booking.status]}</p>
<h1>${heading}</h1>
<p class="lead">${text}</p>
${embed}
</section>
<aside>
${picture(offer.id)}
<div class="inside">
<h2>${offer.title}</h2>
<dl>
<div><dt>When</dt><dd><time datetime="${booking.startsAt}">${booking.startsAt}</time></dd></div>
<div><dt>Where</dt><dd>${offer.location}</dd></div>
<div><dt>Who</dt><dd>${booking.name}, ${booking.guests} people</dd></div>
<div><dt>Booking</dt><dd class="number">${booking.id}</dd></div>
</dl>
</div>
</aside>
</div>`;
  return layout(`${offer.title}: ${heading}`, body, scripts);
}

export function messagePage(title, text) {
  return layout(
    title,
    html`<section class="intro"><h1>${title}</h1><p>${text}</p><p><a href="/">To the start</a></p></section>`,
  );
}
