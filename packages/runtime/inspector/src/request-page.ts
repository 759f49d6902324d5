/** One entry in the timeline of a request. */
export interface TimelineEntry {
  /** In ISO 8601. */
  readonly at: string;
  /** `superseded` is an event that a later one replaced before a run began; `dropped` one that queued no request. */
  readonly type: 'event' | 'superseded' | 'run' | 'dropped';
  /** One line for people. */
  readonly text: string;
  /** Further lines: the calls and the error of a run. */
  readonly details: readonly string[];
  readonly isFailure: boolean;
}

/** An object that a controller reads or owns. */
export interface ObjectReference {
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** An Event about an object. */
export interface ObjectEvent {
  readonly type: string;
  readonly reason: string;
  readonly note: string;
  readonly count: number;
  /** In ISO 8601. */
  readonly at: string | undefined;
}

/** A field manager that wrote an object last. Source: the managed fields of the object. */
export interface WriterRow {
  /** The key of the object, with its source. */
  readonly object: string;
  readonly manager: string;
  /** `Apply` or `Update`, with the subresource. */
  readonly operation: string;
  /** In ISO 8601, with a precision of a second. */
  readonly at: string | undefined;
}

/** A part of the page that the API server did not send. */
export interface UnreadPart {
  /** Such as `Events`. */
  readonly part: string;
  readonly reason: string;
}

/** All about one request of a controller. */
export interface RequestPage {
  readonly controller: string;
  readonly request: string;
  /** `running`, `ready`, `waiting` or `idle`. */
  readonly state: string;
  readonly isPaused: boolean;
  /** Why it does not run now; empty while it runs. */
  readonly obstacles: readonly string[];
  readonly nextRun: string | undefined;
  /** Latest first. */
  readonly timeline: readonly TimelineEntry[];
  /** The object of `for` without the values of Secrets; `undefined` if no watch has it. */
  readonly object: unknown;
  readonly owners: readonly ObjectReference[];
  /** The objects of `owns`, the first 100. */
  readonly children: readonly ObjectReference[];
  /** Latest first. */
  readonly events: readonly ObjectEvent[];
  /** Of the latest objects whose events queued the request. */
  readonly writers: readonly WriterRow[];
  /** The parts that are not available, because the API server did not send them in time or refused to. */
  readonly unread: readonly UnreadPart[];
}
