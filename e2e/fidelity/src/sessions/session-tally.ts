import { linesOf, type Agreement, type Difference } from '../comparison.ts';
import { isListed, type KnownSessionDifference } from './session-differences.ts';

/** What must agree at least, of the steps. */
const leastShare = 0.99;

/** Adds up what sessions found. */
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

  /** Counts a session and returns its differences that are not listed. */
  add(seed: number, { steps, sameBody, differences }: Agreement): readonly Difference[] {
    this.sessions += 1;
    this.steps += steps;
    this.same += sameBody;
    const unlisted = differences.filter((difference) => !isListed(difference, this.#known));
    this.listed += differences.length - unlisted.length;
    const [first] = unlisted;
    // Later differences of a session mostly follow from the first.
    if (first !== undefined) this.#count(seed, first);
    return unlisted;
  }

  /** Share of the steps with the same response, or a listed difference. */
  get share(): number {
    return this.steps === 0 ? 1 : (this.same + this.listed) / this.steps;
  }

  /** True if enough steps agree and each difference is listed. */
  get passes(): boolean {
    return this.share >= leastShare && this.#causes.size === 0;
  }

  /** A line for each kind of first difference, most frequent first. */
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

/** Verb, resource and first differing path: what sessions with one cause have in common. */
function causeOf({ request, statuses, places }: Difference): string {
  const [method = '', path = ''] = request.split(/[ ?]/);
  const parts = path.split('/').slice(path.startsWith('/api/') ? 5 : 6);
  const [resource = '', , subresource] = parts;
  const where = [resource, subresource].filter((part) => part !== undefined).join('/');
  const place = statuses[0] === statuses[1] ? places[0]?.path : statuses.join(' ≠ ');
  return `${method} ${where} ${(place ?? '').replaceAll(/\.\d+/g, '[]')}`;
}
