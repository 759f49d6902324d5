/** What all rules of one object may cost together on kube-apiserver. */
const objectBudget = 10_000_000;

/** What is left for the rules of an object. */
export class CostBudget {
  #left = objectBudget;

  /** Whether there was enough. */
  spend(cost: number): boolean {
    this.#left -= cost;
    return this.#left >= 0;
  }

  get isExhausted(): boolean {
    return this.#left <= 0;
  }

  /** Nothing more may be evaluated. */
  exhaust(): void {
    this.#left = 0;
  }
}
