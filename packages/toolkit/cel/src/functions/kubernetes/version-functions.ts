import type { CelType } from '../../types/cel-type.ts';
import { type Overload, overload, semverType } from '../../types/function-declaration.ts';
import { fail, succeeds } from '../../values/evaluation-error.ts';
import { LibraryValue } from '../../values/value.ts';
import { quoteText } from '../../values/show-value.ts';

/** The functions of semantic versions. */
export const versionFunctions: readonly Overload[] = [
  overload('semver(string): Semver', (text: string) => parse(text)),
  overload('semver(string, bool): Semver', (text: string, lenient: boolean) =>
    parse(lenient ? normalize(text) : text),
  ),
  overload('isSemver(string): bool', (text: string) => succeeds(() => parse(text))),
  overload('isSemver(string, bool): bool', (text: string, lenient: boolean) =>
    succeeds(() => parse(lenient ? normalize(text) : text)),
  ),
  overload('Semver.major(): int', ({ numbers }: Version) => signed(numbers[0])),
  overload('Semver.minor(): int', ({ numbers }: Version) => signed(numbers[1])),
  overload('Semver.patch(): int', ({ numbers }: Version) => signed(numbers[2])),
  overload('Semver.compareTo(Semver): int', (left: Version, right: Version) =>
    BigInt(compare(left, right)),
  ),
  overload(
    'Semver.isLessThan(Semver): bool',
    (left: Version, right: Version) => compare(left, right) < 0,
  ),
  overload(
    'Semver.isGreaterThan(Semver): bool',
    (left: Version, right: Version) => compare(left, right) > 0,
  ),
];

/** kube-apiserver converts an unsigned number to a signed one without a check. */
function signed(number: bigint): bigint {
  return BigInt.asIntN(64, number);
}

type Numbers = readonly [bigint, bigint, bigint];

class Version extends LibraryValue {
  readonly numbers: Numbers;
  readonly prerelease: readonly string[];

  constructor(numbers: Numbers, prerelease: readonly string[]) {
    super();
    this.numbers = numbers;
    this.prerelease = prerelease;
  }

  readonly goType = 'cel.Semver';

  get native(): string {
    return `(semver.Version)${String(this)}`;
  }

  get type(): CelType {
    return semverType;
  }

  /** The version without its build metadata, which comparisons ignore. */
  override toString(): string {
    const prerelease = this.prerelease.join('.');
    return this.numbers.join('.') + (prerelease && `-${prerelease}`);
  }
}

function parse(text: string): Version {
  if (text === '') return fail('Version string empty');
  const parts = text.split('.');
  if (parts.length < 3) return fail('No Major.Minor.Patch elements found');
  const [major = '', minor = '', ...rest] = parts;
  const [, patch = '', before, build] =
    /^([^+-]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(rest.join('.')) ?? [];
  const numbers: Numbers = [
    numberOf(major, 'Major'),
    numberOf(minor, 'Minor'),
    numberOf(patch, 'Patch'),
  ];
  const prerelease = before?.split('.') ?? [];
  for (const each of prerelease) checkPrerelease(each);
  for (const each of build?.split('.') ?? []) checkBuild(each);
  return new Version(numbers, prerelease);
}

function numberOf(text: string, name: string): bigint {
  if (!/^\d*$/.test(text)) {
    return fail(`Invalid character(s) found in ${name.toLowerCase()} number ${quoteText(text)}`);
  }
  if (/^0\d/.test(text)) {
    return fail(`${name} number must not contain leading zeroes ${quoteText(text)}`);
  }
  if (text === '') return fail('strconv.ParseUint: parsing "": invalid syntax');
  const number = BigInt(text);
  return BigInt.asUintN(64, number) === number
    ? number
    : fail(`strconv.ParseUint: parsing ${quoteText(text)}: value out of range`);
}

function checkPrerelease(text: string): void {
  if (text === '') fail('Prerelease is empty');
  if (/^0\d+$/.test(text)) {
    fail(`Numeric PreRelease version must not contain leading zeroes ${quoteText(text)}`);
  }
  if (!/^[0-9A-Za-z-]+$/.test(text)) {
    fail(`Invalid character(s) found in prerelease ${quoteText(text)}`);
  }
}

function checkBuild(text: string): void {
  if (text === '') fail('Build meta data is empty');
  if (!/^[0-9A-Za-z-]+$/.test(text)) {
    fail(`Invalid character(s) found in build meta data ${quoteText(text)}`);
  }
}

/** Normalizes a version: `v1.02` becomes `1.2.0`. */
function normalize(text: string): string {
  const [first = '', second, ...rest] = text.replace(/^v/, '').split('.');
  const third = rest.length === 0 ? undefined : rest.join('.');
  const parts = [first, second, third].filter((part) => part !== undefined).map(withoutZeros);
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) {
    return fail('short version cannot contain PreRelease/Build meta data');
  }
  return [...parts, '0', '0'].slice(0, 3).join('.');
}

function withoutZeros(part: string): string {
  if (part.length < 2) return part;
  const rest = part.replace(/^0+/, '');
  return /^\d/.test(rest) ? rest : `0${rest}`;
}

function compare(left: Version, right: Version): number {
  for (const [index, number] of left.numbers.entries()) {
    const other = right.numbers[index] ?? 0n;
    if (number !== other) return number < other ? -1 : 1;
  }
  return comparePrereleases(left.prerelease, right.prerelease);
}

function comparePrereleases(left: readonly string[], right: readonly string[]): number {
  if (left.length === 0 || right.length === 0) {
    return Math.sign(right.length - left.length);
  }
  for (const [index, part] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const order = compareParts(part, other);
    if (order !== 0) return order;
  }
  return left.length === right.length ? 0 : -1;
}

/** Compares two parts of a prerelease: numbers precede words. */
function compareParts(left: string, right: string): number {
  const numeric = [left, right].map((part) => /^\d+$/.test(part));
  if (numeric[0] !== numeric[1]) return numeric[0] === true ? -1 : 1;
  const [one, other] = numeric[0] === true ? [BigInt(left), BigInt(right)] : [left, right];
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
