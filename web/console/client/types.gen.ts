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
