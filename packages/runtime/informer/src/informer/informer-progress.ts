import { hasReached, isOlder } from '../reflector/resource-version.ts';
import type { Timeline } from './timeline.ts';

/**
 * Records up to which change the handlers of a watch have received events. It decides whether they can move to another
 * watch without a gap.
 */
export class InformerProgress {
  /** True while handlers receive the differences of a list. */
  isDelivering = false;
  /** The version of the last change that readers and handlers have seen; bookmarks do not count. */
  lastChange = '';
  readonly #timeline: Timeline;
  #listedAt = 0;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  /** Records that a list at `version` replaced the state at the version `reached`. */
  listed(version: string, reached: string): void {
    if (isOlder(version, reached)) this.wentBack();
    this.lastChange = version;
    this.#listedAt = this.#timeline.current;
  }

  wentBack(): void {
    this.#timeline.wentBack(this.#listedAt);
  }

  /** True if a store at `version` has every change that the handlers of `other` have seen. */
  includes(version: string, other: InformerProgress): boolean {
    if (other.isDelivering || this.#listedAt !== other.#listedAt) return false;
    return hasReached(version, other.lastChange);
  }
}
