const LONGEST_TEXT = 300;
/** Shorter values are too common to be removed from a text. */
const SHORTEST_SECRET = 4;

const QUOTED = /(["'`]).*?\1/g;
/** The value after a name such as `password=` or `x-token:`, up to the end of the line. */
const NAMED = /((?:pass|secret|token|key|credential|auth|cookie)[\w-]*["']?\s*[=:]).*/gi;
const SCHEME = /\b(bearer|basic)\s+\S+/gi;

/** Punctuation around a word, the word, punctuation after it. */
const WORD = /^([([{<-]*)(.*?)([)\]}>.,;:!?]*)$/;
const NUMBER = /^\d{1,5}$/;
/** A word of prose, an acronym, or a compound such as `ExpiredTokenException` or `getToken`. */
const PROSE = /^(?:[A-Z]?[a-z]{1,16}|[A-Z]{1,12}|[A-Za-z][a-z]{1,12}(?:[A-Z][a-z]{1,12}){1,3})$/;
/** `get-token` is prose, `correct-horse-battery-staple` is a passphrase. */
const MOST_PARTS = 2;
const LONGEST_COMPOUND = 24;

/**
 * What may be shown of a text by other software that handles credentials: its first line, and of that
 * only prose, short numbers and plain paths. `secrets` are values that must not appear, whatever they look like.
 */
export function redacted(text: string, secrets: readonly string[] = []): string {
  const [line = ''] = withoutSecrets(text, secrets)
    .trim()
    .split(/[\r\n]/, 1);
  const words = line
    .slice(0, LONGEST_TEXT)
    .replaceAll(QUOTED, '…')
    .replaceAll(NAMED, '$1 …')
    .replaceAll(SCHEME, '$1 …')
    .split(/\s+/);
  return words.map(shown).join(' ');
}

/** The text with each of the given values replaced by `…`. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, secret) => rest.replaceAll(secret, '…'), text);
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
  if (parts.length > MOST_PARTS || (parts.length > 1 && segment.length > LONGEST_COMPOUND))
    return false;
  return parts.every((part) => part === '…' || PROSE.test(part));
}
