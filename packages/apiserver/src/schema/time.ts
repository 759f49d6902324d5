import { DecodeError } from './decode-error.ts';

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** `metadata.creationTimestamp` and its like: RFC 3339 in UTC and whole seconds. */
export function canonicalTime(text: string): string | null {
  if (text === '') return null;
  return `${parse(text).toISOString().slice(0, 19)}Z`;
}

/** The time of Leases and Events: RFC 3339 in UTC with six digits of fraction. */
export function canonicalMicroTime(text: string): string | null {
  if (text === '') return null;
  const micros = (/\.(\d+)/.exec(text)?.[1] ?? '').padEnd(6, '0').slice(0, 6);
  return `${parse(text).toISOString().slice(0, 19)}.${micros}Z`;
}

function parse(text: string): Date {
  const date = new Date(text);
  if (rfc3339.test(text) && !Number.isNaN(date.getTime())) return date;
  throw new DecodeError(
    `parsing time "${text}" as "2006-01-02T15:04:05Z07:00": cannot parse "${text}" as "2006"`,
  );
}
