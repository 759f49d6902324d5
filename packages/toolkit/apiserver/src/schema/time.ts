import { DecodeError } from './decode-error.ts';

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const withMicros = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})(Z|[+-]\d\d:\d\d)$/;

/** Normalizes a time such as `metadata.creationTimestamp`: RFC 3339 in UTC with whole seconds. */
export function canonicalTime(text: string): string | null {
  if (text === '') return null;
  if (!rfc3339.test(text)) throw notATime(text, '2006-01-02T15:04:05Z07:00', text, '2006');
  return `${inUtc(text)}Z`;
}

/** Normalizes a time of a Lease or Event: RFC 3339 in UTC with six fractional digits. */
export function canonicalMicroTime(text: string): string | null {
  if (text === '') return null;
  const fraction = withMicros.exec(text)?.[1];
  if (fraction === undefined) {
    const rest = rfc3339.test(text) ? text.slice(19) : text;
    const expected = rfc3339.test(text) ? '.000000' : '2006';
    throw notATime(text, '2006-01-02T15:04:05.000000Z07:00', rest, expected);
  }
  return `${inUtc(text)}${fraction}Z`;
}

function inUtc(text: string): string {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) {
    throw new DecodeError(`parsing time "${text}": out of range`, { endsDecoder: true });
  }
  return date.toISOString().slice(0, 19);
}

function notATime(text: string, layout: string, rest: string, expected: string): DecodeError {
  return new DecodeError(
    `parsing time "${text}" as "${layout}": cannot parse "${rest}" as "${expected}"`,
    { endsDecoder: true },
  );
}
