import { DecodeError } from './decode-error.ts';

/** Normalizes a time such as `metadata.creationTimestamp`: RFC 3339 in UTC with whole seconds. */
export function canonicalTime(text: string): string {
  checkLayout(text, ['05', /^\d\d(\.\d+)?/], '2006-01-02T15:04:05Z07:00');
  return `${inUtc(text)}Z`;
}

/** Normalizes a time of a Lease or Event: RFC 3339 in UTC with six fractional digits. */
export function canonicalMicroTime(text: string): string {
  const layout = '2006-01-02T15:04:05.000000Z07:00';
  const fraction = checkLayout(text, ['05', /^\d\d/], layout, ['.000000', /^\.\d{6}(?!\d)/]);
  return `${inUtc(text)}${fraction}Z`;
}

/** An element of a layout of Go, and the texts that it parses. */
type LayoutElement = readonly [name: string, texts: RegExp];

const day: readonly LayoutElement[] = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^\d\d/],
  ['-', /^-/],
  ['02', /^\d\d/],
  ['T', /^T/],
  ['15', /^\d\d/],
  [':', /^:/],
  ['04', /^\d\d/],
  [':', /^:/],
];
const zone: LayoutElement = ['Z07:00', /^(Z|[+-]\d\d:\d\d)/];

/** Parses a time with a layout and returns its fraction. Throws the error of Go about the first element that does not fit. */
function checkLayout(
  text: string,
  seconds: LayoutElement,
  layout: string,
  ...fraction: readonly LayoutElement[]
): string {
  let rest = text;
  let parsed = '';
  for (const [name, texts] of [...day, seconds, ...fraction, zone]) {
    const [found] = texts.exec(rest) ?? [];
    if (found === undefined) {
      const where = `cannot parse ${JSON.stringify(rest)} as "${name}"`;
      throw notATime(`${JSON.stringify(text)} as "${layout}": ${where}`);
    }
    if (name === '.000000') parsed = found;
    rest = rest.slice(found.length);
  }
  if (rest === '') return parsed;
  throw notATime(`${JSON.stringify(text)}: extra text: ${JSON.stringify(rest)}`);
}

function inUtc(text: string): string {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw notATime(`"${text}": out of range`);
  return date.toISOString().slice(0, 19);
}

function notATime(words: string): DecodeError {
  return new DecodeError(`parsing time ${words}`, { endsDecoder: true });
}
