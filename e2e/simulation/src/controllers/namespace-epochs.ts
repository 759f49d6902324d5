/** A set of namespaces that changes. A namespace that leaves and comes back is another one. */
export class NamespaceEpochs {
  readonly #epochs = new Map<string, number>();
  #count = 0;
  #hasChanged = false;

  constructor(namespaces: readonly string[]) {
    for (const namespace of namespaces) this.#epochs.set(namespace, ++this.#count);
  }

  get present(): string[] {
    return [...this.#epochs.keys()];
  }

  /** True after the first change: a watch may then be younger than its controller. */
  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  has(namespace: string): boolean {
    return this.#epochs.has(namespace);
  }

  epochOf(namespace: string): number | undefined {
    return this.#epochs.get(namespace);
  }

  replace(next: readonly string[]): void {
    this.#hasChanged = true;
    for (const namespace of this.present) {
      if (!next.includes(namespace)) this.#epochs.delete(namespace);
    }
    for (const namespace of next) {
      if (!this.#epochs.has(namespace)) this.#epochs.set(namespace, ++this.#count);
    }
  }
}
