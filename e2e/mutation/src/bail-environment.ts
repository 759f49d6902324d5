import { TestEnvironment } from 'jest-environment-node';

/** The parts of Jest's test events that matter here. */
interface TestEvent {
  readonly name: string;
  readonly test?: { readonly errors: readonly unknown[]; mode?: string | null };
}

interface TestState {
  readonly rootDescribeBlock: { mode?: string | null };
}

/**
 * Ends the run of a mutant at the first test that fails. Jest cannot bail when a program starts it, so that
 * Stryker runs every other test as well: a mutant that breaks many tests then counts as one that took too long.
 */
export class BailEnvironment extends TestEnvironment {
  /** The mutant that a test noticed. Every test file of a run has its own environment in the same process. */
  static #noticed: string | undefined;

  handleTestEvent({ name, test }: TestEvent, { rootDescribeBlock }: TestState): void {
    const mutant = process.env['__STRYKER_ACTIVE_MUTANT__'];
    if (mutant === undefined) return;
    if (name === 'test_done' && test !== undefined && test.errors.length > 0) {
      BailEnvironment.#noticed = mutant;
    }
    if (BailEnvironment.#noticed !== mutant) return;
    if (name === 'run_start') rootDescribeBlock.mode = 'skip';
    if (name === 'test_start' && test !== undefined) test.mode = 'skip';
  }
}

// Jest and Stryker load an environment with `require`, which returns the export of this name.
export { BailEnvironment as 'module.exports' };
