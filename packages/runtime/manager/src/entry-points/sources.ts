/**
 * The sources of a controller, and how events become requests: the options of watches, predicates, dynamic watches, sets
 * of watches, changes of a live controller, debouncing, rates and priorities.
 *
 * `addController` and `controller.watch` infer these types from the options of the call. Code that writes a part of the
 * options elsewhere names its type:
 *
 * - `ForOptions`, `OwnsOptions` and `WatchOptions` are the options of one source, and `DynamicSource` is an async iterable
 *   that was added at run time.
 * - `Predicate` and `RequestMapper` are the functions of a source, and `EventContext` is their second argument. The
 *   predicates of Keelson, such as `generationChanged`, are exports of `@keelson/manager`.
 * - `ReconfigureResult` is the result of `controller.reconfigure`.
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
export type {
  CombinedPredicate,
  EventContext,
  Predicate,
} from '../sources/event-rules/predicate.ts';
export type { EventPredicates } from '../sources/event-rules/event-predicates.ts';
