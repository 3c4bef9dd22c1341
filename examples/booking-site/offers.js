// What the site sells. A real one reads it from its own system; the price always comes from here, never from the browser.

/** The next Saturday that is at least three days away, at this hour (UTC). */
function nextSaturday(hour) {
  const day = new Date(Date.now() + 3 * 86_400_000);
  day.setUTCDate(day.getUTCDate() + ((6 - day.getUTCDay() + 7) % 7));
  day.setUTCHours(hour, 0, 0, 0);
  return day.toISOString();
}

export const OFFERS = [
  {
    id: 'sunset-sail',
    title: 'Sunset sail',
    text: 'Three hours on the bay, with a captain and something cold to drink.',
    price: '$360 for the boat',
    maxGuests: 8,
    location: 'Harbor Club, Pier 4',
    amountFor: () => 36_000,
    startsAt: () => nextSaturday(22),
  },
  {
    id: 'cabana',
    title: 'Beach cabana',
    text: 'Shade, towels and a table by the water, for six hours.',
    price: '$240 for the day',
    maxGuests: 6,
    location: 'Harbor Club, East Beach',
    amountFor: () => 24_000,
    startsAt: () => nextSaturday(16),
  },
  {
    id: 'chefs-table',
    title: 'Chef’s table',
    text: 'Five courses at the kitchen counter, with the chef in front of you.',
    price: '$95 a person',
    maxGuests: 10,
    location: 'Harbor Club, Boathouse',
    amountFor: (guests) => guests * 9_500,
    startsAt: () => nextSaturday(23),
  },
];

export const findOffer = (id) => OFFERS.find((offer) => offer.id === id);
