/** The reads of a cache that no test with the fake cache needs. They throw. */
export class UnsupportedReads {
  by(): never {
    throw new Error('the fake cache has no indexes');
  }

  namesBy(): never {
    return this.by();
  }

  indexValues(): never {
    return this.by();
  }

  owned(): never {
    return this.by();
  }

  isServed(): never {
    throw new Error('the fake cache has no served kinds');
  }

  onServedChange(): never {
    return this.isServed();
  }

  async waitFor(): Promise<never> {
    throw new Error('the fake cache cannot wait');
  }
}
