// Generated from schemas/v1 by `npm run generate`. Do not edit.

/** A person who uses the console. */
export type Account = {
  /** The id of the account. */
  readonly id: string;
  /** The mail address that signs in. */
  readonly email: string;
  /** The name of the person; null when none was given. */
  readonly name: string | null;
};

/** The body that asks for a code to change the mail address. */
export type AccountEmail = {
  /** The new mail address, which receives the code, 6 to 200 characters. */
  readonly email: string;
};

/** A browser that is signed in to the console. */
export type AccountSession = {
  /** The id of the session. */
  readonly id: string;
  /** When it was signed in, in UTC. */
  readonly created_at: string;
  /** When it last made a request, to five minutes; it ends 12 hours later. */
  readonly last_used_at: string;
  /** When it ends at the latest, 7 days after the sign-in. */
  readonly expires_at: string;
  /** Until when a code that was entered counts for calls that need a fresh one; null when none was. */
  readonly stepped_up_until: string | null;
  /** The browser and its system in words; null when they are not known. */
  readonly device: string | null;
  /** The network address of the last use without its last part, to five minutes; null when it is not known. */
  readonly address: string | null;
  /** True when the person had not signed in in this browser in the 90 days before, sign-up aside. */
  readonly is_new_device: boolean;
  /** True for the session of this request. */
  readonly is_current: boolean;
};

/** The body that changes the name of the signed-in person. */
export type AccountUpdate = {
  /** The new name, 1 to 80 characters, without links and without five or more digits in a row. */
  readonly name: string;
};

/** A venue in which the signed-in person has a role. */
export type AccountVenue = {
  /** The id of the venue, a sandbox too: requests send it as `Everyshare-Venue`. */
  readonly id: string;
  /** The name of the venue. */
  readonly name: string;
  /** False for a sandbox, which has no live mode. */
  readonly linked: boolean;
  /** The role of the person in this venue. */
  readonly role: "owner" | "developer" | "finance" | "viewer";
  /** Only for an operator who looks at this venue as its people see it: until when. Nothing can be changed in it. */
  readonly viewed_until?: string;
};

/** A batch of events that the members' app reports. */
export type Activity = {
  /** The events, 1 to 1000. */
  readonly events: readonly ({
    /** The id of the event; an id that is sent again counts once. */
    readonly id: string;
    /** What the member did. */
    readonly type: "view" | "booking_start" | "save" | "booking" | "check_in" | "venue_page_view";
    /** The live experience; for every type except venue_page_view. */
    readonly experience_id?: string;
    /** The venue; for venue_page_view. */
    readonly venue_id?: string;
    /** The member; stored only as a keyed hash. */
    readonly member_id: string;
    /** When it happened. */
    readonly at: string;
    /** How many people a booking brings, the booker included, 1 to 5000. */
    readonly guests?: number;
    /** The amount paid in minor units (cents). */
    readonly amount?: number;
    /** The mode; events of test mode are not counted. */
    readonly mode: "test" | "live";
  })[];
};

/** The result of a batch of activity. */
export type ActivityResult = {
  /** How many events this call counted. */
  readonly accepted: number;
  /** How many events had been counted before. */
  readonly duplicates: number;
  /** The events that were not counted, up to 1000. */
  readonly rejected: readonly ({
    /** The id of the event; an id that is sent again counts once. */
    readonly id: string;
    /** Why it was not counted: `unknown_experience`, `unknown_venue` or `too_old` (events of that time are no longer stored). */
    readonly reason: string;
  })[];
};

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

/** An API key of the venue, without its text. */
export type ApiKey = {
  /** The id of the key. */
  readonly id: string;
  /** What the venue calls it; null when it has no name. */
  readonly name: string | null;
  /** Which kind of key it is. */
  readonly kind: "secret" | "publishable";
  /** The mode of the key: test cards in test, real money in live. */
  readonly mode: "test" | "live";
  /** The beginning and the last four characters of the key, to recognise it by. */
  readonly hint: string;
  /** Only an `active` key is accepted. */
  readonly status: "active" | "expired" | "revoked";
  /** What it may do. A test key has every scope, a publishable key has none. */
  readonly scopes: readonly ("offerings:write" | "offerings:read" | "checkouts:write" | "checkouts:read" | "bookings:read" | "analytics:read" | "webhooks:write" | "boats:write" | "boats:read")[];
  /** The addresses and CIDR ranges that it may be used from; empty: every address. */
  readonly allow_ips: readonly string[];
  /** Its hourly limit of writes. */
  readonly writes_per_hour: number;
  /** Its hourly limit of reads. */
  readonly reads_per_hour: number;
  /** When it was created, in UTC. */
  readonly created_at: string;
  /** When it expires, in UTC; null: never. */
  readonly expires_at: string | null;
  /** When it was revoked, in UTC; null: it was not. */
  readonly revoked_at: string | null;
  /** The id of the key that replaces it; null: it was not rolled. */
  readonly rolled_to: string | null;
  /** When a call with it was last accepted, to the minute, in UTC; null: never. */
  readonly last_used_at: string | null;
  /** The network address of that call without its last part; null: none. */
  readonly last_used_address: string | null;
};

/** The body that creates an API key in the mode of the session. */
export type ApiKeyCreate = {
  /** The kind: `secret` for a server, `publishable` for pages. */
  readonly kind: "secret" | "publishable";
  /** What you call it, 1 to 100 characters without white space around it, or null. */
  readonly name?: string | null;
  /** What a live secret key may do: at least one. A test key has every scope, also if you name some; a publishable key has none. */
  readonly scopes?: readonly ("offerings:write" | "offerings:read" | "checkouts:write" | "checkouts:read" | "bookings:read" | "analytics:read" | "webhooks:write" | "boats:write" | "boats:read")[];
  /** When it expires, a time in the future; null or absent: never. */
  readonly expires_at?: string | null;
  /** Up to 100 addresses and CIDR ranges that it may be used from; empty or absent: every address. */
  readonly allow_ips?: readonly string[];
};

/** The body that replaces an API key by a new one. */
export type ApiKeyRoll = {
  /** For how many hours the old key keeps working, 0 to 168; 0 revokes it at once. */
  readonly overlap_hours?: number;
};

/** The body that changes an API key. What is absent stays as it is. */
export type ApiKeyUpdate = {
  /** What you call it, 1 to 100 characters without white space around it; null: no name. */
  readonly name?: string | null;
  /** When it expires, a time in the future; null: never. */
  readonly expires_at?: string | null;
  /** Up to 100 addresses and CIDR ranges that replace the ones before; empty: every address. */
  readonly allow_ips?: readonly string[];
};

/** An entry of the audit log of the venue. */
export type AuditEntry = {
  /** The id of the entry. */
  readonly id: string;
  /** When it was done, in UTC. */
  readonly at: string;
  /** Who did it. */
  readonly actor: {
    /** A `person` of the venue, an API `key`, the `operator` of the service, a `guest`, or the `service` itself. */
    readonly type: "person" | "key" | "operator" | "guest" | "service";
    /** The id of the account or of the key; null for others. */
    readonly id: string | null;
    /** The name of the person or of the key. A person without a name is shown by mail address, a key without one by its hint. */
    readonly name: string;
  };
  /** How: over HTTP, by a tool of an agent, on the operator's command line, at the first start, or by the worker. */
  readonly via: "http" | "mcp" | "cli" | "start" | "worker";
  /** The network address of the caller without its last part; null where there is none. */
  readonly address: string | null;
  /** The id of the request; null where there was none. */
  readonly request_id: string | null;
  /** What was done. */
  readonly action: string;
  /** The id of what it was done to, or its text, such as an origin. */
  readonly subject: string;
  /** The name of the person or key that it was done to; null for others. */
  readonly subject_name: string | null;
  /** What changed, by action. The values of a change are in `before` and `after`. */
  readonly detail: { readonly [name: string]: unknown };
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

/** An offering, an event or a boat as a line of the catalogue. */
export type CatalogueItem = {
  /** The type of this object. */
  readonly object: "catalogue_item";
  /** The kind of the object. */
  readonly kind: "offering" | "event" | "boat";
  /** The id of the object. */
  readonly id: string;
  /** Your own id for it; null when you sent none. */
  readonly external_id: string | null;
  /** Its title, or the name of the boat. */
  readonly title: string;
  /** The kind of the offering, the category of the event or the type of the boat; null when there is none. */
  readonly category: string | null;
  /** The status of its review; inactive for a boat that is not offered. */
  readonly status: "pending" | "approved" | "rejected" | "inactive";
  /** Why it was rejected; null otherwise. */
  readonly review_note: string | null;
  /** True when members see a version of it. */
  readonly is_visible: boolean;
  /** True when members see an earlier version, and a change waits for its review. */
  readonly is_change_waiting: boolean;
  /** The first price; null when there is none. */
  readonly price: {
    /** The price, in minor units (cents). */
    readonly amount: number;
    /** The currency of the price. */
    readonly currency: string;
    /** What the price is for. */
    readonly unit: "per_person" | "per_group" | "per_hour" | "per_unit" | "per_trip";
  } | null;
  /** The first picture; null when there is none. */
  readonly image_url: string | null;
  /** The next start that the smallest party can book within 62 days, or the start of the event, in UTC; null when there is none. */
  readonly next_slot: string | null;
  /** When it changed last, in UTC; of an event, when it was sent. */
  readonly changed_at: string;
  /** When it was reviewed last, in UTC; null before. */
  readonly reviewed_at: string | null;
};

/** An offering, an event or a boat, with the version that members see beside the one that they do not. */
export type CatalogueVersions = {
  /** The type of this object. */
  readonly object: "catalogue_versions";
  /** The object as a line of the catalogue. */
  readonly item: CatalogueItem;
  /** The version that members see; null when they see none. */
  readonly visible: { readonly [name: string]: unknown } | null;
  /** The version that members do not see: it waits for its review, was rejected or is inactive. Null when they see the only version. */
  readonly waiting: { readonly [name: string]: unknown } | null;
  /** Where the two versions differ, at most 200; empty when there is only one. */
  readonly differences: readonly ({
    /** The JSON pointer of the field, in both versions. */
    readonly field: string;
    /** Changed; added: only in waiting; removed: only in visible. */
    readonly change: "changed" | "added" | "removed";
  })[];
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

/** The money of one checkout, as sums that add up. Before it is completed every sum is 0. */
export type CheckoutMoney = {
  /** The type of this object. */
  readonly object: "checkout_money";
  /** The checkout. */
  readonly checkout_id: string;
  /** The currency of every amount here. */
  readonly currency: string;
  /** The status of the checkout. */
  readonly status: "open" | "collecting" | "funded" | "completed" | "expired" | "canceled";
  /** What guests paid, in minor units (cents). */
  readonly paid: number;
  /** The service’s fee at completion, in minor units (cents). */
  readonly fee: number;
  /** What the venue earned at completion: paid less fee, in minor units (cents). */
  readonly net: number;
  /** What was refunded to guests, in minor units (cents). */
  readonly refunded: number;
  /** What guests got back by disputes, in minor units (cents). */
  readonly lost_to_disputes: number;
  /** What refunds and lost disputes took out of the fee, in minor units (cents). */
  readonly fee_returned: number;
  /** What the venue keeps: net less refunded and lost_to_disputes, and fee_returned added, in minor units (cents). */
  readonly kept: number;
  /** How much of refunded did not reach the guest yet, in minor units (cents). */
  readonly failed_refunds: number;
  /** What was transferred to the venue and not taken back; below zero until a later transfer settles it, in minor units (cents). */
  readonly paid_out: number;
  /** What is still to be transferred; below zero when something is still to be taken back, in minor units (cents). */
  readonly to_come: number;
  /** What was not transferred because it settled debts of the venue, in minor units (cents). */
  readonly settled_debts: number;
  /** What could not be taken back from the venue’s account, in minor units (cents). */
  readonly owed: number;
  /** What can still be refunded, in minor units (cents). */
  readonly left_to_refund: number;
  /** The payout; null before the checkout is completed. */
  readonly payout: {
    /** The id of the payout. */
    readonly id: string;
    /** The status of the payout: failed when a transfer failed, paid when every transfer is made or dropped. */
    readonly status: "pending" | "paid" | "failed" | "canceled";
    /** When the checkout completed, in UTC. */
    readonly created_at: string;
    /** When the newest transfer was made; null before. */
    readonly sent_at: string | null;
    /** The transfers: one for each share, and one more each time that money of a lost dispute came back. */
    readonly transfers: readonly ({
      /** The share it is for. */
      readonly share_id: string;
      /** The amount of the transfer, in minor units (cents). */
      readonly amount: number;
      /** The status of the transfer; dropped when refunds took all of it before it was sent. */
      readonly status: "pending" | "paid" | "failed" | "dropped";
      /** When it was made; null before. */
      readonly at: string | null;
    })[];
  } | null;
  /** Every share of the party, the organizer’s first. */
  readonly shares: readonly ({
    /** The share. */
    readonly share_id: string;
    /** The name shown for the guest; null while none is known. */
    readonly display_name: string | null;
    /** True for the share of the organizer. */
    readonly is_organizer: boolean;
    /** The status of the share. */
    readonly status: "invited" | "held" | "captured" | "released" | "refunded" | "failed";
    /** The amount of the share, in minor units (cents). */
    readonly amount: number;
    /** Its part of the fee at completion, in minor units (cents). */
    readonly fee: number;
    /** What refunds and lost disputes took out of its fee, in minor units (cents). */
    readonly fee_returned: number;
    /** What was refunded, in minor units (cents). */
    readonly refunded: number;
    /** What was lost to disputes, in minor units (cents). */
    readonly lost: number;
    /** What the venue keeps of it, in minor units (cents). */
    readonly kept: number;
  })[];
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

/** A checkout as a line of the console’s list. */
export type CheckoutRow = {
  /** The type of this object. */
  readonly object: "checkout_row";
  /** The checkout. */
  readonly id: string;
  /** The mode of the checkout. */
  readonly mode: "test" | "live";
  /** The status of the checkout. */
  readonly status: "open" | "collecting" | "funded" | "completed" | "expired" | "canceled";
  /** The text that every guest reads. */
  readonly description: string;
  /** When the booking itself starts, in UTC; null when you sent none. */
  readonly starts_at: string | null;
  /** Your booking id. */
  readonly external_booking_id: string;
  /** The external_id of the offering; null when you sent none. */
  readonly offering_external_id: string | null;
  /** The name of the organizer; null before the party is chosen. */
  readonly organizer: string | null;
  /** The whole total, in minor units (cents). */
  readonly amount: number;
  /** The currency of every amount here. */
  readonly currency: string;
  /** What is held on cards and not charged yet, in minor units (cents). */
  readonly held_amount: number;
  /** What reached the guests as a refund, in minor units (cents). */
  readonly refunded_amount: number;
  /** The deadline by which every share must be held, in UTC. */
  readonly pay_by: string;
  /** The shares by status. */
  readonly party: {
    /** The maximum number of people. */
    readonly size: number;
    /** True when the organizer has chosen the party. */
    readonly is_chosen: boolean;
    /** How many shares wait for their guest. */
    readonly invited: number;
    /** How many shares are held. */
    readonly held: number;
    /** How many shares failed. */
    readonly failed: number;
    /** How many shares are charged. */
    readonly captured: number;
    /** How many shares were released. */
    readonly released: number;
    /** How many shares are refunded. */
    readonly refunded: number;
  };
  /** How many of its charges are disputed now. */
  readonly open_disputes: number;
  /** Why the checkout was canceled: `capture_failed` (a card could not be charged, and the others were refunded), or `venue_not_payable` (the venue could not be paid up to `pay_by`, and no card was charged); null when it was not, or when you canceled it. */
  readonly cancellation_reason: string | null;
  /** The key that created it; null when a person did, or it is not known. */
  readonly key: {
    /** The id of the key. */
    readonly id: string;
    /** The name of the key; null when it has none. */
    readonly name: string | null;
  } | null;
  /** When it was created, in UTC. */
  readonly created_at: string;
  /** When it was completed, in UTC; null before. */
  readonly completed_at: string | null;
};

/** Everything that happened to a checkout, oldest first. */
export type CheckoutTimeline = {
  /** The type of this object. */
  readonly object: "checkout_timeline";
  /** The checkout. */
  readonly checkout_id: string;
  /** The time zone of the venue, for showing the times. */
  readonly timezone: string;
  /** False when only the newest 1000 entries are listed. */
  readonly is_complete: boolean;
  /** The entries, at most 1000. */
  readonly data: readonly ({
    /** Names the entry: the same at each read. */
    readonly id: string;
    /** When it happened, in UTC. */
    readonly at: string;
    /** What happened. */
    readonly kind: "checkout.created" | "party.chosen" | "party.changed" | "guest.left" | "guest.removed" | "invite.sent" | "reminder.sent" | "card.declined" | "hold.renewal_refused" | "hold.lost" | "checkout.reopened" | "hold.renewed" | "share.held" | "checkout.funded" | "share.captured" | "checkout.completed" | "transfer.failed" | "transfer.sent" | "refund.created" | "refund.sent" | "refund.failed" | "transfer.reversed" | "transfer.owed" | "dispute.opened" | "dispute.won" | "dispute.lost" | "checkout.expired" | "checkout.canceled" | "hold.released" | "delivery.delivered" | "delivery.retrying" | "delivery.failed";
    /** Who acted. */
    readonly actor: {
      /** Who acted: a key of the venue, a person of its team, the operator, a guest, or the service itself. */
      readonly type: "key" | "person" | "operator" | "guest" | "service";
      /** The id of the key or of the person’s account; null for the others. */
      readonly id: string | null;
      /** The name of the key, the person or the guest; null when there is none. */
      readonly name: string | null;
    };
    /** The share that it is about; null when it is about the whole checkout. */
    readonly share_id: string | null;
    /** The name shown for the guest; null while none is known. */
    readonly display_name: string | null;
    /** How much money it is about, in minor units (cents); null when it is about none. */
    readonly amount: number | null;
    /** Why: of a refund, what its author wrote; of a declined card, the code of the issuer; of a delivery, its last error. Null when there is none. */
    readonly reason: string | null;
    /** How many: people of a party, cards that were charged, parts of a refund. Null for other kinds. */
    readonly count: number | null;
    /** The delivery of an event to an endpoint; null for other kinds. */
    readonly delivery: {
      /** The delivery, as the list of its endpoint names it. */
      readonly id: string;
      /** The event. */
      readonly event_id: string;
      /** The type of the event. */
      readonly event_type: string;
      /** The endpoint. */
      readonly endpoint_id: string;
      /** The address of the endpoint. */
      readonly url: string;
      /** The HTTP status of the last answer; null when there was none. */
      readonly status: number | null;
      /** How often it was tried. */
      readonly attempts: number;
      /** How long the last attempt took, in milliseconds; null before the first. */
      readonly duration_ms: number | null;
      /** When it is tried next, in UTC; null when it is not. */
      readonly next_attempt_at: string | null;
    } | null;
  })[];
};

/** Whether the mail with a code was sent. */
export type CodeMail = {
  /** The id of the challenge. */
  readonly challenge_id: string;
  /** Where the mail with the code is: `sending` for up to 10 seconds; `sent` when the mail server has it; `delayed` when it has not taken it yet: the code comes later; `failed` when it refused it for good, or for too long: check the address and ask for another code. */
  readonly mail: "sending" | "sent" | "delayed" | "failed";
};

/** A code that was mailed and is waited for. */
export type ConsoleChallenge = {
  /** The id of the challenge; send it back with the code. */
  readonly challenge_id: string;
  /** For how many seconds the code is valid. */
  readonly expires_in: number;
  /** True when mails of this service are late at the moment: the code may take longer than usual. */
  readonly mail_delayed: boolean;
};

/** A session, a role or an invitation that was ended. */
export type ConsoleEnded = {
  /** The id of what was ended. */
  readonly id: string;
  /** Always true. */
  readonly ended: true;
};

/** The first page of the console: what is held, completed and paid out, and what needs a person. Days are those of the venue’s time zone. */
export type ConsoleHome = {
  /** The type of this object. */
  readonly object: "home";
  /** The mode of the figures. */
  readonly mode: "test" | "live";
  /** The time zone of the venue. */
  readonly timezone: string;
  /** Today, in that time zone. */
  readonly today: string;
  /** What is held now, by currency. */
  readonly held: readonly ({
    /** The currency. */
    readonly currency: string;
    /** What is held on cards and not charged yet, in minor units (cents). */
    readonly amount: number;
    /** How many shares. */
    readonly shares: number;
    /** How many checkouts. */
    readonly checkouts: number;
  })[];
  /** What was completed today, by currency. */
  readonly completed_today: readonly ({
    /** The currency. */
    readonly currency: string;
    /** What guests paid, in minor units (cents). */
    readonly amount: number;
    /** How many checkouts. */
    readonly checkouts: number;
    /** How many guests. */
    readonly guests: number;
  })[];
  /** What was completed in the last 30 days, today included, by currency, the largest first. */
  readonly completed_30_days: readonly ({
    /** The currency. */
    readonly currency: string;
    /** What guests paid, in minor units (cents). */
    readonly amount: number;
    /** How many checkouts. */
    readonly checkouts: number;
  })[];
  /** What was paid out today, by currency. */
  readonly paid_today: readonly ({
    /** The currency. */
    readonly currency: string;
    /** What was transferred to the venue, in minor units (cents). */
    readonly amount: number;
    /** How many payouts. */
    readonly payouts: number;
  })[];
  /** What was paid out in the last 30 days, today included, by currency, the largest first. */
  readonly paid_30_days: readonly ({
    /** The currency. */
    readonly currency: string;
    /** What was transferred to the venue, in minor units (cents). */
    readonly amount: number;
    /** How many payouts. */
    readonly payouts: number;
  })[];
  /** What is on its way to the venue, by currency. */
  readonly on_its_way: readonly ({
    /** The currency. */
    readonly currency: string;
    /** What will be transferred, in minor units (cents). */
    readonly amount: number;
    /** How many payouts. */
    readonly payouts: number;
    /** When the next transfer is due, in UTC; null when all of them wait for the end of a dispute. */
    readonly next_at: string | null;
  })[];
  /** What needs a person. */
  readonly attention: {
    /** How many things need a person; of each kind at most 10 are counted. */
    readonly count: number;
    /** The most urgent first, at most 20. */
    readonly data: readonly ({
      /** What is wrong: a share is missing and pay_by is within 4 hours; a transfer was refused; a charge is disputed; a card was declined; a hold could not be renewed; cards are charged for more than 5 minutes; a refund did not reach its guest; an endpoint was disabled after failing; an endpoint fails; no party was chosen for a day; an offering was rejected. */
      readonly kind: "share_missing" | "payout_failed" | "dispute_open" | "card_declined" | "hold_not_renewed" | "charging" | "refund_failed" | "endpoint_disabled" | "endpoint_failing" | "party_not_chosen" | "offering_rejected";
      /** Since when; of a missing share and of a hold that lapses, until when. In UTC. */
      readonly at: string;
      /** The checkout, as a line of the list; null for an endpoint or an offering. */
      readonly checkout: {
        /** The type of this object. */
        readonly object: "checkout_row";
        /** The checkout. */
        readonly id: string;
        /** The mode of the checkout. */
        readonly mode: "test" | "live";
        /** The status of the checkout. */
        readonly status: "open" | "collecting" | "funded" | "completed" | "expired" | "canceled";
        /** The text that every guest reads. */
        readonly description: string;
        /** When the booking itself starts, in UTC; null when you sent none. */
        readonly starts_at: string | null;
        /** Your booking id. */
        readonly external_booking_id: string;
        /** The external_id of the offering; null when you sent none. */
        readonly offering_external_id: string | null;
        /** The name of the organizer; null before the party is chosen. */
        readonly organizer: string | null;
        /** The whole total, in minor units (cents). */
        readonly amount: number;
        /** The currency of every amount here. */
        readonly currency: string;
        /** What is held on cards and not charged yet, in minor units (cents). */
        readonly held_amount: number;
        /** What reached the guests as a refund, in minor units (cents). */
        readonly refunded_amount: number;
        /** The deadline by which every share must be held, in UTC. */
        readonly pay_by: string;
        /** The shares by status. */
        readonly party: {
          /** The maximum number of people. */
          readonly size: number;
          /** True when the organizer has chosen the party. */
          readonly is_chosen: boolean;
          /** How many shares wait for their guest. */
          readonly invited: number;
          /** How many shares are held. */
          readonly held: number;
          /** How many shares failed. */
          readonly failed: number;
          /** How many shares are charged. */
          readonly captured: number;
          /** How many shares were released. */
          readonly released: number;
          /** How many shares are refunded. */
          readonly refunded: number;
        };
        /** How many of its charges are disputed now. */
        readonly open_disputes: number;
        /** Why the checkout was canceled: `capture_failed` (a card could not be charged, and the others were refunded), or `venue_not_payable` (the venue could not be paid up to `pay_by`, and no card was charged); null when it was not, or when you canceled it. */
        readonly cancellation_reason: string | null;
        /** The key that created it; null when a person did, or it is not known. */
        readonly key: {
          /** The id of the key. */
          readonly id: string;
          /** The name of the key; null when it has none. */
          readonly name: string | null;
        } | null;
        /** When it was created, in UTC. */
        readonly created_at: string;
        /** When it was completed, in UTC; null before. */
        readonly completed_at: string | null;
      } | null;
      /** How many shares it is about. */
      readonly shares: number;
      /** One of these shares; null when it is about none. */
      readonly share_id: string | null;
      /** The name shown for the guest; null while none is known. */
      readonly display_name: string | null;
      /** Why: the code of the processor, the reason of the dispute, the note of the review or the last error. Null when there is none. */
      readonly reason: string | null;
      /** The id of the dispute, endpoint or movement, or your id of the offering; null when it is the checkout alone. */
      readonly subject_id: string | null;
      /** The address of the endpoint or the title of the offering; null for others. */
      readonly name: string | null;
    })[];
  };
  /** The checkouts that were created in the last 30 days, by how far they came. */
  readonly funnel: {
    /** The first of the 30 days. */
    readonly from: string;
    /** Checkouts created: party_chosen, still_open and never_chosen together. */
    readonly created: number;
    /** Of these, how many have had a party: all_held, collecting and ended_before_held together. */
    readonly party_chosen: number;
    /** Of these, how many had every share held: completed, charging and refused together. */
    readonly all_held: number;
    /** Of these, how many are completed. */
    readonly completed: number;
    /** Without a party, and still open. */
    readonly still_open: number;
    /** Expired or canceled without a party. */
    readonly never_chosen: number;
    /** Guests are paying. */
    readonly collecting: number;
    /** Expired or canceled before every share was held. */
    readonly ended_before_held: number;
    /** The cards are being charged. */
    readonly charging: number;
    /** A card was refused for good after every share was held. */
    readonly refused: number;
  };
  /** Each of the last 30 days, oldest first, for each currency. */
  readonly daily: readonly ({
    /** The day. */
    readonly date: string;
    /** The currency. */
    readonly currency: string;
    /** What guests paid, in minor units (cents). */
    readonly amount: number;
    /** How many checkouts were completed. */
    readonly checkouts: number;
  })[];
  /** The newest 20 events, newest first. */
  readonly activity: readonly ({
    /** The event. */
    readonly event_id: string;
    /** The type of the event. */
    readonly type: string;
    /** When it happened, in UTC. */
    readonly at: string;
    /** The checkout; null when it is about another object. */
    readonly checkout_id: string | null;
    /** What for: the description of the checkout, the title of the offering or the address of the endpoint. */
    readonly title: string;
    /** When the booking itself starts, in UTC; null when it is not known. */
    readonly starts_at: string | null;
    /** How much: of the share, of the refund, or of the checkout, in minor units (cents). */
    readonly amount: number | null;
    /** The currency; null when there is no amount. */
    readonly currency: string | null;
    /** The share of share.held; null for others. */
    readonly share_id: string | null;
    /** The name shown for the guest; null while none is known. */
    readonly display_name: string | null;
    /** Why; null when there is no reason. */
    readonly reason: string | null;
  })[];
};

/** The body that signs in with the link that `everyshare console link` prints. */
export type ConsoleLinkSignIn = {
  /** The token of the link, 1 to 128 characters. */
  readonly token: string;
};

/** Who is signed in to the console, and the venues in which they have a role. */
export type ConsoleSession = {
  /** The person who is signed in. */
  readonly account: Account;
  /** The venues in which they have a role, the oldest role first. */
  readonly venues: readonly AccountVenue[];
  /** The session of this browser. */
  readonly session: AccountSession;
};

/** The body that asks for a sign-in code by mail. */
export type ConsoleSignIn = {
  /** The mail address that receives the code, 6 to 200 characters. */
  readonly email: string;
};

/** The body that answers a sign-in with the code. A mail address without an account signs up. */
export type ConsoleSignInVerify = {
  /** The challenge_id from the answer to the sign-in. */
  readonly challenge_id: string;
  /** The six digits from the mail. */
  readonly code: string;
  /** The name of the person, 1 to 80 characters. For a sign-up; a known account keeps its own. */
  readonly name?: string;
  /** The name of the sandbox venue of a sign-up, 1 to 120 characters without white space around it. */
  readonly venue_name?: string;
};

/** The answer to a sign-in; to a sign-up also the test keys of the first venue, in this answer only. */
export type ConsoleSignedIn = {
  /** The person who is signed in. */
  readonly account: Account;
  /** The venues in which they have a role, the oldest role first. */
  readonly venues: readonly AccountVenue[];
  /** The session of this browser. */
  readonly session: AccountSession;
  /** The test keys of the new venue, shown once; null when the account existed. */
  readonly keys: {
    /** The id of the new venue. */
    readonly venue_id: string;
    /** The secret test key, for a server. */
    readonly secret_test: string;
    /** The publishable test key, for web pages. */
    readonly publishable_test: string;
  } | null;
};

/** The body that answers a step-up with the code. */
export type ConsoleStepUp = {
  /** The challenge_id from the answer to the step-up. */
  readonly challenge_id: string;
  /** The six digits from the mail. */
  readonly code: string;
};

/** A new API key with its text, which is shown once. */
export type CreatedApiKey = {
  /** The id of the key. */
  readonly id: string;
  /** The whole key; only this answer shows it. */
  readonly key: string;
  /** What the venue calls it; null when it has no name. */
  readonly name: string | null;
  /** Which kind of key it is. */
  readonly kind: "secret" | "publishable";
  /** The mode of the key: test cards in test, real money in live. */
  readonly mode: "test" | "live";
  /** The beginning and the last four characters of the key, to recognise it by. */
  readonly hint: string;
  /** Only an `active` key is accepted. */
  readonly status: "active" | "expired" | "revoked";
  /** What it may do. A test key has every scope, a publishable key has none. */
  readonly scopes: readonly ("offerings:write" | "offerings:read" | "checkouts:write" | "checkouts:read" | "bookings:read" | "analytics:read" | "webhooks:write" | "boats:write" | "boats:read")[];
  /** The addresses and CIDR ranges that it may be used from; empty: every address. */
  readonly allow_ips: readonly string[];
  /** Its hourly limit of writes. */
  readonly writes_per_hour: number;
  /** Its hourly limit of reads. */
  readonly reads_per_hour: number;
  /** When it was created, in UTC. */
  readonly created_at: string;
  /** When it expires, in UTC; null: never. */
  readonly expires_at: string | null;
  /** When it was revoked, in UTC; null: it was not. */
  readonly revoked_at: string | null;
  /** The id of the key that replaces it; null: it was not rolled. */
  readonly rolled_to: string | null;
  /** When a call with it was last accepted, to the minute, in UTC; null: never. */
  readonly last_used_at: string | null;
  /** The network address of that call without its last part; null: none. */
  readonly last_used_address: string | null;
};

/** A new sandbox venue with its test keys, which are shown once. */
export type CreatedVenue = {
  /** The venue, with role `owner`. */
  readonly venue: AccountVenue;
  /** Its test keys, in this answer only. */
  readonly keys: {
    /** The id of the new venue. */
    readonly venue_id: string;
    /** The secret test key, for a server. */
    readonly secret_test: string;
    /** The publishable test key, for web pages. */
    readonly publishable_test: string;
  };
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

/** A delivery from a venue system of your own. */
export type CustomHook = {
  /** Your id of the delivery; an id that is sent again counts once. */
  readonly id: string;
  /** What the delivery does. */
  readonly type: "offering.upsert" | "offering.cancel" | "slots.update";
  /** An offering for offering.upsert; for the other types see custom_offering_cancel.json and custom_slots_update.json. */
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
};

/** What a venue owes and an operator writes off. */
export type DebtWriteOff = {
  /** What the venue owes of it now, in minor units (cents). */
  readonly amount: number;
  /** Why. For operators alone. */
  readonly note: string;
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

/** An entry of the audit log, of any venue or of the installation. */
export type DeskAuditEntry = {
  /** The id of the entry. */
  readonly id: string;
  /** When. */
  readonly at: string;
  /** The venue; null for what was done to the installation. */
  readonly venue: {
    /** The id of the venue. */
    readonly id: string;
    /** Its name. */
    readonly name: string;
  } | null;
  /** Who: a name, a mail address, or the text of the log. */
  readonly actor: string;
  /** True for an operator. */
  readonly is_operator: boolean;
  /** How: `http`, `mcp`, `cli`, `start` or `worker`. */
  readonly via: string;
  /** The network address without its last part; null where there is none. */
  readonly address: string | null;
  /** What was done. */
  readonly action: string;
  /** What it was done to. */
  readonly subject: string;
  /** The details. */
  readonly detail: { readonly [name: string]: unknown };
};

/** A decision about the version that the reviewer saw. */
export type DeskDecision = {
  /** The `version` of the answer that the reviewer saw. */
  readonly version: string;
};

/** The fee of checkouts that are created from now on. */
export type DeskFee = {
  /** Basis points: hundredths of a percent. */
  readonly bps: number;
  /** In minor units (cents), for each checkout. */
  readonly fixed: number;
  /** True: the fee is meant, although it does not cover what the processor charges for some parties. Without it such a fee is refused. */
  readonly accept_below_cost?: boolean;
};

/** The health of the installation: queues, senders, card processors, processes and checks. Computed at most every 15 seconds. */
export type DeskHealth = {
  /** The type of this object. */
  readonly object: "health";
  /** When the figures were computed, in UTC. */
  readonly computed_at: string;
  /** The worst of all parts, of the schema, of failing endpoints and of captures that wait; `failing` without a worker. `ok`; `attention`: a person should look; `failing`: it does not work now. */
  readonly status: "ok" | "attention" | "failing";
  /** The rows that wait for each loop of the worker, those that people wait for first. */
  readonly queues: readonly ({
    /** The loop. */
    readonly name: string;
    /** Rows that are due, counted up to 10,000. */
    readonly waiting: number;
    /** There are more. */
    readonly is_capped: boolean;
    /** Since when the oldest has been due, in UTC; null when none is. */
    readonly oldest_due_at: string | null;
    /** The same as an age; 0 when none is due. */
    readonly oldest_age_seconds: number;
    /** The state: `ok`; `attention`: a person should look; `failing`: it does not work now. */
    readonly status: "ok" | "attention" | "failing";
  })[];
  /** What waits for review in live mode. */
  readonly review: {
    /** Objects, counted up to 10,000. */
    readonly waiting: number;
    /** There are more. */
    readonly is_capped: boolean;
    /** Since when the oldest waits, in UTC; null when none does. */
    readonly oldest_at: string | null;
    /** The same as an age; 0 when none waits. */
    readonly oldest_age_seconds: number;
  };
  /** The webhook endpoints of all venues. */
  readonly endpoints: {
    /** Endpoints that get events, failing ones included. */
    readonly active: number;
    /** Active ones with something to send and no success in the last hour. */
    readonly failing: number;
    /** Endpoints that get no events. */
    readonly disabled: number;
  };
  /** The senders of texts and mails. */
  readonly senders: readonly ({
    /** What it sends. */
    readonly kind: "texts" | "mails";
    /** Which one it is: `sandbox` stores them to be read at `/sandbox/outbox`; `none`: nothing is sent. */
    readonly sender: "twilio" | "smtp" | "sandbox" | "none";
    /** Messages that are due, counted up to 10,000. */
    readonly waiting: number;
    /** Since when the oldest has been due, in UTC; null when none is. */
    readonly oldest_due_at: string | null;
    /** Messages of the last hour that were sent, or stored by the sandbox. */
    readonly sent_last_hour: number;
    /** Messages of the last hour that failed for good. */
    readonly failed_last_hour: number;
    /** The last success of the last day, in UTC; null when there is none. */
    readonly last_sent_at: string | null;
    /** When the last message of the last day was created that failed for good, in UTC; null when there is none. */
    readonly last_failed_at: string | null;
    /** Why it failed; null when none did. */
    readonly last_error: string | null;
    /** The state: `ok`; `attention`: a person should look; `failing`: it does not work now; `unknown`: nothing was sent in the last day. */
    readonly status: "ok" | "attention" | "failing" | "unknown";
  })[];
  /** The card processors. */
  readonly processors: readonly ({
    /** The mode. */
    readonly mode: "test" | "live";
    /** Which one it is. */
    readonly name: "stripe" | "sandbox";
    /** When a server or worker last got an answer, in UTC, within a day; null when none did. */
    readonly last_success_at: string | null;
    /** When a call last got no answer, in UTC, within a day; null when all did. */
    readonly last_failure_at: string | null;
    /** Why; null when all calls got an answer. */
    readonly last_failure: string | null;
    /** The state: `ok`; `attention`: a person should look; `failing`: it does not work now; `unknown`: it was not called in the last day. */
    readonly status: "ok" | "attention" | "failing" | "unknown";
  })[];
  /** Servers and workers that were alive in the last minute, the newest first. */
  readonly processes: readonly ({
    /** Of this run of the process. */
    readonly id: string;
    /** The command that started it. */
    readonly role: "start" | "serve" | "worker";
    /** The version of the program. */
    readonly version: string;
    /** The newest migration of the program. */
    readonly schema_version: number;
    /** The name of the machine. */
    readonly host: string;
    /** When it started, in UTC. */
    readonly started_at: string;
    /** When it last said that it lives, in UTC. */
    readonly seen_at: string;
    /** It has the version of the server that answers. */
    readonly is_current: boolean;
  })[];
  /** The migrations of the database. */
  readonly schema: {
    /** The newest that the database has. */
    readonly version: number;
    /** The newest of the server that answers. */
    readonly expected: number;
  };
  /** The last comparison with the card processor, and the last check of the ledger. */
  readonly checks: readonly ({
    /** Which check: a worker runs `reconcile` every six hours, and `ledger` every `LEDGER_CHECK_HOURS` (24). */
    readonly name: "reconcile" | "ledger";
    /** The mode that was compared; null for all of them. */
    readonly mode: "test" | "live" | null;
    /** When it ended, in UTC; null when it never ran. */
    readonly at: string | null;
    /** What it found that a person must look at; null when it never ran. */
    readonly differences: number | null;
    /** The state: `ok`; `attention`: a person should look; `failing`: it does not work now; `unknown`: it never ran. `attention` too when the last `reconcile` is older than a day, or the last `ledger` than a week. */
    readonly status: "ok" | "attention" | "failing" | "unknown";
  })[];
};

/** A person who may use the desk. */
export type DeskOperator = {
  /** The id of the account. */
  readonly id: string;
  /** The mail address. */
  readonly email: string;
  /** The name; null when there is none. */
  readonly name: string | null;
  /** The role at the desk. */
  readonly role: "admin" | "reviewer" | "support" | "finance";
  /** Since when. */
  readonly created_at: string;
};

/** A person as an operator sees them. */
export type DeskPerson = {
  /** The type of this object. */
  readonly object: "desk_person";
  /** The id of the account. */
  readonly id: string;
  /** The mail address. */
  readonly email: string;
  /** The name; null when there is none. */
  readonly name: string | null;
  /** The role at the desk; null for a person who is no operator. */
  readonly operator_role: "admin" | "reviewer" | "support" | "finance" | null;
  /** The venues in which they have a role. */
  readonly venues: readonly ({
    /** The id of the venue. */
    readonly id: string;
    /** Its name. */
    readonly name: string;
    /** The role. */
    readonly role: "owner" | "developer" | "finance" | "viewer";
  })[];
};

/** A rejection of the version that the reviewer saw. */
export type DeskRejection = {
  /** The `version` of the answer that the reviewer saw. */
  readonly version: string;
  /** Why, for the venue to correct it. */
  readonly note: string;
};

/** Who is signed in to the desk, and their role as an operator. */
export type DeskSession = {
  /** The person who is signed in. */
  readonly account: Account;
  /** The role of the operator: `admin` (all), `reviewer` (reviews), `finance` (money), `support` (reads). */
  readonly role: "admin" | "reviewer" | "support" | "finance";
  /** The session of this browser. */
  readonly session: AccountSession;
};

/** A venue as an operator sees it. */
export type DeskVenue = {
  /** The type of this object. */
  readonly object: "desk_venue";
  /** The id of the venue. */
  readonly id: string;
  /** Its name. */
  readonly name: string;
  /** Where the venue stands: a `sandbox`, `linked` to a verified venue, `suspended` or `revoked`. */
  readonly state: "sandbox" | "linked" | "suspended" | "revoked";
  /** When it was made. */
  readonly created_at: string;
  /** Since when it is suspended. */
  readonly suspended_at: string | null;
  /** Why it is suspended, for operators alone. */
  readonly suspension_note: string | null;
  /** Our fee for new checkouts. */
  readonly fee: {
    /** Basis points: hundredths of a percent. */
    readonly bps: number;
    /** In minor units (cents). */
    readonly fixed: number;
    /** True when it does not always cover what the processor charges. */
    readonly is_below_cost: boolean;
    /** Some parties. */
    readonly parties: readonly ({
      /** How many guests. */
      readonly guests: number;
      /** What each pays, in minor units (cents). */
      readonly share_amount: number;
      /** What the fee brings. */
      readonly fee_amount: number;
      /** What the processor charges at its list price. */
      readonly processor_fee_amount: number;
      /** True when the fee is lower. */
      readonly is_below_cost: boolean;
    })[];
  };
  /** Its keys, newest first, at most 100. */
  readonly keys: readonly ({
    /** The id of the key. */
    readonly id: string;
    /** Its name; null when it has none. */
    readonly name: string | null;
    /** Its kind. */
    readonly kind: "secret" | "publishable";
    /** Its mode. */
    readonly mode: "test" | "live";
    /** Enough to recognise it. */
    readonly hint: string;
    /** Whether it works. */
    readonly status: "active" | "expired" | "revoked";
    /** Its own limit. */
    readonly writes_per_hour: number;
    /** Its own limit. */
    readonly reads_per_hour: number;
    /** The raised limits; null when they are not raised. */
    readonly raised: {
      /** Writes in an hour. */
      readonly writes_per_hour: number;
      /** Reads in an hour. */
      readonly reads_per_hour: number;
      /** Until when. */
      readonly until: string;
    } | null;
    /** When it was last used, to the minute. */
    readonly last_used_at: string | null;
  })[];
  /** Its people, oldest first. */
  readonly people: readonly ({
    /** The id of the account. */
    readonly id: string;
    /** The mail address. */
    readonly email: string;
    /** The name; null when there is none. */
    readonly name: string | null;
    /** The role in the venue. */
    readonly role: "owner" | "developer" | "finance" | "viewer";
  })[];
  /** What it owes. */
  readonly debts: readonly ({
    /** The mode. */
    readonly mode: "test" | "live";
    /** The currency. */
    readonly currency: string;
    /** In minor units (cents). */
    readonly amount: number;
  })[];
  /** The checklist of going live, as the venue sees it. A venue that is linked keeps it: a line that no longer holds says what is wrong. */
  readonly go_live: readonly GoLiveStep[];
};

/** A venue as a line of the desk. */
export type DeskVenueItem = {
  /** The type of this object. */
  readonly object: "desk_venue_item";
  /** The id of the venue. */
  readonly id: string;
  /** Its name. */
  readonly name: string;
  /** Where the venue stands: a `sandbox`, `linked` to a verified venue, `suspended` or `revoked`. */
  readonly state: "sandbox" | "linked" | "suspended" | "revoked";
  /** When it was made. */
  readonly created_at: string;
};

/** A look at a venue as its people see it. */
export type DeskView = {
  /** The venue. */
  readonly venue_id: string;
  /** Until when the console shows it to this session. */
  readonly until: string;
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

/** The body that verifies the domain with the mailed code. */
export type DomainCode = {
  /** The challenge_id from the answer that sent the code. */
  readonly challenge_id: string;
  /** The six digits from the mail. */
  readonly code: string;
};

/** The body that names the domain of a venue. */
export type DomainCreate = {
  /** The name of the domain, without https:// and without a path. International names are converted. */
  readonly domain: string;
};

/** The body that asks for a code at a mail address of the domain. */
export type DomainMail = {
  /** A mail address at the domain that the venue has named. */
  readonly email: string;
};

/** How an endpoint has answered in the last 48 hours. A delivery counts for the hour of its event. */
export type EndpointHealth = {
  /** The type of this object. */
  readonly object: "endpoint_health";
  /** The endpoint. */
  readonly endpoint_id: string;
  /** The beginning of the first hour, in UTC. */
  readonly from: string;
  /** False when there were more than 20,000 deliveries, of which the newest are counted. */
  readonly is_complete: boolean;
  /** Delivered with the first attempt. */
  readonly first_try: number;
  /** Delivered with a later attempt. */
  readonly late: number;
  /** Waiting for an attempt, the first included. */
  readonly waiting: number;
  /** Failed for good, or because the endpoint was disabled. */
  readonly failed: number;
  /** Those of `waiting` that have failed before. */
  readonly retrying: number;
  /** When the oldest event that is retried happened, in UTC; null when none is. */
  readonly oldest_waiting_at: string | null;
  /** How long half of the delivered ones took at most, in milliseconds; null when none was delivered. */
  readonly median_ms: number | null;
  /** How long 19 of 20 delivered ones took at most, in milliseconds; null when none was delivered. */
  readonly slow_ms: number | null;
  /** The most frequent failure; null when there was none. */
  readonly common_failure: {
    /** The HTTP status of the answers; null without an answer. */
    readonly status: number | null;
    /** Why they failed, as in last_error of a delivery. */
    readonly error: string;
    /** How many deliveries failed like this at their last failed attempt. */
    readonly count: number;
  } | null;
  /** Every hour, oldest first; the last one is running. */
  readonly hours: readonly ({
    /** When the hour begins, in UTC. */
    readonly at: string;
    /** Delivered with the first attempt. */
    readonly first_try: number;
    /** Delivered with a later attempt. */
    readonly late: number;
    /** Waiting for an attempt. */
    readonly waiting: number;
    /** Failed for good, or because the endpoint was disabled. */
    readonly failed: number;
  })[];
};

/** The shape of every error. */
export type Error = {
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
export type Event = {
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

/** How far a newcomer is in test mode. Each step is done by what really happened. */
export type FirstSteps = {
  /** The type of this object. */
  readonly object: "first_steps";
  /** How many of the three steps are done. */
  readonly done: number;
  /** The first step: create a checkout. */
  readonly request: {
    /** True when the venue has created a test checkout. */
    readonly done: boolean;
    /** When the first test checkout was created, in UTC. */
    readonly at: string | null;
    /** The first test checkout; null before. */
    readonly checkout_id: string | null;
    /** The key that created it; null when a person did, or it is not known. */
    readonly key: {
      /** The id of the key. */
      readonly id: string;
      /** The name of the key; null when it has none. */
      readonly name: string | null;
    } | null;
    /** The call that created the first checkout; before there is one, the newest call with a test key, refused or not. Null when the log of requests has none. */
    readonly call: {
      /** The id of the request, by which its problems can be read. */
      readonly request_id: string;
      /** When it arrived, in UTC. */
      readonly at: string;
      /** Its HTTP method. */
      readonly method: string;
      /** Its path. */
      readonly path: string;
      /** The HTTP status of the answer. */
      readonly status: number;
      /** The error code of a refused call; null otherwise. */
      readonly code: string | null;
      /** The first field that was wrong; null when there is none. */
      readonly field: string | null;
      /** How long the answer took, in milliseconds. */
      readonly duration_ms: number;
    } | null;
  };
  /** The second step: pay as a guest. */
  readonly hold: {
    /** True when every share of a test checkout was held. */
    readonly done: boolean;
    /** When the last of its shares was held, in UTC. */
    readonly at: string | null;
    /** The first checkout whose every share was held; before that the newest that guests can pay. Null when there is none. */
    readonly checkout: {
      /** The checkout. */
      readonly id: string;
      /** The page on which its guests pay. */
      readonly url: string;
      /** The status of the checkout. */
      readonly status: "open" | "collecting" | "funded" | "completed" | "expired" | "canceled";
      /** The text that every guest reads. */
      readonly description: string;
      /** The whole total, in minor units (cents). */
      readonly amount: number;
      /** The currency of every amount here. */
      readonly currency: string;
      /** What is held or charged, in minor units (cents). */
      readonly funded_amount: number;
      /** The maximum number of people who share the total. */
      readonly party_size: number;
      /** How many shares are held or charged. */
      readonly held: number;
      /** How many shares failed. */
      readonly failed: number;
      /** The shares, the organizer’s first; empty before the party is chosen. */
      readonly shares: readonly ({
        /** The share. */
        readonly id: string;
        /** The name shown for the guest; null while none is known. */
        readonly display_name: string | null;
        /** The amount of the share, in minor units (cents). */
        readonly amount: number;
        /** The status of the share. */
        readonly status: "invited" | "held" | "captured" | "released" | "refunded" | "failed";
        /** True for the share of the organizer. */
        readonly is_organizer: boolean;
        /** When its card was held, in UTC; null before. */
        readonly held_at: string | null;
      })[];
    } | null;
  };
  /** The third step: receive the event. */
  readonly event: {
    /** True when an event checkout.completed was received. */
    readonly done: boolean;
    /** When it was received, in UTC. */
    readonly at: string | null;
    /** The event; null before. */
    readonly event_id: string | null;
    /** The checkout that it is about; null before. */
    readonly checkout_id: string | null;
    /** How it was received: by a webhook endpoint, by the built-in test inbox, or by a stream of events. Null before. */
    readonly via: "endpoint" | "inbox" | "stream" | null;
    /** The endpoint that received it; null when none did. */
    readonly endpoint_id: string | null;
    /** True while a program with a key of the venue reads the stream of events. */
    readonly is_listening: boolean;
  };
  /** The test inbox; null when the venue has none. */
  readonly inbox: {
    /** The endpoint that is the inbox. */
    readonly endpoint_id: string;
  } | null;
};

/** The body that sends 1 to 100 boats at once; the server checks and stores each boat separately. */
export type Fleet = {
  /** The boats, 1 to 100, each as in boat.json. */
  readonly boats: readonly unknown[];
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

/** The checklist of going live, computed at the moment of the answer, and what each line is about. */
export type GoLive = {
  /** Whether the venue is linked: every line held at one moment, or the operator has linked it. */
  readonly linked: boolean;
  /** Whether live keys can be created: the venue is linked, and the installation has live mode. */
  readonly can_create_live_keys: boolean;
  /** Whether live checkouts can be created now: the venue is linked, and the card processor can pay it. */
  readonly can_take_live_payments: boolean;
  /** How many lines hold. */
  readonly done: number;
  /** How many lines there are. */
  readonly total: number;
  /** The lines, in a fixed order. `terms` and `approval` are there only where the operator asks for them. */
  readonly steps: readonly GoLiveStep[];
  /** The domain that the venue has named; null: none. */
  readonly domain: {
    /** The domain; international names in their ASCII form. */
    readonly name: string;
    /** The DNS record that shows that the domain is the venue’s. */
    readonly record: {
      /** The type of the record. */
      readonly type: "TXT";
      /** The name of the record. At the domain itself it counts too. */
      readonly name: string;
      /** The value of the record. */
      readonly value: string;
    };
    /** When the domain was verified, in UTC; null: not yet. */
    readonly verified_at: string | null;
    /** How it was verified: by the record or by a mailed code. */
    readonly verified_by: "dns" | "mail" | null;
    /** The last look-up; null: there was none. */
    readonly check: {
      /** When the record was looked up last, in UTC. */
      readonly at: string;
      /** What the look-up gave: `no_domain` DNS does not know the domain, `no_record` it has no TXT record, `other_values` it has others, `timeout` and `failed` the name servers did not answer, or with an error. */
      readonly result: "found" | "no_domain" | "no_record" | "other_values" | "timeout" | "failed";
      /** The same in words. */
      readonly message: string;
      /** The values that are there instead. */
      readonly found: readonly string[];
    } | null;
  } | null;
  /** The payout onboarding, in live mode. */
  readonly payouts: {
    /** Where the payout onboarding is: `pending` the card processor verifies the details, `active` it can pay the venue, `refused` it does not. */
    readonly status: "not_started" | "incomplete" | "pending" | "active" | "refused";
    /** What the card processor still wants. */
    readonly due: readonly ({
      /** What kind of detail. */
      readonly kind: "bank" | "terms" | "person" | "business" | "other";
      /** The same in words. */
      readonly text: string;
    })[];
    /** When the card processor was asked last, in UTC; null: never. */
    readonly checked_at: string | null;
  };
  /** The origins of live mode. */
  readonly origins: readonly string[];
  /** The terms of the service; null: there are none. */
  readonly terms: {
    /** The address of the terms. */
    readonly url: string;
    /** When they were accepted, in UTC; null: not yet. */
    readonly accepted_at: string | null;
    /** Who accepted them; null: not yet. */
    readonly accepted_by: {
      /** The id of the account. */
      readonly id: string;
      /** The name of the person; null: none was given, or the person has left the venue. */
      readonly name: string | null;
    } | null;
  } | null;
  /** The approval of the operator; null: none is needed. */
  readonly approval: {
    /** When the operator approved the venue, in UTC; null: not yet. */
    readonly approved_at: string | null;
  } | null;
};

/** One line of the checklist of going live. */
export type GoLiveStep = {
  /** Which line: `domain` the domain is verified; `payouts` the card processor can pay the venue; `origins` there is an origin for live mode; `terms` the terms are accepted; `approval` the operator has approved the venue. */
  readonly id: "domain" | "payouts" | "origins" | "terms" | "approval";
  /** Whether the line holds now. */
  readonly done: boolean;
  /** What is missing, in one sentence; null when the line holds. */
  readonly missing: string | null;
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

/** An invitation that was not accepted yet. */
export type Invitation = {
  /** The id of the invitation. */
  readonly id: string;
  /** The mail address that was invited. */
  readonly email: string;
  /** The role that the person gets. */
  readonly role: "owner" | "developer" | "finance" | "viewer";
  /** The id of the account that invited. */
  readonly invited_by: string;
  /** When it was sent, in UTC. */
  readonly created_at: string;
  /** Until when it can be accepted, 7 days later. */
  readonly expires_at: string;
};

/** The body that invites a person to the venue by mail. */
export type InvitationCreate = {
  /** The mail address of the person, 6 to 200 characters. */
  readonly email: string;
  /** The role that the person gets. */
  readonly role: "owner" | "developer" | "finance" | "viewer";
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

/** Higher limits for a time. */
export type LimitRaise = {
  /** The key; when absent every secret key of the venue, also those that it makes until the end. */
  readonly key_id?: string;
  /** Writes in an hour. */
  readonly writes_per_hour: number;
  /** Reads in an hour. */
  readonly reads_per_hour: number;
  /** Until when, within 90 days. */
  readonly until: string;
};

/** A disputed charge, with its booking and what it costs the venue. */
export type ListedDispute = {
  /** The type of this object. */
  readonly object: "dispute";
  /** The card processor's id of the dispute. */
  readonly id: string;
  /** The checkout. */
  readonly checkout_id: string;
  /** The share that was charged. */
  readonly share_id: string;
  /** The name shown for the guest; null while none is known. */
  readonly display_name: string | null;
  /** The text that every guest reads. */
  readonly description: string;
  /** Your booking id. */
  readonly external_booking_id: string;
  /** The disputed amount, in minor units (cents). */
  readonly amount: number;
  /** The currency of every amount here. */
  readonly currency: string;
  /** The status of the dispute, as the card processor names it. */
  readonly status: string;
  /** Open until the bank decides. What was closed without a loss counts as won. */
  readonly outcome: "open" | "won" | "lost";
  /** The reason, as the card processor names it. */
  readonly reason: string;
  /** When the card processor notified us, in UTC. */
  readonly opened_at: string;
  /** When it changed last, in UTC. */
  readonly changed_at: string;
  /** Of a lost dispute: what the venue lost, in minor units (cents); null before. */
  readonly venue_part: number | null;
  /** Of a lost dispute: what the service lost of its fee, in minor units (cents); null before. */
  readonly fee_part: number | null;
};

/** One thing that was wrong with a logged request. */
export type LoggedProblem = {
  /** The error code. */
  readonly code: string;
  /** Where the problem is, as a JSON pointer; null when it is about no field. */
  readonly field: string | null;
  /** What is wrong. */
  readonly message: string;
  /** What would be right; null when the message says it. */
  readonly expected: string | null;
  /** A value that would pass; null when there is none. */
  readonly example_fix: unknown;
  /** The page about the error code. */
  readonly doc_url: string;
};

/** A request with a key of the venue, as the request log keeps it for a few days. */
export type LoggedRequest = {
  /** The id of the request, as the header X-Request-Id had it. */
  readonly id: string;
  /** Always `request`. */
  readonly object: "request";
  /** The mode of the key. */
  readonly mode: "test" | "live";
  /** When the request arrived, in UTC. */
  readonly created_at: string;
  /** The method. */
  readonly method: string;
  /** The address that was called, with its query. Values that could be personal are masked. */
  readonly path: string;
  /** The path of the operation; null when there is no such route. */
  readonly route: string | null;
  /** The id of the operation, that of the tool for a call of a tool; null when there is no such route. */
  readonly operation: string | null;
  /** The tool that was called at the tool server; null for every other request. */
  readonly tool: string | null;
  /** The status of the answer. For a tool the status that its route would have answered. */
  readonly status: number;
  /** The error code of the answer; null when the request succeeded. */
  readonly code: string | null;
  /** The reason of a conflict; null for every other answer. */
  readonly reason: string | null;
  /** The field of the first problem; null when it has none. */
  readonly field: string | null;
  /** How many problems the answer had. */
  readonly problem_count: number;
  /** True when the answer was that of an earlier, equal request. */
  readonly replayed: boolean;
  /** How long the answer took, in milliseconds. */
  readonly duration_ms: number;
  /** The key that made the request. */
  readonly key: RequestKey;
  /** The address that it came from, masked: without the last octet of an IPv4 address, or the first 48 bits of an IPv6 address. */
  readonly address: string;
  /** The beginning of the header User-Agent; null when it was not sent. */
  readonly user_agent: string | null;
};

/** A logged request with what was wrong and what was sent. */
export type LoggedRequestDetail = {
  /** The id of the request, as the header X-Request-Id had it. */
  readonly id: string;
  /** Always `request`. */
  readonly object: "request";
  /** The mode of the key. */
  readonly mode: "test" | "live";
  /** When the request arrived, in UTC. */
  readonly created_at: string;
  /** The method. */
  readonly method: string;
  /** The address that was called, with its query. Values that could be personal are masked. */
  readonly path: string;
  /** The path of the operation; null when there is no such route. */
  readonly route: string | null;
  /** The id of the operation, that of the tool for a call of a tool; null when there is no such route. */
  readonly operation: string | null;
  /** The tool that was called at the tool server; null for every other request. */
  readonly tool: string | null;
  /** The status of the answer. For a tool the status that its route would have answered. */
  readonly status: number;
  /** The error code of the answer; null when the request succeeded. */
  readonly code: string | null;
  /** The reason of a conflict; null for every other answer. */
  readonly reason: string | null;
  /** The field of the first problem; null when it has none. */
  readonly field: string | null;
  /** How many problems the answer had. */
  readonly problem_count: number;
  /** True when the answer was that of an earlier, equal request. */
  readonly replayed: boolean;
  /** How long the answer took, in milliseconds. */
  readonly duration_ms: number;
  /** The key that made the request. */
  readonly key: RequestKey;
  /** The address that it came from, masked: without the last octet of an IPv4 address, or the first 48 bits of an IPv6 address. */
  readonly address: string;
  /** The beginning of the header User-Agent; null when it was not sent. */
  readonly user_agent: string | null;
  /** The message of the answer; null when the request succeeded. */
  readonly message: string | null;
  /** What was wrong; empty when the request succeeded. */
  readonly problems: readonly LoggedProblem[];
  /** What was sent, as text: masked, and at most 8 KB. For a tool its arguments. Null when the request succeeded, had no body, or was refused before its body was read. */
  readonly body: string | null;
  /** True when the body was longer. */
  readonly body_is_cut: boolean;
};

/** A reserved refund or transfer that the operator has paid outside of the processor. */
export type ManualPayment = {
  /** How it was paid: the reference of the bank transfer, for example. For operators alone. */
  readonly reference: string;
};

/** How the deliveries of one venue system are read: transport, signature, events and what each does, and where each field of an offering comes from. */
export type Mapping = {
  /** The address of this schema. */
  readonly $schema?: string;
  /** The venue system. */
  readonly provider: "square" | "toast" | "mindbody" | "fareharbor" | "peek" | "ventrata" | "xola" | "rezdy" | "checkfront" | "eventbrite" | "cloudbeds" | "tock" | "foreup" | "mews" | "custom";
  /** The name of the venue system, as people write it. */
  readonly name: string;
  /** The address of our page about the venue system. */
  readonly documentation: string;
  /** The kinds of offering that venues sell with it. */
  readonly kinds: readonly ("tee_time" | "table" | "cabana" | "daybed" | "spa_treatment" | "class" | "boat_day" | "ticketed_event" | "package" | "rental" | "ride" | "dining")[];
  /** How a venue connects it. */
  readonly setup: {
    /** Who sets the webhook up: the venue itself, the provider’s support, a developer account, or a program of yours. */
    readonly how: "self_serve" | "support" | "developer_account" | "own_program";
    /** The place of the setting, in a few words. */
    readonly where: string;
  };
  /** How the venue system sends a delivery. */
  readonly transport: {
    /** The content type of the body. */
    readonly content_type: "application/json";
    /** The maximum size of a body in bytes. */
    readonly body_limit: number;
  };
  /** How a delivery proves where it comes from. */
  readonly signature: {
    /** How a delivery is signed: none means that the token in the address is the credential. */
    readonly scheme: "none" | "square" | "toast" | "mindbody" | "service_signature";
    /** The header that has the signature; null when there is none. */
    readonly header: string | null;
    /** Our source: documented by the provider, seen in public code or in a captured delivery, or a guess. */
    readonly sure: "documented" | "seen" | "guess";
  };
  /** What identifies an event. */
  readonly event: {
    /** The paths whose values together identify the event; an empty list when there are none. */
    readonly id: readonly string[];
    /** The path of the event's name; null when it has none. */
    readonly type: string | null;
    /** The path of the venue's id in the venue system, where several venues share one address. */
    readonly account?: string;
    /** The path of a second id of the venue, for messages that do not have the first. The server learns it from a message that has both. */
    readonly account_alias?: string;
  };
  /** How the server recognizes a repeated delivery: by the event’s id, or by the body’s hash: within a day if the body has a version or changes nothing, else within ten seconds, because two real changes can send the same body. refresh_only: no body has a version. */
  readonly dedupe: "field" | "body_hash" | "refresh_only";
  /** The events, in the order in which they are tried. */
  readonly events: readonly ({
    /** The provider’s own name of the event, or ours where it has none. */
    readonly name: string;
    /** All of these conditions must hold; the server uses the first event that matches. No path leads through a list. */
    readonly match: readonly ({
      /** A path in the body; | separates paths of which the first that has a value counts. */
      readonly path: string;
      /** One of these values. */
      readonly is?: readonly string[];
      /** None of these values; no value at all is right too. */
      readonly not?: readonly string[];
      /** A number that is not larger than this; no value at all is right too. */
      readonly at_most?: number;
    })[];
    /** What the event does: upsert an offering or its slot, cancel one, refresh (it only names an object of the provider’s API), or ignore. */
    readonly action: "upsert" | "cancel" | "refresh" | "ignore";
    /** Which of the objects below the server reads. */
    readonly object?: string;
    /** The path at which the paths of the object begin. */
    readonly within?: string;
    /** Two real changes can be byte for byte the same; an equal body counts as a repetition only within ten seconds, even if it has a version. */
    readonly id_only?: boolean;
    /** One item of the list that the path leads through must satisfy this condition; else the event is ignored. */
    readonly some?: {
      /** A path in the body; | separates paths of which the first that has a value counts. */
      readonly path: string;
      /** One of these values. */
      readonly is?: readonly string[];
      /** None of these values; no value at all is right too. */
      readonly not?: readonly string[];
      /** A number that is not larger than this; no value at all is right too. */
      readonly at_most?: number;
    };
    /** Why the event does no more. */
    readonly why?: string;
    /** Our source: documented by the provider, seen in public code or in a captured delivery, or a guess. */
    readonly sure: "documented" | "seen" | "guess";
  })[];
  /** The objects. */
  readonly objects: readonly ({
    /** Its name. */
    readonly name: string;
    /** The body has the whole object under data, in the form of this schema of ours. */
    readonly whole?: string;
    /** The object is the offering itself with its one slot, such as an event: its texts replace the known ones, and a cancellation cancels the offering. */
    readonly whole_offering?: boolean;
    /** One offering for each item of this list. */
    readonly each?: string;
    /** Only items of each that satisfy these conditions count. */
    readonly each_where?: readonly ({
      /** A path in the body; | separates paths of which the first that has a value counts. */
      readonly path: string;
      /** One of these values. */
      readonly is?: readonly string[];
      /** None of these values; no value at all is right too. */
      readonly not?: readonly string[];
      /** A number that is not larger than this; no value at all is right too. */
      readonly at_most?: number;
    })[];
    /** Why a body is ignored in which no item counts. */
    readonly each_why?: string;
    /** A canceled booking never becomes active again: an active state that comes later and has no version is an older one. */
    readonly cancel_is_final?: boolean;
    /** One tier for each item of this list. */
    readonly each_tier?: string;
    /** If a booking does not say how many places an option takes, the object of this kind with the offering’s id does. */
    readonly seats_from?: string;
    /** Only items of each_tier that satisfy these conditions count. */
    readonly each_tier_where?: readonly ({
      /** A path in the body; | separates paths of which the first that has a value counts. */
      readonly path: string;
      /** One of these values. */
      readonly is?: readonly string[];
      /** None of these values; no value at all is right too. */
      readonly not?: readonly string[];
      /** A number that is not larger than this; no value at all is right too. */
      readonly at_most?: number;
    })[];
    /** One slot for each item of this list: all slots of the next each_slot_days days. The prices are read for each slot, and a slot without a price is left out if others have one. Known slots of that time that the list does not have are removed. */
    readonly each_slot?: string;
    /** Only items of each_slot that satisfy these conditions count. */
    readonly each_slot_where?: readonly ({
      /** A path in the body; | separates paths of which the first that has a value counts. */
      readonly path: string;
      /** One of these values. */
      readonly is?: readonly string[];
      /** None of these values; no value at all is right too. */
      readonly not?: readonly string[];
      /** A number that is not larger than this; no value at all is right too. */
      readonly at_most?: number;
    })[];
    /** How many days from now the list of each_slot covers. */
    readonly each_slot_days?: number;
    /** How the tiers change the known tiers: replace replaces all; by_slot adds new tiers and stores other prices of known tiers with the slot; add adds new tiers and keeps known ones, by id or label; new uses the tiers only for an offering without tiers. */
    readonly tiers?: "replace" | "by_slot" | "add" | "new";
    /** How the server recognizes an older delivery that arrives late. */
    readonly order: {
      /** The kind of object that changes. */
      readonly thing: string;
      /** The paths whose values identify it. */
      readonly id: readonly string[];
      /** The path of a value that increases with each change; without it the order of arrival decides. */
      readonly version?: string;
      /** If the body does not name the offering, the object of this kind with the same id does. */
      readonly part_of?: string;
      /** The form of the version. */
      readonly version_as?: "number" | "time";
    };
    /** What identifies the booking, if the order is that of another object: the one whose places left the body states. */
    readonly booking?: {
      /** The kind of object that changes. */
      readonly thing: string;
      /** The paths whose values identify it. */
      readonly id: readonly string[];
      /** The path of a value that increases with each change; without it the order of arrival decides. */
      readonly version?: string;
      /** If the body does not name the offering, the object of this kind with the same id does. */
      readonly part_of?: string;
      /** The form of the version. */
      readonly version_as?: "number" | "time";
    };
    /** Where each field of an offering comes from; every field is listed. tier.* and slot.* are the fields of a price tier and of a slot, currency belongs to a tier, timezone to cutoff_minutes belong to the availability. booking.party says how many places a booking subtracts from its slot, booking.seats how many its options use (this counts if all are known, else the larger number), tier.seats how many places one unit of the option takes, booking.status whether the booking is canceled, booking.made_at when it was made: places left that were stated later include it. */
    readonly fields: { readonly [name: string]: MappingField };
  })[];
};

/** Where one field of an offering comes from in the deliveries of a venue system. */
export type MappingField = {
  /** A path in the webhook, the provider’s API (which is not read), the venue’s own defaults, or a fixed value of ours. */
  readonly source: "webhook" | "api" | "venue_supplied" | "fixed";
  /** The path in the body; [] means each item of a list, and | separates paths of which the first that has a value counts. For api: its name in the API. */
  readonly path?: string;
  /** A second path that the conversion needs: a precision, a time of day, a number to subtract or to multiply with. */
  readonly with?: string;
  /** How the server converts the value; text when absent. count: the number of items of the list, each as often as the number at with says, if there is one. sum: the sum over the list, each number times the number at with, if there is one. included_tax: a fee in percent, from the price with tax and the price at with. cents: hundredths, for a currency that has them. day_and_time: a day and the time of day at with; without one the day begins at midnight. plus_duration: a time and the ISO 8601 duration at with, by the clock of the place. times: the number times the number at with. smallest, largest: of the numbers of a list. localized: of a text in several languages the one in the language at with, else the first. */
  readonly as?: "text" | "currency" | "integer" | "count" | "sum" | "remaining" | "minor_int" | "included_tax" | "minor_int_with_precision" | "decimal_number" | "decimal_string" | "cents" | "unix_seconds_string" | "unix_ms_string" | "iso_offset" | "iso_offset_nocolon" | "iso_local" | "hhmm_int" | "day_and_time" | "plus_duration" | "times" | "smallest" | "largest" | "localized" | "template";
  /** For fixed: the value. For template: the text in which the value replaces {}. */
  readonly value?: string;
  /** The field is read only if these conditions hold; for count, only items that satisfy them count. */
  readonly where?: readonly ({
    /** A path in the body; | separates paths of which the first that has a value counts. */
    readonly path: string;
    /** One of these values. */
    readonly is?: readonly string[];
    /** None of these values; no value at all is right too. */
    readonly not?: readonly string[];
    /** A number that is not larger than this; no value at all is right too. */
    readonly at_most?: number;
  })[];
  /** For remaining: a second number of places and what is booked of it. The smaller remainder counts, if both are stated. */
  readonly limit?: {
    /** A path in the body. */
    readonly path: string;
    /** The path of the number to subtract. */
    readonly with: string;
  };
  /** For tier.amount: a second amount, written in the same way, that everyone pays with it and that is added. */
  readonly plus?: {
    /** A path in the body. */
    readonly path: string;
    /** It is added only if these conditions hold. */
    readonly where?: readonly ({
      /** A path in the body; | separates paths of which the first that has a value counts. */
      readonly path: string;
      /** One of these values. */
      readonly is?: readonly string[];
      /** None of these values; no value at all is right too. */
      readonly not?: readonly string[];
      /** A number that is not larger than this; no value at all is right too. */
      readonly at_most?: number;
    })[];
  };
  /** For slot.capacity: the number is 0 if these conditions hold. */
  readonly zero_where?: readonly ({
    /** A path in the body; | separates paths of which the first that has a value counts. */
    readonly path: string;
    /** One of these values. */
    readonly is?: readonly string[];
    /** None of these values; no value at all is right too. */
    readonly not?: readonly string[];
    /** A number that is not larger than this; no value at all is right too. */
    readonly at_most?: number;
  })[];
  /** Our value for each value of the provider; the first match counts, and a name that ends with * matches every value that begins with it. For tier.unit, default stands for the venue’s defaults.unit. For any other value the venue’s defaults apply. */
  readonly choices?: { readonly [name: string]: string };
  /** Where the value comes from when the body does not have it. */
  readonly otherwise?: "api" | "venue_supplied";
  /** Our source: documented by the provider, seen in public code or in a captured delivery, or a guess. */
  readonly sure: "documented" | "seen" | "guess";
  /** What a reader should know. */
  readonly note?: string;
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

/** What came of an action at the desk. */
export type MoneyAction = {
  /** The id of the checkout or the movement; of a reconcile the mode. */
  readonly id: string;
  /** Its state now. */
  readonly status: string;
  /** Of a capture that has not ended: why the last try did not. Absent: no try has failed. */
  readonly error?: string;
};

/** Money that waits or failed, and what can be done. */
export type MoneyCase = {
  /** The type of this object. */
  readonly object: "money_case";
  /** What it is: the `capture` of a funded checkout, a `refund` to a guest or the `return` of a charge, a `transfer` to the venue or its `reversal`, a `debt` of the venue, a `dispute`. */
  readonly kind: "capture" | "refund" | "return" | "transfer" | "reversal" | "debt" | "dispute";
  /** The id of the checkout, the movement or the dispute. */
  readonly id: string;
  /** The venue. */
  readonly venue: {
    /** The id of the venue. */
    readonly id: string;
    /** The name of the venue. */
    readonly name: string;
  };
  /** The checkout that it is about. */
  readonly checkout_id: string;
  /** In minor units (cents). */
  readonly amount: number;
  /** The currency. */
  readonly currency: string;
  /** What happened, in words. */
  readonly what: string;
  /** Why the last try did not end, or what the processor said; null when no try has failed. */
  readonly error: string | null;
  /** What an operator can do about it, in words. */
  readonly remedy: string;
  /** Since when. */
  readonly since: string;
  /** How often it was tried. */
  readonly tries: number;
  /** When the worker tries it next; null when it does not. */
  readonly next_try_at: string | null;
  /** Of a dispute: until when the processor takes an answer; null when it takes none, or does not say. */
  readonly answer_by: string | null;
  /** Of a dispute: the payment in the processor’s dashboard, where the dispute is answered; null for the sandbox, which has none. */
  readonly dashboard_url: string | null;
  /** The operator who pays it by hand: it is not sent again meanwhile. Null when none does. */
  readonly reserved: {
    /** The operator’s name, or mail address where there is no name; a command’s user as the audit log has it. */
    readonly by: string;
    /** Since when. */
    readonly at: string;
    /** You have reserved it. */
    readonly is_yours: boolean;
    /** It was reserved more than a day ago: ask whether it was paid. */
    readonly is_old: boolean;
  } | null;
  /** What you can do: `retry`; `reserve` it, or `take_over` what another operator has reserved, then `pay_by_hand` or `give_back`; let the venue `owe` it; `write_off`. */
  readonly actions: readonly ("retry" | "reserve" | "take_over" | "pay_by_hand" | "give_back" | "owe" | "write_off")[];
};

/** What needs a person about money, what waits, and whether the books are right. */
export type MoneyHealth = {
  /** The type of this object. */
  readonly object: "money_health";
  /** The mode. */
  readonly mode: "test" | "live";
  /** When it was read. */
  readonly as_of: string;
  /** Counts and sums of everything, also of what is not listed. */
  readonly figures: {
    /** Checkouts that are funded for more than five minutes. */
    readonly stuck_captures: {
      /** How many. */
      readonly count: number;
      /** Since when the oldest is funded. */
      readonly oldest_at: string | null;
    };
    /** Refunds and returns that failed. */
    readonly failed_refunds: {
      /** How many. */
      readonly count: number;
      /** Together, in minor units (cents). */
      readonly amount: number;
    };
    /** Transfers that failed: venues are owed it. */
    readonly failed_payouts: {
      /** How many. */
      readonly count: number;
      /** Together, in minor units (cents). */
      readonly amount: number;
    };
    /** Reversals that failed: it was not taken back from venues. */
    readonly failed_reversals: {
      /** How many. */
      readonly count: number;
      /** Together, in minor units (cents). */
      readonly amount: number;
    };
    /** Movements that are tried again by themselves. */
    readonly waiting_movements: {
      /** How many. */
      readonly count: number;
      /** Together, in minor units (cents). */
      readonly amount: number;
    };
    /** Disputes that are not decided. */
    readonly open_disputes: {
      /** How many. */
      readonly count: number;
      /** Together, in minor units (cents). */
      readonly amount: number;
      /** Until when the first of them must be answered; null when none must. */
      readonly first_answer_by: string | null;
    };
    /** What venues owe. */
    readonly venue_debts: {
      /** How many. */
      readonly count: number;
      /** Together, in minor units (cents). */
      readonly amount: number;
    };
  };
  /** What an operator must decide, the oldest of each kind first, at most `limit` of each. */
  readonly needs_person: readonly MoneyCase[];
  /** What is tried again by itself: captures, then movements, the oldest first, at most `limit` of each. */
  readonly waiting: readonly MoneyCase[];
  /** Whether a list was cut at `limit`. The figures count everything. */
  readonly has_more: {
    /** More cases need a person than `needs_person` lists. */
    readonly needs_person: boolean;
    /** More cases wait than `waiting` lists. */
    readonly waiting: boolean;
  };
  /** The last check of the ledger; null when it was never checked. */
  readonly books: {
    /** When it ended. */
    readonly at: string;
    /** How many differences need a person. */
    readonly differences: number;
    /** It ended more than 48 hours ago, so it says nothing about today. */
    readonly is_old: boolean;
  } | null;
  /** The accounts of the ledger as the last check found them, of this mode; empty when it was never checked, or there are no entries. */
  readonly accounts: readonly ({
    /** Its name in the chart of accounts. */
    readonly account: string;
    /** The currency. */
    readonly currency: string;
    /** Debits less credits, in minor units (cents). Together they are 0. */
    readonly balance: number;
  })[];
  /** The last eight comparisons with the card processor, newest first. */
  readonly reconciles: readonly ({
    /** When it ended. */
    readonly at: string;
    /** How many of the processor’s payments were compared. */
    readonly compared: number;
    /** How many differences were settled by it. */
    readonly settled: number;
    /** How many differences need a person. */
    readonly differences: number;
    /** The first 20 differences, those that need a person first. */
    readonly findings: readonly string[];
  })[];
  /** The last comparison with the processor; null when there was none. */
  readonly reconcile: {
    /** When it ended. */
    readonly at: string;
    /** How many differences need a person. */
    readonly differences: number;
    /** It ended more than 24 hours ago, so it says nothing about today. */
    readonly is_old: boolean;
  } | null;
};

/** The body that changes which mails a person gets. */
export type NotificationChange = {
  /** Which mails the person wants; those that are absent stay as they are. */
  readonly preferences: {
    /** Mails about endpoints that fail or were disabled. */
    readonly endpoint?: boolean;
    /** Mails about payouts that failed. */
    readonly payout?: boolean;
    /** Mails about disputes that were opened. */
    readonly dispute?: boolean;
    /** Mails about results of reviews. */
    readonly review?: boolean;
    /** Mails about keys that are about to expire. */
    readonly key_expiry?: boolean;
  };
};

/** Whether a person gets mails of one kind about a venue. */
export type NotificationPreference = {
  /** What the mails are about. */
  readonly kind: "endpoint" | "payout" | "dispute" | "review" | "key_expiry" | "sign_in" | "role";
  /** The same in words. */
  readonly title: string;
  /** Whether the person gets them. */
  readonly enabled: boolean;
  /** What the role of the person gets without a choice. */
  readonly default: boolean;
  /** True: they cannot be switched off. */
  readonly always: boolean;
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

/** A completed checkout as a line of a statement, with its transfers. */
export type PaidCheckout = {
  /** The type of this object. */
  readonly object: "paid_checkout";
  /** The checkout. */
  readonly checkout_id: string;
  /** The payout. */
  readonly payout_id: string;
  /** The text that every guest reads. */
  readonly description: string;
  /** Your booking id. */
  readonly external_booking_id: string;
  /** The currency of every amount here. */
  readonly currency: string;
  /** How many cards were charged. */
  readonly guests: number;
  /** What guests paid, in minor units (cents). */
  readonly paid: number;
  /** What the service keeps as its fee, less what refunds and lost disputes took out of it, in minor units (cents). */
  readonly fee: number;
  /** What was refunded to guests, in minor units (cents). */
  readonly refunded: number;
  /** What guests got back by disputes, in minor units (cents). */
  readonly lost_to_disputes: number;
  /** What the venue keeps: paid less fee, refunded and lost_to_disputes, in minor units (cents). */
  readonly kept: number;
  /** What was transferred and not taken back, in minor units (cents). */
  readonly paid_out: number;
  /** What is still to be transferred; below zero when something is still to be taken back, in minor units (cents). */
  readonly to_come: number;
  /** What was not transferred because it settled debts of the venue, in minor units (cents). */
  readonly settled_debts: number;
  /** What could not be taken back from the venue’s account, in minor units (cents). */
  readonly owed: number;
  /** The status of the payout: failed when a transfer failed, paid when every transfer is made or dropped. */
  readonly status: "pending" | "paid" | "failed" | "canceled";
  /** When it was completed, in UTC. */
  readonly completed_at: string;
  /** When the newest transfer was made; null before. */
  readonly sent_at: string | null;
  /** The transfers: one for each share, and one more each time that money of a lost dispute came back. */
  readonly transfers: readonly ({
    /** The share it is for. */
    readonly share_id: string;
    /** The name shown for the guest; null while none is known. */
    readonly display_name: string | null;
    /** The amount of the transfer, in minor units (cents). */
    readonly amount: number;
    /** The status of the transfer; dropped when refunds took all of it before it was sent. */
    readonly status: "pending" | "paid" | "failed" | "dropped";
    /** When it was made; null before. */
    readonly at: string | null;
  })[];
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

/** A passkey of the signed-in person. */
export type Passkey = {
  /** The id of the passkey. */
  readonly id: string;
  /** The name that the person gave it, or the browser and system in which it was made. */
  readonly name: string;
  /** True when it is kept in an account of the person, such as that of their phone; false when it is on one device alone. */
  readonly is_synced: boolean;
  /** When it was added, in UTC. */
  readonly created_at: string;
  /** When it last signed in or confirmed a change; null when it never did. */
  readonly last_used_at: string | null;
};

/** The body that adds a passkey: what `navigator.credentials.create` answered. */
export type PasskeyAdd = {
  /** A name for the person, 1 to 80 characters without white space around it; the browser and system by default. */
  readonly name?: string;
  /** The new passkey, in the JSON form of the WebAuthn standard. */
  readonly credential: {
    /** The id of the passkey in base64url, as the browser gives it. */
    readonly id: string;
    /** The same as `id`. */
    readonly rawId: string;
    /** Always `public-key`. */
    readonly type: "public-key";
    /** What the passkey answered. */
    readonly response: {
      /** What the browser saw, in base64url. */
      readonly clientDataJSON: string;
      /** The new public key in CBOR, in base64url. */
      readonly attestationObject: string;
      /** How a browser reaches the passkey. */
      readonly transports?: readonly string[];
      /** The algorithm of the key. It is read from `attestationObject`. */
      readonly publicKeyAlgorithm?: number;
      /** The key in another form. It is read from `attestationObject`. */
      readonly publicKey?: string;
      /** A part of `attestationObject`, which is not read here. */
      readonly authenticatorData?: string;
    };
    /** What extensions of the browser answered. It is not read. */
    readonly clientExtensionResults: { readonly [name: string]: unknown };
    /** Whether the passkey is part of this device. It is not read. */
    readonly authenticatorAttachment?: "platform" | "cross-platform";
  };
};

/** The body that answers a challenge with a passkey: what `navigator.credentials.get` answered. */
export type PasskeyAnswer = {
  /** The answer of the passkey, in the JSON form of the WebAuthn standard. */
  readonly credential: {
    /** The id of the passkey in base64url, as the browser gives it. */
    readonly id: string;
    /** The same as `id`. */
    readonly rawId: string;
    /** Always `public-key`. */
    readonly type: "public-key";
    /** What the passkey answered. */
    readonly response: {
      /** What the browser saw, in base64url. */
      readonly clientDataJSON: string;
      /** What the passkey signed beside it, in base64url. */
      readonly authenticatorData: string;
      /** The signature, in base64url. */
      readonly signature: string;
      /** The account that the passkey names, in base64url. A sign-in needs it. */
      readonly userHandle?: string | null;
    };
    /** What extensions of the browser answered. It is not read. */
    readonly clientExtensionResults: { readonly [name: string]: unknown };
    /** Whether the passkey is part of this device. It is not read. */
    readonly authenticatorAttachment?: "platform" | "cross-platform";
  };
};

/** What a browser needs to make a passkey. */
export type PasskeyCreation = {
  /** The argument of `navigator.credentials.create`, in the JSON form of the WebAuthn standard. */
  readonly public_key: {
    /** The service. */
    readonly rp: {
      /** The domain at which the passkey works. */
      readonly id: string;
      /** The name of the service. */
      readonly name: string;
    };
    /** The person. */
    readonly user: {
      /** The id of the account in base64url. */
      readonly id: string;
      /** The mail address, for the browser’s list of passkeys. */
      readonly name: string;
      /** The name of the person, or an empty text. */
      readonly displayName: string;
    };
    /** What the passkey signs: 32 random bytes in base64url. */
    readonly challenge: string;
    /** The accepted algorithms, the preferred one first. */
    readonly pubKeyCredParams: readonly ({
      /** Always `public-key`. */
      readonly type: "public-key";
      /** Its COSE number. */
      readonly alg: number;
    })[];
    /** How long the browser waits, in milliseconds. */
    readonly timeout: number;
    /** The maker of the passkey is not asked for. */
    readonly attestation: "none";
    /** The passkeys that the account has. */
    readonly excludeCredentials: readonly ({
      /** The id of the passkey in base64url. */
      readonly id: string;
      /** Always `public-key`. */
      readonly type: "public-key";
      /** How a browser reaches it. */
      readonly transports: readonly string[];
    })[];
    /** What the passkey has to be able to do. */
    readonly authenticatorSelection: {
      /** It signs in without a mail address. */
      readonly residentKey: "required";
      /** The same, for older browsers. */
      readonly requireResidentKey: true;
      /** The passkey asks for a finger, a face or a PIN. */
      readonly userVerification: "required";
    };
    /** Extensions of the browser. */
    readonly extensions: {
      /** Ask whether the passkey signs in without a mail address. */
      readonly credProps: true;
    };
    /** Always empty: every kind of passkey is welcome. */
    readonly hints: readonly string[];
  };
  /** For how many seconds the challenge can be answered, once. */
  readonly expires_in: number;
};

/** The body that gives a passkey another name. */
export type PasskeyRename = {
  /** The new name, 1 to 80 characters without white space around it. */
  readonly name: string;
};

/** What a browser needs to ask a passkey for an answer. */
export type PasskeyRequest = {
  /** The argument of `navigator.credentials.get`, in the JSON form of the WebAuthn standard. */
  readonly public_key: {
    /** The domain at which the passkey works. */
    readonly rpId: string;
    /** What the passkey signs: 32 random bytes in base64url. */
    readonly challenge: string;
    /** The passkeys that can answer; empty: every passkey of this domain. */
    readonly allowCredentials: readonly ({
      /** The id of the passkey in base64url. */
      readonly id: string;
      /** Always `public-key`. */
      readonly type: "public-key";
      /** How a browser reaches it. */
      readonly transports: readonly string[];
    })[];
    /** How long the browser waits, in milliseconds. */
    readonly timeout: number;
    /** The passkey asks for a finger, a face or a PIN. */
    readonly userVerification: "required";
  };
  /** For how many seconds the challenge can be answered, once. */
  readonly expires_in: number;
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

/** What is still to be sent to the venue, and what it owes, for one currency. */
export type PayoutBalance = {
  /** The currency of every amount here. */
  readonly currency: string;
  /** Transfers that are still to be sent, without those that the processor refused, in minor units (cents). The same as on_its_way of the first page. The to_come of a statement also has refused transfers, and subtracts what is still to be taken back. */
  readonly on_its_way: number;
  /** When the next transfer is due, in UTC; null when none is. */
  readonly next_at: string | null;
  /** How much of on_its_way waits for the end of a dispute, in minor units (cents). */
  readonly held_back: number;
  /** Transfers that the card processor refused, which are not in on_its_way, in minor units (cents). */
  readonly failed: number;
  /** What the venue owes, until later transfers settle it, in minor units (cents). */
  readonly owed: number;
};

/** The address of the card processor’s form. */
export type PayoutOnboarding = {
  /** Open it in the same window. It works once. */
  readonly url: string;
  /** For how many seconds the address works. */
  readonly expires_in: number;
};

/** The body that begins the payout onboarding. */
export type PayoutOnboardingCreate = {
  /** Where the venue is paid, as two letters of ISO 3166-1. Needed while the payouts are `not_started`; afterwards it is ignored, because the card processor does not change it. */
  readonly country?: string;
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

/** A person with a role in the venue. */
export type Person = {
  /** The id of the account. */
  readonly id: string;
  /** The mail address of the person. */
  readonly email: string;
  /** The name of the person; null when none was given. */
  readonly name: string | null;
  /** The role in this venue. */
  readonly role: "owner" | "developer" | "finance" | "viewer";
  /** Since when the person has a role, in UTC. */
  readonly created_at: string;
  /** True for the person who asks. */
  readonly is_you: boolean;
};

/** The body that gives a person another role. */
export type PersonRole = {
  /** The new role. */
  readonly role: "owner" | "developer" | "finance" | "viewer";
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

/** How the server reads objects from the API of one venue system, after a delivery that carries only their ids: credentials, requests, pages, errors and limits, and where each field of an offering comes from. */
export type Reader = {
  /** The address of this schema. */
  readonly $schema?: string;
  /** The venue system. */
  readonly provider: "square" | "toast" | "mindbody" | "fareharbor" | "peek" | "ventrata" | "xola" | "rezdy" | "checkfront" | "eventbrite" | "cloudbeds" | "tock" | "foreup" | "mews" | "custom";
  /** The address of the API. The server calls no other. */
  readonly base_url: string;
  /** Where the facts come from. */
  readonly sources: readonly string[];
  /** The fields of the credentials. */
  readonly credentials: readonly ({
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
  })[];
  /** Headers of every request. */
  readonly headers: { readonly [name: string]: string };
  /** The request that exchanges the credentials for a token, which the headers name as {token}. A worker keeps it until shortly before it expires. */
  readonly token?: {
    /** The path below base_url. */
    readonly path: string;
    /** How the body is written. */
    readonly format: "json" | "form";
    /** The body. */
    readonly body: { readonly [name: string]: string };
    /** The path of the token in the answer. */
    readonly value: string;
    /** The path of its life in seconds; without it an hour. */
    readonly expires_in?: string;
    /** Our source: documented by the provider, seen in public code or in a captured answer, or a guess. */
    readonly sure: "documented" | "seen" | "guess";
  };
  /** The limits that the worker keeps. */
  readonly limits: {
    /** The most requests of one integration in a minute, evenly spaced. */
    readonly requests_per_minute: number;
    /** The most requests of one integration in a day (UTC), where the provider has such a limit. READS_PER_DAY holds where it is smaller. */
    readonly requests_per_day?: number;
    /** The largest answer. */
    readonly max_bytes: number;
    /** Our source: documented by the provider, seen in public code or in a captured answer, or a guess. */
    readonly sure: "documented" | "seen" | "guess";
    /** What the provider says, and how this limit follows from it. */
    readonly note?: string;
  };
  /** The path of the time zone in the answers, in which {today} and the other days are counted. Without a value there: the venue’s defaults.timezone, else UTC. */
  readonly time_zone?: string;
  /** The path of the provider’s own message in an answer that is an error. The outcome of the read quotes its beginning. */
  readonly error_message?: string;
  /** Rules for errors; the first that fits counts. Otherwise 401 refuses the credentials, 404 and 410 of the first request of a read mean that the object is gone, 408, 429 and 5xx that the worker tries again, and other errors, 403 among them, that it gives up this object. In the request for a token 400, 401 and 403 refuse the credentials, and 404 and 410 mean that the worker tries again. */
  readonly errors: readonly ({
    /** The status of the answer. */
    readonly status?: number;
    /** A path in the answer. */
    readonly path?: string;
    /** One of these values. */
    readonly is?: readonly string[];
    /** What the answer means. refused: the credentials are wrong, and nothing is read until others are set. gone: there is no such object. later: try again. failed: give up this object. */
    readonly means: "refused" | "gone" | "later" | "failed";
    /** Our source: documented by the provider, seen in public code or in a captured answer, or a guess. */
    readonly sure: "documented" | "seen" | "guess";
  })[];
  /** The objects that can be read; the first whose event, conditions and variables fit counts. */
  readonly reads: readonly ({
    /** Its name. */
    readonly name: string;
    /** The events whose deliveries name such an object; an empty list if only the catalogue does. */
    readonly events: readonly string[];
    /** One object for each item of this list in the delivery. */
    readonly each?: string;
    /** Only deliveries, or items of each, that satisfy these conditions count. */
    readonly where?: readonly ({
      /** A path in the body; | separates paths of which the first that has a value counts. */
      readonly path: string;
      /** One of these values. */
      readonly is?: readonly string[];
      /** None of these values; no value at all is right too. */
      readonly not?: readonly string[];
      /** A number that is not larger than this; no value at all is right too. */
      readonly at_most?: number;
    })[];
    /** The ids that name the object, each text of at most 200 characters. */
    readonly variables: { readonly [name: string]: {
      /** The path in the delivery, or in the item of the catalogue. */
      readonly path: string;
      /** A regular expression; its first group is the value. A value that does not match leaves the entry unused. */
      readonly matches?: string;
    } };
    /** The path of the version in the delivery; without it the order of arrival decides. */
    readonly version?: string;
    /** What the version is. */
    readonly version_as?: "number" | "time";
    /** The path of the version in the answers. An answer that is older than the version in the delivery is read again, up to five times: the system shows a change later than it announces it. */
    readonly answer_version?: string;
    /** The requests, in their order. Each can use the answers of those before it. */
    readonly steps: readonly ({
      /** The name under which paths find the answer. */
      readonly name: string;
      /** The method. */
      readonly method: "GET" | "POST";
      /** The path below base_url; paths in braces are replaced and percent-encoded. */
      readonly path: string;
      /** The query. */
      readonly query?: { readonly [name: string]: string };
      /** The JSON body of a POST; paths in braces in its texts are replaced. */
      readonly body?: { readonly [name: string]: unknown };
      /** Values of this request that are translated from what was read before; its texts name them in braces. */
      readonly values?: { readonly [name: string]: {
        /** The path of the value in what was read before. */
        readonly path: string;
        /** The value of the request for each value that was read; a name that ends with * stands for every value that begins with the rest, and * for no value too. */
        readonly choices: { readonly [name: string]: string };
      } };
      /** How further pages are read. The text {cursor} stands for the cursor, the number of the page, the offset or the day; a query or a body member that consists of it is left out of the first request, if there is no cursor yet. */
      readonly paging?: {
        /** How pages are told apart. cursor: the answer names the next page. page_number: pages are counted from first. offset: the number of items before the page. days: one page for each day from today on, size in number. */
        readonly kind: "cursor" | "page_number" | "offset" | "days";
        /** The path of the cursor in the answer; the last page has none. */
        readonly next?: string;
        /** There is another page only if this condition holds for the answer. */
        readonly more?: {
          /** A path in the body; | separates paths of which the first that has a value counts. */
          readonly path: string;
          /** One of these values. */
          readonly is?: readonly string[];
          /** None of these values; no value at all is right too. */
          readonly not?: readonly string[];
          /** A number that is not larger than this; no value at all is right too. */
          readonly at_most?: number;
        };
        /** The path of the page’s list, which every page must have: a page without items is the last one. */
        readonly items?: string;
        /** With page_number and offset: the path of the number of items on all pages. The page that completes it is the last one; a number that is smaller than what was read counts something else, and is not used. */
        readonly total?: string;
        /** With days: how many days. */
        readonly size?: number;
        /** The number of the first page. */
        readonly first?: number;
      };
      /** Lists of the answer that are joined under a new name beside it. */
      readonly collect?: { readonly [name: string]: readonly string[] };
      /** Lists that the answers must have after this request, with or without items. Without one of them the read fails, and takes nothing off sale. */
      readonly lists?: readonly string[];
      /** When no later request is made; the first that fits counts. */
      readonly stop?: readonly ({
        /** All of these conditions hold for what was read. */
        readonly where: readonly ({
          /** A path in the body; | separates paths of which the first that has a value counts. */
          readonly path: string;
          /** One of these values. */
          readonly is?: readonly string[];
          /** None of these values; no value at all is right too. */
          readonly not?: readonly string[];
          /** A number that is not larger than this; no value at all is right too. */
          readonly at_most?: number;
        })[];
        /** What it means. cancel: the offering, with whole_list every offering of the list, can no longer be booked. ignore: nothing changes. fail: give up this object. */
        readonly means: "cancel" | "ignore" | "fail";
        /** With ignore and fail: the reason that the delivery shows. */
        readonly why?: string;
      })[];
      /** With object: credentials that this request refuses with a new token may not read this one object. Without it they are refused for all. */
      readonly refusal?: "object";
      /** Our source: documented by the provider, seen in public code or in a captured answer, or a guess. */
      readonly sure: "documented" | "seen" | "guess";
    })[];
    /** Members that are made from the answers, after each request: an item of another list, or rows of lists that stand side by side. Later requests can use them. */
    readonly join?: readonly ({
      /** The list whose items get the new member; without it the answers themselves get it. */
      readonly to?: string;
      /** The name of the new member. */
      readonly name: string;
      /** The list in which the member is looked for: the first item that fits. */
      readonly from?: string;
      /** A path from the item of to, and one from the item of from: their values are equal. Without it the first item counts that satisfies only. */
      readonly where?: readonly string[];
      /** Only items of from that satisfy these conditions count. */
      readonly only?: readonly ({
        /** A path in the body; | separates paths of which the first that has a value counts. */
        readonly path: string;
        /** One of these values. */
        readonly is?: readonly string[];
        /** None of these values; no value at all is right too. */
        readonly not?: readonly string[];
        /** A number that is not larger than this; no value at all is right too. */
        readonly at_most?: number;
      })[];
      /** Instead of from: lists side by side, one for each member, become one list of rows; the first decides how many rows there are. */
      readonly rows?: { readonly [name: string]: string };
      /** With first: if no item satisfies only, the first item counts that satisfies where. */
      readonly otherwise?: "first";
    })[];
    /** Which of the objects below is read from the answers. */
    readonly object: string;
    /** Whether the answers name every object of a list, such as a menu: an object that an earlier read named and this one does not can no longer be booked. A list without any object takes all of them off sale; an answer without the list takes nothing off sale. */
    readonly whole_list?: boolean;
    /** Whether the provider leaves out a list that has no object: an answer without the list is then a list without any object. */
    readonly empty_list_is_left_out?: boolean;
    /** Variables that must be the same as a field of the credentials: with another value the delivery is about another account, and nothing is read. */
    readonly same_account?: { readonly [name: string]: string };
    /** What happens if the first request finds that the object no longer exists: cancel means that its offering can no longer be booked. */
    readonly gone: "cancel" | "ignore";
    /** With cancel: the variables that are the ids of the object, in the order of its order.id, so that the offering is found whichever read has made it. */
    readonly gone_ids?: readonly string[];
    /** The variable that is the external_id of the offering. A delivery that needs no read names several objects: those whose offering the venue does not have are read all the same. */
    readonly offering?: string;
    /** Our source: documented by the provider, seen in public code or in a captured answer, or a guess. */
    readonly sure: "documented" | "seen" | "guess";
  })[];
  /** How the whole catalogue is listed. */
  readonly catalogue: {
    /** Requests before the first page, whose answers the page can use. */
    readonly prepare?: readonly ({
      /** The name under which paths find the answer. */
      readonly name: string;
      /** The method. */
      readonly method: "GET" | "POST";
      /** The path below base_url; paths in braces are replaced and percent-encoded. */
      readonly path: string;
      /** The query. */
      readonly query?: { readonly [name: string]: string };
      /** The JSON body of a POST; paths in braces in its texts are replaced. */
      readonly body?: { readonly [name: string]: unknown };
      /** How further pages are read. The text {cursor} stands for the cursor, the number of the page, the offset or the day; a query or a body member that consists of it is left out of the first request, if there is no cursor yet. */
      readonly paging?: {
        /** How pages are told apart. cursor: the answer names the next page. page_number: pages are counted from first. offset: the number of items before the page. days: one page for each day from today on, size in number. */
        readonly kind: "cursor" | "page_number" | "offset" | "days";
        /** The path of the cursor in the answer; the last page has none. */
        readonly next?: string;
        /** There is another page only if this condition holds for the answer. */
        readonly more?: {
          /** A path in the body; | separates paths of which the first that has a value counts. */
          readonly path: string;
          /** One of these values. */
          readonly is?: readonly string[];
          /** None of these values; no value at all is right too. */
          readonly not?: readonly string[];
          /** A number that is not larger than this; no value at all is right too. */
          readonly at_most?: number;
        };
        /** The path of the page’s list, which every page must have: a page without items is the last one. */
        readonly items?: string;
        /** With page_number and offset: the path of the number of items on all pages. The page that completes it is the last one; a number that is smaller than what was read counts something else, and is not used. */
        readonly total?: string;
        /** With days: how many days. */
        readonly size?: number;
        /** The number of the first page. */
        readonly first?: number;
      };
      /** Lists of the answer that are joined under a new name beside it. */
      readonly collect?: { readonly [name: string]: readonly string[] };
      /** Our source: documented by the provider, seen in public code or in a captured answer, or a guess. */
      readonly sure: "documented" | "seen" | "guess";
    })[];
    /** Values that every page uses. */
    readonly keep?: { readonly [name: string]: string };
    /** A list in the answers of prepare: the catalogue is listed once for each item, with its own values of keep. Items with the same values are one. */
    readonly keep_each?: string;
    /** The request for a page of the catalogue; without it the entry is read once, without variables. */
    readonly page?: {
      /** The name under which paths find the answer. */
      readonly name: string;
      /** The method. */
      readonly method: "GET" | "POST";
      /** The path below base_url; paths in braces are replaced and percent-encoded. */
      readonly path: string;
      /** The query. */
      readonly query?: { readonly [name: string]: string };
      /** The JSON body of a POST; paths in braces in its texts are replaced. */
      readonly body?: { readonly [name: string]: unknown };
      /** How further pages are read. The text {cursor} stands for the cursor, the number of the page, the offset or the day; a query or a body member that consists of it is left out of the first request, if there is no cursor yet. */
      readonly paging?: {
        /** How pages are told apart. cursor: the answer names the next page. page_number: pages are counted from first. offset: the number of items before the page. days: one page for each day from today on, size in number. */
        readonly kind: "cursor" | "page_number" | "offset" | "days";
        /** The path of the cursor in the answer; the last page has none. */
        readonly next?: string;
        /** There is another page only if this condition holds for the answer. */
        readonly more?: {
          /** A path in the body; | separates paths of which the first that has a value counts. */
          readonly path: string;
          /** One of these values. */
          readonly is?: readonly string[];
          /** None of these values; no value at all is right too. */
          readonly not?: readonly string[];
          /** A number that is not larger than this; no value at all is right too. */
          readonly at_most?: number;
        };
        /** The path of the page’s list, which every page must have: a page without items is the last one. */
        readonly items?: string;
        /** With page_number and offset: the path of the number of items on all pages. The page that completes it is the last one; a number that is smaller than what was read counts something else, and is not used. */
        readonly total?: string;
        /** With days: how many days. */
        readonly size?: number;
        /** The number of the first page. */
        readonly first?: number;
      };
      /** Lists of the answer that are joined under a new name beside it. */
      readonly collect?: { readonly [name: string]: readonly string[] };
      /** Our source: documented by the provider, seen in public code or in a captured answer, or a guess. */
      readonly sure: "documented" | "seen" | "guess";
    };
    /** The list of objects in the answer, below the name of the page. */
    readonly each?: string;
    /** The entry of reads that reads each object. */
    readonly read: string;
    /** The ids that name the object, each text of at most 200 characters: paths in the item, or credentials and the name of a field. */
    readonly variables?: { readonly [name: string]: {
      /** The path in the delivery, or in the item of the catalogue. */
      readonly path: string;
      /** A regular expression; its first group is the value. A value that does not match leaves the entry unused. */
      readonly matches?: string;
    } };
    /** Our source: documented by the provider, seen in public code or in a captured answer, or a guess. */
    readonly sure: "documented" | "seen" | "guess";
  };
  /** The objects. A path of source api is a path in the answers: the name of a step, then the path in its answer. ping has the variables. */
  readonly objects: readonly ({
    /** Its name. */
    readonly name: string;
    /** The body has the whole object under data, in the form of this schema of ours. */
    readonly whole?: string;
    /** The object is the offering itself with its one slot, such as an event: its texts replace the known ones, and a cancellation cancels the offering. */
    readonly whole_offering?: boolean;
    /** One offering for each item of this list. */
    readonly each?: string;
    /** Only items of each that satisfy these conditions count. */
    readonly each_where?: readonly ({
      /** A path in the body; | separates paths of which the first that has a value counts. */
      readonly path: string;
      /** One of these values. */
      readonly is?: readonly string[];
      /** None of these values; no value at all is right too. */
      readonly not?: readonly string[];
      /** A number that is not larger than this; no value at all is right too. */
      readonly at_most?: number;
    })[];
    /** Why a body is ignored in which no item counts. */
    readonly each_why?: string;
    /** A canceled booking never becomes active again: an active state that comes later and has no version is an older one. */
    readonly cancel_is_final?: boolean;
    /** One tier for each item of this list. */
    readonly each_tier?: string;
    /** If a booking does not say how many places an option takes, the object of this kind with the offering’s id does. */
    readonly seats_from?: string;
    /** Only items of each_tier that satisfy these conditions count. */
    readonly each_tier_where?: readonly ({
      /** A path in the body; | separates paths of which the first that has a value counts. */
      readonly path: string;
      /** One of these values. */
      readonly is?: readonly string[];
      /** None of these values; no value at all is right too. */
      readonly not?: readonly string[];
      /** A number that is not larger than this; no value at all is right too. */
      readonly at_most?: number;
    })[];
    /** One slot for each item of this list: all slots of the next each_slot_days days. The prices are read for each slot, and a slot without a price is left out if others have one. Known slots of that time that the list does not have are removed. */
    readonly each_slot?: string;
    /** Only items of each_slot that satisfy these conditions count. */
    readonly each_slot_where?: readonly ({
      /** A path in the body; | separates paths of which the first that has a value counts. */
      readonly path: string;
      /** One of these values. */
      readonly is?: readonly string[];
      /** None of these values; no value at all is right too. */
      readonly not?: readonly string[];
      /** A number that is not larger than this; no value at all is right too. */
      readonly at_most?: number;
    })[];
    /** How many days from now the list of each_slot covers. */
    readonly each_slot_days?: number;
    /** How the tiers change the known tiers: replace replaces all; by_slot adds new tiers and stores other prices of known tiers with the slot; add adds new tiers and keeps known ones, by id or label; new uses the tiers only for an offering without tiers. */
    readonly tiers?: "replace" | "by_slot" | "add" | "new";
    /** How the server recognizes an older delivery that arrives late. */
    readonly order: {
      /** The kind of object that changes. */
      readonly thing: string;
      /** The paths whose values identify it. */
      readonly id: readonly string[];
      /** The path of a value that increases with each change; without it the order of arrival decides. */
      readonly version?: string;
      /** If the body does not name the offering, the object of this kind with the same id does. */
      readonly part_of?: string;
      /** The form of the version. */
      readonly version_as?: "number" | "time";
    };
    /** What identifies the booking, if the order is that of another object: the one whose places left the body states. */
    readonly booking?: {
      /** The kind of object that changes. */
      readonly thing: string;
      /** The paths whose values identify it. */
      readonly id: readonly string[];
      /** The path of a value that increases with each change; without it the order of arrival decides. */
      readonly version?: string;
      /** If the body does not name the offering, the object of this kind with the same id does. */
      readonly part_of?: string;
      /** The form of the version. */
      readonly version_as?: "number" | "time";
    };
    /** Where each field of an offering comes from; every field is listed. tier.* and slot.* are the fields of a price tier and of a slot, currency belongs to a tier, timezone to cutoff_minutes belong to the availability. booking.party says how many places a booking subtracts from its slot, booking.seats how many its options use (this counts if all are known, else the larger number), tier.seats how many places one unit of the option takes, booking.status whether the booking is canceled, booking.made_at when it was made: places left that were stated later include it. */
    readonly fields: { readonly [name: string]: MappingField };
  })[];
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

/** Which mode is compared with the card processor. */
export type ReconcileRequest = {
  /** The mode. */
  readonly mode: "test" | "live";
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

/** What a refund would do now, to the cent. Nothing is refunded. */
export type RefundPreview = {
  /** The type of this object. */
  readonly object: "refund_preview";
  /** The checkout. */
  readonly checkout_id: string;
  /** The currency of every amount here. */
  readonly currency: string;
  /** What decided the amount: the amount of the body, the cancellation policy of the offering, or the rest that is left. */
  readonly decided_by: "amount" | "policy" | "rest";
  /** What guests would get back now, in minor units (cents). */
  readonly amount: number;
  /** What guests paid for the checkout, in minor units (cents). */
  readonly paid: number;
  /** What was refunded before, in minor units (cents). */
  readonly refunded_before: number;
  /** What can be refunded now, in minor units (cents). */
  readonly left_before: number;
  /** What could still be refunded afterwards, in minor units (cents). */
  readonly left_after: number;
  /** How much of it comes out of the service’s fee, in minor units (cents). */
  readonly fee_returned: number;
  /** How much of it comes out of the venue’s payout, in minor units (cents). */
  readonly from_payout: number;
  /** How much of from_payout reduces transfers that were not sent yet, in minor units (cents). */
  readonly not_sent_yet: number;
  /** How much of from_payout is taken back from transfers that were sent, in minor units (cents). */
  readonly taken_back: number;
  /** Every share of the party, the organizer’s first. */
  readonly shares: readonly ({
    /** The share. */
    readonly share_id: string;
    /** The name shown for the guest; null while none is known. */
    readonly display_name: string | null;
    /** True for the share of the organizer. */
    readonly is_organizer: boolean;
    /** What the guest paid, in minor units (cents). */
    readonly amount: number;
    /** What was refunded before, in minor units (cents). */
    readonly before: number;
    /** What would be refunded now, in minor units (cents). */
    readonly now: number;
    /** What would be refunded altogether, in minor units (cents). */
    readonly after: number;
    /** What was lost to disputes, in minor units (cents). */
    readonly lost: number;
    /** What the guest would still have paid, in minor units (cents). */
    readonly still_paid: number;
    /** How much of now comes out of the fee, in minor units (cents). */
    readonly fee_returned: number;
    /** How much of now comes out of the payout, in minor units (cents). */
    readonly from_payout: number;
    /** True: its charge is disputed, so its part waits for the end of the dispute. */
    readonly is_disputed: boolean;
  })[];
  /** What the body can ask for. */
  readonly options: {
    /** All that is left; send it as amount, in minor units (cents). */
    readonly left: number;
    /** By the cancellation policy of the offering; null when there is none, or it gives nothing more back. */
    readonly policy: {
      /** What the policy refunds now, in minor units (cents). */
      readonly amount: number;
      /** The percentage of the rule that counts. */
      readonly percent: number;
      /** The hours before the start from which the rule counts; null when none is met. */
      readonly hours_before: number | null;
      /** The start that counts, in UTC. */
      readonly starts_at: string;
    } | null;
  };
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

/** The key of a logged request. */
export type RequestKey = {
  /** The id of the key. */
  readonly id: string;
  /** The name of the key; null when it has none. */
  readonly name: string | null;
  /** The kind of key. */
  readonly kind: "secret" | "publishable";
  /** The beginning and the end of the key, to recognise it. */
  readonly hint: string;
};

/** The requests of one key. */
export type RequestKeyCounts = {
  /** The key. */
  readonly key: RequestKey;
  /** All requests. */
  readonly total: number;
  /** Answered with 4xx. */
  readonly refused: number;
  /** Answered with 5xx. */
  readonly failed: number;
  /** Requests that were not let in (401, 403, 429), by error code, the most frequent first. */
  readonly turned_away: readonly ({
    /** The error code. */
    readonly code: string;
    /** How many requests. */
    readonly count: number;
  })[];
};

/** Requests that failed in the same way. */
export type RequestKind = {
  /** The error code; null for an answer without one. */
  readonly code: string | null;
  /** The reason of a conflict. */
  readonly reason: string | null;
  /** The id of the operation; null when there is no such route. */
  readonly operation: string | null;
  /** The field of the first problem. */
  readonly field: string | null;
  /** The status of the answers. */
  readonly status: number;
  /** How many requests failed like this. */
  readonly count: number;
  /** The newest of them. */
  readonly last_request_id: string;
  /** When the newest of them arrived, in UTC. */
  readonly last_at: string;
};

/** How the requests of a time ended. */
export type RequestSummary = {
  /** From when requests are counted, in UTC. */
  readonly from: string;
  /** Until when, in UTC. */
  readonly to: string;
  /** False when there were more than 100,000 requests: the newest are counted, and `from` is the time of the oldest of them. */
  readonly is_complete: boolean;
  /** All requests. */
  readonly total: number;
  /** Answered with 2xx or 3xx. */
  readonly succeeded: number;
  /** Answered with 4xx. */
  readonly refused: number;
  /** Answered with 5xx: a fault of the service. */
  readonly failed: number;
  /** The most frequent kinds of failure. */
  readonly kinds: readonly RequestKind[];
  /** The keys with the most requests. */
  readonly keys: readonly RequestKeyCounts[];
};

/** The body that reserves a failed refund or transfer for payment by hand; empty when no other operator has reserved it. */
export type Reservation = {
  /** Reserve it although another operator has: it needs a `note`. */
  readonly take_over?: boolean;
  /** What you know of the payment, for operators alone. Required when another operator has reserved it. */
  readonly note?: string;
  /** The time `reserved.at` of the case as you have read it. If it was reserved again since, the call is refused (409 `already_reserved`). */
  readonly reserved_at?: string;
};

/** The body that gives a reserved refund or transfer back, unpaid; empty when you have reserved it yourself. */
export type ReservationReturn = {
  /** What you know of the payment, for operators alone. Required when another operator has reserved it. */
  readonly note?: string;
  /** The time `reserved.at` of the case as you have read it. If it was reserved again since, the call is refused (409 `already_reserved`). */
  readonly reserved_at?: string;
};

/** An offering, an event or a boat as a reviewer sees it. */
export type ReviewCase = {
  /** The type of this object. */
  readonly object: "review_case";
  /** The id of the object. */
  readonly id: string;
  /** The kind of the object. */
  readonly kind: "offering" | "event" | "boat";
  /** The mode in which it was sent. */
  readonly mode: "test" | "live";
  /** The status of its review; inactive for a boat that is not offered. */
  readonly status: "pending" | "approved" | "rejected" | "inactive";
  /** Its title, or the name of the boat. */
  readonly title: string;
  /** The venue's own id for it; null when it sent none. */
  readonly external_id: string | null;
  /** The venue that sent it. */
  readonly venue: {
    /** The id of the venue. */
    readonly id: string;
    /** The name of the venue. */
    readonly name: string;
    /** True for a venue that is linked: it can have live keys. */
    readonly linked: boolean;
  };
  /** Why it was rejected; null otherwise. */
  readonly review_note: string | null;
  /** Names all that this answer shows. A decision sends it, and is refused when anything has changed since. */
  readonly version: string;
  /** True when members see a version of it. */
  readonly is_visible: boolean;
  /** The version that members see; null when they see none. */
  readonly visible: { readonly [name: string]: unknown } | null;
  /** The version that members do not see: it waits for its review, was rejected or is inactive. Null when they see the only version. */
  readonly waiting: { readonly [name: string]: unknown } | null;
  /** Where the two versions differ, at most 200; empty when there is only one. */
  readonly differences: readonly ({
    /** The JSON pointer of the field, in both versions. */
    readonly field: string;
    /** Changed; added: only in waiting; removed: only in visible. */
    readonly change: "changed" | "added" | "removed";
  })[];
  /** What a boat carries for reviewers alone; null when there is nothing. */
  readonly extra: unknown;
  /** When the version was sent that waits, or when it was last changed. */
  readonly waiting_since: string;
  /** When it was first sent. */
  readonly created_at: string;
  /** When it was last reviewed; null when it never was. */
  readonly reviewed_at: string | null;
  /** The decisions on it, oldest first, at most 100. */
  readonly history: readonly ({
    /** When. */
    readonly at: string;
    /** What was done. */
    readonly action: string;
    /** The name or mail address of the operator. */
    readonly by: string;
    /** The note of a rejection; null for others. */
    readonly note: string | null;
  })[];
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

/** An offering, an event or a boat as a line of the review queue. */
export type ReviewItem = {
  /** The type of this object. */
  readonly object: "review_item";
  /** The id of the object. */
  readonly id: string;
  /** The kind of the object. */
  readonly kind: "offering" | "event" | "boat";
  /** The mode in which it was sent. */
  readonly mode: "test" | "live";
  /** The status of its review. */
  readonly status: "pending" | "approved" | "rejected";
  /** Its title, or the name of the boat. */
  readonly title: string;
  /** The venue's own id for it; null when it sent none. */
  readonly external_id: string | null;
  /** The venue that sent it. */
  readonly venue: {
    /** The id of the venue. */
    readonly id: string;
    /** The name of the venue. */
    readonly name: string;
  };
  /** True when it was reviewed before, and a change of it waits. */
  readonly is_change: boolean;
  /** When the version was sent that waits, or when it was last changed. */
  readonly waiting_since: string;
};

/** A reason for a rejection that reviewers often give. */
export type ReviewReason = {
  /** The name of the reason, for `review reject --reason`. */
  readonly key: string;
  /** The reason in a few words. */
  readonly name: string;
  /** What the venue reads. */
  readonly note: string;
};

/** The key that replaces another, with its text, which is shown once; and the old one. */
export type RolledApiKey = {
  /** The id of the key. */
  readonly id: string;
  /** The whole key; only this answer shows it. */
  readonly key: string;
  /** What the venue calls it; null when it has no name. */
  readonly name: string | null;
  /** Which kind of key it is. */
  readonly kind: "secret" | "publishable";
  /** The mode of the key: test cards in test, real money in live. */
  readonly mode: "test" | "live";
  /** The beginning and the last four characters of the key, to recognise it by. */
  readonly hint: string;
  /** Only an `active` key is accepted. */
  readonly status: "active" | "expired" | "revoked";
  /** What it may do. A test key has every scope, a publishable key has none. */
  readonly scopes: readonly ("offerings:write" | "offerings:read" | "checkouts:write" | "checkouts:read" | "bookings:read" | "analytics:read" | "webhooks:write" | "boats:write" | "boats:read")[];
  /** The addresses and CIDR ranges that it may be used from; empty: every address. */
  readonly allow_ips: readonly string[];
  /** Its hourly limit of writes. */
  readonly writes_per_hour: number;
  /** Its hourly limit of reads. */
  readonly reads_per_hour: number;
  /** When it was created, in UTC. */
  readonly created_at: string;
  /** When it expires, in UTC; null: never. */
  readonly expires_at: string | null;
  /** When it was revoked, in UTC; null: it was not. */
  readonly revoked_at: string | null;
  /** The id of the key that replaces it; null: it was not rolled. */
  readonly rolled_to: string | null;
  /** When a call with it was last accepted, to the minute, in UTC; null: never. */
  readonly last_used_at: string | null;
  /** The network address of that call without its last part; null: none. */
  readonly last_used_address: string | null;
  /** The old key: it works until its `expires_at`, or is revoked. */
  readonly rolled: ApiKey;
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

/** The input of the tool set_availability: an existing offering, and its whole new availability. */
export type SetAvailability = {
  /** The external_id of the offering whose availability the tool replaces. */
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
};

/** The input of the tool set_price_tiers: an existing offering, and all of its new prices. */
export type SetPriceTiers = {
  /** The external_id of the offering whose prices the tool replaces. */
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

/** What the venue earned with the checkouts that were completed in a day or week. kept is paid_out, to_come and settled_debts less owed. */
export type Statement = {
  /** The type of this object. */
  readonly object: "statement";
  /** The first day, in the venue’s time zone. */
  readonly from: string;
  /** The first day that does not count any more. */
  readonly to: string;
  /** The line is of a part of its day or week, because from or to of the request, or before, is inside of it. */
  readonly is_partial: boolean;
  /** The currency of every amount here. */
  readonly currency: string;
  /** How many checkouts. */
  readonly checkouts: number;
  /** How many cards were charged. */
  readonly guests: number;
  /** What guests paid, in minor units (cents). */
  readonly paid: number;
  /** What the service keeps as its fee, less what refunds and lost disputes took out of it, in minor units (cents). */
  readonly fee: number;
  /** What was refunded to guests, in minor units (cents). */
  readonly refunded: number;
  /** What guests got back by disputes, in minor units (cents). */
  readonly lost_to_disputes: number;
  /** What the venue keeps: paid less fee, refunded and lost_to_disputes, in minor units (cents). */
  readonly kept: number;
  /** What was transferred and not taken back, in minor units (cents). */
  readonly paid_out: number;
  /** What is still to be transferred, refused transfers included, less what is still to be taken back: it can be below zero, in minor units (cents). */
  readonly to_come: number;
  /** What was not transferred because it settled debts of the venue, in minor units (cents). */
  readonly settled_debts: number;
  /** What could not be taken back from the venue’s account, in minor units (cents). */
  readonly owed: number;
  /** Whether all of it is paid out, part of it or nothing yet, or a transfer failed. */
  readonly status: "paid" | "part" | "to_come" | "failed";
};

/** The sums of the lines of the page, for one currency. */
export type StatementTotals = {
  /** The currency of every amount here. */
  readonly currency: string;
  /** How many checkouts. */
  readonly checkouts: number;
  /** How many cards were charged. */
  readonly guests: number;
  /** What guests paid, in minor units (cents). */
  readonly paid: number;
  /** What the service keeps as its fee, less what refunds and lost disputes took out of it, in minor units (cents). */
  readonly fee: number;
  /** What was refunded to guests, in minor units (cents). */
  readonly refunded: number;
  /** What guests got back by disputes, in minor units (cents). */
  readonly lost_to_disputes: number;
  /** What the venue keeps: paid less fee, refunded and lost_to_disputes, in minor units (cents). */
  readonly kept: number;
  /** What was transferred and not taken back, in minor units (cents). */
  readonly paid_out: number;
  /** What is still to be transferred, refused transfers included; below zero when something is still to be taken back, in minor units (cents). */
  readonly to_come: number;
  /** What was not transferred because it settled debts of the venue, in minor units (cents). */
  readonly settled_debts: number;
  /** What could not be taken back from the venue’s account, in minor units (cents). */
  readonly owed: number;
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

/** The body that accepts the terms of the service. */
export type TermsAccept = {
  /** True: the venue accepts the terms. */
  readonly accepted: true;
  /** The address of the terms that the person has seen, `terms.url` of the checklist. */
  readonly url: string;
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

/** The built-in test inbox: a webhook endpoint that keeps what it receives. In test mode only. */
export type TestInbox = {
  /** The type of this object. */
  readonly object: "test_inbox";
  /** The endpoint that is the inbox; it is listed, tested and deleted like any other. */
  readonly endpoint_id: string;
  /** Its address. No server answers there: deliveries are handed over inside the service. */
  readonly url: string;
  /** When it was created, in UTC. */
  readonly created_at: string;
  /** The newest 50 messages of the last 24 hours, newest first. */
  readonly messages: readonly ({
    /** The event. */
    readonly event_id: string;
    /** The type of the event. */
    readonly type: string;
    /** When the inbox received it, in UTC. */
    readonly received_at: string;
    /** The header Service-Signature, which the inbox has verified. */
    readonly signature: string;
    /** The body as it was received, as text. */
    readonly body: string;
  })[];
};

/** The input of the tool validate: the name of a schema, and the object to check. */
export type Validate = {
  /** The name of a published schema. */
  readonly schema: "offering" | "price_tier" | "availability" | "policy" | "event" | "legacy_experience" | "submission" | "boat" | "checkout_create" | "checkout" | "share" | "webhook_event" | "webhook_endpoint" | "integration" | "party" | "me" | "analytics" | "error";
  /** The object to check. */
  readonly object: unknown;
};

/** The body that makes a sandbox venue. */
export type VenueCreate = {
  /** The name of the venue, 1 to 120 characters without white space around it. */
  readonly name: string;
};

/** An origin that the venue has registered for a mode: its pages may use publishable keys of that mode, and guests may return to it. */
export type VenueOrigin = {
  /** The mode for which it is registered. */
  readonly mode: "test" | "live";
  /** Scheme, host and port, in their normal form. */
  readonly origin: string;
};

/** The body that adds or removes an origin. */
export type VenueOriginChange = {
  /** Scheme, host and port, 8 to 300 characters: https, or in test mode also http for localhost. */
  readonly origin: string;
  /** The mode for which it counts; absent: that of the session. A venue that is not linked yet sets its live origins from a session in test mode. */
  readonly mode?: "test" | "live";
};

/** The settings of a venue: its name, and what guests see of it. */
export type VenueSettings = {
  /** The id of the venue. */
  readonly id: string;
  /** The name of the venue, 1 to 120 characters without white space around it. */
  readonly name: string;
  /** False for a sandbox, which has no live mode. */
  readonly linked: boolean;
  /** When the venue was created, in UTC. */
  readonly created_at: string;
  /** The fee of the service on checkouts created from now on. The operator sets it. */
  readonly fee: {
    /** Hundredths of a percent of the amount. */
    readonly bps: number;
    /** Minor units on top. */
    readonly fixed: number;
  };
  /** The IANA time zone of its texts and pages, where an offering has none. */
  readonly timezone: string;
  /** Where guests can write, at most 200 characters; null: nowhere. */
  readonly support_email: string | null;
  /** Where guests can call, with its country code, at most 40 characters; null: nowhere. */
  readonly support_phone: string | null;
  /** Its page with help or contact, with https, at most 2048 characters; null: none. */
  readonly support_url: string | null;
  /** Its terms, with https, at most 2048 characters; null: those of the service. */
  readonly terms_url: string | null;
  /** Its privacy notice, with https, at most 2048 characters; null: that of the service. */
  readonly privacy_url: string | null;
  /** The colour of its pages as #rrggbb; contrast is computed. Null: ours. */
  readonly accent_color: string | null;
  /** Its logo, with https, at most 2048 characters: an image that the service fetches and serves itself; null: none. */
  readonly logo_url: string | null;
};

/** Why a venue is suspended. */
export type VenueSuspension = {
  /** Why, for operators alone. */
  readonly note: string;
};

/** The body that changes the settings of a venue. What is absent stays as it is; null clears a value. */
export type VenueUpdate = {
  /** The name of the venue, 1 to 120 characters without white space around it. */
  readonly name?: string;
  /** The IANA time zone of its texts and pages, where an offering has none, at most 64 characters; null: UTC. */
  readonly timezone?: string | null;
  /** Where guests can write, at most 200 characters; null: nowhere. */
  readonly support_email?: string | null;
  /** Where guests can call, with its country code, at most 40 characters; null: nowhere. */
  readonly support_phone?: string | null;
  /** Its page with help or contact, with https, at most 2048 characters; null: none. */
  readonly support_url?: string | null;
  /** Its terms, with https, at most 2048 characters; null: those of the service. */
  readonly terms_url?: string | null;
  /** Its privacy notice, with https, at most 2048 characters; null: that of the service. */
  readonly privacy_url?: string | null;
  /** The colour of its pages as #rrggbb; contrast is computed. Null: ours. */
  readonly accent_color?: string | null;
  /** Its logo, with https, at most 2048 characters: an image that the service fetches and serves itself; null: none. */
  readonly logo_url?: string | null;
};

/** The body that registers an address for events. */
export type WebhookEndpoint = {
  /** The address that receives the events; https only. */
  readonly url: string;
  /** The types of event to send, at least one. */
  readonly events: readonly ("checkout.created" | "checkout.collecting" | "share.held" | "checkout.funded" | "checkout.completed" | "checkout.expired" | "checkout.canceled")[];
};

/** An event as it is delivered and as the event log returns it. */
export type WebhookEvent = {
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
