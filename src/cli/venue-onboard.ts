// `everyshare venue onboard`: the link with which a venue tells the card processor where it is paid, and another account
// for a venue whose account the processor has closed.

import { ONBOARDING_TOKEN_MS, onboardingUrls, sealOnboarding } from '../domain/payments/onboarding-token.ts';
import {
  type AccountContact,
  MissingContact,
  onboardingLink,
  replacePayoutAccount,
} from '../domain/payments/payout-account.ts';
import { audit } from '../domain/venues/audit.ts';
import type { AppContext } from '../run/context.ts';
import { commandError, quoted, usageError } from './cli-error.ts';
import type { Command, CommandInput } from './command-definition.ts';
import { choiceOption } from './options.ts';
import { requireVenue, venueIdIn } from './require-venue.ts';

function contactIn(input: CommandInput): AccountContact | null {
  const [email, country] = [input.text('email'), input.text('country') ?? 'US'];
  if (email !== null && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) {
    throw usageError(`--email is ${quoted(email)}: give an e-mail address.`);
  }
  if (!/^[A-Za-z]{2}$/.test(country))
    throw usageError(`--country is ${quoted(country)}: give two letters, such as US.`);
  return email === null ? null : { email, country: country.toUpperCase() };
}

export const onboard: Command = {
  words: ['venue', 'onboard'],
  arguments: ['ID'],
  help: 'give the link with which a venue tells the card processor where it is paid',
  options: [
    { name: 'mode', valueName: 'test|live', isRequired: true, help: 'whose account' },
    { name: 'return-url', valueName: 'URL', help: 'the venue’s own page, linked at the end of the onboarding' },
    { name: 'email', valueName: 'ADDRESS', help: 'the venue’s e-mail address; needed the first time' },
    { name: 'country', valueName: 'CODE', help: 'where the venue is, in two letters; US when absent' },
    {
      name: 'new-account',
      valueName: null,
      help: 'replace the account, which the card processor has closed or rejected; later transfers go to the new one',
    },
  ],
  async run(input, open) {
    const id = venueIdIn(input);
    const mode = choiceOption(input, 'mode', ['test', 'live']);
    const returnUrl = input.text('return-url');
    if (returnUrl !== null && !isWebAddress(returnUrl)) {
      throw usageError(
        `--return-url is ${quoted(returnUrl)}: give a web address of at most ${MAX_URL_LENGTH} characters.`,
      );
    }
    const contact = contactIn(input);
    if (input.flag('new-account') && contact === null) throw missingEmail();
    const { context, command } = await open();
    await requireVenue(context.db, id);
    const address = serviceAddress(context);
    if (input.flag('new-account') && contact !== null) {
      await replacePayoutAccount(context.services, id, mode, contact, (tx, subject) =>
        audit(tx, command, { venueId: id, action: 'payout.replace_account', subject, detail: { mode } }),
      );
    }
    const expiresAt = context.clock.now() + ONBOARDING_TOKEN_MS;
    const token = sealOnboarding(context.seal, { venueId: id, mode, returnUrl, expiresAt });
    const link = { contact, ...onboardingUrls(address, token) };
    const found = await onboardingLink(context.services, id, mode, link).catch((error: unknown) => {
      if (!(error instanceof MissingContact)) throw error;
      throw missingEmail();
    });
    await context.db.transaction((tx) =>
      audit(tx, command, { venueId: id, action: 'payout.onboard', subject: found.accountId, detail: { mode } }),
    );
    return { json: { account: found.accountId, url: found.url }, text: found.url };
  },
};

const missingEmail = (): Error =>
  usageError('--email is missing: the card processor writes to the venue about its new account.');

const MAX_URL_LENGTH = 500;

function isWebAddress(text: string): boolean {
  return text.length <= MAX_URL_LENGTH && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** The processor sends the venue back to it, so a guess is not enough beside the real processor. */
function serviceAddress({ config, address }: AppContext): string {
  if (config.baseUrl === null && !config.sandboxProcessor) {
    throw commandError('BASE_URL is not set: the card processor sends the venue back to this service.');
  }
  return config.baseUrl ?? (address.base || `http://${config.host}:${config.port}`);
}
