import type { Outcome } from './course.ts';

/** Prints the outcomes of courses as a Markdown table, with the worst seed of each fault. */
export class CourseTable {
  readonly #rows = new Map<string, Outcome[]>();

  add(fault: string, outcome: Outcome): void {
    this.#rows.set(fault, [...(this.#rows.get(fault) ?? []), outcome]);
  }

  toString(): string {
    const rows = Array.from(this.#rows, ([fault, outcomes]) => {
      const most = (of: (outcome: Outcome) => number): number => Math.max(...outcomes.map(of));
      const relists = most(({ causes }) => causes.filter((cause) => cause !== 'initial').length);
      const watches = most((outcome) => outcome.watches);
      const waited = most((outcome) => outcome.waited);
      return `| ${fault} | ${relists} | ${watches} | ${waited} |`;
    });
    const head = ['| fault | relists | watches | waited, ms |', '|---|---|---|---|'];
    return [...head, ...rows].join('\n');
  }
}
