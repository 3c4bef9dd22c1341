// Generated from the operations and schemas/v1 by `npm run generate`. Do not edit.

/** A person who uses the console. */
export type Account = {
  /** The id of the account. */
  readonly id: string;
  /** The mail address that signs in. */
  readonly email: string;
  /** The name of the person; null when none was given. */
  readonly name: string | null;
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

/** The address of the card processor’s form. */
export type PayoutOnboarding = {
  /** Open it in the same window. It works once. */
  readonly url: string;
  /** For how many seconds the address works. */
  readonly expires_in: number;
};

/** The body that begins the payout onboarding. */
export type PayoutOnboardingCreate = {
  /** Where the venue is, as two letters of ISO 3166-1; `US` when absent. It counts the first time alone: the card processor does not change it. */
  readonly country?: string;
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
  /** The old key: it works until its `expires_at`, or is revoked. */
  readonly rolled: ApiKey;
};

/** The body that accepts the terms of the service. */
export type TermsAccept = {
  /** True: the venue accepts the terms. */
  readonly accepted: true;
  /** The address of the terms that the person has seen, `terms.url` of the checklist. */
  readonly url: string;
};
