// Generated from schemas/v1 by `npm run generate`. Do not edit.

/** A batch of what members did in the members' app. */
export type Activity = {
  /** What happened, 1 to 1000. */
  readonly events: readonly ({
    /** The id of the happening; sent again it counts once. */
    readonly id: string;
    /** What the member did. */
    readonly type: "view" | "booking_start" | "save" | "booking" | "check_in" | "venue_page_view";
    /** The live experience; for everything but venue_page_view. */
    readonly experience_id?: string;
    /** The venue; for venue_page_view. */
    readonly venue_id?: string;
    /** The member; kept only as a keyed hash. */
    readonly member_id: string;
    /** When it happened. */
    readonly at: string;
    /** How many people a booking brings, its booker counted, 1 to 5000. */
    readonly guests?: number;
    /** What was paid in minor units (cents). */
    readonly amount?: number;
    /** Whether it was a test. */
    readonly mode: "test" | "live";
  })[];
};

/** What became of a batch of activity. */
export type ActivityResult = {
  /** How many were counted now. */
  readonly accepted: number;
  /** How many had been counted before. */
  readonly duplicates: number;
  /** Those that were not counted, up to 1000. */
  readonly rejected: readonly ({
    /** The id of the happening; sent again it counts once. */
    readonly id: string;
    /** Why not: `unknown_experience`, `unknown_venue` or `too_old` (its time is before what is kept). */
    readonly reason: string;
  })[];
};

/** Figures for what the venue posted; they never identify a member. */
export type Analytics = {
  /** The start of the window, inclusive. */
  readonly from: string;
  /** The end of the window, exclusive. */
  readonly to: string;
  /** The figures for the whole window. */
  readonly totals: {
    /** How many approved experiences the answer covers. */
    readonly experiences: number;
    /** How often the experience page was opened. */
    readonly views: number;
    /** How many different people opened it. */
    readonly unique_viewers: number;
    /** How many different people started booking. */
    readonly booking_starts: number;
    /** How often it was liked or saved. */
    readonly saves: number;
    /** How many paid places there are. */
    readonly bookings: number;
    /** How many people those bookings bring. */
    readonly guests: number;
    /** US dollars paid, before the service fee. */
    readonly booked_value: number;
    /** How many bookings were checked in at the door. */
    readonly checked_in: number;
    /** Bookings for each unique viewer. */
    readonly view_to_booking_rate: number;
    /** Check-ins for each booking. */
    readonly show_rate: number;
    /** How often the venue's own page was opened. */
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
    /** How often the experience page was opened. */
    readonly views: number;
    /** How many different people opened it. */
    readonly unique_viewers: number;
    /** How many different people started booking. */
    readonly booking_starts: number;
    /** How often it was liked or saved. */
    readonly saves: number;
    /** How many paid places there are. */
    readonly bookings: number;
    /** How many people those bookings bring. */
    readonly guests: number;
    /** US dollars paid, before the service fee. */
    readonly booked_value: number;
    /** How many bookings were checked in at the door. */
    readonly checked_in: number;
    /** Bookings for each unique viewer. */
    readonly view_to_booking_rate: number;
  })[];
  /** The figures for each day of the window in UTC, at most 367. */
  readonly daily: readonly ({
    /** The day. */
    readonly date: string;
    /** How often the experience page was opened. */
    readonly views: number;
    /** How many paid places there are. */
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
    /** How many people it takes, 0 to 100000. */
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
    /** How many people it takes, 0 to 100000. */
    readonly capacity?: number;
  })[];
  /** Up to 1000 local days on which nothing can be booked, each at most once. */
  readonly blackout_dates?: readonly string[];
  /** How many minutes before a slot it can still be booked, 0 to 525600. */
  readonly lead_time_minutes?: number;
  /** How many minutes before a slot the party must be fully paid, 0 to 525600. */
  readonly cutoff_minutes?: number;
};

/** One boat of a rental platform or fleet, submitted for review. */
export type Boat = {
  /** Your own id; sending it again updates this boat. */
  readonly external_id: string;
  /** The name of the boat, 1 to 120 characters. */
  readonly name: string;
  /** What sort of boat it is. */
  readonly type: "motor_yacht" | "sport_yacht" | "catamaran" | "sailboat" | "center_console" | "pontoon" | "jet_ski" | "other";
  /** Its length in feet, 5 to 600. */
  readonly length_ft: number;
  /** How many guests it takes for a day trip, crew not counted, 1 to 500. */
  readonly capacity: number;
  /** Whether a captain comes with it. */
  readonly captain: "included" | "optional" | "required_extra" | "bareboat";
  /** Where the boat lies. */
  readonly location: {
    /** The city, at most 120 characters. */
    readonly city: string;
    /** The state or region, at most 120 characters. */
    readonly region?: string;
    /** The ISO 3166 country code, two upper-case letters. */
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
    /** For how many hours the rate is, above 0 and up to 720. */
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
  /** Who built it, at most 80 characters. */
  readonly make?: string;
  /** Which model it is, at most 80 characters. */
  readonly model?: string;
  /** When it was built, 1900 to 2100. */
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
  /** When the boat is taken. */
  readonly availability?: {
    /** A calendar that we read on a schedule into blocks. */
    readonly ical_url?: string;
    /** A page that shows when the boat is free. */
    readonly url?: string;
    /** The time zone of the boat, an IANA name. */
    readonly timezone?: string;
    /** Up to 1000 stretches of time and how the boat stands in each. */
    readonly blocks?: readonly ({
      /** When the stretch starts. */
      readonly starts_at: string;
      /** When the stretch ends; after its start. */
      readonly ends_at: string;
      /** How the boat stands in it. */
      readonly status?: "busy" | "tentative" | "free";
    })[];
  };
  /** The platform the boat comes from, or own: 1 to 60 lower-case letters, digits, _ and -. */
  readonly source_platform?: string;
  /** The page of the boat on that platform. */
  readonly source_url?: string;
  /** False takes the boat off; true, or left out, puts it back. */
  readonly active?: boolean;
  /** Up to 20 values of your own, echoed on every read. */
  readonly metadata?: { readonly [name: string]: string };
  /** Anything else reviewers should see, up to 200 members; never echoed. */
  readonly extra?: { readonly [name: string]: unknown };
};

/** A checkout as the partner sees it. */
export type Checkout = {
  /** The id of the checkout. */
  readonly id: string;
  /** The type of this object. */
  readonly object: "checkout";
  /** Whether test cards or real money move. */
  readonly mode: "test" | "live";
  /** Where the checkout stands. */
  readonly status: "open" | "collecting" | "funded" | "completed" | "expired" | "canceled";
  /** The party's whole total in minor units (cents). */
  readonly amount: number;
  /** The currency of every amount here. */
  readonly currency: string;
  /** How many people share the total at most. */
  readonly party_size: number;
  /** When every share must be held, in UTC. */
  readonly pay_by: string;
  /** What every guest reads. */
  readonly description: string;
  /** The venue that sells. */
  readonly venue: {
    /** The id of the venue; null for a console sandbox. */
    readonly id: string | null;
    /** The name of the venue. */
    readonly name: string;
  };
  /** Your booking id. */
  readonly external_booking_id: string;
  /** The external_id of the offering it is for; null when you named none. */
  readonly offering_external_id: string | null;
  /** The page on which the party pays. */
  readonly url: string;
  /** Where guests go afterwards. */
  readonly return_url: string;
  /** Where guests go when they give up; null when you named none. */
  readonly cancel_url: string | null;
  /** The shares of the party, up to 50; empty until the organizer chose it. */
  readonly shares: readonly Share[];
  /** The sum of the held, captured and refunded shares in minor units (cents). */
  readonly funded_amount: number;
  /** How much was refunded, in minor units (cents). */
  readonly refunded_amount: number;
  /** The service's fee in minor units (cents). */
  readonly fee_amount: number;
  /** What the venue is paid: amount less fee_amount. */
  readonly net_amount: number;
  /** Why the checkout was canceled; null when it was not, or when you canceled it. */
  readonly cancellation_reason: string | null;
  /** Charges that guests have disputed with their banks; mostly none. */
  readonly disputes: readonly Dispute[];
  /** When it was created, in UTC. */
  readonly created_at: string;
  /** When every hold was captured; null before. */
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
  /** How many people share the total at most, 2 to 50. */
  readonly party_size: number;
  /** When every share must be held; in the future. */
  readonly pay_by: string;
  /** What every guest reads, 1 to 200 characters. */
  readonly description: string;
  /** Where guests go afterwards; on one of your registered origins. */
  readonly return_url: string;
  /** Your booking id; the idempotency key when the header is absent. */
  readonly external_booking_id: string;
  /** Where guests go when they give up; on one of your registered origins. */
  readonly cancel_url?: string;
  /** The external_id of the offering it is for. */
  readonly offering_external_id?: string;
  /** Up to 20 values of your own, echoed on every read and event. */
  readonly metadata?: { readonly [name: string]: string };
};

/** A new webhook endpoint with its secret, which is shown once. */
export type CreatedWebhookEndpoint = {
  /** The id of the endpoint. */
  readonly id: string;
  /** The type of this object. */
  readonly object: "webhook_endpoint";
  /** Where we send the events; https only. */
  readonly url: string;
  /** The types of event to send, at least one. */
  readonly events: readonly ("checkout.created" | "checkout.collecting" | "share.held" | "checkout.funded" | "checkout.completed" | "checkout.expired" | "checkout.canceled")[];
  /** The secret that signs the deliveries, shown only here. */
  readonly secret: string;
  /** Whether it gets test or live events. */
  readonly mode: "test" | "live";
  /** Whether events are sent to it. */
  readonly status: "active" | "disabled";
  /** When it was created, in UTC. */
  readonly created_at: string;
};

/** What a venue system of your own delivers. */
export type CustomHook = {
  /** Your id of the delivery; sent again it counts once. */
  readonly id: string;
  /** What to do. */
  readonly type: "offering.upsert" | "offering.cancel" | "slots.update";
  /** An offering for offering.upsert, else as in custom_offering_cancel.json or custom_slots_update.json. */
  readonly data: { readonly [name: string]: unknown };
};

/** The data of a custom delivery of type offering.cancel. */
export type CustomOfferingCancel = {
  /** The offering that is no longer sold. */
  readonly external_id: string;
};

/** The data of a custom delivery of type slots.update. */
export type CustomSlotsUpdate = {
  /** The offering whose slots change. */
  readonly external_id: string;
  /** Slots that replace those with the same external_id or start; up to 1000. */
  readonly slots: readonly ({
    /** When the slot starts. */
    readonly starts_at: string;
    /** When the slot ends; after its start. */
    readonly ends_at?: string;
    /** How many people it takes, 0 to 100000. */
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
};

/** Says that an object is gone. */
export type Deleted = {
  /** The id of what was deleted. */
  readonly id: string;
  /** The type of what was deleted. */
  readonly object: "webhook_endpoint";
  /** Always true. */
  readonly deleted: true;
};

/** One event on its way to one webhook endpoint. */
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
  readonly type: "checkout.created" | "checkout.collecting" | "share.held" | "checkout.funded" | "checkout.completed" | "checkout.expired" | "checkout.canceled" | "refund.created" | "offering.approved" | "offering.rejected" | "webhook_endpoint.disabled";
  /** Where the delivery stands; failed when 72 hours have passed, or the endpoint was disabled. */
  readonly status: "pending" | "delivered" | "failed";
  /** How often it was tried. */
  readonly attempts: number;
  /** The HTTP status of the last answer; null when none came. */
  readonly last_status: number | null;
  /** Why the last try failed: http_status, redirect, timeout, connect, tls, protocol, interrupted, no_public_address; endpoint_disabled or expired when it was not tried again; null when it did not fail. */
  readonly last_error: string | null;
  /** The first 4 KB of the last answer; null when none came. */
  readonly last_response: string | null;
  /** How many milliseconds the last try took; null before the first. */
  readonly last_duration_ms: number | null;
  /** When it was last tried; null before the first try. */
  readonly last_attempt_at: string | null;
  /** When it is tried next; null when it is not. */
  readonly next_attempt_at: string | null;
  /** When it was acknowledged; null before. */
  readonly delivered_at: string | null;
  /** The last ten attempts, the newest last. */
  readonly attempts_log: readonly ({
    /** When it was tried, in UTC. */
    readonly at: string;
    /** The HTTP status of the answer; null when none came. */
    readonly status: number | null;
    /** Why the try failed, as in last_error; null when it did not. */
    readonly error: string | null;
    /** How many milliseconds it took. */
    readonly duration_ms: number;
  })[];
  /** When it was created, in UTC. */
  readonly created_at: string;
};

/** A guest told their bank that a charge was not right. */
export type Dispute = {
  /** The card processor's id of the dispute. */
  readonly id: string;
  /** The share that was charged. */
  readonly share_id: string;
  /** How much is disputed, in minor units (cents). */
  readonly amount: number;
  /** Where it stands, in the card processor's words. */
  readonly status: string;
  /** Why, in the card processor's words. */
  readonly reason: string;
  /** When we were told of it, in UTC. */
  readonly opened_at: string;
};

/** The one shape of every failure. */
export type Error = {
  /** The first, or only, problem. */
  readonly error: {
    /** A word that a program can act on. */
    readonly code: string;
    /** What went wrong, for a person. */
    readonly message: string;
    /** A JSON pointer to what is wrong; empty means the whole body. */
    readonly field?: string;
    /** Which conflict it is, for the code conflict. */
    readonly reason?: string;
    /** What to quote to support. */
    readonly request_id: string;
  };
  /** Every problem of the body in document order, up to 100. */
  readonly errors?: readonly ({
    /** A word that a program can act on. */
    readonly code: string;
    /** What went wrong, for a person. */
    readonly message: string;
    /** A JSON pointer to what is wrong; empty means the whole body. */
    readonly field: string;
    /** What would be right, in a few words. */
    readonly expected: string;
    /** A JSON value that would pass there; null means: leave the member out. */
    readonly example_fix: unknown;
    /** The page about this code. */
    readonly doc_url: string;
  })[];
};

/** One dated event of a venue, submitted for review. */
export type Event = {
  /** What guests see as the name, 1 to 120 characters. */
  readonly title: string;
  /** When it starts; in the future and at most two years ahead. */
  readonly starts_at: string;
  /** When it ends; after its start. */
  readonly ends_at?: string;
  /** Your own id; sending it again returns the first submission. */
  readonly external_id?: string;
  /** The external_id of the offering of which this is one date. */
  readonly offering_external_id?: string;
  /** What guests read about it, at most 4000 characters. */
  readonly description?: string;
  /** One of the category slugs that GET /v1/me returns. */
  readonly category?: string;
  /** How many people it takes, 1 to 5000. */
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
  /** Up to 20 values of your own, echoed on every read and event. */
  readonly metadata?: { readonly [name: string]: string };
};

/** The body that sends 1 to 100 boats at once; each boat is judged on its own. */
export type Fleet = {
  /** The boats, 1 to 100, each as in boat.json. */
  readonly boats: readonly unknown[];
};

/** What became of each boat of a fleet. */
export type FleetResult = {
  /** One result for each boat, in the order sent. */
  readonly results: readonly ({
    /** The position in the fleet, counted from 0. */
    readonly index: number;
    /** Your own id of the boat as you sent it; null when it was no text. */
    readonly external_id: string | null;
    /** What the call did with the boat. */
    readonly result: "created" | "updated" | "unchanged" | "error";
    /** The boat as it now is; absent for an error. */
    readonly data?: StoredBoat;
    /** The first problem of the boat; only for an error. */
    readonly error?: {
      /** A word that a program can act on. */
      readonly code: string;
      /** What went wrong, for a person. */
      readonly message: string;
      /** A JSON pointer to what is wrong; empty means the whole body. */
      readonly field?: string;
      /** Which conflict it is, for the code conflict. */
      readonly reason?: string;
      /** What to quote to support. */
      readonly request_id: string;
    };
    /** Every problem of the boat; only for an error. */
    readonly errors?: readonly ({
      /** A word that a program can act on. */
      readonly code: string;
      /** What went wrong, for a person. */
      readonly message: string;
      /** A JSON pointer to what is wrong; empty means the whole body. */
      readonly field: string;
      /** What would be right, in a few words. */
      readonly expected: string;
      /** A JSON value that would pass there; null means: leave the member out. */
      readonly example_fix: unknown;
      /** The page about this code. */
      readonly doc_url: string;
    })[];
  })[];
  /** How many there were of each. */
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
  /** Whether test cards or real money move. */
  readonly mode: "test" | "live";
  /** Where the checkout stands. */
  readonly status: "open" | "collecting" | "funded" | "completed" | "expired" | "canceled";
  /** The party's whole total in minor units (cents). */
  readonly amount: number;
  /** The currency of every amount here. */
  readonly currency: string;
  /** How many people share the total at most. */
  readonly party_size: number;
  /** When every share must be held, in UTC. */
  readonly pay_by: string;
  /** What every guest reads. */
  readonly description: string;
  /** The venue that sells. */
  readonly venue: {
    /** The id of the venue; null for a console sandbox. */
    readonly id: string | null;
    /** The name of the venue. */
    readonly name: string;
  };
  /** The sum of the held, captured and refunded shares in minor units (cents). */
  readonly funded_amount: number;
  /** The shares of the party, up to 50; empty until the organizer chose it. */
  readonly shares: readonly GuestShare[];
  /** Where guests go afterwards. */
  readonly return_url: string;
  /** Where guests go when they give up; null when you named none. */
  readonly cancel_url: string | null;
  /** When it was created, in UTC. */
  readonly created_at: string;
  /** When every hold was captured; null before. */
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
  /** Where the share stands. */
  readonly status: "invited" | "held" | "captured" | "released" | "refunded" | "failed";
  /** Whether this is the share of the organizer. */
  readonly is_organizer: boolean;
  /** The name shown for the person; null when nobody gave one. */
  readonly display_name: string | null;
  /** When the card hold succeeded; null before. */
  readonly held_at: string | null;
  /** Nobody is named for it yet: a signed-in member may take it. */
  readonly is_open_seat: boolean;
  /** The name of whoever's card was held for it last, when that is not its own person; else null. */
  readonly covered_by: string | null;
};

/** What a guest's browser needs to place the card hold. */
export type HoldSecret = {
  /** The processor's secret for this one hold. */
  readonly client_secret: string;
  /** The processor's publishable key. */
  readonly publishable_key: string;
};

/** The answer to a delivery of a venue system. */
export type HookReceipt = {
  /** Always true: the delivery is stored. */
  readonly received: true;
  /** The id of the stored delivery; of the first one for a duplicate. */
  readonly id: string;
  /** Whether it was delivered before. */
  readonly duplicate: boolean;
};

/** A delivery that a venue system made, and what became of it. */
export type InboundDelivery = {
  /** The id of the delivery. */
  readonly id: string;
  /** The type of this object. */
  readonly object: "inbound_delivery";
  /** The integration it came through. */
  readonly integration_id: string;
  /** The venue system. */
  readonly provider: "square" | "toast" | "mindbody" | "fareharbor" | "peek" | "ventrata" | "xola" | "rezdy" | "checkfront" | "eventbrite" | "cloudbeds" | "tock" | "foreup" | "mews" | "custom";
  /** Whether it belongs to test or to live. */
  readonly mode: "test" | "live";
  /** The provider's own id of the event; null when it has none. */
  readonly provider_event_id: string | null;
  /** The provider's own type of the event; null when it has none. */
  readonly type: string | null;
  /** What became of it: ignored changes nothing that is sold, superseded is older than what was applied before, unmapped cannot become an offering, needs_api_read names what only the provider’s API shows, failed breaks a rule of offerings. */
  readonly status: "pending" | "applied" | "ignored" | "superseded" | "unmapped" | "needs_api_read" | "failed";
  /** Why it, or a part of it, was not applied; null when all of it was, or when it waits. */
  readonly reason: string | null;
  /** The offering it changed; null when none. */
  readonly offering_external_id: string | null;
  /** When it came, in UTC. */
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
  /** What to take where a payload of the provider says nothing. */
  readonly defaults?: {
    /** The kind of an offering. */
    readonly kind?: "tee_time" | "table" | "cabana" | "daybed" | "spa_treatment" | "class" | "boat_day" | "ticketed_event" | "package" | "rental" | "ride" | "dining";
    /** The time zone of the venue, an IANA name. */
    readonly timezone?: string;
    /** The currency of prices. */
    readonly currency?: string;
    /** The category of an offering. */
    readonly category?: string;
  };
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
  /** How many people it takes, 1 to 5000. */
  readonly capacity?: number;
  /** Up to 10 https addresses of pictures, in order. */
  readonly photo_urls?: readonly string[];
  /** Where guests book it on the venue's own site. */
  readonly booking_url?: string;
};

/** How the deliveries of one venue system are read: transport, signature, events and what each does, and where each field of an offering comes from. */
export type Mapping = {
  /** The address of this schema. */
  readonly $schema?: string;
  /** The venue system. */
  readonly provider: "square" | "toast" | "mindbody" | "fareharbor" | "peek" | "ventrata" | "xola" | "rezdy" | "checkfront" | "eventbrite" | "cloudbeds" | "tock" | "foreup" | "mews" | "custom";
  /** Its name, as people write it. */
  readonly name: string;
  /** The page about it, for people. */
  readonly documentation: string;
  /** The kinds of offering that it is used for. */
  readonly kinds: readonly ("tee_time" | "table" | "cabana" | "daybed" | "spa_treatment" | "class" | "boat_day" | "ticketed_event" | "package" | "rental" | "ride" | "dining")[];
  /** How a venue connects it. */
  readonly setup: {
    /** Who sets the webhook up: the venue itself, the provider’s support, a developer account, or a program of yours. */
    readonly how: "self_serve" | "support" | "developer_account" | "own_program";
    /** Where, in a few words. */
    readonly where: string;
  };
  /** How a delivery travels. */
  readonly transport: {
    /** What the body must be. */
    readonly content_type: "application/json";
    /** The most bytes that a body may have. */
    readonly body_limit: number;
  };
  /** How a delivery proves where it comes from. */
  readonly signature: {
    /** How a delivery is signed: none means that the token in the address is the credential. */
    readonly scheme: "none" | "square" | "toast" | "mindbody" | "service_signature";
    /** The header that carries it; null for none. */
    readonly header: string | null;
    /** How sure we are: documented by the provider, seen in public code or a capture, or a guess. */
    readonly sure: "documented" | "seen" | "guess";
  };
  /** What names an event. */
  readonly event: {
    /** What names the event, put together; an empty list when nothing does. */
    readonly id: readonly string[];
    /** Where the name of the event stands; null when it has none. */
    readonly type: string | null;
  };
  /** How a repeated delivery is known: by the event’s id, by the body’s hash within a day, or, for pings that carry ids alone, by the body’s hash within ten seconds. */
  readonly dedupe: "field" | "body_hash" | "refresh_only";
  /** The events, in the order in which they are tried. */
  readonly events: readonly ({
    /** The provider’s own name of the event, or ours where it has none. */
    readonly name: string;
    /** Every one of these must hold; the first event that fits is the one. */
    readonly match: readonly ({
      /** A place in the body. */
      readonly path: string;
      /** One of these values. */
      readonly is?: readonly string[];
      /** The value begins so. */
      readonly begins?: string;
    })[];
    /** What it does: upsert an offering or its slot, cancel one, refresh (it names an object that only the provider’s API shows), or ignore. */
    readonly action: "upsert" | "cancel" | "refresh" | "ignore";
    /** Which of the objects below is read. */
    readonly object?: string;
    /** The paths of the object begin here. */
    readonly within?: string;
    /** Two real changes can be byte for byte the same: a repeated one counts within ten seconds alone. */
    readonly id_only?: boolean;
    /** Why it does no more. */
    readonly why?: string;
    /** How sure we are: documented by the provider, seen in public code or a capture, or a guess. */
    readonly sure: "documented" | "seen" | "guess";
  })[];
  /** The objects. */
  readonly objects: readonly ({
    /** Its name. */
    readonly name: string;
    /** The body carries the whole of it in our own words, under data, as this schema says. */
    readonly whole?: string;
    /** One offering for each item of this list. */
    readonly each?: string;
    /** One tier for each item of this list. */
    readonly each_tier?: string;
    /** What the tiers do to those that are known: replace them all; by_slot, new ones are added and other prices of known ones are the slot’s own; add, new ones are added and known ones stay, by id or label; new, they count for an offering that has none. */
    readonly tiers?: "replace" | "by_slot" | "add" | "new";
    /** How an older delivery that comes late is known. */
    readonly order: {
      /** What sort of thing changes. */
      readonly thing: string;
      /** What names it. */
      readonly id: readonly string[];
      /** What counts up with each change; absent: the order of arrival decides. */
      readonly version?: string;
      /** The thing of this sort with the same id says which offering it belongs to, where the body does not. */
      readonly part_of?: string;
      /** What the version is. */
      readonly version_as?: "number" | "time";
    };
    /** Where each field of an offering comes from, every one of them. tier.* and slot.* are the fields of a price tier and of a slot, currency is a tier’s, timezone to cutoff_minutes are the availability’s. booking.party says how many places a booking takes off its slot, booking.status whether it is off. */
    readonly fields: { readonly [name: string]: MappingField };
  })[];
};

/** Where one field of an offering comes from in the deliveries of a venue system. */
export type MappingField = {
  /** A path in the webhook, the provider’s API (which is not read), the venue’s own defaults, or a fixed value of ours. */
  readonly source: "webhook" | "api" | "venue_supplied" | "fixed";
  /** Where it stands in the body; [] stands for each item of a list. For api: its name there. */
  readonly path?: string;
  /** A second place that the conversion needs: a precision, a time of day, a number to take off. */
  readonly with?: string;
  /** How the value becomes ours; text when absent. count: how many items the list has. */
  readonly as?: "text" | "currency" | "integer" | "count" | "remaining" | "minor_int" | "minor_int_with_precision" | "decimal_number" | "decimal_string" | "int_string" | "unix_seconds_string" | "unix_ms_string" | "iso_offset" | "iso_offset_nocolon" | "iso_local" | "hhmm_int" | "template";
  /** For fixed: the value. For template: the text in which {} stands for the value. */
  readonly value?: string;
  /** What the provider’s values mean, the first that fits; a name that ends with * fits whatever begins so. Any other value leaves the field to the venue’s defaults. */
  readonly choices?: { readonly [name: string]: string };
  /** Where it comes from when the body lacks it. */
  readonly otherwise?: "api" | "venue_supplied";
  /** How sure we are: documented by the provider, seen in public code or a capture, or a guess. */
  readonly sure: "documented" | "seen" | "guess";
  /** What a reader should know. */
  readonly note?: string;
};

/** Whose key this is, and what it may do. */
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
  /** What the key may do. */
  readonly scopes: readonly ("offerings:write" | "offerings:read" | "checkouts:write" | "checkouts:read" | "bookings:read" | "analytics:read" | "webhooks:write" | "boats:write" | "boats:read")[];
  /** How often the key may call. */
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

/** Something that a venue sells again and again, with its prices, availability and policy. */
export type Offering = {
  /** Your own id; sending it again updates this offering. */
  readonly external_id: string;
  /** What sort of thing is sold. */
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
  /** Up to 20 values of your own, echoed on every read and event. */
  readonly metadata?: { readonly [name: string]: string };
};

/** The body that sends 1 to 25 offerings at once; all are stored or none. */
export type OfferingBatch = {
  /** The offerings, 1 to 25. */
  readonly offerings: readonly Offering[];
};

/** What became of each offering of a batch. */
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
  /** How many there were of each. */
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
  /** 1 to 50 people or group chats; the organizer is added when not named. */
  readonly members: readonly ({
    /** The id of a member. */
    readonly user_id: string;
  } | {
    /** The id of a group chat, which stands for its members. */
    readonly channel_id: string;
  } | {
    /** The phone number of a person, in E.164 form. */
    readonly phone: string;
    /** What the organizer calls them, 1 to 80 characters; shown as their name. */
    readonly name?: string;
  })[];
  /** How the total is divided: equal, or an amount for each person. */
  readonly split: {
    /** The amount of each share by user_id, phone or organizer, up to 50; they add up to the total. */
    readonly custom: { readonly [name: string]: number };
  } | "equal";
};

/** What the organizer gets back for choosing the party. */
export type PartyResult = {
  /** The checkout as guests see it. */
  readonly checkout: GuestCheckout;
  /** The shares with their invites, for the organizer alone. */
  readonly shares: readonly ({
    /** The id of the share. */
    readonly id: string;
    /** The name shown for the person; null when nobody gave one. */
    readonly display_name: string | null;
    /** The share in minor units (cents). */
    readonly amount: number;
    /** The invite to pay this share. */
    readonly url: string;
  })[];
};

/** What the venue is paid for one completed checkout, a transfer for each share. */
export type Payout = {
  /** The id of the payout. */
  readonly id: string;
  /** The type of this object. */
  readonly object: "payout";
  /** Whether real money moves. */
  readonly mode: "test" | "live";
  /** The checkout it is for. */
  readonly checkout_id: string;
  /** Your booking id. */
  readonly external_booking_id: string;
  /** What the checkout brought the venue when it completed, in minor units (cents). */
  readonly amount: number;
  /** What refunds took out of it, before it was sent or afterwards, in minor units (cents). */
  readonly reversed_amount: number;
  /** What has been transferred and was not taken back, in minor units (cents). */
  readonly paid_amount: number;
  /** The service's fee in minor units (cents). */
  readonly fee_amount: number;
  /** The currency of every amount here. */
  readonly currency: string;
  /** Where the payout stands: failed when a transfer failed, paid when every transfer is made or dropped. */
  readonly status: "pending" | "paid" | "failed" | "canceled";
  /** The transfers, one for each share, up to 50. */
  readonly transfers: readonly ({
    /** The share it is for. */
    readonly share_id: string;
    /** What it carries, in minor units (cents): less once a refund came before it was sent. */
    readonly amount: number;
    /** Where the transfer stands; dropped when refunds took all of it before it was sent. */
    readonly status: "pending" | "paid" | "failed" | "dropped";
  })[];
  /** When it was created, in UTC. */
  readonly created_at: string;
  /** When the last transfer was made; null before, and when there was nothing to send. */
  readonly paid_at: string | null;
};

/** The sums over every payout that was asked for, not only over the page. Still to come is amount less reversed_amount less paid_amount. */
export type PayoutTotals = {
  /** How many payouts there are. */
  readonly count: number;
  /** What the checkouts brought the venue when they completed, in minor units (cents). */
  readonly amount: number;
  /** The fees at completion, in minor units (cents). */
  readonly fee_amount: number;
  /** What refunds took out of the payouts, in minor units (cents). */
  readonly reversed_amount: number;
  /** What has been transferred and was not taken back, in minor units (cents). */
  readonly paid_amount: number;
};

/** The rules that guests accept when they book. */
export type Policy = {
  /** Up to 10 steps of what a cancelling party gets back. */
  readonly cancellation?: readonly ({
    /** The step holds when the party cancels at least this many hours before the start, 0 to 8760. */
    readonly hours_before: number;
    /** The percentage that is refunded, 0 to 100. */
    readonly refund_pct: number;
  })[];
  /** The least age of a guest: 0, 18 or 21. */
  readonly min_age?: 0 | 18 | 21;
  /** What to wear, at most 200 characters. */
  readonly dress_code?: string;
  /** How many minutes around the start the party may arrive, 0 to 1440. */
  readonly arrival_window_minutes?: number;
  /** Anything else guests should know, at most 2000 characters. */
  readonly notes?: string;
};

/** One price of an offering or event, and when and for whom it holds. */
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
    /** The end of the window of start times. */
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
  /** What must be paid ahead, as a percentage or as an amount. */
  readonly deposit?: {
    /** The deposit as a percentage of the total; give this or amount. */
    readonly percent?: number;
    /** The deposit in minor units (cents); give this or percent. */
    readonly amount?: number;
  };
  /** The least that the party spends in minor units (cents), for tables and cabanas. */
  readonly minimum_spend?: number;
};

/** The body that refunds a completed checkout; without members, all that is left. */
export type Refund = {
  /** How much to refund in minor units (cents), 1 to 99999999. */
  readonly amount?: number;
  /** The start of the booking, so that the offering's cancellation policy decides how much. */
  readonly starts_at?: string;
  /** Why, at most 500 characters. */
  readonly reason?: string;
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
  /** Where we send the events; https only. */
  readonly url: string;
  /** The types of event to send, at least one. */
  readonly events: readonly ("checkout.created" | "checkout.collecting" | "share.held" | "checkout.funded" | "checkout.completed" | "checkout.expired" | "checkout.canceled")[];
  /** The new secret, shown only here. */
  readonly secret: string;
  /** Until when the old secret signs beside the new one. */
  readonly previous_secret_expires_at: string;
};

/** The body with which a signed-in member takes an open seat of a party. */
export type Seat = {
  /** The seat that the link led to; absent: whichever is free. */
  readonly share_id?: string;
};

/** What the tool set_availability takes: an offering that is known, and all of its availability from now on. */
export type SetAvailability = {
  /** The external_id of the offering whose availability is replaced. */
  readonly offering_external_id: string;
  /** When it can be booked. */
  readonly availability: {
    /** The venue's time zone, an IANA name, in which local times and days are read. */
    readonly timezone?: string;
    /** Up to 1000 single slots. */
    readonly slots?: readonly ({
      /** When the slot starts. */
      readonly starts_at: string;
      /** When the slot ends; after its start. */
      readonly ends_at?: string;
      /** How many people it takes, 0 to 100000. */
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
      /** How many people it takes, 0 to 100000. */
      readonly capacity?: number;
    })[];
    /** Up to 1000 local days on which nothing can be booked, each at most once. */
    readonly blackout_dates?: readonly string[];
    /** How many minutes before a slot it can still be booked, 0 to 525600. */
    readonly lead_time_minutes?: number;
    /** How many minutes before a slot the party must be fully paid, 0 to 525600. */
    readonly cutoff_minutes?: number;
  };
};

/** What the tool set_price_tiers takes: an offering that is known, and all of its prices from now on. */
export type SetPriceTiers = {
  /** The external_id of the offering whose prices are replaced. */
  readonly offering_external_id: string;
  /** The prices, 1 to 20. */
  readonly tiers: readonly PriceTier[];
};

/** One person's part of a checkout; it never carries a phone number or an e-mail address. */
export type Share = {
  /** The id of the share. */
  readonly id: string;
  /** The share in minor units (cents). */
  readonly amount: number;
  /** Where the share stands. */
  readonly status: "invited" | "held" | "captured" | "released" | "refunded" | "failed";
  /** Whether this is the share of the organizer. */
  readonly is_organizer: boolean;
  /** The name shown for the person; null when nobody gave one. */
  readonly display_name: string | null;
  /** When the card hold succeeded; null before. */
  readonly held_at: string | null;
  /** How much of the share was refunded, in minor units (cents). */
  readonly refunded_amount: number;
};

/** The body that asks for a sign-in code by text message. */
export type SignIn = {
  /** Where the code goes, in E.164 form. */
  readonly phone: string;
};

/** A sign-in that waits for its code. */
export type SignInChallenge = {
  /** Send it back with the code. */
  readonly challenge_id: string;
  /** For how many seconds the code is good. */
  readonly expires_in: number;
};

/** The body that answers a sign-in with the code. */
export type SignInVerify = {
  /** The id that the sign-in answered. */
  readonly challenge_id: string;
  /** The six digits of the text message. */
  readonly code: string;
  /** What to call the person, 1 to 80 characters. */
  readonly name?: string;
};

/** A signed-in member. */
export type SignedIn = {
  /** The member's JWT, to be sent as a bearer token. */
  readonly token: string;
  /** For how many seconds the token is good. */
  readonly expires_in: number;
  /** Who signed in. */
  readonly member: {
    /** The id of the member. */
    readonly id: string;
    /** The name shown for the member; null when none was given. */
    readonly display_name: string | null;
  };
};

/** A slot of an offering that can be booked, and what it costs the party that was asked for. */
export type Slot = {
  /** When the slot starts, in UTC. */
  readonly starts_at: string;
  /** When the slot ends, in UTC; null when it has no end. */
  readonly ends_at: string | null;
  /** Your own id for the slot; null when it has none. */
  readonly external_id: string | null;
  /** How many people it takes; null when none was given. */
  readonly capacity: number | null;
  /** When the party must be fully paid: the start less cutoff_minutes. */
  readonly pay_by: string;
  /** The prices that hold for this party and slot, up to 20. */
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
    /** The fees and taxes, up to 10, and what each comes to for the party. */
    readonly fees: readonly ({
      /** What the fee is. */
      readonly type: "service" | "tax" | "gratuity" | "other";
      /** What guests see as the name of the fee; null when it has none. */
      readonly label: string | null;
      /** The fee as a percentage; null when it is a fixed amount. */
      readonly percent: number | null;
      /** What the fee comes to for the party, in minor units (cents). */
      readonly amount: number;
      /** True when the price already contains the fee, false when it is added on top. */
      readonly included: boolean;
    })[];
    /** What the party pays in minor units (cents), the fees on top included. */
    readonly total: number;
    /** What must be paid ahead in minor units (cents); null when nothing. */
    readonly deposit: number | null;
    /** The least that the party spends in minor units (cents); null when nothing. */
    readonly minimum_spend: number | null;
  })[];
};

/** A boat as it is read back: what was submitted, extra aside, and its review. */
export type StoredBoat = {
  /** The id of the boat. */
  readonly id: string;
  /** The type of this object. */
  readonly object: "boat";
  /** Whether it belongs to test or to live. */
  readonly mode: "test" | "live";
  /** Where its review stands. */
  readonly status: "pending" | "approved" | "rejected" | "inactive";
  /** Your own id; sending it again updates this boat. */
  readonly external_id: string;
  /** The name of the boat, 1 to 120 characters. */
  readonly name: string;
  /** What sort of boat it is. */
  readonly type: "motor_yacht" | "sport_yacht" | "catamaran" | "sailboat" | "center_console" | "pontoon" | "jet_ski" | "other";
  /** Its length in feet, 5 to 600. */
  readonly length_ft: number;
  /** How many guests it takes for a day trip, crew not counted, 1 to 500. */
  readonly capacity: number;
  /** Whether a captain comes with it. */
  readonly captain: "included" | "optional" | "required_extra" | "bareboat";
  /** Where the boat lies. */
  readonly location: {
    /** The city, at most 120 characters. */
    readonly city: string;
    /** The state or region, at most 120 characters. */
    readonly region?: string;
    /** The ISO 3166 country code, two upper-case letters. */
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
    /** For how many hours the rate is, above 0 and up to 720. */
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
  /** Who built it, at most 80 characters. */
  readonly make?: string;
  /** Which model it is, at most 80 characters. */
  readonly model?: string;
  /** When it was built, 1900 to 2100. */
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
  /** When the boat is taken. */
  readonly availability?: {
    /** A calendar that we read on a schedule into blocks. */
    readonly ical_url?: string;
    /** A page that shows when the boat is free. */
    readonly url?: string;
    /** The time zone of the boat, an IANA name. */
    readonly timezone?: string;
    /** Up to 1000 stretches of time and how the boat stands in each. */
    readonly blocks?: readonly ({
      /** When the stretch starts. */
      readonly starts_at: string;
      /** When the stretch ends; after its start. */
      readonly ends_at: string;
      /** How the boat stands in it. */
      readonly status?: "busy" | "tentative" | "free";
    })[];
  };
  /** The platform the boat comes from, or own: 1 to 60 lower-case letters, digits, _ and -. */
  readonly source_platform?: string;
  /** The page of the boat on that platform. */
  readonly source_url?: string;
  /** False takes the boat off; true, or left out, puts it back. */
  readonly active?: boolean;
  /** Up to 20 values of your own, echoed on every read. */
  readonly metadata?: { readonly [name: string]: string };
  /** Why it was rejected; null unless it was. */
  readonly review_note: string | null;
  /** When it was created, in UTC. */
  readonly created_at: string;
  /** When it last changed, in UTC. */
  readonly updated_at: string;
  /** When it was last reviewed, in UTC; null before. */
  readonly reviewed_at: string | null;
  /** What was read from `availability.ical_url`; absent when there is none, or while the boat is inactive. */
  readonly calendar?: {
    /** When the address was last asked, in UTC; null before. */
    readonly checked_at: string | null;
    /** When it was last read with success: how fresh the blocks are; null before. */
    readonly read_at: string | null;
    /** Why the last try failed, or which taken times are missing from the blocks; null when all went well. */
    readonly last_error: string | null;
    /** What of the calendar is not, or not surely, in the blocks. */
    readonly problems: readonly string[];
    /** The times that the calendar says are taken, in order. */
    readonly blocks: readonly ({
      /** When the stretch starts. */
      readonly starts_at: string;
      /** When the stretch ends; after its start. */
      readonly ends_at: string;
      /** How the boat stands in it. */
      readonly status?: "busy" | "tentative" | "free";
    })[];
  };
};

/** A connection to a venue system; its token is never listed. */
export type StoredIntegration = {
  /** The id of the integration. */
  readonly id: string;
  /** The type of this object. */
  readonly object: "integration";
  /** The venue system. */
  readonly provider: "square" | "toast" | "mindbody" | "fareharbor" | "peek" | "ventrata" | "xola" | "rezdy" | "checkfront" | "eventbrite" | "cloudbeds" | "tock" | "foreup" | "mews" | "custom";
  /** Whether it belongs to test or to live. */
  readonly mode: "test" | "live";
  /** Whether its address takes deliveries. */
  readonly status: "active" | "revoked";
  /** Whether its deliveries must be signed. */
  readonly signed: boolean;
  /** What is taken where a payload says nothing, as given at creation. */
  readonly defaults: {
    /** The kind of an offering. */
    readonly kind?: "tee_time" | "table" | "cabana" | "daybed" | "spa_treatment" | "class" | "boat_day" | "ticketed_event" | "package" | "rental" | "ride" | "dining";
    /** The time zone of the venue, an IANA name. */
    readonly timezone?: string;
    /** The currency of prices. */
    readonly currency?: string;
    /** The category of an offering. */
    readonly category?: string;
  };
  /** When it was created, in UTC. */
  readonly created_at: string;
  /** When the last delivery came; null before the first. */
  readonly last_delivery_at: string | null;
  /** How many deliveries came, each counted once. */
  readonly delivery_count: number;
  /** The last delivery that was refused and not stored: as a rule the signature was wrong (unauthorized), the body was no JSON object or too large, or too much came; null when none was. */
  readonly last_refused: {
    /** What the sender was told. */
    readonly code: "unauthorized" | "invalid_json" | "payload_too_large" | "rate_limited";
    /** When it came, to the second, in UTC. */
    readonly at: string;
  } | null;
  /** Where the venue system delivers; shown only when the integration is created. */
  readonly webhook_url?: string;
  /** The secret with which to sign; shown only when a custom integration is created. */
  readonly signing_secret?: string;
};

/** An offering as it is read back: what was submitted, and its review. */
export type StoredOffering = {
  /** The id of the offering. */
  readonly id: string;
  /** The type of this object. */
  readonly object: "offering";
  /** Whether it belongs to test or to live. */
  readonly mode: "test" | "live";
  /** Where its review stands. */
  readonly status: "pending" | "approved" | "rejected";
  /** Your own id; sending it again updates this offering. */
  readonly external_id: string;
  /** What sort of thing is sold. */
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
      /** How many people it takes, 0 to 100000. */
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
      /** How many people it takes, 0 to 100000. */
      readonly capacity?: number;
    })[];
    /** Up to 1000 local days on which nothing can be booked, each at most once. */
    readonly blackout_dates?: readonly string[];
    /** How many minutes before a slot it can still be booked, 0 to 525600. */
    readonly lead_time_minutes?: number;
    /** How many minutes before a slot the party must be fully paid, 0 to 525600. */
    readonly cutoff_minutes?: number;
  };
  /** The rules that guests accept when they book. */
  readonly policy?: {
    /** Up to 10 steps of what a cancelling party gets back. */
    readonly cancellation?: readonly ({
      /** The step holds when the party cancels at least this many hours before the start, 0 to 8760. */
      readonly hours_before: number;
      /** The percentage that is refunded, 0 to 100. */
      readonly refund_pct: number;
    })[];
    /** The least age of a guest: 0, 18 or 21. */
    readonly min_age?: 0 | 18 | 21;
    /** What to wear, at most 200 characters. */
    readonly dress_code?: string;
    /** How many minutes around the start the party may arrive, 0 to 1440. */
    readonly arrival_window_minutes?: number;
    /** Anything else guests should know, at most 2000 characters. */
    readonly notes?: string;
  };
  /** Where guests book it on the venue's own site. */
  readonly booking_url?: string;
  /** Up to 20 values of your own, echoed on every read and event. */
  readonly metadata?: { readonly [name: string]: string };
  /** Why it was rejected; null unless it was. */
  readonly review_note: string | null;
  /** When it was created, in UTC. */
  readonly created_at: string;
  /** When it last changed, in UTC. */
  readonly updated_at: string;
  /** When it was last reviewed, in UTC; null before. */
  readonly reviewed_at: string | null;
};

/** A webhook endpoint as it is listed; its secret never is. */
export type StoredWebhookEndpoint = {
  /** The id of the endpoint. */
  readonly id: string;
  /** The type of this object. */
  readonly object: "webhook_endpoint";
  /** Where we send the events; https only. */
  readonly url: string;
  /** The types of event to send, at least one. */
  readonly events: readonly ("checkout.created" | "checkout.collecting" | "share.held" | "checkout.funded" | "checkout.completed" | "checkout.expired" | "checkout.canceled")[];
  /** Whether it gets test or live events. */
  readonly mode: "test" | "live";
  /** Whether events are sent to it. */
  readonly status: "active" | "disabled";
  /** When it was disabled; null while it is active. */
  readonly disabled_at: string | null;
  /** Why it was disabled: you asked for it, or every delivery had failed for 72 hours; null while it is active. */
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
    readonly type: "checkout.created" | "checkout.collecting" | "share.held" | "checkout.funded" | "checkout.completed" | "checkout.expired" | "checkout.canceled" | "refund.created" | "offering.approved" | "offering.rejected" | "webhook_endpoint.disabled";
    /** Where the delivery stands; failed when 72 hours have passed, or the endpoint was disabled. */
    readonly status: "pending" | "delivered" | "failed";
    /** The HTTP status of the last answer; null when none came. */
    readonly last_status: number | null;
    /** When it was created, in UTC. */
    readonly created_at: string;
  } | null;
};

/** A submitted event, and where its review stands. */
export type Submission = {
  /** The id of the submission. */
  readonly id: string;
  /** The type of this object. */
  readonly object: "submission";
  /** Whether it belongs to test or to live. */
  readonly mode: "test" | "live";
  /** Your own id; null when you sent none. */
  readonly external_id: string | null;
  /** Where its review stands. */
  readonly status: "pending" | "approved" | "rejected";
  /** What guests see as the name, 1 to 120 characters. */
  readonly title: string;
  /** When it starts, in UTC. */
  readonly starts_at: string;
  /** The price for one person in US dollars; null for an event or when none was sent. */
  readonly price_per_person: number | null;
  /** How many people it takes; null when none was sent. */
  readonly capacity: number | null;
  /** The id of the live experience; null until approved. */
  readonly experience_id: string | null;
  /** Why it was rejected; null unless it was. */
  readonly review_note: string | null;
  /** When it was created, in UTC. */
  readonly created_at: string;
  /** When it was last reviewed, in UTC; null before. */
  readonly reviewed_at: string | null;
  /** When it ends; after its start. */
  readonly ends_at?: string;
  /** The external_id of the offering of which this is one date. */
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
    /** Up to 10 steps of what a cancelling party gets back. */
    readonly cancellation?: readonly ({
      /** The step holds when the party cancels at least this many hours before the start, 0 to 8760. */
      readonly hours_before: number;
      /** The percentage that is refunded, 0 to 100. */
      readonly refund_pct: number;
    })[];
    /** The least age of a guest: 0, 18 or 21. */
    readonly min_age?: 0 | 18 | 21;
    /** What to wear, at most 200 characters. */
    readonly dress_code?: string;
    /** How many minutes around the start the party may arrive, 0 to 1440. */
    readonly arrival_window_minutes?: number;
    /** Anything else guests should know, at most 2000 characters. */
    readonly notes?: string;
  };
  /** Where guests book it on the venue's own site. */
  readonly booking_url?: string;
  /** Up to 20 values of your own, echoed on every read and event. */
  readonly metadata?: { readonly [name: string]: string };
  /** Up to 10 https addresses of pictures, in order. */
  readonly photo_urls?: readonly string[];
};

/** The body that moves the clock of one test checkout. */
export type TestAdvance = {
  /** The time that the checkout shall take for now. */
  readonly to: string;
};

/** The body that holds one share of a test checkout, or all of them. */
export type TestHold = {
  /** The share to hold; every share when left out. */
  readonly share_id?: string;
  /** The token of the test card to pay with; one that works when left out. */
  readonly card?: string;
};

/** What the tool validate takes: the name of a schema, and what is to be held against it. */
export type Validate = {
  /** The name of a published schema. */
  readonly schema: "offering" | "price_tier" | "availability" | "policy" | "event" | "legacy_experience" | "submission" | "boat" | "checkout_create" | "checkout" | "share" | "webhook_event" | "webhook_endpoint" | "integration" | "party" | "me" | "analytics" | "error";
  /** What you would send. */
  readonly object: unknown;
};

/** The body that registers an address for events. */
export type WebhookEndpoint = {
  /** Where we send the events; https only. */
  readonly url: string;
  /** The types of event to send, at least one. */
  readonly events: readonly ("checkout.created" | "checkout.collecting" | "share.held" | "checkout.funded" | "checkout.completed" | "checkout.expired" | "checkout.canceled")[];
};

/** An event as it is delivered and as it stands in the log. */
export type WebhookEvent = {
  /** The id of the event; a delivery may come twice, so count each id once. */
  readonly id: string;
  /** The type of this object. */
  readonly object: "event";
  /** What happened. */
  readonly type: "checkout.created" | "checkout.collecting" | "share.held" | "checkout.funded" | "checkout.completed" | "checkout.expired" | "checkout.canceled" | "refund.created" | "offering.approved" | "offering.rejected" | "webhook_endpoint.disabled";
  /** Whether it happened in test or in live. */
  readonly mode: "test" | "live";
  /** When it happened, in UTC. */
  readonly created_at: string;
  /** Counts up from 1 for each checkout, each offering, each endpoint. */
  readonly sequence: number;
  /** True on a sample that you asked for; absent on a real event. */
  readonly sample?: true;
  /** What it happened to. */
  readonly data: {
    /** The checkout, for offering.* the offering, for webhook_endpoint.* the endpoint, as it was at that moment. */
    readonly object: StoredOffering | StoredWebhookEndpoint | Checkout;
    /** What was refunded; only on refund.created. */
    readonly refund?: {
      /** How much was refunded, in minor units (cents). */
      readonly amount: number;
      /** The reason you gave; null when none. */
      readonly reason: string | null;
    };
  };
};

/** The body that sends again what has failed. */
export type WebhookRecover = {
  /** Failed deliveries of events from this time on are sent again; within the last 30 days. */
  readonly since: string;
};

/** How many failed deliveries are sent again. */
export type WebhookRecovered = {
  /** The endpoint they go to. */
  readonly endpoint_id: string;
  /** The time you gave. */
  readonly since: string;
  /** How many are sent again, the oldest first, 10000 at the most. */
  readonly recovered: number;
  /** Whether there may be more: then call again. */
  readonly has_more: boolean;
};

/** What came back for a sample event. */
export type WebhookTestResult = {
  /** The id of the sample. */
  readonly event_id: string;
  /** Whether the endpoint answered with a 2xx. */
  readonly delivered: boolean;
  /** The HTTP status of the answer; null when none came. */
  readonly status: number | null;
  /** The first 4 KB of the answer; null when none came. */
  readonly response: string | null;
  /** Why no answer came; null when one did. */
  readonly error: string | null;
  /** How many milliseconds it took. */
  readonly duration_ms: number;
};
