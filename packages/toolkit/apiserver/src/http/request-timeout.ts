import { badRequest } from '../status-errors/status-errors.ts';
import type { RequestInfo } from './request-info.ts';

/** Subresources whose requests may run for long, so that kube-apiserver does not read their timeout. */
const longRunning: ReadonlySet<string> = new Set(['proxy', 'exec', 'attach', 'log', 'portforward']);

/** Throws 400 if the parameter `timeout` is not a duration in Go's notation. The server itself has no deadline. */
export function checkTimeout(info: RequestInfo, query: URLSearchParams): void {
  const text = query.get('timeout') ?? '';
  if (text === '') return;
  if (info.type === 'resource') {
    if (info.verb === 'watch' || longRunning.has(info.subresource)) return;
  }
  const problem = durationProblem(text);
  if (problem === undefined) return;
  throw badRequest(`invalid timeout specified in the request URL - time: ${problem}`);
}

const MAX_NANOS = 2n ** 63n - 1n;

const nanosOfUnit: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** Returns why Go's `time.ParseDuration` rejects a text; `undefined` if it is valid. */
export function durationProblem(text: string): string | undefined {
  const invalid = `invalid duration ${quoted(text)}`;
  const isNegative = text.startsWith('-');
  let rest = text.replace(/^[-+]/, '');
  if (rest === '0') return undefined;
  if (rest === '') return invalid;
  let nanos = 0n;
  while (rest !== '') {
    const [whole = '', amount = '', unit = ''] = /^(\d*\.?\d*)([^.\d]*)/.exec(rest) ?? [];
    if (!/\d/.test(amount)) return invalid;
    if (unit === '') return `missing unit in duration ${quoted(text)}`;
    const perUnit = Object.hasOwn(nanosOfUnit, unit) ? nanosOfUnit[unit] : undefined;
    if (perUnit === undefined) return `unknown unit ${quoted(unit)} in duration ${quoted(text)}`;
    nanos += nanosOf(amount, perUnit);
    if (nanos > MAX_NANOS + (isNegative ? 1n : 0n)) return invalid;
    rest = rest.slice(whole.length);
  }
  return undefined;
}

function nanosOf(amount: string, perUnit: bigint): bigint {
  const [integer = '', fraction = ''] = amount.split('.');
  const digits = fraction.slice(0, 18);
  const part = (BigInt(digits === '' ? 0 : digits) * perUnit) / 10n ** BigInt(digits.length);
  return BigInt(integer === '' ? 0 : integer) * perUnit + part;
}

/** Quotes a text as package time does: bytes outside printable ASCII in hexadecimal digits. */
function quoted(text: string): string {
  const bytes = [...Buffer.from(text)].map((byte) => {
    const character = String.fromCharCode(byte);
    if (character === '"' || character === '\\') return `\\${character}`;
    if (byte >= 0x20 && byte < 0x80) return character;
    return `\\x${byte.toString(16).padStart(2, '0')}`;
  });
  return `"${bytes.join('')}"`;
}
