/** Stands where a secret stood. */
const cover = '[secret]';

/** A text with every occurrence of the secrets covered, as they are and as forms and addresses carry them. */
export function concealer(secrets: readonly (string | undefined)[]): (text: string) => string {
  const forms = secrets
    .flatMap((secret) => (secret ? [secret, secret.trim(), encodeURIComponent(secret)] : []))
    .filter((form) => form !== '')
    .sort((a, b) => b.length - a.length);
  return (text) => forms.reduce((covered, form) => covered.replaceAll(form, cover), text);
}

/**
 * A client id that can be recognised and not copied: the prefix, the account and the beginning of the
 * key id (section 5.2). A value of another form, perhaps a secret in the wrong place, shows no more
 * than its beginning.
 */
export function maskId(clientId: string): string {
  const dot = clientId.indexOf('.');
  const shown = dot < 0 ? Math.min(2, Math.floor(clientId.length / 4)) : dot + 3;
  return `${clientId.slice(0, shown)}…`;
}
