// The settings of Stripe's keys: read and checked together, because a wrong or missing one harms at once.

export interface StripeKeys {
  readonly secret: string;
  readonly publishable: string;
  /**
   * One for each webhook endpoint, and both of one whose secret is being replaced. Empty: the server accepts no webhook
   * of the processor, and the worker polls instead.
   */
  readonly webhookSecrets: readonly string[];
}

interface Settings {
  readonly problems: string[];
  text(name: string): string | null;
  list(name: string): string[];
}

/**
 * A key of the other mode is refused, so that test mode never reaches live money; and a secret key in place of the
 * publishable one, which every guest's browser gets. With some of the settings alone the embedded processor would take
 * the place of Stripe.
 */
export function stripeKeys(
  read: Settings,
  mode: 'test' | 'live',
): { readonly test?: StripeKeys; readonly live?: StripeKeys } {
  const prefix = `STRIPE_${mode.toUpperCase()}`;
  const other = mode === 'test' ? 'live' : 'test';
  const readKey = (name: string, kinds: readonly string[]): string | null => {
    const value = read.text(`${prefix}_${name}`);
    if (value === null || kinds.some((kind) => value.startsWith(`${kind}_${mode}_`))) return value;
    const isOther = new RegExp(`^[a-z]k_${other}_`).test(value);
    read.problems.push(
      isOther
        ? `${prefix}_${name} is a key of ${other} mode: set it to the one of ${mode} mode.`
        : `${prefix}_${name} must begin with ${kinds.map((kind) => `${kind}_${mode}_`).join(' or ')}: copy it from Stripe’s page of API keys.`,
    );
    return value;
  };
  const secret = readKey('SECRET_KEY', ['sk', 'rk']);
  const publishable = readKey('PUBLISHABLE_KEY', ['pk']);
  const readSecrets = (name: string): string[] => read.list(`${prefix}_${name}`);
  const webhookSecrets = [...readSecrets('WEBHOOK_SECRET'), ...readSecrets('WEBHOOK_SECRETS')];
  if (secret !== null && publishable !== null) {
    return { [mode]: { secret, publishable, webhookSecrets: [...new Set(webhookSecrets)] } };
  }
  if (secret !== null || publishable !== null || webhookSecrets.length > 0) {
    const [first, second] = [`${prefix}_SECRET_KEY`, `${prefix}_PUBLISHABLE_KEY`];
    read.problems.push(`${first} and ${second} belong together: set both, or no setting that begins with ${prefix}.`);
  }
  return {};
}
