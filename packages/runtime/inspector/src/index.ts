/**
 * The page that shows what the controllers and watches of an operator do, and the form of the data that it reads. The
 * manager serves it on its debug server, and imports it with the first request for it.
 *
 * - The page is one response of at most 80 KB zipped, and loads nothing from elsewhere.
 * - Its policy permits its own script and style only, by their hashes.
 * - The package has no dependencies.
 *
 * @module
 */

export { inspectorPage, type InspectorPage } from './inspector-page.ts';

// The data of the page
export type {
  ControllerRow,
  KindRow,
  ProcessRow,
  RowChanges,
  RunningRequest,
  SnapshotMessage,
  WatchRow,
} from './snapshot.ts';
export type { ControllerPage, RequestRow } from './controller-page.ts';
export type {
  ObjectEvent,
  ObjectReference,
  RequestPage,
  TimelineEntry,
  UnreadPart,
  WriterRow,
} from './request-page.ts';
export type { HandleRow, WatchEventRow, WatchMessage, WatchPage } from './watch-page.ts';
