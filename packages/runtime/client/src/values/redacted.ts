const MAX_TEXT_LENGTH = 300;
/** The fewest characters of a value that is removed. A shorter value may be part of other words. */
const MIN_SECRET_LENGTH = 4;

const QUOTED = /(["'`]).*?\1/g;
/** Matches a name such as `password=` or `x-token:` and its value, up to the end of the line. */
const NAMED = /((?:pass|secret|token|key|credential|auth|cookie)[\w-]*["']?\s*[=:]).*/gi;
const SCHEME = /\b(bearer|basic)\s+\S+/gi;

/** Matches punctuation before a word, the word, and punctuation after it. */
const WORD = /^([([{<-]*)(.*?)([)\]}>.,;:!?]*)$/;
const NUMBER = /^\d{1,5}$/;
/** Matches an ordinary word, an acronym, or a compound such as `ExpiredTokenException` or `getToken`. */
const PROSE = /^(?:[A-Z]?[a-z]{1,16}|[A-Z]{1,12}|[A-Za-z][a-z]{1,12}(?:[A-Z][a-z]{1,12}){1,3})$/;
/**
 * The most parts of a hyphenated word that counts as prose: `get-token` does, but the passphrase
 * `correct-horse-battery-staple` does not.
 */
const MAX_COMPOUND_PARTS = 2;
const MAX_COMPOUND_LENGTH = 24;

/**
 * Returns the part of a string that is safe to show, for text by other software that handles credentials. Keeps
 * the first line, and of it only prose, short numbers and plain paths. Removes all values in `secrets`.
 */
export function redacted(text: string, secrets: readonly string[] = []): string {
  const [line = ''] = withoutSecrets(text, secrets)
    .trim()
    .split(/[\r\n]/, 1);
  const words = line
    .slice(0, MAX_TEXT_LENGTH)
    .replaceAll(QUOTED, '…')
    .replaceAll(NAMED, '$1 …')
    .replaceAll(SCHEME, '$1 …')
    .split(/\s+/);
  return words.map(shown).join(' ');
}

/** Returns the text with each of the given values replaced by `…`. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, secret) => rest.replaceAll(secret, '…'), text);
}

/** Copies a value that was parsed from JSON, with `withoutSecrets` applied to every string and name in it. */
export function withoutSecretsIn(value: unknown, secrets: readonly string[]): unknown {
  if (secrets.length === 0) return value;
  if (typeof value === 'string') return withoutSecrets(value, secrets);
  if (Array.isArray(value)) return value.map((each) => withoutSecretsIn(each, secrets));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [
    withoutSecrets(name, secrets),
    withoutSecretsIn(member, secrets),
  ]);
  return Object.fromEntries(members);
}

function shown(word: string): string {
  const [, before = '', core = '', after = ''] = WORD.exec(word) ?? [];
  return isHarmless(core) ? word : `${before}…${after}`;
}

function isHarmless(core: string): boolean {
  if (core === '' || core === '…' || NUMBER.test(core)) return true;
  return core.split('/').every((segment) => segment === '' || isName(segment));
}

function isName(segment: string): boolean {
  const parts = segment.split(/[-_.=:]/).filter(Boolean);
  if (
    parts.length > MAX_COMPOUND_PARTS ||
    (parts.length > 1 && segment.length > MAX_COMPOUND_LENGTH)
  )
    return false;
  return parts.every((part) => part === '…' || PROSE.test(part));
}
