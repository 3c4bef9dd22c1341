// Generated from the operations and schemas/v1 by `npm run generate`. Do not edit.

/** Figures for the venue's experiences; they never identify a member. */
export type Analytics = {
  /** The start of the window, inclusive. */
  readonly from: string;
  /** The end of the window, exclusive. */
  readonly to: string;
  /** The figures for the whole window. */
  readonly totals: {
    /** How many approved experiences the answer covers. */
    readonly experiences: number;
    /** How often members opened the page of an experience. */
    readonly views: number;
    /** How many different people opened it. */
    readonly unique_viewers: number;
    /** How many different people started booking. */
    readonly booking_starts: number;
    /** How often members liked or saved it. */
    readonly saves: number;
    /** The number of paid places. */
    readonly bookings: number;
    /** How many people those bookings bring. */
    readonly guests: number;
    /** US dollars paid, before the service fee. */
    readonly booked_value: number;
    /** How many bookings were checked in at the venue. */
    readonly checked_in: number;
    /** Bookings for each unique viewer. */
    readonly view_to_booking_rate: number;
    /** Check-ins for each booking. */
    readonly show_rate: number;
    /** How often members opened the venue's own page. */
    readonly venue_page_views: number;
  };
  /** The figures for each experience. */
  readonly experiences: readonly ({
    /** The id of the live experience. */
    readonly experience_id: string;
    /** Its title. */
    readonly title: string;
    /** When it starts, in UTC. */
    readonly starts_at: string;
    /** How often members opened the page of an experience. */
    readonly views: number;
    /** How many different people opened it. */
    readonly unique_viewers: number;
    /** How many different people started booking. */
    readonly booking_starts: number;
    /** How often members liked or saved it. */
    readonly saves: number;
    /** The number of paid places. */
    readonly bookings: number;
    /** How many people those bookings bring. */
    readonly guests: number;
    /** US dollars paid, before the service fee. */
    readonly booked_value: number;
    /** How many bookings were checked in at the venue. */
    readonly checked_in: number;
    /** Bookings for each unique viewer. */
    readonly view_to_booking_rate: number;
  })[];
  /** The figures for each day of the window in UTC, at most 367. */
  readonly daily: readonly ({
    /** The day. */
    readonly date: string;
    /** How often members opened the page of an experience. */
    readonly views: number;
    /** The number of paid places. */
    readonly bookings: number;
  })[];
};

/** When an offering can be booked. */
export type Availability = {
  /** The venue's time zone, an IANA name, in which local times and days are read. */
  readonly timezone?: string;
  /** Up to 1000 single slots. */
  readonly slots?: readonly ({
    /** When the slot starts. */
    readonly starts_at: string;
    /** When the slot ends; after its start. */
    readonly ends_at?: string;
    /** How many people it has room for, 0 to 100000. */
    readonly capacity?: number;
    /** Your own id for the slot. */
    readonly external_id?: string;
    /** Other prices for this slot alone, up to 20. */
    readonly tier_overrides?: readonly ({
      /** The external_id of a tier of this offering. */
      readonly tier: string;
      /** The price of that tier in this slot, in minor units (cents). */
      readonly amount: number;
    })[];
  })[];
  /** Up to 20 rules for slots that repeat. */
  readonly recurring?: readonly ({
    /** An RFC 5545 recurrence rule, at most 500 characters. */
    readonly rrule: string;
    /** The start of the first slot of the rule. */
    readonly starts_at: string;
    /** The last day of the rule. */
    readonly until?: string;
    /** How long each slot lasts, 1 to 44640 minutes (31 days). */
    readonly duration_minutes?: number;
    /** How many people it has room for, 0 to 100000. */
    readonly capacity?: number;
  })[];
  /** Up to 1000 local days on which nothing can be booked, each at most once. */
  readonly blackout_dates?: readonly string[];
  /** The minimum number of minutes between the booking and the start of a slot, 0 to 525600. */
  readonly lead_time_minutes?: number;
  /** How many minutes before the start of a slot every share must be held, 0 to 525600. */
  readonly cutoff_minutes?: number;
};

/** One boat of a rental platform or fleet, submitted for review. */
export type Boat = {
  /** Your own id; sending it again updates this boat. */
  readonly external_id: string;
  /** The name of the boat, 1 to 120 characters. */
  readonly name: string;
  /** The type of the boat. */
  readonly type: "motor_yacht" | "sport_yacht" | "catamaran" | "sailboat" | "center_console" | "pontoon" | "jet_ski" | "other";
  /** Its length in feet, 5 to 600. */
  readonly length_ft: number;
  /** How many guests it has room for on a day trip, without crew, 1 to 500. */
  readonly capacity: number;
  /** Whether the boat comes with a captain. */
  readonly captain: "included" | "optional" | "required_extra" | "bareboat";
  /** Where the boat is. */
  readonly location: {
    /** The city, at most 120 characters. */
    readonly city: string;
    /** The state or region, at most 120 characters. */
    readonly region?: string;
    /** The country, an ISO 3166-1 alpha-2 code in upper case. */
    readonly country?: string;
    /** The marina, at most 120 characters. */
    readonly marina?: string;
    /** The street address, at most 300 characters. */
    readonly address?: string;
    /** The latitude, -90 to 90; given together with lng. */
    readonly lat?: number;
    /** The longitude, -180 to 180; given together with lat. */
    readonly lng?: number;
  };
  /** The rates for the whole boat, 1 to 20. */
  readonly pricing: readonly ({
    /** How many hours the rate covers, above 0 and up to 720. */
    readonly duration_hours: number;
    /** The rate in minor units (cents). */
    readonly amount: number;
    /** The currency of the rate. */
    readonly currency: string;
    /** What guests see as the name of the rate, 1 to 80 characters. */
    readonly label?: string;
    /** Whether the rate contains the captain. */
    readonly captain_included?: boolean;
    /** Whether the rate contains the fuel. */
    readonly fuel_included?: boolean;
    /** The days on which the rate applies; every day when absent. */
    readonly days?: readonly ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
  })[];
  /** 1 to 20 https addresses of pictures, in order; the first is the cover. */
  readonly photo_urls: readonly string[];
  /** The manufacturer, at most 80 characters. */
  readonly make?: string;
  /** The model, at most 80 characters. */
  readonly model?: string;
  /** The year in which it was built, 1900 to 2100. */
  readonly year?: number;
  /** How many cabins it has, 0 to 100. */
  readonly cabins?: number;
  /** The deposit in minor units (cents). */
  readonly deposit_amount?: number;
  /** What guests should know about the deposit, at most 1000 characters. */
  readonly deposit_note?: string;
  /** What guests should know about fees, at most 1000 characters. */
  readonly fees_note?: string;
  /** What guests read about it, at most 4000 characters. */
  readonly description?: string;
  /** Where guests book it on your own site. */
  readonly booking_url?: string;
  /** Up to 40 things on board, each 1 to 80 characters. */
  readonly amenities?: readonly string[];
  /** When the boat is free or taken. */
  readonly availability?: {
    /** The address of a calendar; the worker reads it every half hour into calendar.blocks. */
    readonly ical_url?: string;
    /** A page that shows when the boat is free. */
    readonly url?: string;
    /** The time zone of the boat, an IANA name. */
    readonly timezone?: string;
    /** Up to 1000 periods of time and the status of the boat in each. */
    readonly blocks?: readonly ({
      /** When the period starts. */
      readonly starts_at: string;
      /** When the period ends; after its start. */
      readonly ends_at: string;
      /** Whether the boat is taken or free in this period. */
      readonly status?: "busy" | "tentative" | "free";
    })[];
  };
  /** The platform the boat comes from, or own: 1 to 60 lower-case letters, digits, _ and -. */
  readonly source_platform?: string;
  /** The page of the boat on that platform. */
  readonly source_url?: string;
  /** False deactivates the boat; true, or no value, activates it again. */
  readonly active?: boolean;
  /** Up to 20 values of your own, returned on every read. */
  readonly metadata?: { readonly [name: string]: string };
  /** Anything else that reviewers should see, any JSON value; never returned. */
  readonly extra?: unknown;
};

/** A checkout as the partner sees it. */
export type Checkout = {
  /** The id of the checkout. */
  readonly id: string;
  /** The type of this object. */
  readonly object: "checkout";
  /** The mode: test cards in test, real money in live. */
  readonly mode: "test" | "live";
  /** The status of the checkout. */
  readonly status: "open" | "collecting" | "funded" | "completed" | "expired" | "canceled";
  /** The party's whole total in minor units (cents). */
  readonly amount: number;
  /** The currency of every amount here. */
  readonly currency: string;
  /** The maximum number of people who share the total. */
  readonly party_size: number;
  /** The deadline by which every share must be held, in UTC. */
  readonly pay_by: string;
  /** The text that every guest reads. */
  readonly description: string;
  /** When the booking itself starts, in UTC; null when you sent none. */
  readonly starts_at: string | null;
  /** When the booking itself ends, in UTC; null when you sent none. */
  readonly ends_at: string | null;
  /** Where the booking takes place; null when you sent none. */
  readonly location: string | null;
  /** The venue that sells. */
  readonly venue: {
    /** The id of the venue; null for a console sandbox. */
    readonly id: string | null;
    /** The name of the venue. */
    readonly name: string;
  };
  /** Your booking id. */
  readonly external_booking_id: string;
  /** The external_id of the offering; null when you sent none. */
  readonly offering_external_id: string | null;
  /** The hosted page on which the party pays. */
  readonly url: string;
  /** Where guests go after they have paid. */
  readonly return_url: string;
  /** Where guests go when the checkout has expired or was canceled; null when you sent none. */
  readonly cancel_url: string | null;
  /** The shares of the party, up to 50; empty until the organizer has chosen the party. */
  readonly shares: readonly Share[];
  /** The sum of the held, captured and refunded shares in minor units (cents). */
  readonly funded_amount: number;
  /** How much was refunded, in minor units (cents), without what failed. */
  readonly refunded_amount: number;
  /** How much of the refunds did not reach the guests, in minor units (cents): the card processor reported that they failed. The operator pays it again, or in another way, and then it is part of `refunded_amount` again. */
  readonly failed_refund_amount: number;
  /** How much of `refunded_amount` waits because a guest disputes the charge, in minor units (cents). It is sent when the dispute is won. A lost dispute gives the guest the money instead: then it is no part of `refunded_amount` any more. */
  readonly disputed_refund_amount: number;
  /** The service's fee in minor units (cents). */
  readonly fee_amount: number;
  /** The amount that the venue is paid: amount less fee_amount. */
  readonly net_amount: number;
  /** Why the checkout was canceled: `capture_failed` (a card could not be charged, and the others were refunded), or `venue_not_payable` (the venue could not be paid up to `pay_by`, and no card was charged); null when it was not, or when you canceled it. */
  readonly cancellation_reason: string | null;
  /** Charges that guests have disputed with their banks; usually none. */
  readonly disputes: readonly Dispute[];
  /** When it was created, in UTC. */
  readonly created_at: string;
  /** When the last card was charged; null before. */
  readonly completed_at: string | null;
  /** Your own values; empty when you sent none. */
  readonly metadata: { readonly [name: string]: string };
};

/** The body that creates a checkout for the whole total of a party. */
export type CheckoutCreate = {
  /** The party's whole total in minor units (cents), at least 100. */
  readonly amount: number;
  /** The currency of the total: usd. */
  readonly currency: "usd";
  /** The maximum number of people who share the total, 2 to 50. */
  readonly party_size: number;
  /** The deadline by which every share must be held; in the future. */
  readonly pay_by: string;
  /** The text that every guest reads, 1 to 200 characters. */
  readonly description: string;
  /** Where guests go after they have paid; on one of your registered origins. */
  readonly return_url: string;
  /** Your booking id; the idempotency key when the header is absent. */
  readonly external_booking_id: string;
  /** Where guests go when the checkout has expired or was canceled, such as a page to book again; on one of your registered origins. */
  readonly cancel_url?: string;
  /** The external_id of the offering that the party books. */
  readonly offering_external_id?: string;
  /** When the booking itself starts; guests see it, and it may be in the past. */
  readonly starts_at?: string;
  /** When the booking itself ends; after starts_at, which it needs. */
  readonly ends_at?: string;
  /** Where the booking takes place, as guests read it, 1 to 200 characters. */
  readonly location?: string;
  /** Up to 20 values of your own, returned on every read and event. */
  readonly metadata?: { readonly [name: string]: string };
};

/** How far the group of a checkout is, in counts and amounts: no name, no share and no booking id. */
export type CheckoutProgress = {
  /** The id of the checkout. */
  readonly id: string;
  /** The type of this object. */
  readonly object: "checkout_progress";
  /** The mode: test cards in test, real money in live. */
  readonly mode: "test" | "live";
  /** The status of the checkout. */
  readonly status: "open" | "collecting" | "funded" | "completed" | "expired" | "canceled";
  /** The party's whole total in minor units (cents). */
  readonly amount: number;
  /** The currency of every amount here. */
  readonly currency: string;
  /** The sum of the held, captured and refunded shares in minor units (cents). */
  readonly funded_amount: number;
  /** The maximum number of people who share the total. */
  readonly party_size: number;
  /** How many shares the party has; 0 until the organizer has chosen the party. */
  readonly share_count: number;
  /** How many of the shares are held, captured or refunded. */
  readonly held_count: number;
  /** The whole payment went back to those who paid, or is on its way. */
  readonly is_refunded: boolean;
  /** The deadline by which every share must be held, in UTC. */
  readonly pay_by: string;
  /** When the last card was charged; null before. */
  readonly completed_at: string | null;
  /** The hosted page on which the party pays. */
  readonly url: string;
};

/** A new webhook endpoint with its secret, which is shown once. */
export type CreatedWebhookEndpoint = {
  /** The id of the endpoint. */
  readonly id: string;
  /** The type of this object. */
  readonly object: "webhook_endpoint";
  /** The address that receives the events; https only. */
  readonly url: string;
  /** The types of event to send, at least one. */
  readonly events: readonly ("checkout.created" | "checkout.collecting" | "share.held" | "checkout.funded" | "checkout.completed" | "checkout.expired" | "checkout.canceled")[];
  /** The secret that signs the deliveries; only this answer shows it. */
  readonly secret: string;
  /** The mode of the events that it gets. */
  readonly mode: "test" | "live";
  /** Whether events are sent to it. */
  readonly status: "active" | "disabled";
  /** When it was created, in UTC. */
  readonly created_at: string;
};

/** An invite to which its guest has said no. */
export type DeclinedInvite = {
  /** Always declined_invite. */
  readonly object: "declined_invite";
  /** The checkout of the invite. */
  readonly checkout_id: string;
  /** The share that is no part of the party any more. */
  readonly share_id: string;
};

/** The answer after an object was deleted. */
export type Deleted = {
  /** The id of the deleted object. */
  readonly id: string;
  /** The type of the deleted object. */
  readonly object: "webhook_endpoint";
  /** Always true. */
  readonly deleted: true;
};

/** The delivery of one event to one webhook endpoint. */
export type Delivery = {
  /** The id of the delivery. */
  readonly id: string;
  /** The type of this object. */
  readonly object: "delivery";
  /** The endpoint it goes to. */
  readonly endpoint_id: string;
  /** The event it carries. */
  readonly event_id: string;
  /** The type of that event. */
  readonly type: "checkout.created" | "checkout.collecting" | "share.held" | "checkout.funded" | "checkout.completed" | "checkout.expired" | "checkout.canceled" | "refund.created" | "refund.failed" | "offering.approved" | "offering.rejected" | "webhook_endpoint.disabled";
  /** The status of the delivery; failed after 72 hours, or when the endpoint was disabled. */
  readonly status: "pending" | "delivered" | "failed";
  /** The number of attempts. */
  readonly attempts: number;
  /** The HTTP status of the last answer; null without an answer. */
  readonly last_status: number | null;
  /** Why the last attempt failed: http_status, redirect, timeout, connect, tls, protocol, interrupted, no_public_address; endpoint_disabled or expired when there was no further attempt; null when it did not fail. */
  readonly last_error: string | null;
  /** The first 4 KB of the last answer; null without an answer. */
  readonly last_response: string | null;
  /** How many milliseconds the last attempt took; null before the first attempt. */
  readonly last_duration_ms: number | null;
  /** When the last attempt was made; null before the first attempt. */
  readonly last_attempt_at: string | null;
  /** When the next attempt is due; null when there is none. */
  readonly next_attempt_at: string | null;
  /** When the endpoint answered with a 2xx; null before. */
  readonly delivered_at: string | null;
  /** The last ten attempts, the newest last. */
  readonly attempts_log: readonly ({
    /** When the attempt was made, in UTC. */
    readonly at: string;
    /** The HTTP status of the answer; null without an answer. */
    readonly status: number | null;
    /** Why the attempt failed, as in last_error; null when it did not fail. */
    readonly error: string | null;
    /** How many milliseconds it took. */
    readonly duration_ms: number;
  })[];
  /** When it was created, in UTC. */
  readonly created_at: string;
  /** True for a sample that tested the endpoint: it is tried once, and its event is in no list. */
  readonly sample: boolean;
};

/** A guest has disputed a charge with their bank. */
export type Dispute = {
  /** The card processor's id of the dispute. */
  readonly id: string;
  /** The share that was charged. */
  readonly share_id: string;
  /** The disputed amount in minor units (cents). */
  readonly amount: number;
  /** The status of the dispute, as the card processor names it. */
  readonly status: string;
  /** The reason, as the card processor names it. */
  readonly reason: string;
  /** When the card processor notified us, in UTC. */
  readonly opened_at: string;
};

/** The shape of every error. */
export type ErrorBody = {
  /** The first, or only, problem. */
  readonly error: {
    /** The code; programs act on it. */
    readonly code: string;
    /** What is wrong, written for people. */
    readonly message: string;
    /** A JSON pointer to the wrong value; an empty pointer means the whole body. */
    readonly field?: string;
    /** Which conflict it is; only with the code conflict. */
    readonly reason?: string;
    /** The id of the request; give it to support. */
    readonly request_id: string;
  };
  /** Every problem of the body in document order, up to 100. */
  readonly errors?: readonly ({
    /** The code; programs act on it. */
    readonly code: string;
    /** What is wrong, written for people. */
    readonly message: string;
    /** A JSON pointer to the wrong value; an empty pointer means the whole body. */
    readonly field: string;
    /** What is valid there, in a few words. */
    readonly expected: string;
    /** A JSON value that is valid there. Null only for unknown_field: leave the member out. For a wrong name it is a valid name. */
    readonly example_fix: unknown;
    /** A JSON pointer to the place where example_fix is valid, if no value is valid at field: as a rule the object around it. */
    readonly example_fix_field?: string;
    /** The address of the page about this code. */
    readonly doc_url: string;
  })[];
};

/** One dated event of a venue, submitted for review. */
export type EventExperience = {
  /** What guests see as the name, 1 to 120 characters. */
  readonly title: string;
  /** When it starts; in the future and at most two years ahead. */
  readonly starts_at: string;
  /** When it ends; after its start. */
  readonly ends_at?: string;
  /** Your own id; sending it again returns the first submission. */
  readonly external_id?: string;
  /** The external_id of the offering to which this date belongs. */
  readonly offering_external_id?: string;
  /** What guests read about it, at most 4000 characters. */
  readonly description?: string;
  /** One of the category slugs that GET /v1/me returns. */
  readonly category?: string;
  /** How many people it has room for, 1 to 5000. */
  readonly capacity?: number;
  /** The prices, 1 to 20, for example general and VIP. */
  readonly tiers?: readonly PriceTier[];
  /** When places are sold. */
  readonly on_sale?: {
    /** When the sale starts. */
    readonly starts_at?: string;
    /** When the sale ends; after its start. */
    readonly ends_at?: string;
  };
  /** Up to 10 pictures and videos, in order. */
  readonly media?: readonly ({
    /** Where the picture or video is. */
    readonly url: string;
    /** Whether it is a picture or a video. */
    readonly type?: "image" | "video";
    /** What the picture shows, for people who cannot see it; at most 300 characters. */
    readonly alt?: string;
  })[];
  /** The rules that guests accept when they book. */
  readonly policy?: Policy;
  /** Where guests book it on the venue's own site. */
  readonly booking_url?: string;
  /** Up to 20 values of your own, returned on every read and event. */
  readonly metadata?: { readonly [name: string]: string };
};

/** The body that sends 1 to 100 boats at once; the server checks and stores each boat separately. */
export type Fleet = {
  /** The boats, 1 to 100, each as in boat.json. */
  readonly boats: readonly Boat[];
};

/** The result for each boat of a fleet. */
export type FleetResult = {
  /** One result for each boat, in the order sent. */
  readonly results: readonly ({
    /** The position in the fleet, counted from 0. */
    readonly index: number;
    /** Your own id of the boat as you sent it; null when it was no text, or far too long for an id. */
    readonly external_id: string | null;
    /** What the call did with the boat. */
    readonly result: "created" | "updated" | "unchanged" | "error";
    /** The boat as it now is; absent for an error, and where data_omitted is true. */
    readonly data?: StoredBoat;
    /** The boat was stored, but the answer would be too large with it: read it with GET /v1/boats/{id}. */
    readonly data_omitted?: true;
    /** The first problem of the boat; only for an error. */
    readonly error?: {
      /** The code; programs act on it. */
      readonly code: string;
      /** What is wrong, written for people. */
      readonly message: string;
      /** A JSON pointer to the wrong value; an empty pointer means the whole body. */
      readonly field?: string;
      /** Which conflict it is; only with the code conflict. */
      readonly reason?: string;
      /** The id of the request; give it to support. */
      readonly request_id: string;
    };
    /** The problems of the boat; only for an error. An answer lists at most 100 in all. */
    readonly errors?: readonly ({
      /** The code; programs act on it. */
      readonly code: string;
      /** What is wrong, written for people. */
      readonly message: string;
      /** A JSON pointer to the wrong value; an empty pointer means the whole body. */
      readonly field: string;
      /** What is valid there, in a few words. */
      readonly expected: string;
      /** A JSON value that is valid there. Null only for unknown_field: leave the member out. For a wrong name it is a valid name. */
      readonly example_fix: unknown;
      /** A JSON pointer to the place where example_fix is valid, if no value is valid at field: as a rule the object around it. */
      readonly example_fix_field?: string;
      /** The address of the page about this code. */
      readonly doc_url: string;
    })[];
    /** How many more problems the boat has that are not listed; absent when there are none. */
    readonly more_errors?: number;
  })[];
  /** How many objects had each result. */
  readonly summary: {
    /** How many were sent. */
    readonly total: number;
    /** How many were created. */
    readonly created: number;
    /** How many were updated. */
    readonly updated: number;
    /** How many were unchanged. */
    readonly unchanged: number;
    /** How many had an error. */
    readonly errors: number;
  };
};

/** A checkout as guests see it: no fee, no metadata, no booking id. */
export type GuestCheckout = {
  /** The id of the checkout. */
  readonly id: string;
  /** The type of this object. */
  readonly object: "checkout";
  /** The mode: test cards in test, real money in live. */
  readonly mode: "test" | "live";
  /** The status of the checkout. */
  readonly status: "open" | "collecting" | "funded" | "completed" | "expired" | "canceled";
  /** The party's whole total in minor units (cents). */
  readonly amount: number;
  /** The currency of every amount here. */
  readonly currency: string;
  /** The maximum number of people who share the total. */
  readonly party_size: number;
  /** The deadline by which every share must be held, in UTC. */
  readonly pay_by: string;
  /** The text that every guest reads. */
  readonly description: string;
  /** When the booking itself starts, in UTC; null when you sent none. */
  readonly starts_at: string | null;
  /** When the booking itself ends, in UTC; null when you sent none. */
  readonly ends_at: string | null;
  /** Where the booking takes place; null when you sent none. */
  readonly location: string | null;
  /** The venue that sells. */
  readonly venue: {
    /** The id of the venue; null for a console sandbox. */
    readonly id: string | null;
    /** The name of the venue. */
    readonly name: string;
  };
  /** The sum of the held, captured and refunded shares in minor units (cents). */
  readonly funded_amount: number;
  /** The shares of the party, up to 50; empty until the organizer has chosen the party. */
  readonly shares: readonly GuestShare[];
  /** Where guests go after they have paid. */
  readonly return_url: string;
  /** Where guests go when the checkout has expired or was canceled; null when you sent none. */
  readonly cancel_url: string | null;
  /** When it was created, in UTC. */
  readonly created_at: string;
  /** When the last card was charged; null before. */
  readonly completed_at: string | null;
  /** The signed-in member's own share, or null; absent for a publishable key. */
  readonly my_share_id?: string | null;
};

/** One person's part of a checkout as every guest sees it. */
export type GuestShare = {
  /** The id of the share. */
  readonly id: string;
  /** The share in minor units (cents). */
  readonly amount: number;
  /** The status of the share. */
  readonly status: "invited" | "held" | "captured" | "released" | "refunded" | "failed";
  /** Whether this is the share of the organizer. */
  readonly is_organizer: boolean;
  /** What the organizer typed, else the person's own name once they have acted on the invite; null before. */
  readonly display_name: string | null;
  /** When the card hold succeeded; null before. */
  readonly held_at: string | null;
  /** Whether the share has no person yet; a signed-in member may take it. */
  readonly is_open_seat: boolean;
  /** The name of the member whose card was last held for this share, if that is not the share's own person; otherwise null. */
  readonly covered_by: string | null;
  /** When the hold ends, if the guest's bank did not extend it and it ends before pay_by. Until then the share counts as held, and its person can give another card (POST /v1/public/shares/{share_id}/hold). Otherwise the share fails at that time. Null: there is nothing to do. */
  readonly renew_by: string | null;
};

/** The body with which a guest begins to pay a share. Without a body the card form pays this one share. */
export type HoldCreate = {
  /** Save the card of the card form, so that it can pay other shares of this checkout: `card_share_id` names this share then. */
  readonly save_card?: boolean;
  /** A share of the same checkout that you hold with a saved card. The server confirms this share with the same card, and the card form is not needed. */
  readonly card_share_id?: string;
};

/** What a guest's browser needs to place the card hold. */
export type HoldSecret = {
  /** The processor's secret for this one hold. */
  readonly client_secret: string;
  /** The processor's publishable key. */
  readonly publishable_key: string;
  /** The processor saves the card with this hold, so that the hold can be renewed before it lapses, or the card can pay other shares. A card form that was mounted before the hold must say the same: `setupFutureUsage` is `off_session` if true, otherwise null. */
  readonly saves_card: boolean;
  /** What the hold needs next. `requires_card`: the card form must confirm it. `requires_action`: the bank of the saved card asks the guest, and the processor's script leads through it (`handleNextAction`). `held`: nothing, the saved card is held. */
  readonly status: "requires_card" | "requires_action" | "held";
  /** Why the bank declined the saved card of `card_share_id`, in the processor's words; null if it did not. Another card can pay with this client secret. */
  readonly decline_code: string | null;
};

/** The answer to a delivery of a venue system. */
export type HookReceipt = {
  /** Always true: the delivery has arrived. */
  readonly received: true;
  /** The id of the stored delivery; for a duplicate, the id of the first delivery. Null: it came to an address that several venues share and belongs to none of them, so it is not stored. */
  readonly id: string | null;
  /** Whether it was delivered before. */
  readonly duplicate: boolean;
};

/** A delivery from a venue system, and its outcome. */
export type InboundDelivery = {
  /** The id of the delivery. */
  readonly id: string;
  /** The type of this object. */
  readonly object: "inbound_delivery";
  /** The integration it came through. */
  readonly integration_id: string;
  /** The venue system. */
  readonly provider: "square" | "toast" | "mindbody" | "fareharbor" | "peek" | "ventrata" | "xola" | "rezdy" | "checkfront" | "eventbrite" | "cloudbeds" | "tock" | "foreup" | "mews" | "custom";
  /** The mode, test or live. */
  readonly mode: "test" | "live";
  /** The provider's own id of the event; null when it has none. */
  readonly provider_event_id: string | null;
  /** The provider's own type of the event; null when it has none. */
  readonly type: string | null;
  /** The outcome: ignored changes nothing that is sold, superseded is older than a delivery that was applied before, unmapped cannot become an offering, needs_api_read only names an object of the provider’s API, which the server does not read or has no credentials to read, reading waits for that object to be read, failed breaks a rule of offerings. */
  readonly status: "pending" | "reading" | "applied" | "ignored" | "superseded" | "unmapped" | "needs_api_read" | "failed";
  /** Why the delivery, or a part of it, was not applied; null when all of it was applied, or while it waits. */
  readonly reason: string | null;
  /** The offering it changed; null when none. */
  readonly offering_external_id: string | null;
  /** When the server received it, in UTC. */
  readonly received_at: string;
  /** When it was applied; null before. */
  readonly applied_at: string | null;
};

/** The body that connects a venue system. */
export type Integration = {
  /** The venue system, or custom for one of your own. */
  readonly provider: "square" | "toast" | "mindbody" | "fareharbor" | "peek" | "ventrata" | "xola" | "rezdy" | "checkfront" | "eventbrite" | "cloudbeds" | "tock" | "foreup" | "mews" | "custom";
  /** The secret with which the provider signs, 1 to 500 characters without white space around them; required for square, toast and mindbody, not allowed otherwise. */
  readonly signing_secret?: string;
  /** Values for fields that a payload of the provider does not have. */
  readonly defaults?: {
    /** The kind of an offering. */
    readonly kind?: "tee_time" | "table" | "cabana" | "daybed" | "spa_treatment" | "class" | "boat_day" | "ticketed_event" | "package" | "rental" | "ride" | "dining";
    /** The time zone of the venue, an IANA name. */
    readonly timezone?: string;
    /** The currency of prices. */
    readonly currency?: string;
    /** The category of an offering. */
    readonly category?: string;
    /** What a price is for, where the provider does not say it; per_person when absent. */
    readonly unit?: "per_person" | "per_group" | "per_hour" | "per_unit";
  };
};

/** Credentials for the API of a venue system. They replace earlier ones as a whole. */
export type IntegrationCredentials = {
  /** The fields that the page of the venue system names. The server stores them encrypted and never shows them. */
  readonly credentials: { readonly [name: string]: string };
};

/** A run that reads the whole catalogue of a venue system, and its progress. */
export type IntegrationSync = {
  /** The id of the run. */
  readonly id: string;
  /** The type of this object. */
  readonly object: "integration_sync";
  /** The integration. */
  readonly integration_id: string;
  /** How the run stands. failed: the catalogue could not be listed. canceled: the credentials were deleted, or the integration was revoked. */
  readonly status: "running" | "finished" | "failed" | "canceled";
  /** Why it failed; null otherwise. */
  readonly reason: string | null;
  /** How many objects the catalogue has named so far. */
  readonly listed: number;
  /** How many of them were read. */
  readonly read: number;
  /** How many offerings were created. */
  readonly created: number;
  /** How many offerings were changed. */
  readonly changed: number;
  /** How many offerings were the same already. */
  readonly unchanged: number;
  /** How many became no offering. */
  readonly skipped: number;
  /** The first 50 that were skipped. */
  readonly skipped_objects: readonly ({
    /** The object. */
    readonly object: string;
    /** Why it was skipped. */
    readonly reason: string;
  })[];
  /** When it began, in UTC. */
  readonly started_at: string;
  /** When it ended; null while it runs. */
  readonly finished_at: string | null;
};

/** The body with which the holder of an invite's link says no. */
export type InviteDecline = {
  /** The part of the invite's address after /s/. */
  readonly token: string;
};

/** The original body for submitting a dated event; prices are in US dollars. */
export type LegacyExperience = {
  /** What guests see as the name, 1 to 120 characters. */
  readonly title: string;
  /** When it starts; in the future and at most two years ahead. */
  readonly starts_at: string;
  /** Your own id; sending it again returns the first submission. */
  readonly external_id?: string;
  /** What guests read about it, at most 4000 characters. */
  readonly description?: string;
  /** One of the category slugs that GET /v1/me returns. */
  readonly category?: string;
  /** When it ends; after its start. */
  readonly ends_at?: string;
  /** The price for one person in US dollars, 0 to 100000. */
  readonly price_per_person?: number;
  /** How many people it has room for, 1 to 5000. */
  readonly capacity?: number;
  /** Up to 10 https addresses of pictures, in order. */
  readonly photo_urls?: readonly string[];
  /** Where guests book it on the venue's own site. */
  readonly booking_url?: string;
};

/** The venue of the key, and what the key may do. */
export type Me = {
  /** The key's venue. */
  readonly venue: {
    /** The id of the venue; null for a console sandbox. */
    readonly id: string | null;
    /** The name of the venue. */
    readonly name: string;
  };
  /** The key's mode. */
  readonly mode: "test" | "live";
  /** The scopes of the key. */
  readonly scopes: readonly ("offerings:write" | "offerings:read" | "checkouts:write" | "checkouts:read" | "bookings:read" | "analytics:read" | "webhooks:write" | "boats:write" | "boats:read")[];
  /** The rate limits of the key. */
  readonly limits: {
    /** Writes in a rolling hour. */
    readonly writes_per_hour: number;
    /** Reads in a rolling hour. */
    readonly reads_per_hour: number;
  };
  /** The category slugs that the venue may use. */
  readonly categories: readonly string[];
  /** The key itself. */
  readonly key: {
    /** The id of the key. */
    readonly id: string;
    /** The kind of key. */
    readonly kind: "secret" | "publishable";
    /** When it was created, in UTC. */
    readonly created_at: string;
    /** When the key expires; null when it does not. */
    readonly expires_at: string | null;
  };
  /** What to call next, in sentences; only for a sandbox key. */
  readonly next_steps?: readonly string[];
};

/** Something that a venue sells repeatedly, with its prices, availability and policy. */
export type Offering = {
  /** Your own id; sending it again updates this offering. */
  readonly external_id: string;
  /** The kind of the offering. */
  readonly kind: "tee_time" | "table" | "cabana" | "daybed" | "spa_treatment" | "class" | "boat_day" | "ticketed_event" | "package" | "rental" | "ride" | "dining";
  /** What guests see as the name, 1 to 120 characters. */
  readonly title: string;
  /** The prices, 1 to 20. */
  readonly tiers: readonly PriceTier[];
  /** What guests read about it, at most 4000 characters. */
  readonly description?: string;
  /** One of the category slugs that GET /v1/me returns. */
  readonly category?: string;
  /** Up to 10 pictures and videos, in order. */
  readonly media?: readonly ({
    /** Where the picture or video is. */
    readonly url: string;
    /** Whether it is a picture or a video. */
    readonly type?: "image" | "video";
    /** What the picture shows, for people who cannot see it; at most 300 characters. */
    readonly alt?: string;
  })[];
  /** When it can be booked. */
  readonly availability?: Availability;
  /** The rules that guests accept when they book. */
  readonly policy?: Policy;
  /** Where guests book it on the venue's own site. */
  readonly booking_url?: string;
  /** Up to 20 values of your own, returned on every read and event. */
  readonly metadata?: { readonly [name: string]: string };
};

/** The body that sends 1 to 25 offerings at once; the server stores all of them or none. */
export type OfferingBatch = {
  /** The offerings, 1 to 25. */
  readonly offerings: readonly Offering[];
};

/** The result for each offering of a batch. */
export type OfferingBatchResult = {
  /** One result for each offering, in the order sent. */
  readonly results: readonly ({
    /** The position in the batch, counted from 0. */
    readonly index: number;
    /** Your own id; sending it again updates this offering. */
    readonly external_id: string;
    /** What the call did with the offering. */
    readonly result: "created" | "updated" | "unchanged";
    /** The offering as it now is. */
    readonly data: StoredOffering;
  })[];
  /** How many objects had each result. */
  readonly summary: {
    /** How many were sent. */
    readonly total: number;
    /** How many were created. */
    readonly created: number;
    /** How many were updated. */
    readonly updated: number;
    /** How many were unchanged. */
    readonly unchanged: number;
  };
};

/** The body with which the organizer chooses the party and the split. */
export type Party = {
  /** Up to 50 people or group chats; the server adds the organizer if the list does not. It may be empty. */
  readonly members: readonly ({
    /** The id of a member. */
    readonly user_id: string;
  } | {
    /** The id of a group chat; all its members join the party. */
    readonly channel_id: string;
  } | {
    /** The phone of a person: a valid mobile number in E.164 form. */
    readonly phone: string;
    /** The name that the organizer gives the person, 1 to 80 characters; guests see it. */
    readonly name?: string;
  })[];
  /** How the total is divided: equal, or an amount for each person. */
  readonly split: {
    /** The amount of each share by user_id, phone or organizer, up to 50; they add up to the total. */
    readonly custom: { readonly [name: string]: number };
  } | "equal";
};

/** The answer to the organizer's choice of the party. */
export type PartyResult = {
  /** The checkout as guests see it. */
  readonly checkout: GuestCheckout;
  /** The shares with their invites, for the organizer alone. */
  readonly shares: readonly ({
    /** The id of the share. */
    readonly id: string;
    /** What the organizer typed, else the person's own name once they have acted on the invite; null before. */
    readonly display_name: string | null;
    /** The share in minor units (cents). */
    readonly amount: number;
    /** The address of the invite to pay this share. */
    readonly url: string;
  })[];
};

/** The payout to the venue for one completed checkout, with a transfer for each share. */
export type Payout = {
  /** The id of the payout. */
  readonly id: string;
  /** The type of this object. */
  readonly object: "payout";
  /** The mode: real money moves only in live. */
  readonly mode: "test" | "live";
  /** The checkout it is for. */
  readonly checkout_id: string;
  /** Your booking id. */
  readonly external_booking_id: string;
  /** What the venue earned with the checkout at completion, in minor units (cents). */
  readonly amount: number;
  /** What refunds took out of it, before or after it was sent, in minor units (cents). */
  readonly reversed_amount: number;
  /** What has been transferred and was not taken back, in minor units (cents). */
  readonly paid_amount: number;
  /** What was not transferred because it settled what the venue owed, in minor units (cents). */
  readonly offset_amount: number;
  /** What of reversed_amount could not be taken back from the venue's account, in minor units (cents). The venue owes it until the offset_amount of later payouts settles it. */
  readonly owed_amount: number;
  /** The service's fee in minor units (cents). */
  readonly fee_amount: number;
  /** What the card processor charged the service for the checkout's cards and disputes, as far as it is known, in minor units (cents). The service pays it out of its fee; a refund returns none of it. */
  readonly processor_fee_amount: number;
  /** The currency of every amount here. */
  readonly currency: string;
  /** The status of the payout: failed when a transfer failed, paid when every transfer is made or dropped. */
  readonly status: "pending" | "paid" | "failed" | "canceled";
  /** The transfers: one for each share, and one more each time that money of a lost dispute came back. */
  readonly transfers: readonly ({
    /** The share it is for. */
    readonly share_id: string;
    /** The amount of the transfer in minor units (cents), with what settles debts of the venue; a refund before it was sent reduces it. */
    readonly amount: number;
    /** The status of the transfer; dropped when refunds took all of it before it was sent. */
    readonly status: "pending" | "paid" | "failed" | "dropped";
  })[];
  /** When it was created, in UTC. */
  readonly created_at: string;
  /** When the last transfer was made; null before, and when there was nothing to send. */
  readonly paid_at: string | null;
};

/** The sums over every payout of the requested period, not only of the page. The amount still to be paid is amount less reversed_amount less paid_amount less offset_amount plus owed_amount. Over all time, the venue owes owed_amount less offset_amount. */
export type PayoutTotals = {
  /** How many payouts there are. */
  readonly count: number;
  /** What the venue earned with the checkouts at completion, in minor units (cents). */
  readonly amount: number;
  /** The fees at completion, in minor units (cents). */
  readonly fee_amount: number;
  /** What the card processor charged the service, as far as it is known, in minor units (cents). */
  readonly processor_fee_amount: number;
  /** What refunds took out of the payouts, in minor units (cents). */
  readonly reversed_amount: number;
  /** What has been transferred and was not taken back, in minor units (cents). */
  readonly paid_amount: number;
  /** What was not transferred because it settled what the venue owed, in minor units (cents). */
  readonly offset_amount: number;
  /** What of reversed_amount could not be taken back from the venue's account, in minor units (cents). */
  readonly owed_amount: number;
};

/** The rules that guests accept when they book. */
export type Policy = {
  /** Up to 10 steps that say how much of the price a canceling party gets back. */
  readonly cancellation?: readonly ({
    /** The step applies when the party cancels at least this many hours before the start, 0 to 8760. */
    readonly hours_before: number;
    /** The percentage that is refunded, 0 to 100. */
    readonly refund_pct: number;
  })[];
  /** The minimum age of a guest: 0, 18 or 21. */
  readonly min_age?: 0 | 18 | 21;
  /** What to wear, at most 200 characters. */
  readonly dress_code?: string;
  /** How many minutes before or after the start the party may arrive, 0 to 1440. */
  readonly arrival_window_minutes?: number;
  /** Anything else guests should know, at most 2000 characters. */
  readonly notes?: string;
};

/** One price of an offering or event, and when and for whom it applies. */
export type PriceTier = {
  /** The price in minor units (cents). */
  readonly amount: number;
  /** The currency of the price; one offering has one currency. */
  readonly currency: string;
  /** What the amount is for. */
  readonly unit: "per_person" | "per_group" | "per_hour" | "per_unit";
  /** Your own id for the tier, needed to override it for a slot. */
  readonly external_id?: string;
  /** What guests see as the name of the tier, 1 to 80 characters. */
  readonly label?: string;
  /** The smallest party that gets this price, 1 to 500. */
  readonly min_party?: number;
  /** The largest party that gets this price, 1 to 500. */
  readonly max_party?: number;
  /** The days on which the tier applies; every day when absent. */
  readonly days?: readonly ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
  /** The local start times to which the tier applies; it may cross midnight. */
  readonly time_window?: {
    /** The first start time that gets this price. */
    readonly from: string;
    /** The end of the window of start times, exclusive. */
    readonly to: string;
  };
  /** Up to 10 fees and taxes, each inside the price or on top of it. */
  readonly fees?: readonly ({
    /** What the fee is. */
    readonly type: "service" | "tax" | "gratuity" | "other";
    /** What guests see as the name of the fee, 1 to 80 characters. */
    readonly label?: string;
    /** The fee as a percentage of the price; give this or amount. */
    readonly percent?: number;
    /** The fee in minor units (cents); give this or percent. */
    readonly amount?: number;
    /** True when the price already contains the fee, false when it is added on top. */
    readonly included: boolean;
  })[];
  /** What the party must pay in advance, as a percentage or as an amount. */
  readonly deposit?: {
    /** The deposit as a percentage of the total; give this or amount. */
    readonly percent?: number;
    /** The deposit in minor units (cents); give this or percent. */
    readonly amount?: number;
  };
  /** The minimum that the party spends in minor units (cents), for tables and cabanas. */
  readonly minimum_spend?: number;
};

/** What a guest has paid for a completed checkout, own share and covered ones. */
export type Receipt = {
  /** Always `receipt`. */
  readonly object: "receipt";
  /** The number of the receipt, the same every time. */
  readonly number: string;
  /** What was charged to the guest's card, in minor units. */
  readonly amount: number;
  /** What came back of it, in minor units. */
  readonly refunded_amount: number;
  /** An ISO 4217 currency code in lower case. */
  readonly currency: string;
};

/** The body with which a guest asks for the receipt by mail. */
export type ReceiptMail = {
  /** The mail address, 6 to 200 characters. It is used for this mail alone. */
  readonly email: string;
};

/** The body that refunds a completed checkout; without amount and starts_at the offering's cancellation policy decides if the checkout has a starts_at, otherwise everything that is left is refunded. */
export type Refund = {
  /** How much to refund in minor units (cents), 1 to 99999999. */
  readonly amount?: number;
  /** The start of the booking, so that the offering's cancellation policy decides how much; the checkout's own starts_at when absent. */
  readonly starts_at?: string;
  /** The reason, at most 500 characters. */
  readonly reason?: string;
};

/** The last reminder of a share, by its organizer or by the service. Times are in the checkout's own time. */
export type Reminder = {
  /** The share that is to be paid. */
  readonly share_id: string;
  /** When the text is sent: at once or, in the quiet hours of the venue, in the morning. */
  readonly reminded_at: string;
  /** Until then a further request sends no text, and answers with this reminder. */
  readonly remind_again_at: string;
};

/** The body that decides a review in test mode. */
export type ReviewDecision = {
  /** The id of the offering, experience or boat. */
  readonly id: string;
  /** How the review ends. */
  readonly status: "approved" | "rejected";
  /** Why it was rejected, 1 to 2000 characters. */
  readonly review_note?: string;
};

/** The new secret of a webhook endpoint, shown once. */
export type RotatedSecret = {
  /** The id of the endpoint. */
  readonly id: string;
  /** The address that receives the events; https only. */
  readonly url: string;
  /** The types of event to send, at least one. */
  readonly events: readonly ("checkout.created" | "checkout.collecting" | "share.held" | "checkout.funded" | "checkout.completed" | "checkout.expired" | "checkout.canceled")[];
  /** The new secret; only this answer shows it. */
  readonly secret: string;
  /** The time until which the old secret signs beside the new one. */
  readonly previous_secret_expires_at: string;
};

/** The body with which a signed-in member takes an open seat of a party. */
export type Seat = {
  /** The seat to take; without it the server chooses a free seat. */
  readonly share_id?: string;
};

/** One person's part of a checkout; it never carries a phone number or an e-mail address. */
export type Share = {
  /** The id of the share. */
  readonly id: string;
  /** The share in minor units (cents). */
  readonly amount: number;
  /** The status of the share. */
  readonly status: "invited" | "held" | "captured" | "released" | "refunded" | "failed";
  /** Whether this is the share of the organizer. */
  readonly is_organizer: boolean;
  /** What the organizer typed, else the person's own name once they have acted on the invite; null before. */
  readonly display_name: string | null;
  /** When the card hold succeeded; null before. */
  readonly held_at: string | null;
  /** How much of the share was refunded, in minor units (cents). */
  readonly refunded_amount: number;
};

/** The body that asks for a sign-in code by text message. */
export type SignIn = {
  /** The phone that receives the code: a valid mobile number in E.164 form. */
  readonly phone: string;
};

/** A sign-in that waits for its code. */
export type SignInChallenge = {
  /** The id of the sign-in; send it back with the code. */
  readonly challenge_id: string;
  /** For how many seconds the code is valid. */
  readonly expires_in: number;
};

/** The body that answers a sign-in with the code. */
export type SignInVerify = {
  /** The challenge_id from the answer to the sign-in. */
  readonly challenge_id: string;
  /** The six digits from the text message. */
  readonly code: string;
  /** The name of the person, 1 to 80 characters. */
  readonly name?: string;
};

/** A signed-in member. */
export type SignedIn = {
  /** The member's JWT, to be sent as a bearer token. */
  readonly token: string;
  /** For how many seconds the token is valid. */
  readonly expires_in: number;
  /** The member who signed in. */
  readonly member: {
    /** The id of the member. */
    readonly id: string;
    /** The name shown for the member; null when none was given. */
    readonly display_name: string | null;
  };
};

/** A slot of an offering that can be booked, and its prices for the requested party. */
export type Slot = {
  /** When the slot starts, in UTC. */
  readonly starts_at: string;
  /** When the slot ends, in UTC; null when it has no end. */
  readonly ends_at: string | null;
  /** Your own id for the slot; null when it has none. */
  readonly external_id: string | null;
  /** How many people it has room for; null when there is no limit. */
  readonly capacity: number | null;
  /** The deadline by which every share must be held: the start less cutoff_minutes. */
  readonly pay_by: string;
  /** The prices that apply to this party and slot, up to 20. */
  readonly prices: readonly ({
    /** The external_id of the tier; null when it has none. */
    readonly tier: string | null;
    /** What guests see as the name of the tier; null when it has none. */
    readonly label: string | null;
    /** What the amount is for. */
    readonly unit: "per_person" | "per_group" | "per_hour" | "per_unit";
    /** The price of one unit in this slot, in minor units (cents). */
    readonly amount: number;
    /** The currency of the price; one offering has one currency. */
    readonly currency: string;
    /** The fees and taxes, up to 10, and the amount of each for the party. */
    readonly fees: readonly ({
      /** What the fee is. */
      readonly type: "service" | "tax" | "gratuity" | "other";
      /** What guests see as the name of the fee; null when it has none. */
      readonly label: string | null;
      /** The fee as a percentage; null when it is a fixed amount. */
      readonly percent: number | null;
      /** The amount of the fee for the party, in minor units (cents). */
      readonly amount: number;
      /** True when the price already contains the fee, false when it is added on top. */
      readonly included: boolean;
    })[];
    /** What the party pays in minor units (cents), the fees on top included. */
    readonly total: number;
    /** What the party must pay in advance in minor units (cents); null when there is no deposit. */
    readonly deposit: number | null;
    /** The minimum that the party spends in minor units (cents); null when there is none. */
    readonly minimum_spend: number | null;
  })[];
};

/** A boat as the API returns it: the submitted fields without extra, and its review. */
export type StoredBoat = {
  /** The id of the boat. */
  readonly id: string;
  /** The type of this object. */
  readonly object: "boat";
  /** The mode, test or live. */
  readonly mode: "test" | "live";
  /** The status of its review. */
  readonly status: "pending" | "approved" | "rejected" | "inactive";
  /** Your own id; sending it again updates this boat. */
  readonly external_id: string;
  /** The name of the boat, 1 to 120 characters. */
  readonly name: string;
  /** The type of the boat. */
  readonly type: "motor_yacht" | "sport_yacht" | "catamaran" | "sailboat" | "center_console" | "pontoon" | "jet_ski" | "other";
  /** Its length in feet, 5 to 600. */
  readonly length_ft: number;
  /** How many guests it has room for on a day trip, without crew, 1 to 500. */
  readonly capacity: number;
  /** Whether the boat comes with a captain. */
  readonly captain: "included" | "optional" | "required_extra" | "bareboat";
  /** Where the boat is. */
  readonly location: {
    /** The city, at most 120 characters. */
    readonly city: string;
    /** The state or region, at most 120 characters. */
    readonly region?: string;
    /** The country, an ISO 3166-1 alpha-2 code in upper case. */
    readonly country?: string;
    /** The marina, at most 120 characters. */
    readonly marina?: string;
    /** The street address, at most 300 characters. */
    readonly address?: string;
    /** The latitude, -90 to 90; given together with lng. */
    readonly lat?: number;
    /** The longitude, -180 to 180; given together with lat. */
    readonly lng?: number;
  };
  /** The rates for the whole boat, 1 to 20. */
  readonly pricing: readonly ({
    /** How many hours the rate covers, above 0 and up to 720. */
    readonly duration_hours: number;
    /** The rate in minor units (cents). */
    readonly amount: number;
    /** The currency of the rate. */
    readonly currency: string;
    /** What guests see as the name of the rate, 1 to 80 characters. */
    readonly label?: string;
    /** Whether the rate contains the captain. */
    readonly captain_included?: boolean;
    /** Whether the rate contains the fuel. */
    readonly fuel_included?: boolean;
    /** The days on which the rate applies; every day when absent. */
    readonly days?: readonly ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
  })[];
  /** 1 to 20 https addresses of pictures, in order; the first is the cover. */
  readonly photo_urls: readonly string[];
  /** The manufacturer, at most 80 characters. */
  readonly make?: string;
  /** The model, at most 80 characters. */
  readonly model?: string;
  /** The year in which it was built, 1900 to 2100. */
  readonly year?: number;
  /** How many cabins it has, 0 to 100. */
  readonly cabins?: number;
  /** The deposit in minor units (cents). */
  readonly deposit_amount?: number;
  /** What guests should know about the deposit, at most 1000 characters. */
  readonly deposit_note?: string;
  /** What guests should know about fees, at most 1000 characters. */
  readonly fees_note?: string;
  /** What guests read about it, at most 4000 characters. */
  readonly description?: string;
  /** Where guests book it on your own site. */
  readonly booking_url?: string;
  /** Up to 40 things on board, each 1 to 80 characters. */
  readonly amenities?: readonly string[];
  /** When the boat is free or taken. */
  readonly availability?: {
    /** The address of a calendar; the worker reads it every half hour into calendar.blocks. */
    readonly ical_url?: string;
    /** A page that shows when the boat is free. */
    readonly url?: string;
    /** The time zone of the boat, an IANA name. */
    readonly timezone?: string;
    /** Up to 1000 periods of time and the status of the boat in each. */
    readonly blocks?: readonly ({
      /** When the period starts. */
      readonly starts_at: string;
      /** When the period ends; after its start. */
      readonly ends_at: string;
      /** Whether the boat is taken or free in this period. */
      readonly status?: "busy" | "tentative" | "free";
    })[];
  };
  /** The platform the boat comes from, or own: 1 to 60 lower-case letters, digits, _ and -. */
  readonly source_platform?: string;
  /** The page of the boat on that platform. */
  readonly source_url?: string;
  /** False deactivates the boat; true, or no value, activates it again. */
  readonly active?: boolean;
  /** Up to 20 values of your own, returned on every read. */
  readonly metadata?: { readonly [name: string]: string };
  /** Why the reviewer rejected it; null when it is not rejected. */
  readonly review_note: string | null;
  /** When it was created, in UTC. */
  readonly created_at: string;
  /** When it last changed, in UTC. */
  readonly updated_at: string;
  /** When it was last reviewed, in UTC; null before. */
  readonly reviewed_at: string | null;
  /** What the worker read from `availability.ical_url`; absent when there is none, or while the boat is inactive. */
  readonly calendar?: {
    /** When the worker last requested the address, in UTC; null before. */
    readonly checked_at: string | null;
    /** When the worker last read the calendar successfully; the blocks are from that time; null before. */
    readonly read_at: string | null;
    /** Why the last attempt failed, or which taken times are missing from the blocks; null when there was no problem. */
    readonly last_error: string | null;
    /** The entries of the calendar that are missing from the blocks, or may be missing. */
    readonly problems: readonly string[];
    /** The times that the calendar says are taken, in order. */
    readonly blocks: readonly ({
      /** When the period starts. */
      readonly starts_at: string;
      /** When the period ends; after its start. */
      readonly ends_at: string;
      /** Whether the boat is taken or free in this period. */
      readonly status?: "busy" | "tentative" | "free";
    })[];
  };
};

/** A connection to a venue system; lists never show its token. */
export type StoredIntegration = {
  /** The id of the integration. */
  readonly id: string;
  /** The type of this object. */
  readonly object: "integration";
  /** The venue system. */
  readonly provider: "square" | "toast" | "mindbody" | "fareharbor" | "peek" | "ventrata" | "xola" | "rezdy" | "checkfront" | "eventbrite" | "cloudbeds" | "tock" | "foreup" | "mews" | "custom";
  /** The mode, test or live. */
  readonly mode: "test" | "live";
  /** Whether its address accepts deliveries. */
  readonly status: "active" | "revoked";
  /** Whether its deliveries must be signed. */
  readonly signed: boolean;
  /** Values for fields that a payload does not have, as sent at creation. */
  readonly defaults: {
    /** The kind of an offering. */
    readonly kind?: "tee_time" | "table" | "cabana" | "daybed" | "spa_treatment" | "class" | "boat_day" | "ticketed_event" | "package" | "rental" | "ride" | "dining";
    /** The time zone of the venue, an IANA name. */
    readonly timezone?: string;
    /** The currency of prices. */
    readonly currency?: string;
    /** The category of an offering. */
    readonly category?: string;
    /** What a price is for, where the provider does not say it; per_person when absent. */
    readonly unit?: "per_person" | "per_group" | "per_hour" | "per_unit";
  };
  /** When it was created, in UTC. */
  readonly created_at: string;
  /** When the server stored the last delivery; null before the first. */
  readonly last_delivery_at: string | null;
  /** How many deliveries the server stored, each counted once. */
  readonly delivery_count: number;
  /** The last delivery that the server refused and did not store: usually the signature was wrong (unauthorized), the body was not a JSON object or too large, or there were too many deliveries; null when there was none. */
  readonly last_refused: {
    /** The error code that the sender received. */
    readonly code: "unauthorized" | "invalid_json" | "payload_too_large" | "rate_limited";
    /** When the server refused it, to the second, in UTC. */
    readonly at: string;
  } | null;
  /** How the server reads from the API of the venue system: which credentials it has, and whether it waits; null when it cannot read there. */
  readonly reads: {
    /** Whether the server reads. no_credentials: objects that a delivery only names are not read. checking: the credentials are new, and the server tries them with one request. waiting: the venue system is unavailable or a limit is reached, and the server tries again at next_attempt_at. paused: the venue system has refused the credentials, and nothing is read until you send others. */
    readonly status: "no_credentials" | "checking" | "active" | "waiting" | "paused";
    /** Why it is paused or waits; null otherwise. */
    readonly reason: "credentials_refused" | "rate_limited" | "provider_unavailable" | "daily_limit" | null;
    /** The fields of the credentials. */
    readonly credential_fields: readonly ({
      /** The name of the field. */
      readonly name: string;
      /** Its name as the venue system writes it. */
      readonly label: string;
      /** Where the venue finds it. */
      readonly where: string;
      /** Whether reading needs it. */
      readonly required: boolean;
      /** Whether a form hides what is typed. */
      readonly secret: boolean;
      /** Whether it is set. Its value is never shown. */
      readonly is_set: boolean;
    })[];
    /** When the credentials were set; null when there are none. */
    readonly set_at: string | null;
    /** How many objects wait to be read. */
    readonly waiting: number;
    /** When the server tries again; null unless it waits. */
    readonly next_attempt_at: string | null;
    /** When the server last read an object; null before the first. */
    readonly last_read_at: string | null;
    /** How many requests the server has made today, in UTC. */
    readonly requests_today: number;
    /** The most requests that it makes in a day. */
    readonly requests_per_day: number;
  } | null;
  /** The address for the venue system's deliveries; shown only when the integration is created. */
  readonly webhook_url?: string;
  /** The secret that signs your deliveries; shown only when a custom integration is created. */
  readonly signing_secret?: string;
};

/** An offering as the API returns it: the submitted fields, and its review. */
export type StoredOffering = {
  /** The id of the offering. */
  readonly id: string;
  /** The type of this object. */
  readonly object: "offering";
  /** The mode, test or live. */
  readonly mode: "test" | "live";
  /** The status of its review. */
  readonly status: "pending" | "approved" | "rejected";
  /** Your own id; sending it again updates this offering. */
  readonly external_id: string;
  /** The kind of the offering. */
  readonly kind: "tee_time" | "table" | "cabana" | "daybed" | "spa_treatment" | "class" | "boat_day" | "ticketed_event" | "package" | "rental" | "ride" | "dining";
  /** What guests see as the name, 1 to 120 characters. */
  readonly title: string;
  /** The prices, 1 to 20. */
  readonly tiers: readonly PriceTier[];
  /** What guests read about it, at most 4000 characters. */
  readonly description?: string;
  /** One of the category slugs that GET /v1/me returns. */
  readonly category?: string;
  /** Up to 10 pictures and videos, in order. */
  readonly media?: readonly ({
    /** Where the picture or video is. */
    readonly url: string;
    /** Whether it is a picture or a video. */
    readonly type?: "image" | "video";
    /** What the picture shows, for people who cannot see it; at most 300 characters. */
    readonly alt?: string;
  })[];
  /** When it can be booked. */
  readonly availability?: {
    /** The venue's time zone, an IANA name, in which local times and days are read. */
    readonly timezone?: string;
    /** Up to 1000 single slots. */
    readonly slots?: readonly ({
      /** When the slot starts. */
      readonly starts_at: string;
      /** When the slot ends; after its start. */
      readonly ends_at?: string;
      /** How many people it has room for, 0 to 100000. */
      readonly capacity?: number;
      /** Your own id for the slot. */
      readonly external_id?: string;
      /** Other prices for this slot alone, up to 20. */
      readonly tier_overrides?: readonly ({
        /** The external_id of a tier of this offering. */
        readonly tier: string;
        /** The price of that tier in this slot, in minor units (cents). */
        readonly amount: number;
      })[];
    })[];
    /** Up to 20 rules for slots that repeat. */
    readonly recurring?: readonly ({
      /** An RFC 5545 recurrence rule, at most 500 characters. */
      readonly rrule: string;
      /** The start of the first slot of the rule. */
      readonly starts_at: string;
      /** The last day of the rule. */
      readonly until?: string;
      /** How long each slot lasts, 1 to 44640 minutes (31 days). */
      readonly duration_minutes?: number;
      /** How many people it has room for, 0 to 100000. */
      readonly capacity?: number;
    })[];
    /** Up to 1000 local days on which nothing can be booked, each at most once. */
    readonly blackout_dates?: readonly string[];
    /** The minimum number of minutes between the booking and the start of a slot, 0 to 525600. */
    readonly lead_time_minutes?: number;
    /** How many minutes before the start of a slot every share must be held, 0 to 525600. */
    readonly cutoff_minutes?: number;
  };
  /** The rules that guests accept when they book. */
  readonly policy?: {
    /** Up to 10 steps that say how much of the price a canceling party gets back. */
    readonly cancellation?: readonly ({
      /** The step applies when the party cancels at least this many hours before the start, 0 to 8760. */
      readonly hours_before: number;
      /** The percentage that is refunded, 0 to 100. */
      readonly refund_pct: number;
    })[];
    /** The minimum age of a guest: 0, 18 or 21. */
    readonly min_age?: 0 | 18 | 21;
    /** What to wear, at most 200 characters. */
    readonly dress_code?: string;
    /** How many minutes before or after the start the party may arrive, 0 to 1440. */
    readonly arrival_window_minutes?: number;
    /** Anything else guests should know, at most 2000 characters. */
    readonly notes?: string;
  };
  /** Where guests book it on the venue's own site. */
  readonly booking_url?: string;
  /** Up to 20 values of your own, returned on every read and event. */
  readonly metadata?: { readonly [name: string]: string };
  /** Why the reviewer rejected it; null when it is not rejected. */
  readonly review_note: string | null;
  /** When it was created, in UTC. */
  readonly created_at: string;
  /** When it last changed, in UTC. */
  readonly updated_at: string;
  /** When it was last reviewed, in UTC; null before. */
  readonly reviewed_at: string | null;
};

/** A webhook endpoint as the API lists it, without its secret. */
export type StoredWebhookEndpoint = {
  /** The id of the endpoint. */
  readonly id: string;
  /** The type of this object. */
  readonly object: "webhook_endpoint";
  /** The address that receives the events; https only. */
  readonly url: string;
  /** The types of event to send, at least one. */
  readonly events: readonly ("checkout.created" | "checkout.collecting" | "share.held" | "checkout.funded" | "checkout.completed" | "checkout.expired" | "checkout.canceled")[];
  /** The mode of the events that it gets. */
  readonly mode: "test" | "live";
  /** Whether events are sent to it. */
  readonly status: "active" | "disabled";
  /** When it was disabled; null while it is active. */
  readonly disabled_at: string | null;
  /** Why it was disabled: you disabled it, or every delivery failed for 72 hours; null while it is active. */
  readonly disabled_reason: "requested" | "failed_for_72_hours" | null;
  /** When it was created, in UTC. */
  readonly created_at: string;
  /** The latest delivery to it; null before the first. */
  readonly last_delivery: {
    /** The id of the delivery. */
    readonly id: string;
    /** The event it carries. */
    readonly event_id: string;
    /** The type of that event. */
    readonly type: "checkout.created" | "checkout.collecting" | "share.held" | "checkout.funded" | "checkout.completed" | "checkout.expired" | "checkout.canceled" | "refund.created" | "refund.failed" | "offering.approved" | "offering.rejected" | "webhook_endpoint.disabled";
    /** The status of the delivery; failed after 72 hours, or when the endpoint was disabled. */
    readonly status: "pending" | "delivered" | "failed";
    /** The HTTP status of the last answer; null without an answer. */
    readonly last_status: number | null;
    /** When it was created, in UTC. */
    readonly created_at: string;
  } | null;
};

/** A submitted event, and the status of its review. */
export type Submission = {
  /** The id of the submission. */
  readonly id: string;
  /** The type of this object. */
  readonly object: "submission";
  /** The mode, test or live. */
  readonly mode: "test" | "live";
  /** Your own id; null when you sent none. */
  readonly external_id: string | null;
  /** The status of its review. */
  readonly status: "pending" | "approved" | "rejected";
  /** What guests see as the name, 1 to 120 characters. */
  readonly title: string;
  /** When it starts, in UTC. */
  readonly starts_at: string;
  /** The price for one person in US dollars; null for an event, or when you sent none. */
  readonly price_per_person: number | null;
  /** How many people it has room for; null when you sent no capacity. */
  readonly capacity: number | null;
  /** The id of the live experience; null until approved. */
  readonly experience_id: string | null;
  /** Why the reviewer rejected it; null when it is not rejected. */
  readonly review_note: string | null;
  /** When it was created, in UTC. */
  readonly created_at: string;
  /** When it was last reviewed, in UTC; null before. */
  readonly reviewed_at: string | null;
  /** When it ends; after its start. */
  readonly ends_at?: string;
  /** The external_id of the offering to which this date belongs. */
  readonly offering_external_id?: string;
  /** What guests read about it, at most 4000 characters. */
  readonly description?: string;
  /** One of the category slugs that GET /v1/me returns. */
  readonly category?: string;
  /** The prices, 1 to 20, for example general and VIP. */
  readonly tiers?: readonly PriceTier[];
  /** When places are sold. */
  readonly on_sale?: {
    /** When the sale starts. */
    readonly starts_at?: string;
    /** When the sale ends; after its start. */
    readonly ends_at?: string;
  };
  /** Up to 10 pictures and videos, in order. */
  readonly media?: readonly ({
    /** Where the picture or video is. */
    readonly url: string;
    /** Whether it is a picture or a video. */
    readonly type?: "image" | "video";
    /** What the picture shows, for people who cannot see it; at most 300 characters. */
    readonly alt?: string;
  })[];
  /** The rules that guests accept when they book. */
  readonly policy?: {
    /** Up to 10 steps that say how much of the price a canceling party gets back. */
    readonly cancellation?: readonly ({
      /** The step applies when the party cancels at least this many hours before the start, 0 to 8760. */
      readonly hours_before: number;
      /** The percentage that is refunded, 0 to 100. */
      readonly refund_pct: number;
    })[];
    /** The minimum age of a guest: 0, 18 or 21. */
    readonly min_age?: 0 | 18 | 21;
    /** What to wear, at most 200 characters. */
    readonly dress_code?: string;
    /** How many minutes before or after the start the party may arrive, 0 to 1440. */
    readonly arrival_window_minutes?: number;
    /** Anything else guests should know, at most 2000 characters. */
    readonly notes?: string;
  };
  /** Where guests book it on the venue's own site. */
  readonly booking_url?: string;
  /** Up to 20 values of your own, returned on every read and event. */
  readonly metadata?: { readonly [name: string]: string };
  /** Up to 10 https addresses of pictures, in order. */
  readonly photo_urls?: readonly string[];
};

/** The body that moves the clock of one test checkout. */
export type TestAdvance = {
  /** The new time of the checkout's own clock. */
  readonly to: string;
};

/** The body that holds one share of a test checkout, or all of them. */
export type TestHold = {
  /** The share to hold; without it every share is held. */
  readonly share_id?: string;
  /** The token of the test card; without it a card that works. */
  readonly card?: string;
};

/** The body that registers an address for events. */
export type WebhookEndpoint = {
  /** The address that receives the events; https only. */
  readonly url: string;
  /** The types of event to send, at least one. */
  readonly events: readonly ("checkout.created" | "checkout.collecting" | "share.held" | "checkout.funded" | "checkout.completed" | "checkout.expired" | "checkout.canceled")[];
};

/** An event as it is delivered and as the event log returns it. */
export type WebhookEventFields = {
  /** The id of the event; a delivery may arrive twice, so process each id once. */
  readonly id: string;
  /** The type of this object. */
  readonly object: "event";
  /** What happened. No endpoint can subscribe to refund.*, offering.* and webhook_endpoint.*: they are in the event log and its stream only. */
  readonly type: "checkout.created" | "checkout.collecting" | "share.held" | "checkout.funded" | "checkout.completed" | "checkout.expired" | "checkout.canceled" | "refund.created" | "refund.failed" | "offering.approved" | "offering.rejected" | "webhook_endpoint.disabled";
  /** The mode, test or live. */
  readonly mode: "test" | "live";
  /** When it happened, in UTC. */
  readonly created_at: string;
  /** A number that counts up from 1 for each checkout, each offering and each endpoint. */
  readonly sequence: number;
  /** True on a sample that you requested; absent on a real event. */
  readonly sample?: true;
  /** The object of the event. */
  readonly data: {
    /** The checkout, for offering.* the offering, for webhook_endpoint.* the endpoint, as it was at that moment. */
    readonly object: StoredOffering | StoredWebhookEndpoint | Checkout;
    /** What was refunded, or failed to be; only on refund.created and refund.failed. */
    readonly refund?: {
      /** How much was refunded, or did not reach the guest, in minor units (cents). */
      readonly amount: number;
      /** The reason you gave; null when none. On refund.failed the card processor's reason. On refund.created `retried` or `paid_elsewhere`: the operator pays a refund that had failed. */
      readonly reason: string | null;
    };
  };
};

/** The body that sends failed deliveries again. */
export type WebhookRecover = {
  /** The worker sends failed deliveries of events from this time on again; within the last 30 days. */
  readonly since: string;
};

/** How many failed deliveries the worker sends again. */
export type WebhookRecovered = {
  /** The endpoint of the deliveries. */
  readonly endpoint_id: string;
  /** The time that you sent. */
  readonly since: string;
  /** How many deliveries are sent again, the oldest first, at most 10000. */
  readonly recovered: number;
  /** Whether there may be more; if true, call again. */
  readonly has_more: boolean;
};

/** The endpoint's answer to a sample event. */
export type WebhookTestResult = {
  /** The id of the sample. */
  readonly event_id: string;
  /** Whether the endpoint answered with a 2xx. */
  readonly delivered: boolean;
  /** The HTTP status of the answer; null without an answer. */
  readonly status: number | null;
  /** The first 4 KB of the answer; null without an answer. */
  readonly response: string | null;
  /** Why there was no answer; null when there was one. */
  readonly error: string | null;
  /** How many milliseconds it took. */
  readonly duration_ms: number;
};

/** The code of an error; each has its page under /docs/errors. */
export type ErrorCode =
  | 'malformed_request'
  | 'invalid_json'
  | 'unauthorized'
  | 'insufficient_scope'
  | 'ip_not_allowed'
  | 'wrong_key_kind'
  | 'origin_not_allowed'
  | 'mode_not_available'
  | 'venue_not_linked'
  | 'venue_suspended'
  | 'role_not_allowed'
  | 'step_up_required'
  | 'not_organizer'
  | 'share_not_yours'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'conflict'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'invalid_request'
  | 'missing_field'
  | 'unknown_field'
  | 'invalid_type'
  | 'invalid_value'
  | 'invalid_format'
  | 'out_of_range'
  | 'too_long'
  | 'too_short'
  | 'too_many_items'
  | 'too_few_items'
  | 'not_unique'
  | 'not_allowed'
  | 'review_queue_full'
  | 'rate_limited'
  | 'headers_too_large'
  | 'internal_error'
  | 'service_unavailable';
