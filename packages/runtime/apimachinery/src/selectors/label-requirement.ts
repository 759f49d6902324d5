/** The operator that relates a label's key to its values. */
export type LabelOperator = 'in' | 'notin' | 'exists' | 'notexists' | 'gt' | 'lt';

/** One condition of a label selector. In normal form its values are sorted and distinct. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** One or more for `in` and `notin`, one integer for `gt` and `lt`, empty otherwise. */
  readonly values: readonly string[];
}

/**
 * A label selector in normal form: sorted by key, then by text, without duplicates. Every requirement must
 * match, so an empty list selects everything. Equal selectors have equal strings.
 */
export type LabelRequirements = readonly LabelRequirement[];

/** Returns the normal form of requirements. */
export function normalRequirements(requirements: readonly LabelRequirement[]): LabelRequirements {
  const byText = new Map<string, LabelRequirement>();
  for (const { key, operator, values } of requirements) {
    const requirement = { key, operator, values: [...new Set(values)].toSorted(byCodeUnit) };
    byText.set(printRequirement(requirement), requirement);
  }
  return [...byText]
    .toSorted(([textA, a], [textB, b]) => byCodeUnit(a.key, b.key) || byCodeUnit(textA, textB))
    .map(([, requirement]) => requirement);
}

/** Returns normalized requirements as text for a URL. Empty if everything is selected. */
export function printLabelSelector(requirements: LabelRequirements): string {
  return requirements.map(printRequirement).join(',');
}

function printRequirement({ key, operator, values }: LabelRequirement): string {
  return operators[operator].print(key, values);
}

/** True if the selector selects an object with these labels. */
export function matchesLabels(
  requirements: LabelRequirements,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  return requirements.every((requirement) => matches(requirement, labels ?? noLabels));
}

const noLabels: Readonly<Record<string, string>> = {};

function matches(
  { key, operator, values }: LabelRequirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  return operators[operator].matches(Object.hasOwn(labels, key) ? labels[key] : undefined, values);
}

interface OperatorMeaning {
  print(key: string, values: readonly string[]): string;
  /** `value` is the value of the label, or `undefined` if the label is missing. */
  matches(value: string | undefined, values: readonly string[]): boolean;
}

const operators: Readonly<Record<LabelOperator, OperatorMeaning>> = {
  in: {
    print: (key, values) => printSet(key, '=', 'in', values),
    matches: (value, values) => value !== undefined && values.includes(value),
  },
  notin: {
    print: (key, values) => printSet(key, '!=', 'notin', values),
    matches: (value, values) => value === undefined || !values.includes(value),
  },
  exists: {
    print: (key) => key,
    matches: (value) => value !== undefined,
  },
  notexists: {
    print: (key) => `!${key}`,
    matches: (value) => value === undefined,
  },
  gt: {
    print: (key, values) => `${key}>${values.join(',')}`,
    matches: (value, values) => compares(value, values, (left, right) => left > right),
  },
  lt: {
    print: (key, values) => `${key}<${values.join(',')}`,
    matches: (value, values) => compares(value, values, (left, right) => left < right),
  },
};

function printSet(key: string, one: string, many: string, values: readonly string[]): string {
  return values.length === 1 ? `${key}${one}${values[0]}` : `${key} ${many} (${values.join(',')})`;
}

function compares(
  value: string | undefined,
  [bound = '']: readonly string[],
  holds: (left: bigint, right: bigint) => boolean,
): boolean {
  const left = value === undefined ? undefined : parseInt64(value);
  const right = parseInt64(bound);
  return left !== undefined && right !== undefined && holds(left, right);
}

const integerPattern = /^[+-]?\d+$/;

/** Parses an integer like Go's `strconv.ParseInt(text, 10, 64)`; `undefined` if it is invalid. */
export function parseInt64(text: string): bigint | undefined {
  if (!integerPattern.test(text)) return undefined;
  const magnitude = BigInt(text.replace(/^[+-]/, ''));
  const value = text.startsWith('-') ? -magnitude : magnitude;
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function byCodeUnit(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
