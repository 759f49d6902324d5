/**
 * The sources of a controller, and how events become requests: the options of watches, dynamic watches, sets of
 * watches, changes of a live controller, debouncing, rates and priorities.
 *
 * @module
 */

export type { DynamicSource, EnqueueOptions } from '../controller/controller.ts';
export type { RemoveOptions } from '../source-set/dynamic-watch.ts';
export type {
  Reconfiguration,
  ReconfigureOptions,
  ReconfigureResult,
} from '../controller/reconfiguration.ts';
export type { SourceOf } from '../controller/controller-options.ts';
export type {
  ForOptions,
  OwnsOptions,
  ReadsOptions,
  SourceOptions,
  WatchEnd,
  WatchRemoval,
  WatchOptions,
} from '../sources/source-options.ts';
export type { DeclaredIndex, IndexWatchOptions } from '../sources/index-watches/index-watch.ts';
export type { Watched, WatchesOf } from '../sources/index-watches/watches-of.ts';
export type { KindDefaults } from '../sources/watch-defaults.ts';
export type { IterableSourceOptions, SourcePhase } from '../sources/iterables/iterable-source.ts';
export type { DebounceOptions } from '../sources/event-rules/debounce.ts';
export type { EventRateOptions } from '../fights/event-rate.ts';
export type { EventDefaults } from '../sources/event-rules/event-settings.ts';
export type { RequestPriorities } from '../sources/event-rules/request-priorities.ts';
export type { RequestMapper } from '../sources/request-mapper.ts';
export type { CauseReason } from '../reconcile/cause.ts';
export type { CombinedPredicate } from '../reconcile/predicate.ts';
export type { EventPredicates } from '../reconcile/event-predicates.ts';
