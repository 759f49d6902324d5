import { goFields } from '@keelson/cel/internal';

/** The range of a field of a schedule, with names for some values. */
interface FieldBounds {
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
  /** The value of the first name. */
  readonly firstName?: number;
}

const monthNames = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const dayNames = 'sun mon tue wed thu fri sat'.split(' ');

/** Minute, hour, day of the month, month, day of the week. */
const fieldBounds: readonly FieldBounds[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: monthNames, firstName: 1 },
  { least: 0, most: 6, names: dayNames, firstName: 0 },
];

const descriptors: ReadonlySet<string> = new Set([
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
]);

/** Used only in this file; its message is that of kube-apiserver. */
class InvalidSchedule extends Error {}

/** The error message for the schedule of a CronJob, as in kube-apiserver; undefined if it is valid. */
export function scheduleError(schedule: string): string | undefined {
  try {
    checkSchedule(schedule);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidSchedule) return error.message;
    throw error;
  }
}

function checkSchedule(schedule: string): void {
  if (schedule.startsWith('@')) return checkDescriptor(schedule);
  const fields = goFields(schedule);
  if (fields.length !== fieldBounds.length) {
    const found = `found ${fields.length}: [${fields.join(' ')}]`;
    throw new InvalidSchedule(`expected exactly 5 fields, ${found}`);
  }
  for (const [index, bounds] of fieldBounds.entries()) {
    const ranges = (fields[index] ?? '').split(',').filter((range) => range !== '');
    for (const range of ranges) checkRange(range, bounds);
  }
}

function checkDescriptor(schedule: string): void {
  if (descriptors.has(schedule)) return;
  const every = /^@every (.*)$/s.exec(schedule)?.[1];
  if (every === undefined) throw new InvalidSchedule(`unrecognized descriptor: ${schedule}`);
  if (/^([0-9]*\.?[0-9]+(ns|us|µs|ms|s|m|h))+$/.test(every)) return;
  const reason = `time: invalid duration ${JSON.stringify(every)}`;
  throw new InvalidSchedule(`failed to parse duration ${schedule}: ${reason}`);
}

/** Checks `*`, `5`, `1-5`, and each of them with `/step`. */
function checkRange(expression: string, bounds: FieldBounds): void {
  const [range = '', step, ...moreSteps] = expression.split('/');
  const [low = '', high, ...moreEnds] = range.split('-');
  const isStar = low === '*' || low === '?';
  const start = isStar ? bounds.least : parseValue(low, bounds);
  let end = isStar ? bounds.most : start;
  if (!isStar && high !== undefined) end = parseValue(high, bounds);
  if (!isStar && moreEnds.length > 0) throw new InvalidSchedule(`too many hyphens: ${expression}`);
  const width = step === undefined ? 1 : parseNumber(step);
  if (step !== undefined && high === undefined) end = bounds.most;
  if (moreSteps.length > 0) throw new InvalidSchedule(`too many slashes: ${expression}`);
  checkBounds({ start, end, width, expression }, bounds);
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly width: number;
  readonly expression: string;
}

function checkBounds({ start, end, width, expression }: Range, { least, most }: FieldBounds): void {
  if (start < least) {
    const limits = `beginning of range (${start}) below minimum (${least})`;
    throw new InvalidSchedule(`${limits}: ${expression}`);
  }
  if (end > most) {
    throw new InvalidSchedule(`end of range (${end}) above maximum (${most}): ${expression}`);
  }
  if (start > end) {
    const limits = `beginning of range (${start}) beyond end of range (${end})`;
    throw new InvalidSchedule(`${limits}: ${expression}`);
  }
  if (width === 0) {
    throw new InvalidSchedule(`step of range should be a positive number: ${expression}`);
  }
}

function parseValue(text: string, { names = [], firstName = 0 }: FieldBounds): number {
  const index = names.indexOf(text.toLowerCase());
  return index >= 0 ? index + firstName : parseNumber(text);
}

function parseNumber(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) {
    const reason = `strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
    throw new InvalidSchedule(`failed to parse int from ${text}: ${reason}`);
  }
  const value = Number(text);
  if (value >= 0) return value;
  throw new InvalidSchedule(`negative number (${value}) not allowed: ${text}`);
}
