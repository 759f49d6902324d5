import type * as fc from 'fast-check';
import type { Verdict } from '../comparison/verdict.ts';
import type { Judge } from '../judge.ts';
import type { ServerInMemory } from '../server-in-memory.ts';

/** Both sides of a comparison. */
export interface Sides {
  readonly judge: Judge;
  readonly server: ServerInMemory;
}

/** A kind of random case that both sides decide. */
export interface Suite<Case = unknown> {
  readonly name: string;
  readonly cases: fc.Arbitrary<Case>;
  /** Decides a case on both sides. One case may hold several writes. */
  decide(sides: Sides, each: Case): Promise<readonly Verdict[]>;
  /** Returns the cases that are one step smaller. Default every case with a part less. */
  readonly smaller?: (each: Case) => Iterable<Case>;
}
