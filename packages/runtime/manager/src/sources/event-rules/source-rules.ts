import type { Debounce } from '@keelson/workqueue';
import type { Governing } from '../../fights/source-governor.ts';

/** The rules of a watch that a change of its controller replaces. */
export interface SourceRules {
  readonly debounce?: Debounce | undefined;
  /** Limits the events of each object. Default: no limit. */
  readonly governing?: Governing | undefined;
  /** The interval of resyncs in milliseconds; 0 for none. */
  readonly resync: number;
}
