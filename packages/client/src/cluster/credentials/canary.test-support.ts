import { inspect } from 'node:util';

/** Secrets of two forms: one that looks like a key, and one that looks like a word. */
export const canaries = ['wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', 'opensesame'] as const;

/** The canaries that can be found in what an error, an event or a log line holds, in any usual encoding. */
export function foundCanaries(...values: unknown[]): string[] {
  const texts = values.flatMap((value) => [
    inspect(value, { showHidden: true, depth: Infinity, getters: true, maxStringLength: Infinity }),
    stringified(value),
    deepText(value),
  ]);
  return canaries.filter((canary) =>
    formsOf(canary).some((form) => texts.some((text) => text.includes(form))),
  );
}

function formsOf(canary: string): string[] {
  const hex = Buffer.from(canary).toString('hex');
  const pairs = (hex.match(/../g) ?? []).join(' ');
  // The middle of the base64 of anything that contains it.
  const inner = [0, 1, 2].map((offset) =>
    Buffer.from(`${'x'.repeat(offset)}${canary}`)
      .toString('base64')
      .slice(4, -4),
  );
  return [canary, encodeURIComponent(canary), hex, pairs, ...inner];
}

function stringified(value: unknown): string {
  try {
    return `${JSON.stringify(value)} ${String(value)}`;
  } catch {
    return '';
  }
}

/** Every value that can be reached, what is not enumerable and the bytes of buffers included. */
function deepText(value: unknown, seen = new Set<unknown>()): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (seen.has(value)) return '';
  seen.add(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  return Reflect.ownKeys(value)
    .map((key) => `${String(key)} ${deepText(Reflect.get(value, key), seen)}`)
    .join('\n');
}
