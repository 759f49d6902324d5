import { linesOf, type Agreement, type Difference } from '../comparison.ts';
import { isListed, type KnownSessionDifference } from './session-differences.ts';

/** Least share of equal steps. */
const LEAST_SHARE = 0.99;

/** Counts the steps and differences of sessions. */
export class SessionTally {
  readonly #known: readonly KnownSessionDifference[];
  readonly #causes = new Map<string, { count: number; seed: number; example: Difference }>();
  sessions = 0;
  steps = 0;
  same = 0;
  listed = 0;

  constructor(known: readonly KnownSessionDifference[]) {
    this.#known = known;
  }

  /** Counts a session and returns its unlisted differences. */
  add(seed: number, { steps, sameBody, differences }: Agreement): readonly Difference[] {
    this.sessions += 1;
    this.steps += steps;
    this.same += sameBody;
    const unlisted = differences.filter((difference) => !isListed(difference, this.#known));
    this.listed += differences.length - unlisted.length;
    const [first] = unlisted;
    // Later differences of a session are usually consequences of the first.
    if (first !== undefined) this.#count(seed, first);
    return unlisted;
  }

  /** The share of steps with equal responses or a listed difference. */
  get share(): number {
    return this.steps === 0 ? 1 : (this.same + this.listed) / this.steps;
  }

  /** True if enough steps are equal and each difference is listed. */
  get passes(): boolean {
    return this.share >= LEAST_SHARE && this.#causes.size === 0;
  }

  /** Returns a line for each cause of first differences, most frequent first. */
  lines(): string[] {
    const causes = [...this.#causes].toSorted(([, a], [, b]) => b.count - a.count);
    return causes.map(([cause, { count, seed, example }]) => {
      return `${count} × ${cause} (seed ${seed}: ${example.statuses.join(' ≠ ')} ${linesOf(example.places)[0] ?? ''})`;
    });
  }

  #count(seed: number, example: Difference): void {
    const cause = causeOf(example);
    const entry = this.#causes.get(cause) ?? { count: 0, seed, example };
    entry.count += 1;
    this.#causes.set(cause, entry);
  }
}

/** Returns the verb, the resource and the first differing path, which sessions with one cause share. */
function causeOf({ request, statuses, places }: Difference): string {
  const [method = '', path = ''] = request.split(/[ ?]/);
  const parts = path.split('/').slice(path.startsWith('/api/') ? 5 : 6);
  const [resource = '', , subresource] = parts;
  const where = [resource, subresource].filter((part) => part !== undefined).join('/');
  const place = statuses[0] === statuses[1] ? places[0]?.path : statuses.join(' ≠ ');
  return `${method} ${where} ${(place ?? '').replaceAll(/\.\d+/g, '[]')}`;
}
