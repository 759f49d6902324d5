/** Cost limit of all rules of one object in kube-apiserver. */
const OBJECT_COST_LIMIT = 10_000_000;

/** The remaining cost for the rules of an object. */
export class ObjectCostBudget {
  #left = OBJECT_COST_LIMIT;

  /** Deducts a cost. Returns false if the budget is exceeded. */
  spend(cost: number): boolean {
    this.#left -= cost;
    return this.#left >= 0;
  }

  get isExhausted(): boolean {
    return this.#left <= 0;
  }

  /** Ends the evaluation of further rules. */
  exhaust(): void {
    this.#left = 0;
  }
}
