import { fail } from '../values/evaluation-error.ts';
import { quoteText } from '../values/show-value.ts';

/**
 * Returns the offset of a zone from UTC in milliseconds at a time. As in cel-go, a zone with a colon is an offset, and
 * another one is a name of the IANA database, whose case matters.
 */
export function zoneOffset(milliseconds: number, zone: string): number {
  const colon = zone.indexOf(':');
  if (colon >= 0) return fixedOffset(zone.slice(0, colon), zone.slice(colon + 1), zone);
  if (zone === '' || zone === 'UTC' || zone === 'Local') return 0;
  if (/\.\.|^[/\\]|\\/.test(zone)) return fail('time: invalid location name');
  return namedOffset(milliseconds, zone);
}

function fixedOffset(hours: string, minutes: string, zone: string): number {
  const [hour, minute] = [numberOf(hours), numberOf(minutes)];
  const total = zone.startsWith('-') ? hour * 60 - minute : hour * 60 + minute;
  return total * 60_000;
}

function numberOf(digits: string): number {
  if (/^[+-]?\d+$/.test(digits)) return Number(digits);
  return fail(`strconv.Atoi: parsing ${quoteText(digits)}: invalid syntax`);
}

function namedOffset(milliseconds: number, zone: string): number {
  const whole = Math.floor(milliseconds / 1000) * 1000;
  const parts = new Map(
    formatOf(zone)
      .formatToParts(whole)
      .map(({ type, value }) => [type, value] as const),
  );
  const number = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
  const local = new Date(0);
  const year = parts.get('era') === 'BC' ? 1 - number('year') : number('year');
  local.setUTCFullYear(year, number('month') - 1, number('day'));
  local.setUTCHours(number('hour'), number('minute'), number('second'));
  return local.getTime() - whole;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const numeric = 'numeric';
  const format = withoutError(() => {
    const fields = { year: numeric, month: numeric, day: numeric, hour: numeric } as const;
    const rest = { minute: numeric, second: numeric, era: 'short', hourCycle: 'h23' } as const;
    return new Intl.DateTimeFormat('en-US', { ...fields, ...rest, timeZone });
  });
  if (format === undefined || !hasRightCase(timeZone, format)) {
    return fail(`unknown time zone ${timeZone}`);
  }
  return format;
}

/** JavaScript ignores the case of a name, and Go does not. An alias must begin every part with a capital letter. */
function hasRightCase(zone: string, format: Intl.DateTimeFormat): boolean {
  const resolved = format.resolvedOptions().timeZone;
  if (resolved.toLowerCase() === zone.toLowerCase()) return resolved === zone;
  return zone.split('/').every((part) => /^[A-Z]/.test(part));
}

function withoutError<T>(compute: () => T): T | undefined {
  try {
    return compute();
  } catch {
    return undefined;
  }
}
