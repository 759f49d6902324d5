import type { Status } from '@keelson/apimachinery';
import { completed } from '../http/answer.ts';
import type { Presentation } from '../presentation/presentation.ts';
import type { ProtobufEncoder } from '../protobuf/protobuf-encoder.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { jsonText } from '../json/exact-json.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/** How the objects of a watch are written. */
export type EventPresentation = Pick<Presentation, 'object' | 'bookmark'>;

/** How events and what is no stored object become bytes. */
export interface EventForm {
  readonly contentType: string;
  /** An object that is not stored: a bookmark's, a Status. */
  bytesOf(object: object): Buffer;
  /** An event with an object that is written already. */
  frame(type: EventType, object: Buffer): Buffer;
}

/** Makes the events of a watch: lines of JSON, or frames of protobuf. */
export class EventFrames {
  readonly #presentation: EventPresentation;
  readonly #form: EventForm;
  /** All watches of a resource write one event at the same moment: the last frame serves them all. */
  #last: { type: EventType; object: StoredObject; frame: Buffer } | undefined;

  constructor(presentation: EventPresentation, form: EventForm = jsonLines) {
    this.#presentation = presentation;
    this.#form = form;
  }

  get contentType(): string {
    return this.#form.contentType;
  }

  ofObject(type: EventType, object: StoredObject): Buffer {
    const last = this.#last;
    if (last?.object === object && last.type === type) return last.frame;
    const frame = this.#form.frame(type, this.#presentation.object(object));
    this.#last = { type, object, frame };
    return frame;
  }

  ofBookmark(revision: number, endsInitialEvents: boolean): Buffer {
    const resourceVersion = String(revision);
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const metadata = endsInitialEvents ? { resourceVersion, annotations } : { resourceVersion };
    return this.#of('BOOKMARK', this.#presentation.bookmark(metadata));
  }

  ofError(status: Status): Buffer {
    return this.#of('ERROR', completed(status));
  }

  #of(type: EventType, object: object): Buffer {
    return this.#form.frame(type, this.#form.bytesOf(object));
  }
}

const heads: Readonly<Record<EventType, Buffer>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
  BOOKMARK: Buffer.from('{"type":"BOOKMARK","object":'),
  ERROR: Buffer.from('{"type":"ERROR","object":'),
};
const tail = Buffer.from('}\n');

const jsonLines: EventForm = {
  contentType: 'application/json',
  bytesOf: (object) => Buffer.from(jsonText(object)),
  frame: (type, object) => Buffer.concat([heads[type], object, tail]),
};

/** Frames as typed Go clients read them. */
export function protobufFrames(encoder: ProtobufEncoder): EventForm {
  return {
    contentType: 'application/vnd.kubernetes.protobuf;stream=watch',
    bytesOf: (object) => encoder.object(object),
    frame: (type, object) => encoder.watchEvent(type, object),
  };
}
