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
