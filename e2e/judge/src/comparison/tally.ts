import type { Verdict } from './verdict.ts';

/** Counts of the verdicts of one suite. */
export class Tally {
  cases = 0;
  decisions = 0;
  different = 0;
  otherWords = 0;

  add(verdicts: readonly Verdict[]): void {
    this.cases++;
    this.decisions += verdicts.filter(({ agreement }) => agreement !== 'undecided').length;
    this.different += verdicts.filter(({ agreement }) => agreement === 'different').length;
    this.otherWords += verdicts.filter(({ agreement }) => agreement === 'words').length;
  }

  /** The share of decisions that are equal. */
  get share(): number {
    return this.decisions === 0 ? 1 : 1 - this.different / this.decisions;
  }

  line(): string {
    const words =
      this.decisions === 0 ? 1 : 1 - (this.different + this.otherWords) / this.decisions;
    return `${this.cases} cases, ${this.decisions} decisions, ${percent(this.share)} equal, ${percent(words)} with the same causes`;
  }
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}
