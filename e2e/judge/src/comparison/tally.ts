import type { Agreement, Verdict } from './verdict.ts';

/** Counts of the verdicts of one suite. */
export class Tally {
  cases = 0;
  decisions = 0;
  different = 0;
  otherWords = 0;
  strict = 0;

  add(verdicts: readonly Verdict[]): void {
    this.cases++;
    const count = (wanted: Agreement): number =>
      verdicts.filter(({ agreement }) => agreement === wanted).length;
    this.decisions += verdicts.length - count('undecided') - count('strict');
    this.different += count('different');
    this.otherWords += count('words');
    this.strict += count('strict');
  }

  /** The share of decisions that are equal. */
  get share(): number {
    return this.decisions === 0 ? 1 : 1 - this.different / this.decisions;
  }

  line(): string {
    const words =
      this.decisions === 0 ? 1 : 1 - (this.different + this.otherWords) / this.decisions;
    const strict = this.strict === 0 ? '' : `, ${this.strict} refused by Keelson alone`;
    return `${this.cases} cases, ${this.decisions} decisions, ${percent(this.share)} equal, ${percent(words)} with the same causes${strict}`;
  }
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}
