import { EventChannel } from './event-channel.ts';
import { readSnapshot, type Snapshot } from './snapshot-reader.ts';
import type { InspectedManager } from './inspected-manager.ts';

/** The lists of rows in a snapshot. */
const lists = ['controllers', 'watches', 'kinds'] as const;

/** The rows of a snapshot as JSON, by list and id. */
type RowTexts = Readonly<Record<(typeof lists)[number], ReadonlyMap<string, string>>>;

/** A snapshot as texts, which all readers share. */
interface SnapshotText {
  readonly process: string;
  readonly rows: RowTexts;
}

/** Milliseconds between two messages. */
const INTERVAL_MS = 1000;

const nothing: RowTexts = { controllers: new Map(), watches: new Map(), kinds: new Map() };

/**
 * Sends the readers of the overview once a second which rows have changed. It reads the manager once for all readers, and
 * not at all without any. A reader that has not taken the last message gets the changes later, in one message.
 */
export class SnapshotFeed {
  readonly #manager: InspectedManager;
  /** The readers, each with the rows that it has. */
  readonly #readers = new Map<EventChannel, RowTexts>();
  #timer: NodeJS.Timeout | undefined;

  constructor(manager: InspectedManager) {
    this.#manager = manager;
  }

  get readers(): number {
    return this.#readers.size;
  }

  /** Opens a stream, whose first message has every row. */
  open(): EventChannel {
    const channel: EventChannel = new EventChannel(() => this.#left(channel));
    this.#readers.set(channel, nothing);
    this.#send(channel, textOf(readSnapshot(this.#manager)));
    this.#timer ??= setInterval(() => this.#tick(), INTERVAL_MS).unref();
    return channel;
  }

  /** Ends every stream. */
  stop(): void {
    for (const channel of this.#readers.keys()) channel.end();
  }

  #tick(): void {
    const ready = [...this.#readers.keys()].filter(({ isReady }) => isReady);
    if (ready.length === 0) return;
    const text = textOf(readSnapshot(this.#manager));
    for (const channel of ready) this.#send(channel, text);
  }

  #send(channel: EventChannel, text: SnapshotText): void {
    channel.send(messageOf(text, this.#readers.get(channel) ?? nothing));
    this.#readers.set(channel, text.rows);
  }

  #left(channel: EventChannel): void {
    this.#readers.delete(channel);
    if (this.#readers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** The snapshot as the message of a new reader. */
export function wholeMessage(snapshot: Snapshot): string {
  return messageOf(textOf(snapshot), nothing);
}

function textOf(snapshot: Snapshot): SnapshotText {
  const { controllers, watches, kinds } = snapshot;
  return {
    process: JSON.stringify(snapshot.process),
    rows: { controllers: texts(controllers), watches: texts(watches), kinds: texts(kinds) },
  };
}

function texts(rows: readonly { readonly id: string }[]): ReadonlyMap<string, string> {
  return new Map(rows.map((row) => [row.id, JSON.stringify(row)]));
}

function messageOf({ process, rows }: SnapshotText, known: RowTexts): string {
  const changes = lists.map((list) => `"${list}":${changesOf(rows[list], known[list])}`);
  return `{"process":${process},${changes.join(',')}}`;
}

function changesOf(rows: ReadonlyMap<string, string>, known: ReadonlyMap<string, string>): string {
  const set = [...rows].filter(([id, text]) => known.get(id) !== text).map(([, text]) => text);
  const removed = [...known.keys()].filter((id) => !rows.has(id));
  return `{"set":[${set.join(',')}],"removed":${JSON.stringify(removed)}}`;
}
