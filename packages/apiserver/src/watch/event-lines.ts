import type { Presentation } from '../http/presentation.ts';
import type { StoredObject } from '../storage/stored-object.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/** How the objects of a watch are written. */
export type EventPresentation = Pick<Presentation, 'object' | 'bookmark'>;

/** Makes the lines of a watch. */
export class EventLines {
  readonly #presentation: EventPresentation;
  /** All watches of a resource write one event at the same moment: the last line serves them all. */
  #last: { type: EventType; object: StoredObject; line: Buffer } | undefined;

  constructor(presentation: EventPresentation) {
    this.#presentation = presentation;
  }

  ofObject(type: EventType, object: StoredObject): Buffer {
    const last = this.#last;
    if (last?.object === object && last.type === type) return last.line;
    const line = Buffer.concat([heads[type], this.#presentation.object(object), tail]);
    this.#last = { type, object, line };
    return line;
  }

  ofBookmark(revision: number, endsInitialEvents: boolean): Buffer {
    const resourceVersion = String(revision);
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const metadata = endsInitialEvents ? { resourceVersion, annotations } : { resourceVersion };
    return lineOf('BOOKMARK', this.#presentation.bookmark(metadata));
  }
}

/** A line with an object that is not stored, such as a Status. */
export function lineOf(type: EventType, object: object): Buffer {
  return Buffer.from(`${JSON.stringify({ type, object })}\n`);
}

const heads: Readonly<Record<EventType, Buffer>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
  BOOKMARK: Buffer.from('{"type":"BOOKMARK","object":'),
  ERROR: Buffer.from('{"type":"ERROR","object":'),
};
const tail = Buffer.from('}\n');
