import { checkOptions, checkSignal, invalidOption, parseDuration } from '@keelson/apimachinery';
import { isRecord } from './record.ts';

/**
 * Throws `INVALID_OPTION` unless `value` is valid. `option` is the path of the option, such as `list.limit`.
 */
export type OptionCheck = (value: unknown, option: string) => void;

/** Checks by option name. An option has the same meaning in all calls. */
const checks: Readonly<Record<string, OptionCheck>> = {
  signal: checkSignal,
  timeout: (value, option) => void parseDuration(value as string, option),
  namespace: text,
  labelSelector: (value, option) =>
    refuseUnless(
      typeof value === 'string' || isRecord(value),
      option,
      'must be a string or a selector object',
    ),
  fieldSelector: text,
  shardSelector: text,
  limit: wholeNumber,
  continue: text,
  resourceVersion: text,
  resourceVersionMatch: oneOf('NotOlderThan', 'Exact'),
  sendInitialEvents: flag,
  allowWatchBookmarks: flag,
  timeoutSeconds: wholeNumber,
  dryRun: (value, option) =>
    refuseUnless(isDryRun(value) || value === false, option, "must be true, false or 'All'"),
  fieldManager,
  fieldValidation: oneOf('Strict', 'Warn', 'Ignore'),
  force: flag,
  gracePeriodSeconds: wholeNumber,
  propagationPolicy: oneOf('Orphan', 'Background', 'Foreground'),
  preconditions,
  projection: oneOf('full', 'metadata'),
};

/** Throws `INVALID_OPTION` for unknown options and for invalid values of known ones. */
export function checkValues(options: object, known: readonly string[], where: string): void {
  checkOptions(options, known, where);
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) checks[name]?.(value, `${where}.${name}`);
  }
}

/** True for any spelling of a dry run: that of this client, of client-node, or of a `DeleteOptions` body. */
export function isDryRun(value: unknown): boolean {
  const isList = Array.isArray(value) && value.length === 1;
  return value === true || (isList ? value[0] : value) === 'All';
}

export function wholeNumber(value: unknown, option: string): void {
  const isWhole = Number.isSafeInteger(value) && (value as number) >= 0;
  refuseUnless(isWhole, option, 'must be a whole number, 0 or more');
}

/** Checks a number of attempts, the first one included. */
export function attempts(value: unknown, option: string): void {
  const isCount = value === Infinity || (Number.isSafeInteger(value) && (value as number) >= 1);
  refuseUnless(isCount, option, 'must be a whole number, 1 or more');
}

export function milliseconds(value: unknown, option: string): void {
  const isTime = Number.isFinite(value) && (value as number) >= 0;
  refuseUnless(isTime, option, 'must be a number of milliseconds, 0 or more');
}

export function text(value: unknown, option: string): void {
  refuseUnless(typeof value === 'string', option, 'must be a string');
}

export function flag(value: unknown, option: string): void {
  refuseUnless(typeof value === 'boolean', option, 'must be true or false');
}

/** Checks the value of a header. undici refuses an invalid one only when the request is sent. */
export function headerText(value: unknown, option: string): void {
  const isText = typeof value === 'string' && /^[\t\u0020-\u007e\u0080-\u00ff]+$/.test(value);
  refuseUnless(isText, option, 'must be a string of one line that a header can hold');
}

/** Checks a field manager: the API accepts up to 128 printable characters. */
export function fieldManager(value: unknown, option: string): void {
  const isName = typeof value === 'string' && /^[^\p{C}\p{Zl}\p{Zp}]{1,128}$/u.test(value);
  refuseUnless(isName, option, 'must be a string of 1 to 128 printable characters');
}

export function oneOf(...known: readonly string[]): OptionCheck {
  return (value, option) =>
    refuseUnless(known.includes(value as string), option, `must be one of ${known.join(', ')}`);
}

/** Checks preconditions. A uid of `undefined` would delete any object of that name. */
function preconditions(value: unknown, option: string): void {
  const members = isRecord(value) ? Object.entries(value) : [];
  const isSet = members.length > 0 && members.every(([, member]) => typeof member === 'string');
  refuseUnless(isSet, option, 'must give a uid, a resourceVersion or both as strings');
  checkOptions(value as object, ['uid', 'resourceVersion'], option);
}

export function refuseUnless(isRight: boolean, option: string, reason: string): void {
  if (!isRight) throw invalidOption(option, reason);
}
