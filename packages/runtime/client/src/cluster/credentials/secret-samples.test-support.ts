import { inspect } from 'node:util';

/** Two secrets: one that looks like a key, and one that looks like a word. */
export const secretSamples = ['wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', 'opensesame'] as const;

/** Returns the samples that an error, an event or a log line contains, in any common encoding. */
export function leakedSecrets(...values: unknown[]): string[] {
  const texts = values.flatMap((value) => [
    inspect(value, { showHidden: true, depth: Infinity, getters: true, maxStringLength: Infinity }),
    stringified(value),
    deepText(value),
  ]);
  return secretSamples.filter((secret) =>
    formsOf(secret).some((form) => texts.some((text) => text.includes(form))),
  );
}

function formsOf(secret: string): string[] {
  const hex = Buffer.from(secret).toString('hex');
  const pairs = (hex.match(/../g) ?? []).join(' ');
  // The part of the base64 encoding that is the same for every text that contains the secret.
  const inner = [0, 1, 2].map((offset) =>
    Buffer.from(`${'x'.repeat(offset)}${secret}`)
      .toString('base64')
      .slice(4, -4),
  );
  return [secret, encodeURIComponent(secret), hex, pairs, ...inner];
}

function stringified(value: unknown): string {
  try {
    return `${JSON.stringify(value)} ${String(value)}`;
  } catch {
    return '';
  }
}

/** The text of every reachable value, including members that are not enumerable and the bytes of buffers. */
function deepText(value: unknown, seen = new Set<unknown>()): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (seen.has(value)) return '';
  seen.add(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  return Reflect.ownKeys(value)
    .map((key) => `${String(key)} ${deepText(Reflect.get(value, key), seen)}`)
    .join('\n');
}
